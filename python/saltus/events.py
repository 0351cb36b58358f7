"""Events: zero crossings of functions of the state, found between steps."""

from typing import Callable, NamedTuple, Optional


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


class _Watch:
    """An event during one run."""

    def __init__(self, event, records):
        self.event, self.records = event, records
        self.time = self.value = None

    def look(self, simulation):
        """True if the run shall stop."""
        event = self.event
        time, value = simulation.time, float(event.function(simulation))
        before_time, before = self.time, self.value
        self.time, self.value = time, value
        if before is None or before == 0 or (before > 0) == (value > 0) and value != 0:
            return False
        if event.direction * (value - before) < 0:
            return False
        crossing = before_time + (time - before_time) * before / (before - value)
        self.records.append(EventRecord(crossing, "event", event.name, value))
        if event.action is not None:
            event.action(simulation)
            self.value = float(event.function(simulation))
        return event.terminal
