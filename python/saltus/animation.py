"""Moving pictures of a result, drawn by matplotlib without a display."""

import os
import shutil

import numpy as np

from .errors import input_error
from .geometry import Surfaces, rotation


def _choose_frames(times, fps, speed, max_frames):
    """Indices of the frames nearest to the pictures' times."""
    if len(times) == 0:
        raise input_error("animate", "the result is empty")
    count = int((times[-1] - times[0]) / speed * fps) + 1
    if count > max_frames:
        raise input_error("animate", f"{count} pictures", f"more than max_frames = {max_frames}: "
                          "raise speed or max_frames, or lower fps")
    wanted = times[0] + np.arange(count) * speed / fps
    return np.clip(np.searchsorted(times, wanted - 1e-12), 0, len(times) - 1)


class _BodyPainter:
    """Draws the surfaces of all bodies, seen along `view` or in space."""

    def __init__(self, result, view):
        from matplotlib.collections import PolyCollection
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        self.result, self.surfaces = result, Surfaces(result, segments=12)
        self.axes = {"xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}.get(view)
        if self.axes is None and view != "3d":
            raise input_error("view", f"is {view!r}", "3d, xy, xz or yz")
        self.collection = Poly3DCollection if self.axes is None else PolyCollection

    def make_axes(self, figure):
        panel = figure.add_subplot(projection="3d" if self.axes is None else None)
        position = self.result["bodies/position"]
        reach = max([np.linalg.norm(p, axis=1).max(initial=0) for p, _ in self.surfaces.bodies]
                    + [0.05 * self.surfaces.extent])
        low, high = position.min(axis=(0, 1)) - reach, position.max(axis=(0, 1)) + reach
        if self.axes is None:
            panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]),
                      xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
            panel.set_box_aspect(np.maximum(high - low, 1e-3 * (high - low).max()))
        else:
            i, j = self.axes
            panel.set(xlim=(low[i], high[i]), ylim=(low[j], high[j]), xlabel=f"{'xyz'[i]} [m]",
                      ylabel=f"{'xyz'[j]} [m]", aspect="equal")
        self._add(panel, *self.surfaces.ground, "0.8", clip=(low, high))
        return panel

    def _add(self, panel, points, triangles, color, clip=None):
        if len(triangles) == 0:
            return None
        if clip is not None:
            points = np.clip(points, *clip)
        polygons = points[triangles]
        if self.axes is not None:
            polygons = polygons[:, :, list(self.axes)]
        return panel.add_collection(self.collection(
            polygons, facecolors=color, edgecolors=(0, 0, 0, 0.25), linewidths=0.3, alpha=0.9))

    def __call__(self, panel, frame):
        result, artists = self.result, []
        R = rotation(result["bodies/orientation"][frame])
        position = result["bodies/position"][frame]
        for b, (points, triangles) in enumerate(self.surfaces.bodies):
            artists.append(self._add(panel, position[b] + points @ R[b].T, triangles, f"C{b % 10}"))
        pick = [0, 1, 2] if self.axes is None else list(self.axes)
        artists += panel.plot(*position[:, pick].T, "k.", markersize=2)
        return [a for a in artists if a is not None]


class _FunctionPainter:
    """Draws a user system by a function draw(axes, t, q)."""

    def __init__(self, result, draw):
        self.result, self.draw = result, draw

    def make_axes(self, figure):
        return figure.add_subplot()

    def __call__(self, panel, frame):
        panel.clear()
        self.draw(panel, float(self.result.time[frame]), self.result.q[frame])
        return []


def _save_frames(directory, figure, draw, frames):
    os.makedirs(directory, exist_ok=True)
    for number, frame in enumerate(frames):
        draw(frame)
        figure.savefig(os.path.join(directory, f"frame_{number:05d}.png"))
    return directory


def animate(result, file, *, fps=25, speed=1.0, view="3d", draw=None, size=(6.4, 4.8), dpi=80,
            max_frames=2000):
    """Draws the motion.

    file: .gif, .mp4 (needs the program ffmpeg), or a folder for PNG frames. fps: pictures per second;
    speed: simulated seconds per second of film; view: "3d", "xy", "xz" or "yz". draw: a function
    (axes, t, q) that paints a user system, which has no shapes of its own. Returns the path.
    """
    from matplotlib.animation import FFMpegWriter, FuncAnimation, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    file = os.fspath(file)
    extension = os.path.splitext(file)[1].lower()
    if extension == ".mp4" and shutil.which("ffmpeg") is None:
        raise input_error(file, "MP4 needs the program ffmpeg, which is not installed",
                          "write a .gif or a folder of PNG frames, or install ffmpeg")
    if extension not in (".gif", ".mp4", ""):
        raise input_error(file, f"unknown format {extension!r}", "end it in .gif or .mp4, or name a "
                          "folder for PNG frames")
    if draw is None and not result.bodies:
        raise input_error("draw", "is missing: a user system has no shapes",
                          "give draw=function(axes, t, q)")
    painter = _BodyPainter(result, view) if draw is None else _FunctionPainter(result, draw)
    frames = _choose_frames(result.time, fps, speed, max_frames)
    figure = Figure(figsize=size, dpi=dpi)
    FigureCanvasAgg(figure)
    panel = painter.make_axes(figure)
    shown = []

    def update(frame):
        while shown:
            shown.pop().remove()
        shown.extend(painter(panel, frame))
        panel.set_title(f"{result.title}   t = {result.time[frame]:.3f} s")
        return shown

    if extension == "":
        return _save_frames(file, figure, update, frames)
    film = FuncAnimation(figure, update, frames=frames, init_func=lambda: [], cache_frame_data=False)
    writer = PillowWriter(fps=fps) if extension == ".gif" else FFMpegWriter(fps=fps)
    film.save(file, writer=writer, dpi=dpi)
    return file
