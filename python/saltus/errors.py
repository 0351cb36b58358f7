"""Errors raised by the Python part, with the same parts as those of the library."""

import os
import sys
import warnings

import numpy as np

from . import _core

for _part, _empty in (("item", ""), ("reason", ""), ("suggestion", ""), ("file", ""), ("line", 0)):
    setattr(_core.InputError, _part, _empty)


def input_error(item, reason, suggestion=""):
    """An InputError "item: reason; suggestion"."""
    error = _core.InputError(f"{item}: {reason}" + (f"; {suggestion}" if suggestion else ""))
    error.item, error.reason, error.suggestion = item, reason, suggestion
    return error


def as_array(name, value, verb="is"):
    """A new array of numbers from arrays, lists, numbers or scipy matrices."""
    try:
        return np.array(value.toarray() if hasattr(value, "toarray") else value, dtype=float)
    except (TypeError, ValueError):
        raise input_error(name, f"{verb} {value!r}", "numbers are needed") from None


def check_number(name, value, low, high, whole=False):
    """Raises unless the value is a number in [low, high]."""
    kinds = (int, np.integer) if whole else (int, float, np.number)
    if not isinstance(value, kinds) or not low <= value <= high:
        raise input_error(name, f"is {value!r}",
                          f"a {'whole ' if whole else ''}number in [{low:g}, {high:g}]")


class SimulationWarning(UserWarning):
    """A run was not good: its verdict says what to look at. The result is kept."""


class SimulationFailed(RuntimeError):
    """A step failed and the run stopped. The message says what is to blame and what helps; `result` holds
    the part that was done (None if nothing was recorded)."""

    def __init__(self, message, result=None):
        super().__init__(message)
        self.result = result

    def __reduce__(self):
        return type(self), (str(self), self.result)


def warn(message):
    """A SimulationWarning that points to the line of the user, not of the package."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe()
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, SimulationWarning, stacklevel=level)


def add_note(error, text):
    """Says in the traceback of an exception where it came from."""
    if text not in getattr(error, "__notes__", ()):
        error.add_note(text)
