"""Running scenes and user systems: to the end, or step by step."""

import contextlib
import os
import sys
import threading
import time as _time
import types
from collections.abc import MutableMapping

import numpy as np

from . import _core
from .errors import SimulationFailed, as_array, check_number, input_error, warn
from .events import Event, EventRecord, _Watch
from .options import Integrator
from .results import Result
from .scene import Scene, format_functions
from .systems import LagrangianSystem

_SETTINGS = ("step", "until", "on_failure", "max_halvings")


def _apply_settings(scene, settings):
    """Puts integrator, step and options into scene.simulation.

    Options that belong only to the integrator that is replaced are left out.
    """
    known = {name: options for name, _, options in _core.list_integrators()}
    chosen = settings.get("integrator")
    if isinstance(chosen, Integrator):
        given = {key: value for key, value in settings.items() if value is not None}
        settings = {**given, **chosen, **{k: v for k, v in given.items() if k != "integrator"}}
        chosen = settings["integrator"]
    section = scene.simulation
    if chosen is not None and chosen != section.get("integrator", "moreau-jean"):
        own = known.get(chosen, {})
        others = {key for options in known.values() for key in options}
        for key in list(section):
            if key in others and key not in own:
                del section[key]
    for key, value in settings.items():
        if value is None:
            continue
        if key == "solver" and isinstance(value, str):
            value = {**(section.get("solver") or {}), "name": value}
        dict.__setitem__(section, key, value)  # what is wrong is told by the reader


class _Progress:
    """One line on stderr: percent, time and rate."""

    def __init__(self, simulation, until):
        self.simulation, self.until, self.start = simulation, until, _time.monotonic()

    def __call__(self):
        t, steps = self.simulation.time, self.simulation.step_index
        seconds = max(_time.monotonic() - self.start, 1e-9)
        end = "\n" if self.simulation._core.done else ""
        sys.stderr.write(f"\r{100 * min(t / self.until, 1):4.0f}%  t = {t:.4g}/{self.until:g} s  "
                         f"{steps / seconds:.3g} steps/s   {end}")
        sys.stderr.flush()


class Simulation:
    """A scene or a user system, ready to run.

    what: a Scene, the path of a scene file, or a LagrangianSystem.
    step, until [s], integrator (``saltus.integrators()``, or saltus.MoreauJean(theta=0.5), …), solver
    (a name, or saltus.Solver(name, tolerance=…)), adaptive (saltus.Adaptive(tolerance=…)), on_failure
    ("stop", "halve", "flag") and any option of the integrator (theta=0.5, …) replace what the scene
    says. set: overrides by path, {"bodies.ball.mass": 2}.
    output: a result file (.h5) that is written as the run goes; an older one of that name is replaced
    only with force=True. record: keep the run in memory.
    every (steps) or dt [s]: how often to record. compression: gzip level of the file, 0 … 9;
    checkpoint_every: seconds of computing between checkpoints in the file, 0: only at the end.
    dump_problems: "all", "slow" or "failed": these contact problems are stored beside the result file,
    for ContactProblem.read.

    Step by step, as a controller does::

        sim = saltus.Simulation(scene)
        while not sim.done:
            elbow = sim.joint("elbow")
            sim.inputs["motor"] = -8 * elbow.angle - 0.5 * elbow.rate
            sim.step(10)
        result = sim.finish()

    or as a loop: ``for s in sim`` yields the simulation after each step.
    """

    def __init__(self, what, *, step=None, until=None, integrator=None, solver=None,
                 on_failure=None, max_halvings=None, set=(), output=None, record=True, every=None,
                 dt=None, compression=0, checkpoint_every=30.0, force=False, dump_problems=None,
                 **options):
        check_number("compression", compression, 0, 9, whole=True)
        check_number("checkpoint_every", checkpoint_every, 0, np.inf)
        settings = dict(integrator=integrator, step=step, until=until, solver=solver,
                        on_failure=on_failure, max_halvings=max_halvings, **options)
        system, kept = None, []
        if isinstance(what, LagrangianSystem):
            system, kept = what._core, [what]
            scene = Scene(name=what.name)
            scene.bodies["none"] = {"point_mass": 1}
        elif isinstance(what, Scene):
            scene = what.copy()
        elif isinstance(what, (str, os.PathLike)):
            scene, set = Scene.read(what, set), ()
        else:
            raise TypeError(f"a Scene, a path or a LagrangianSystem is needed, not "
                            f"{type(what).__name__}")
        _apply_settings(scene, settings)
        if every is not None or dt is not None:
            for key in ("every", "dt"):
                scene.output.pop(key, None)
            scene.output.update({k: v for k, v in (("every", every), ("dt", dt)) if v is not None})
        core, functions = scene._make_core(set)
        forces = scene._user_forces()
        if system is not None:
            core.source = (f"# saltus.LagrangianSystem {what.name!r}: equations written in Python\n"
                           + _core.format_yaml({"saltus": 1, "simulation": scene.simulation}))
        elif not functions:
            core.source = core.make_result_text()
        if functions or forces:
            core.source = format_functions([path for path, _ in functions]
                                           + [f"forces.{name}" for name, _, _ in forces]) + core.source
        if dump_problems is not None:
            if output is None:
                raise input_error("dump_problems", "has no place", "give output=, a result file")
            core.dump_problems(dump_problems, os.path.splitext(output)[0] + "_problem")
        self._scene = core
        self._events = []
        self._core = _core.Simulation(core, system, "" if output is None else os.fspath(output),
                                      compression, checkpoint_every, bool(force), record, forces,
                                      [kept, functions, forces])
        for severity, item, message in self._core.notices:
            if severity == "warning":
                warn(f"{item}: {message}")
        self._record, self._result = record, None
        self._output = None if output is None else os.fspath(output)
        self._turn = threading.Lock()  # one run or loop at a time
        self._stepping = False  # a run by step() that has no end yet
        self.outcome = None

    # --- Where it is ------------------------------------------------------------------------------

    @property
    def time(self):
        """Simulated time [s]."""
        return self._core.time

    @property
    def q(self):
        """Coordinates: per rigid body position [m] and quaternion w x y z, or as the user named."""
        return self._core.q

    @property
    def v(self):
        """Velocities: per rigid body linear (world axes) [m/s] and angular (body axes) [rad/s]."""
        return self._core.v

    @property
    def step_index(self):
        """Steps done."""
        return self._core.step_index

    @property
    def done(self):
        """True at the end time."""
        return self._core.done

    @property
    def until(self):
        """End time [s]."""
        return self._scene.until

    @property
    def energy(self):
        """kinetic, potential, elastic and total energy [J]."""
        return types.SimpleNamespace(**self._core.energy)

    @property
    def multipliers(self):
        """Impulses of the constraint rows over the last step, Λ + h λ [N s]."""
        return self._core.multipliers

    @property
    def report(self):
        """The last step: status, step [s], newton_iterations, solver_iterations, solver_residual,
        max_penetration [m], max_constraint, max_constraint_rate, impacts, work {…} [J]."""
        return types.SimpleNamespace(**self._core.report)

    @property
    def contacts(self):
        """Active contacts of the last step: name, key, gap [m], point [m], frame (rows n, t1, t2),
        impulse [N s, components n, t1, t2], velocity [m/s], impact (bool), dimension."""
        return types.SimpleNamespace(**self._core.contacts)

    @property
    def audit(self):
        """The audit so far, {key: value}; SI units."""
        return {key: value for key, value, _, _ in self._core.audit}

    @property
    def notices(self):
        """What the model wants to tell: (severity, item, message)."""
        return self._core.notices

    @property
    def verdict(self):
        """"good", or what to look at, of what was done so far."""
        return self._core.verdict

    @property
    def inputs(self):
        """Actuators, loads and drives that can be set between steps: see Inputs."""
        return Inputs(self._core)

    def joint(self, name):
        """Motion and load of a joint: angle [rad] or displacement or length [m], rate [rad/s or m/s],
        force [N] and torque [N m] of its reaction (mean over the last step, NaN before the first); a
        cylindrical joint also has angle and angle_rate."""
        return types.SimpleNamespace(**self._core.joint_motion(name))

    def body(self, name):
        """Motion of a body: position [m], orientation w x y z, velocity [m/s], angular_velocity
        [rad/s]; world axes."""
        return types.SimpleNamespace(**self._core.body_motion(name))

    def set_state(self, q=None, v=None):
        """Sets coordinates and velocities; the energy this takes counts as work of loads."""
        self._core.set_state(self.q if q is None else q, self.v if v is None else v)

    def checkpoint(self):
        """Everything needed to go on from here, bit for bit."""
        return self._core.checkpoint()

    def restore(self, checkpoint):
        """Goes on from a checkpoint: of this or an equal simulation, or ``result.checkpoint()``."""
        self._core.restore(checkpoint)
        return self

    # --- Running ------------------------------------------------------------------------------------

    def step(self, n=1):
        """Does n steps, fewer at the end time, and returns the simulation. A step that fails raises
        SimulationFailed. ``finish()`` ends the run and returns its Result."""
        check_number("n", n, 1, 2**53, whole=True)
        if not self._stepping:
            self._begin_stepping()
        core = self._core
        try:
            for _ in range(n):
                if core.done:
                    break
                failure = core.advance()
                if failure is not None:
                    raise SimulationFailed(failure, self._end_stepping("failed", failure))
        except SimulationFailed:
            raise
        except BaseException as error:
            self._stepping = False
            core.abandon(f"{type(error).__name__}: {error}")
            self.outcome = ("failed", str(error), [], "")
            self._turn.release()
            _attach(error, self.result)
            raise
        return self

    def _begin_stepping(self):
        if not self._turn.acquire(blocking=False):
            raise RuntimeError("the simulation is running already: end that run or loop first")
        self._result = self.outcome = None
        self._stepping = True
        try:
            self._core.start()
        except BaseException:
            self._stepping = False
            self._turn.release()
            raise

    def _end_stepping(self, kind, message):
        self._stepping = False
        try:
            self.outcome = self._core.finish(kind, message)
        finally:
            self._turn.release()
        return self.result

    def finish(self):
        """Ends a run that was done by step(), and returns its Result."""
        if not self._stepping:
            raise RuntimeError("there is no run to end: call step() first")
        done = self._core.done
        result = self._end_stepping("finished" if done else "interrupted",
                                    "" if done else f"stopped at t = {self.time:g} s")
        _warn(self.outcome)
        return result

    def run(self, *, progress=None, observers=(), events=(), check=True):
        """Runs to the end and returns the Result.

        A step that fails ends the run and raises SimulationFailed, with the part that was done in its
        attribute `result`; check=False returns that part and only warns.

        progress: True shows a line on stderr, None does so on a terminal; or a function(simulation).
        observers: functions(simulation), called at the start and after each step; a pair (function,
        n) is called each n steps, (function, 0.01) each 0.01 s; one that returns True ends the run.
        events: Event objects. Ctrl-C ends the run and raises KeyboardInterrupt. After any exception
        the part that was done is in the exception's attribute `result`, and in the result file.
        """
        with self._take_turn():
            self._events = []
            calls = self._make_calls(progress, observers, events)
            try:
                outcome = self._core.run(calls)
            except BaseException as error:
                self.outcome = ("failed", f"{type(error).__name__} at t = {self.time:g} s", [], "")
                _attach(error, self._make_result())
                raise
            self.outcome = outcome
            self._result = self._make_result()
        if outcome[0] == "failed" and check:
            raise SimulationFailed(outcome[1], self._result)
        _warn(outcome)
        return self._result

    @contextlib.contextmanager
    def _take_turn(self):
        """Refuses a run inside a run, or beside one in another thread."""
        if not self._turn.acquire(blocking=False):
            raise RuntimeError("the simulation is running already: end that run or loop first")
        try:
            self._result = self.outcome = None
            yield
        finally:
            self._turn.release()

    def _make_calls(self, progress, observers, events):
        """What the library calls during a run: (function, every, dt, wall)."""
        calls = [_make_observer(self, entry) for entry in _as_list(observers)]
        for event in _as_list(events, Event):
            if not isinstance(event, Event):
                raise TypeError(f"events are saltus.Event(function, …), not {event!r}")
            calls.append((_bind(_Watch(event, self._add_event).look, self), 1, 0.0, 0.0))
        if progress is None:
            progress = sys.stderr.isatty()
        if callable(progress):
            calls.append((_bind(progress, self), 1, 0.0, 0.1))
        elif progress:
            calls.append((_Progress(self, self.until), 1, 0.0, 0.2))
        return calls

    def _add_event(self, record):
        self._events.append(record)
        self._core.add_event(record.time, record.name, record.value)

    def __iter__(self):
        core = self._core
        with self._take_turn():
            kind, message = "finished", ""
            try:
                core.start()
                while not core.done:
                    failure = core.advance()
                    if failure is not None:
                        kind, message = "failed", failure
                        break
                    yield self
            except GeneratorExit:
                kind, message = "interrupted", f"stopped at t = {self.time:g} s"
                raise
            except KeyboardInterrupt as error:
                self.outcome = core.finish("interrupted", f"interrupted at t = {self.time:g} s")
                kind = None
                _attach(error, self.result)
                raise
            except BaseException as error:
                core.abandon(f"{type(error).__name__}: {error}")
                self.outcome = ("failed", str(error), [], "")
                kind = None
                _attach(error, self.result)
                raise
            finally:
                if kind is not None:
                    self.outcome = core.finish(kind, message)
        if self.outcome[0] == "failed":
            raise SimulationFailed(self.outcome[1], self.result)
        _warn(self.outcome)

    @property
    def result(self):
        """The Result of the last run or loop; before its end a copy of what is there."""
        if self.outcome is None:
            return self._make_result(keep=True)
        if self._result is None:
            self._result = self._make_result()
        return self._result

    def _make_result(self, keep=False):
        if not self._record:
            return None if self._output is None else Result._from_file(self._output)
        tables, contacts, names, layout, outcome, impacts = self._core.take_record(keep)
        events = [EventRecord(*impact) for impact in impacts] + self._events
        return Result._from_memory(tables, contacts, names, layout, outcome, self._core.audit,
                                   self._scene, self.outcome, self.checkpoint(), events)

    def __repr__(self):
        return f"<saltus.Simulation {self._scene.name!r} at t = {self.time:g} s>"


def _bind(function, simulation):
    return lambda: function(simulation)


def _as_list(entries, single=None):
    if callable(entries) or (single is not None and isinstance(entries, single)):
        return [entries]
    if isinstance(entries, tuple) and len(entries) == 2 and isinstance(entries[1], (int, float)):
        return [entries]  # one observer with its interval
    return list(entries)


def _make_observer(simulation, entry):
    """(function, every, dt, wall) of the library."""
    if callable(entry):
        return (_bind(entry, simulation), 1, 0.0, 0.0)
    if not (isinstance(entry, tuple) and len(entry) == 2 and callable(entry[0])):
        raise TypeError("observers are functions, or pairs (function, steps) or (function, seconds), "
                        f"not {entry!r}")
    function, interval = entry
    if isinstance(interval, (int, np.integer)):
        if interval < 1:
            raise input_error("observers", f"interval is {interval}", "steps are counted from 1")
        return (_bind(function, simulation), int(interval), 0.0, 0.0)
    if not float(interval) > 0:
        raise input_error("observers", f"interval is {interval}", "seconds, > 0")
    return (_bind(function, simulation), 1, float(interval), 0.0)


def _attach(error, result):
    try:
        error.result = result
    except AttributeError:  # exceptions with slots
        pass


class Inputs(MutableMapping):
    """Values that are set between steps, in place of the functions of time of the scene.

    ``sim.inputs["motor"] = 2.5``: the effort of an actuator [N or N m]; of a load its three components
    [N or N m]; of a driven joint the rate of its coordinate [rad/s or m/s], its position goes on from
    where it is. ``del sim.inputs["motor"]`` gives the function of the scene back (a drive stands still).
    Reading tells what is in force now.
    """

    def __init__(self, core):
        self._core = core

    def __getitem__(self, name):
        values = self._core.input(name)
        return values[0] if len(values) == 1 else np.array(values)

    def __setitem__(self, name, value):
        values = np.atleast_1d(as_array(f"inputs[{name!r}]", value)).ravel()
        self._core.set_input(name, values.tolist())

    def __delitem__(self, name):
        self._core.release_input(name)

    def __iter__(self):
        return iter(self._core.input_names)

    def __len__(self):
        return len(self._core.input_names)

    def __repr__(self):
        return f"Inputs({', '.join(f'{name}={self[name]!r}' for name in self)})"


def _warn(outcome):
    kind, message, violations, verdict = outcome
    if kind == "failed":
        warn(message)
    if violations:
        warn(f"verdict: {verdict}")


def simulate(what, *, progress=None, observers=(), events=(), restart=None, check=True, **settings):
    """Runs a scene, a scene file or a LagrangianSystem to its end and returns the Result.

    >>> result = saltus.simulate("ball.yaml", until=2, step=0.005, output="ball.h5")
    >>> result["ball.position.z"], result.audit["max_penetration"]

    progress, observers, events, check: see Simulation.run. restart: a Checkpoint, a Result or a result file
    to continue from, bit for bit. settings: see Simulation (step, until, integrator, solver, output,
    record, every, dt, set and all options of the integrator).
    """
    simulation = Simulation(what, **settings)
    if restart is not None:
        simulation.restore(_find_checkpoint(restart))
    return simulation.run(progress=progress, observers=observers, events=events, check=check)


def _find_checkpoint(restart):
    if isinstance(restart, _core.Checkpoint):
        return restart
    if isinstance(restart, Result):
        return restart.checkpoint()
    return _core.ResultReader(os.fspath(restart)).checkpoint()


__all__ = ["EventRecord", "Simulation", "simulate"]
