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


def plot(result, channels=(), file=None, axes=None):
    """One panel per unit. Channels may also be vectors ("ball.position") or one of the groups
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
    units = list(dict.fromkeys(result.unit(name) for name in names))
    if axes is None:
        figure, axes = plt.subplots(len(units), 1, sharex=True, squeeze=False,
                                    figsize=(7, 1.2 + 2.2 * len(units)), layout="constrained")
    axes = np.ravel(axes)
    if len(axes) < len(units):
        raise input_error("axes", f"has {len(axes)} panels", f"the channels have {len(units)} units")
    figure = axes[0].figure
    for panel, unit in zip(axes, units):
        for name in names:
            if result.unit(name) != unit:
                continue
            series = result[name]
            alone = np.isfinite(series).sum() < 2
            panel.plot(result.time, series, "." if alone else "-", label=name, linewidth=1.2)
        panel.set_ylabel(f"[{unit}]")
        panel.grid(True, alpha=0.3)
        panel.legend(fontsize="small")
    axes[len(units) - 1].set_xlabel("time [s]")
    axes[0].set_title(result.title)
    if file is not None:
        figure.savefig(file, dpi=150)
    return figure
