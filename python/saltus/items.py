"""Maps of the scene format whose keys can be used as attributes."""

import difflib
import inspect

from . import _core
from .errors import input_error

SECTIONS = _core.list_sections()  # keys of each section of docs/scene.md


def make_signature(keys):
    """Keyword parameters, for help() and completion."""
    return inspect.Signature([inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None)
                              for key in keys])


def refuse_positional(name, args, keys):
    """Values without a key: a TypeError that says how to write them."""
    first = next(iter(keys), "key") if keys else "key"
    raise TypeError(f"{name} takes its values by key, {name}({first}={args[0]!r}, …)"
                    + (f"; its keys: {', '.join(keys)}" if keys else ""))


class Item(dict):
    """A map of the scene format whose keys can be used as attributes.

    Unknown keys are refused at once; the message names the nearest known one.
    """

    _section = None  # name of the section in docs/scene.md

    def __init_subclass__(cls, **keys):
        super().__init_subclass__(**keys)
        if cls._section is not None and "__init__" not in cls.__dict__:
            cls.__signature__ = make_signature(cls.keys_known())

    def __init__(self, *args, **keys):
        if args and not (len(args) == 1 and isinstance(args[0], dict)):
            refuse_positional(type(self).__name__, args, self.keys_known())
        super().__init__(*args, **keys)
        for key in self:
            self._check(key)
        for key, value in self.items():
            dict.__setitem__(self, key, wrap(value))

    @classmethod
    def keys_known(cls):
        """The keys that the scene format knows for this kind of item; None: any."""
        return SECTIONS.get(cls._section)

    def _check(self, key):
        known = self.keys_known()
        if known is not None and key not in known and key != "repeat":
            near = difflib.get_close_matches(str(key), known, 1)
            raise input_error(f"{type(self).__name__}.{key}", f"unknown key {key!r}",
                              (f"did you mean {near[0]!r}? " if near else "")
                              + f"Known keys: {', '.join(known)}")

    def __setitem__(self, key, value):
        self._check(key)
        super().__setitem__(key, wrap(value))

    def update(self, *args, **keys):
        """dict.update with the keys checked."""
        for key, value in dict(*args, **keys).items():
            self[key] = value

    def setdefault(self, key, default=None):
        """dict.setdefault with the key checked."""
        if key not in self:
            self[key] = default
        return self[key]

    def __getattr__(self, name):
        if name in self:
            return self[name]
        known = self.keys_known()
        if known is not None and name in known and not name.startswith("_"):
            return None
        raise AttributeError(f"{type(self).__name__} has no {name!r}")

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]

    def __dir__(self):
        return sorted(set(super().__dir__()) | set(self.keys_known() or ()) | set(self))

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.items())})"

    def copy(self):
        """An independent copy; functions are shared."""
        new = type(self).__new__(type(self))
        for key, value in self.items():
            dict.__setitem__(new, key, copy_value(value))
        return new

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        return restore, (type(self), dict(self))


def restore(kind, entries):
    """An item of a kind from its entries, as they are."""
    item = kind.__new__(kind)
    dict.update(item, entries)
    return item


def copy_value(value):
    """A copy of everything that can be changed."""
    if isinstance(value, Item):
        return value.copy()
    if isinstance(value, (list, tuple)):
        return type(value)(copy_value(entry) for entry in value)
    return value.copy() if isinstance(value, dict) or hasattr(value, "tolist") else value


def wrap(value):
    """Plain dicts become Items, so that attributes work at every depth."""
    if type(value) is dict:
        return Item(value)
    if type(value) is list:
        return [wrap(entry) for entry in value]
    return value
