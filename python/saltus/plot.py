"""Plots of channels over time."""

import numpy as np

from .errors import input_error

_GROUPS = ("states", "energies", "gaps", "forces")


def _expand(result, name):
    """The channels behind a name of a group, of a vector, or of a single channel."""
    known = result.channels()
    if name == "energies":
        return [n for n in known if n.startswith("energy.")]
    if name == "gaps":
        return [n for n in known if n.startswith("contact.") and n.endswith(".gap")]
    if name == "forces":
        return [n for n in known if n.startswith("contact.") and n.endswith(".force.n")]
    if name == "states":
        endings = (".position.x", ".position.y", ".position.z", ".q", ".angle", ".displacement")
        return [n for n in known if n.endswith(endings)]
    if name in known:
        return [name]
    parts = [n for n in known if n.startswith(name + ".") and "." not in n[len(name) + 1:]]
    if not parts:
        result.unit(name)  # raises with the nearest names
    return parts


def _draw(panel, time, series, name, style):
    """A line; what stands alone between gaps (a contact that opens and closes) as points."""
    line, = panel.plot(time, series, style, label=name, linewidth=1.2)
    known = np.isfinite(series)
    if not known.all():
        alone = known & ~np.r_[False, known[:-1]] & ~np.r_[known[1:], False]
        panel.plot(time[alone], series[alone], ".", color=line.get_color(), markersize=3)


def plot(result, channels=(), file=None, axes=None):
    """One panel per quantity. Channels may also be vectors ("ball.position") or one of the groups
    "states", "energies", "gaps", "forces"; "energies" if nothing is given.

    file: save there (.png, .pdf, .svg); axes: draw into these. Returns the matplotlib figure.
    """
    import matplotlib.pyplot as plt
    names = [n for name in (channels or ("energies",)) for n in _expand(result, name)]
    if not names:
        raise input_error(", ".join(channels), "nothing of this kind was recorded",
                          "result.channels() lists what was")
    if len(names) > 60:
        raise input_error("plot", f"{len(names)} channels are too many for one figure",
                          "name up to 60")
    units = list(dict.fromkeys(result._panel(name) for name in names))
    beside = axes is None  # the legend stands beside the panel if the figure is ours
    if axes is None:
        figure, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False,
                                    figsize=(8.5, 1.2 + 2.2 * len(units)), layout="constrained")
    axes = np.ravel(axes)
    if len(axes) < len(units):
        raise input_error("axes", f"has {len(axes)} panels", f"the channels need {len(units)}")
    figure = axes[0].figure
    for panel, (quantity, unit) in zip(axes, units):
        own = [name for name in names if result._panel(name) == (quantity, unit)]
        for number, name in enumerate(own):
            _draw(panel, result.time, result[name], name, ("-", "--", ":", "-.")[number // 10 % 4])
        panel.set_ylabel(f"{quantity} [{unit}]")
        panel.grid(True, alpha=0.3)
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if beside else {}
        panel.legend(fontsize="small" if len(own) <= 9 else "xx-small", **place)
    axes[len(units) - 1].set_xlabel("time [s]")
    axes[0].set_title(result.title)
    if file is not None:
        figure.savefig(file, dpi=150)
    return figure
