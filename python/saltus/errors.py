"""Errors raised by the Python part, with the same parts as those of the library."""

from . import _core

for _part, _empty in (("item", ""), ("reason", ""), ("suggestion", ""), ("file", ""), ("line", 0)):
    setattr(_core.InputError, _part, _empty)


def input_error(item, reason, suggestion=""):
    """An InputError "item: reason; suggestion"."""
    error = _core.InputError(f"{item}: {reason}" + (f"; {suggestion}" if suggestion else ""))
    error.item, error.reason, error.suggestion = item, reason, suggestion
    return error


class SimulationWarning(UserWarning):
    """A run ended early or broke a limit of its audit; the result up to there is kept."""
