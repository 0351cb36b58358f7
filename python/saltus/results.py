"""Results: everything a run recorded, from memory or from a file, by channel or as arrays."""

import os
import types

import numpy as np

from . import _core
from .errors import input_error, warn
from .events import EventRecord
from .lists import Names

_QUANTITIES = {dataset: (owner, name, unit, meaning, components)
               for owner, name, dataset, unit, meaning, components in _core.list_quantities()}


# Of the step that contains a time; everything else is interpolated.
_STEPPED = ("force", "torque", "impulse", "moment", "lambda", "step_size")


class ContactRows:
    """All contact points of a run as arrays with one row per point.

    name (index into names), key, gap [m], point [m], normal n, tangent t1 (t2 = n × t1), force [N] and
    impulse [N s] along n, t1, t2 (force is zero in an impact, impulse is zero otherwise), moment [N m] of
    spinning (n) and rolling (t1, t2) friction, mean over the step, adhesion
    (one row more for each pair with bonds: 1 whole to 0 broken), frame: index of the frame of each row. Rows of frame k: ``contacts.rows(k)``; vectors in world axes, on the
    second body: ``contacts.in_world(contacts.force)``.
    """

    def __init__(self, arrays, names):
        self.names = names
        for key, value in arrays.items():
            setattr(self, key, value)

    def __len__(self):
        return len(self.gap)

    @property
    def frame(self):
        """Index of the frame that each row belongs to."""
        return np.repeat(np.arange(len(self.offset) - 1), np.diff(self.offset))

    def in_world(self, components):
        """Vectors in world axes from components (rows, 3) along n, t1, t2."""
        if len(self.tangent) != len(self):
            raise input_error("contacts", "the file has no tangents: it is of an older version",
                              "run the scene again")
        n, t1 = self.normal, self.tangent
        N, T1, T2 = np.asarray(components).T[:, :, None]
        return N * n + T1 * t1 + T2 * np.cross(n, t1)

    def rows(self, frame):
        """The slice of the rows of a frame."""
        count = len(self.offset) - 1
        frame = range(count)[frame]
        return slice(int(self.offset[frame]), int(self.offset[frame + 1]))

    def of(self, name):
        """Indices of the rows of a contact, by its name."""
        if name not in self.names:
            raise input_error(f"contact {name!r}", "there is no such contact in this result",
                              f"there are: {', '.join(self.names[:20]) or 'none'}")
        return np.nonzero(self.name == self.names.index(name))[0]


class Result:
    """What a run recorded. ``result["ball.position.z"]`` is a channel over ``result.time``.

    Names: ``result.channels()`` lists all of them with units; "ball.position" gives all components,
    and datasets of docs/results.md ("bodies/position") give whole arrays. Arrays are views where
    possible and cannot be written to. ``result.verdict`` is "good", or says what to look at; it is
    empty as long as the run goes on, or if it was killed.
    """

    def __init__(self, *args, **keys):
        raise TypeError("use saltus.load(file) or saltus.simulate(…)")

    @classmethod
    def _make(cls, **parts):
        result = cls.__new__(cls)
        result.__dict__.update(parts)
        result._cache, result._contacts, result._catalog = {}, None, None
        return result

    @classmethod
    def _from_memory(cls, tables, contacts, names, layout, outcome, audit, scene, run, checkpoint,
                     events):
        return cls._make(_tables=tables, _reader=None, _contact_arrays=contacts,
                         _contact_names=names, _layout=layout, outcome=outcome, _audit=audit,
                         scene_text=scene.source, title=scene.name, path=None, _run=run,
                         verdict="" if run is None else run[3],
                         _checkpoint=checkpoint, _events=list(events), _has_impacts=True)

    @classmethod
    def _from_file(cls, path):
        reader = _core.ResultReader(os.fspath(path))
        return cls._make(_tables=None, _reader=reader, _contact_arrays=None,
                         _contact_names=reader.contact_names, _layout=reader.layout,
                         outcome=reader.outcome, verdict=reader.verdict, _audit=reader.audit,
                         scene_text=reader.scene,
                         title=reader.title, path=os.fspath(path), _run=None, _checkpoint=None,
                         _events=[EventRecord(*event) for event in reader.events()],
                         _has_impacts=reader.has_impacts)

    def __reduce__(self):
        if self._reader is not None:
            return load, (os.path.abspath(self.path),)
        rebuilt = ("_cache", "_contacts", "_catalog", "_reader")
        return _remake, ({k: v for k, v in self.__dict__.items() if k not in rebuilt},)

    # --- Numbers ------------------------------------------------------------------------------------

    def _dataset(self, name):
        if self._tables is not None:
            if name not in self._tables:
                raise input_error(f"dataset {name!r}", "is not in this result",
                                  f"there are: {', '.join(self._tables)}")
            return self._tables[name]
        if name not in self._cache:
            self._cache[name] = self._reader.dataset(name)
        return self._cache[name]

    def _find(self, name):
        if self._catalog is None:
            self._catalog = _core.ChannelCatalog(self._layout, list(self._contact_names))
        return self._catalog.find(name)

    @property
    def time(self):
        """Times of the frames [s]."""
        return self._dataset("time")

    def __len__(self):
        return len(self.time)

    def __getitem__(self, name):
        if not isinstance(name, str):
            raise TypeError(f"channels have names, like 'ball.position.z', not {name!r}")
        if name in _QUANTITIES and not name.startswith("contacts/"):
            return self._dataset(name)
        dataset, item, component, _ = self._resolve(name)
        return self._series(dataset, item, component)

    def _resolve(self, name):
        """(dataset, item, component, unit) of a channel or of all components at once."""
        try:
            _, dataset, item, component, unit, _ = self._find(name)
        except _core.InputError:
            for last in ("x", "n", "w"):
                try:
                    _, dataset, item, _, unit, _ = self._find(f"{name}.{last}")
                except _core.InputError:
                    continue
                return dataset, item, slice(None), unit
            raise
        return dataset, item, component, unit

    def _series(self, dataset, item, component):
        kind = _QUANTITIES[dataset][0]
        if kind == "contact":
            return self._contact_series(dataset.split("/")[1], item, component)
        array = self._dataset(dataset)
        if kind == "run":
            return array
        return array[:, item] if array.ndim == 2 else array[:, item, component]

    def _contact_series(self, quantity, item, component):
        contacts = self.contacts
        rows = np.nonzero(contacts.name == item)[0]
        frames, count = contacts.frame[rows], len(self.time)
        if quantity == "gap":
            series = np.full(count, np.inf)
            np.minimum.at(series, frames, contacts.gap[rows])
            series[np.isinf(series)] = np.nan
            return series
        values = getattr(contacts, quantity)[rows]
        series = np.zeros((count, *values.shape[1:]))
        np.add.at(series, frames, values)
        if quantity != "adhesion" and count and self._dataset("step_size")[0] == 0:
            series[0] = np.nan  # no step led to the start
        return series if series.ndim == 1 else series[:, component]

    def at(self, time, *names):
        """Channels at any recorded time [s], interpolated: positions by cubics with the recorded
        velocities, forces are those of the step that contains the time, all else is linear.

        at(t, "ball.position.z") is a number; several names give a list; no name gives a dict of all
        channels. An array of times gives arrays.
        """
        if not names:
            return {name: self.at(time, name) for name in self.channels() if name != "time"}
        values = [self._sample(name, np.atleast_1d(np.asarray(time, float))) for name in names]
        if np.ndim(time) == 0:
            values = [value[0] for value in values]
        return values[0] if len(names) == 1 else values

    def _sample(self, name, at):
        time = self.time
        if len(time) == 0 or not np.all((at >= time[0]) & (at <= time[-1])):
            span = f"{time[0]:g} s to {time[-1]:g} s" if len(time) else "nothing"
            raise input_error(f"time {at.tolist()}", f"lies outside the recorded time, {span}")
        dataset, item, component, _ = self._resolve(name)
        values = self._series(dataset, item, component)
        k = np.clip(np.searchsorted(time, at, side="left"), 1, max(len(time) - 1, 1))
        if len(time) == 1:
            return np.array([values[0]] * len(at))
        exact = np.searchsorted(time, at, side="right") - 1
        x0, x1, dt = values[k - 1], values[k], time[k] - time[k - 1]
        shape = (-1,) + (1,) * (values.ndim - 1)
        dt = dt.reshape(shape)
        s = (at.reshape(shape) - time[k - 1].reshape(shape)) / dt
        r = 1 - s
        if dataset.endswith(_STEPPED):
            sampled = np.array(x1)
        elif dataset == "bodies/position":
            rate = self._series("bodies/velocity", item, component)
            sampled = (r * r * (1 + 2 * s) * x0 + s * s * (1 + 2 * r) * x1
                       + dt * s * r * (r * rate[k - 1] - s * rate[k]))
        else:
            sampled = r * x0 + s * x1
        on_frame = time[exact] == at
        sampled[on_frame] = values[exact[on_frame]]
        return sampled

    def save(self, file, force=False):
        """Writes the result to a file (.h5) and returns its path; saltus.load reads it. An older file is
        replaced only with force=True."""
        path = os.fspath(file)
        if self._reader is not None:
            _core.join_results([self.path], path, bool(force))
        else:
            _core.save_result(path, bool(force), self.title, self.scene_text, self._layout, self._tables,
                              self._contact_arrays, list(self._contact_names),
                              [tuple(event) for event in self._events], self._checkpoint, self.outcome,
                              self.verdict)
        return path

    def unit(self, name):
        """Unit of a channel, also of a vector ("ball.position")."""
        return self._resolve(name)[3]

    def _panel(self, name):
        """(quantity, unit) of a channel: what shares a panel of a plot."""
        dataset, _, _, unit = self._resolve(name)
        return (dataset.split("/")[-1] if "/" in dataset and not dataset.startswith(("energy", "ledger"))
                else dataset.split("/")[0]), unit

    def channels(self):
        """Every channel with its unit."""
        self._find("time")
        return Names(self._catalog.list())

    def _state(self, dataset):
        try:
            array = self._dataset(dataset)
        except _core.InputError:
            array = None
        if array is None or (array.shape[1] == 0 and self._layout["bodies"]):
            raise input_error("q, v, multipliers", "a result file of a scene holds bodies and joints",
                              "use result['bodies/position'], result['hinge.force']")
        return array

    @property
    def q(self):
        """Coordinates of all frames, (T, n)."""
        return self._state("coordinates/q")

    @property
    def v(self):
        """Velocities of all frames, (T, n)."""
        return self._state("coordinates/v")

    @property
    def multipliers(self):
        """Multipliers λ of the constraints, mean over each step, (T, m) [N]."""
        return self._state("constraints/lambda")

    @property
    def energy(self):
        """kinetic, potential, elastic and total energy [J], each an array."""
        names = ("kinetic", "potential", "elastic", "total")
        return types.SimpleNamespace(**{n: self._dataset(f"energy/{n}") for n in names})

    @property
    def bodies(self):
        """Names of the bodies."""
        return list(self._layout["bodies"])

    @property
    def joints(self):
        """Names of the joints."""
        return list(self._layout["joints"])

    @property
    def coordinates(self):
        """Names of the coordinates of a user system."""
        return list(self._layout["coordinates"])

    # --- Contacts, events, audit ----------------------------------------------------------------------

    @property
    def contacts(self):
        """All contact points: ContactRows."""
        if self._contacts is None:
            arrays = self._contact_arrays
            if arrays is None:
                arrays = self._reader.contacts()
            if len(arrays["offset"]) == 0:
                raise input_error("contacts", "were not recorded",
                                  "let the scene say output: {contacts: true}")
            self._contacts = ContactRows(arrays, list(self._contact_names))
        return self._contacts

    @property
    def events(self):
        """Impacts (normal impulse [N s]) and the events of the user, in order of time.

        All impacts are here, whatever the interval of the frames; in files of older versions only
        those in recorded frames.
        """
        if self._has_impacts:
            return sorted(self._events)
        try:
            contacts = self.contacts
        except _core.InputError:
            warn("no contacts were recorded (output: {contacts: false}): no impacts are listed")
            return sorted(self._events)
        rows = np.nonzero(contacts.impulse[:, 0])[0]
        times = self.time[contacts.frame[rows]]
        impacts = [EventRecord(float(t), "impact", contacts.names[contacts.name[i]],
                               float(contacts.impulse[i, 0])) for t, i in zip(times, rows)]
        return sorted(impacts + self._events)

    @property
    def audit(self):
        """The audit, {key: value}; print(result.audit_table()) explains the entries."""
        return {key: value for key, value, _, _ in self._audit}

    def audit_table(self):
        """The audit with units and meanings, as text."""
        width = max(len(entry[0]) for entry in self._audit)
        return "\n".join(f"{key:<{width}}  {value:12.6g} {'' if unit == '1' else unit:<6} {meaning}"
                         for key, value, unit, meaning in self._audit)

    @property
    def finished(self):
        """True if the run came to its end time."""
        return self.outcome == "finished"

    @property
    def violations(self):
        """Sentences about limits of the audit that do not hold (runs of this session only)."""
        return [] if self._run is None else list(self._run[2])

    def checkpoint(self):
        """Where the run ended: simulate(…, restart=result) goes on from there, bit for bit."""
        if self._checkpoint is None:
            self._checkpoint = self._reader.checkpoint()
        return self._checkpoint

    def scene(self):
        """The scene that was run, as a Scene."""
        from .scene import find_functions
        functions = find_functions(self.scene_text)
        if functions:
            warn(f"the run used Python functions, which are not in the result: {functions}")
        return self._parse_scene()

    def _parse_scene(self):
        from .scene import Scene
        if self._layout["coordinates"]:
            raise input_error("scene", "the result is of a LagrangianSystem", "its equations were "
                              "Python functions, which are not in the result")
        return Scene.parse(self.scene_text)

    # --- Other forms ------------------------------------------------------------------------------------

    def to_pandas(self, channels=None):
        """A pandas.DataFrame with time as index and one column per channel (all if not given)."""
        import pandas
        names = [n for n in self.channels() if n != "time"] if channels is None else list(channels)
        columns = {name: self[name] for name in names}
        return pandas.DataFrame(columns, index=pandas.Index(self.time, name="time"))

    def to_vtk(self, directory, every=1):
        """Writes a ParaView series: see saltus.vtk.write_series. Returns the .pvd files."""
        from .vtk import write_series
        return write_series(self, directory, every)

    def plot(self, *channels, file=None, axes=None):
        """Plots channels over time, one panel per quantity: see saltus.plot.plot."""
        from .plot import plot
        return plot(self, channels, file, axes)

    def animate(self, file, **options):
        """Draws the motion to .gif, .mp4 or PNG frames: see saltus.animation.animate."""
        from .animation import animate
        return animate(self, file, **options)

    def view(self, file=None, *, precision=1e-7, height=520):
        """A page that plays the motion, inline in notebooks: see saltus.view.view."""
        from .view import view
        return view(self, file=file, precision=precision, height=height)

    def save(self, file):
        """Writes a result that is in memory to a file (.h5). Returns its path."""
        path = os.fspath(file)
        if self._tables is None:
            raise input_error("save", f"the result is in a file already, {self.path!r}", "copy it")
        _core.write_result(path, self.title, self.scene_text, self._layout, self._tables,
                           self._contact_arrays, list(self._contact_names), self._checkpoint,
                           self.outcome)
        return path

    def __repr__(self):
        time = self.time
        span = f"{time[0]:g} … {time[-1]:g} s" if len(time) else "empty"
        return f"<saltus.Result {self.title!r}: {len(time)} frames, {span}, {self.outcome}>"


def _remake(parts):
    """A result in memory from its pickled parts."""
    for arrays in (parts["_tables"], parts["_contact_arrays"]):
        for array in arrays.values():
            array.flags.writeable = False
    return Result._make(_reader=None, **parts)


def join(files, output, force=False):
    """Joins the results of a run and its continuations into one file, and opens it."""
    _core.join_results([os.fspath(file) for file in files], os.fspath(output), bool(force))
    return load(output)


def load(file):
    """Opens a result file (.h5); also one that is still being written, or whose run was killed."""
    return Result._from_file(file)
