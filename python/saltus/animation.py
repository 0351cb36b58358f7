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
    for name, value in (("fps", fps), ("speed", speed)):
        if not value > 0:
            raise input_error(name, f"is {value}", "must be > 0")
    count = int((times[-1] - times[0]) / speed * fps) + 1
    if count > max_frames:
        raise input_error("animate", f"{count} pictures", f"more than max_frames = {max_frames}: "
                          "raise speed or max_frames, or lower fps")
    wanted = times[0] + np.arange(count) * speed / fps
    return np.clip(np.searchsorted(times, wanted - 1e-12), 0, len(times) - 1)


_LIGHT = np.array([0.35, -0.5, 0.8]) / np.linalg.norm([0.35, -0.5, 0.8])
# Axes across and up of a flat view, the axis towards the eye and its sign.
_VIEWS = {"xy": (0, 1, 2, 1), "xz": (0, 2, 1, -1), "yz": (1, 2, 0, 1)}


def _shade(polygons, colors):
    """Colours of triangles, darker where they turn away from the light."""
    normal = np.cross(polygons[:, 1] - polygons[:, 0], polygons[:, 2] - polygons[:, 0])
    length = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    light = 0.55 + 0.45 * np.abs(normal @ _LIGHT) / length
    return np.clip(colors * light[:, None], 0, 1)


def _cut(polygon, low, high):
    """The part of a convex polygon (k, 3) inside a box, side by side (Sutherland–Hodgman)."""
    for axis, bound, sign in [(k, b[k], s) for b, s in ((low, 1), (high, -1)) for k in range(3)]:
        kept = []
        for a, b in zip(np.roll(polygon, 1, axis=0), polygon):
            inside_a, inside_b = sign * (a[axis] - bound), sign * (b[axis] - bound)
            if inside_a * inside_b < 0:
                kept.append(a + (b - a) * inside_a / (inside_a - inside_b))
            if inside_b >= 0:
                kept.append(b)
        polygon = np.array(kept).reshape(-1, 3)
    return polygon


class _BodyPainter:
    """Draws the surfaces of all bodies, seen along an axis or in space."""

    def __init__(self, result, view):
        from matplotlib.collections import PolyCollection
        from matplotlib.colors import to_rgb
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        if view != "3d" and view not in _VIEWS:
            raise input_error("view", f"is {view!r}", "3d, xy, xz or yz")
        self.result, self.surfaces = result, Surfaces(result, segments=16)
        self.flat = _VIEWS.get(view)
        self.pick = [0, 1, 2] if self.flat is None else list(self.flat[:2])
        self.collection = Poly3DCollection if self.flat is None else PolyCollection
        self.colors = [np.array(to_rgb(f"C{b % 10}")) for b in range(len(result.bodies))]
        self.bare = [b for b, (points, _) in enumerate(self.surfaces.bodies) if len(points) == 0]
        self.positions = result["bodies/position"]
        self.turns = rotation(result["bodies/orientation"])

    def make_axes(self, figure):
        from matplotlib.ticker import MaxNLocator
        panel = figure.add_subplot(projection="3d" if self.flat is None else None)
        reach = max([np.linalg.norm(points, axis=1).max(initial=0) for points in
                     [p for p, _ in self.surfaces.bodies] + self.surfaces.skeletons]
                    + [0.05 * self.surfaces.extent])
        low = self.positions.min(axis=(0, 1)) - reach
        high = self.positions.max(axis=(0, 1)) + reach
        span = high - low
        axes = [panel.xaxis, panel.yaxis] + ([panel.zaxis] if self.flat is None else [])
        for axis, k in zip(axes, self.pick):
            axis.set_major_locator(MaxNLocator(max(2, round(6 * span[k] / span[self.pick].max()))))
            axis.set_label_text(f"{'xyz'[k]} [m]")
        panel.set(xlim=(low[self.pick[0]], high[self.pick[0]]),
                  ylim=(low[self.pick[1]], high[self.pick[1]]))
        if self.flat is None:
            panel.set_zlim(low[2], high[2])
            panel.set_box_aspect(span)
            panel.computed_zorder = False  # planes below everything that lies on them
        else:
            panel.set_aspect("equal")
        self._add_planes(panel, low, high)
        return panel

    def _add_planes(self, panel, low, high):
        """Half-spaces: the part of the plane inside the picture, what is below it in a flat view."""
        for k, normal in enumerate(self.surfaces.normals):
            corners = self.surfaces.planes[0][4 * k:4 * k + 4]
            if self.flat is None:
                polygons = [_cut(corners, low, high)]
            else:
                below = corners - 2 * self.surfaces.extent * normal
                sides = [[corners[i - 1], corners[i], below[i], below[i - 1]] for i in range(4)]
                polygons = np.array([corners, *sides])[:, :, self.pick]
            if len(polygons[0]):
                panel.add_collection(self.collection(polygons, facecolors="0.88",
                                                     edgecolors="none", zorder=0))

    def __call__(self, panel, frame):
        position, turn = self.positions[frame], self.turns[frame]
        parts = [(self.surfaces.ground, np.zeros(3), np.eye(3), np.array([0.75, 0.75, 0.75]))]
        parts += list(zip(self.surfaces.bodies, position, turn, self.colors))
        polygons, colors, artists = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], []
        for (points, triangles), p, R, color in parts:
            corners = (p + points @ R.T)[triangles]
            polygons.append(corners)
            colors.append(_shade(corners, np.tile(color, (len(corners), 1))))
        polygons, colors = np.vstack(polygons), np.vstack(colors)
        if self.flat is not None:  # the farthest first
            _, _, depth, sign = self.flat
            order = np.argsort(sign * polygons[:, :, depth].mean(axis=1))
            polygons, colors = polygons[order][:, :, self.pick], colors[order]
        if len(polygons):
            artists.append(panel.add_collection(self.collection(
                polygons, facecolors=colors, edgecolors=colors, linewidths=0.2, zorder=1)))
        for points, p, R, color in zip(self.surfaces.skeletons, position, turn, self.colors):
            ends = p + points @ R.T
            for end in ends:
                artists += panel.plot(*np.array([p, end])[:, self.pick].T, "-", color=color,
                                      linewidth=2, zorder=2)
            artists += panel.plot(*ends[:, self.pick].T, "o", color="0.3", markersize=3, zorder=3)
        artists += panel.plot(*position[self.bare][:, self.pick].T, "k.", markersize=4, zorder=3)
        return artists


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
