"""Events: zero crossings of functions of the state, found between steps."""

import math
from typing import Callable, NamedTuple, Optional

from .errors import add_note, input_error


class EventRecord(NamedTuple):
    """Something that happened during a run."""

    time: float  # s
    kind: str  # "impact" or "event"
    name: str  # of the contact or of the event
    value: float  # impact: normal impulse [N s]; event: value of the function after the crossing


class Event:
    """Watches function(simulation) → number for a change of sign.

    direction: +1 rising only, −1 falling only, 0 both. action(simulation) is called at the end of the
    step in which the sign changed; it may read the state or set it (``set_state``). terminal: True
    ends the run there. The time of the crossing is interpolated linearly inside the step and recorded
    in ``result.events``.

    >>> landing = Event(lambda s: s.body("ball").position[2] - 0.5, name="half way", terminal=True)
    """

    def __init__(self, function: Callable, *, name: Optional[str] = None, direction: int = 0,
                 terminal: bool = False, action: Optional[Callable] = None):
        if not callable(function) or (action is not None and not callable(action)):
            raise TypeError("function and action of an Event must be callable")
        self.function, self.direction, self.terminal = function, direction, terminal
        self.action = action
        self.name = name or getattr(function, "__name__", "event")
        if direction not in (-1, 0, 1):
            raise input_error(f"event {self.name!r}", f"direction is {direction!r}",
                              "1: rising, -1: falling, 0: both")


class _Watch:
    """An event during one run; `add` takes its records."""

    def __init__(self, event, add):
        self.event, self.add = event, add
        self.time = self.value = None

    def evaluate(self, simulation):
        """The function; whatever goes wrong names the event."""
        where = f"event {self.event.name!r}"
        try:
            value = self.event.function(simulation)
        except Exception as error:
            add_note(error, f"in the {where}, at t = {simulation.time:g} s")
            raise
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise input_error(where, f"returned {value!r} at t = {simulation.time:g} s",
                              "return a finite number")
        return number

    def look(self, simulation):
        """True if the run shall stop."""
        event = self.event
        time, value = simulation.time, self.evaluate(simulation)
        before_time, before = self.time, self.value
        self.time, self.value = time, value
        if before is None or before == 0 or (before > 0) == (value > 0) and value != 0:
            return False
        if event.direction * (value - before) < 0:
            return False
        crossing = before_time + (time - before_time) * before / (before - value)
        self.add(EventRecord(crossing, "event", event.name, value))
        if event.action is not None:
            event.action(simulation)
            self.value = self.evaluate(simulation)
        return event.terminal
