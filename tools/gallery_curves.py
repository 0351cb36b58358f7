"""Pages of the gallery with curves: several schemes over the known values of a published example."""

import json
import subprocess

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# Name: scene, title, end of the run in s, channels, schemes (label: words of the run), channels that are
# constant in between: {channel: [(from t, value)]}, words.
CURVES = {
    "ball_curves": (
        "bouncing_ball", "Bouncing ball: three schemes", 3, ["ball.position.z", "energy.total"],
        {"Moreau–Jean θ = ½": [], "nonsmooth-α": ["--integrator", "nonsmooth-alpha"],
         "Schatzman–Paoli": ["--integrator", "schatzman-paoli"]},
        {"energy.total": [(t, 9.81 * (0.1 + 0.81 ** n)) for n, t in enumerate(
            [0] + [0.45152364 * (1 + 2 * sum(0.9 ** k for k in range(1, m))) for m in range(1, 5)])]},
        "Position and energy of a bouncing ball (e = 0.9), as in the first example of Brüls, Acary and Cardona (2014). Moreau–Jean and Schatzman–Paoli let the "
        "ball penetrate by up to a step's way; nonsmooth-α does not, and keeps the position exact at the floor. The steps of the "
        "energy are those of the exact motion, e² of what was there before each impact."),
    "pendulum_curves": (
        "bouncing_pendulum", "Bouncing pendulum: three schemes", 3, ["pin.angle", "energy.total"],
        {"Moreau–Jean θ = ½": [], "nonsmooth-α": ["--integrator", "nonsmooth-alpha"],
         "Schatzman–Paoli": ["--integrator", "schatzman-paoli"]},
        {},
        "The pendulum of Brüls, Acary and Cardona (2014) that swings against a wall: a joint and impacts together. Circles are "
        "the converged motion. Joints hold at position and velocity level under nonsmooth-α and Moreau–Jean, at position level "
        "under Schatzman–Paoli."),
    "block_curves": (
        "rocking_block", "Rocking block: two schemes", 1, ["block.position.z", "energy.total"],
        {"Moreau–Jean θ = ½": [], "nonsmooth-α": ["--integrator", "nonsmooth-alpha"]},
        {},
        "The rocking block of Brüls, Acary and Cardona (2014): it falls on its corners and comes to rest by an infinity of impacts. "
        "Circles are the converged motion; the energy ends at that of rest, 7.3575 J. Both schemes pass through the "
        "accumulation of impacts with a constant step."),
    "bar_curves": (
        "elastic_bar", "Elastic bar on a wall: two schemes", 1.6, ["node_0.position.x", "contact.wall.force.n", "energy.total"],
        {"nonsmooth-α": ["--set", "output.every=1"],
         "Moreau–Jean θ = ½": ["--integrator", "moreau-jean", "--set", "output.every=1"]},
        {"contact.wall.force.n": [(0, 0), (0.5005, 300), (1.1671667, 0)], "energy.total": [(0, 500)]},
        "The bar of Brüls, Acary and Cardona (2014) that flies against a wall, here of 200 springs between point masses. The continuous "
        "bar touches the wall for 2 L/c = 2/3 s with 300 N and leaves it as it came. The discrete one loses the energy of "
        "its first mass at the impact; afterwards θ = ½ keeps the energy and nonsmooth-α damps what the mesh cannot resolve."),
    "oscillator_energy": (
        "two_ball_oscillator", "Two-ball oscillator: energy of four schemes", 4, ["lower.position.z", "energy.total"],
        {"Moreau–Jean θ = ½": [], "Moreau–Jean θ = 1": ["--set", "simulation.theta=1"],
         "nonsmooth-α": ["--integrator", "nonsmooth-alpha"],
         "Newmark γ = 1": ["--integrator", "nonsmooth-newmark", "--set", "simulation.gamma=1", "--set", "simulation.beta=0.5"]},
        {"energy.total": [(0, 30), (0.4472136, 26.4), (0.5061252, 22.66541), (1.1064141, 18.24316), (1.4338276, 16.40384)]},
        "The bouncing oscillator of Chen, Acary, Virlez and Brüls (2013): energy over time, with the exact steps of its first four "
        "impacts. Schemes of first order that damp (θ = 1, γ = 1) lose the energy of the spring between the impacts; "
        "nonsmooth-α keeps it. After the fifth impact the motion depends on every detail and only energies compare."),
}


def call(program, *words):
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def read_table(program, result, channels):
    lines = call(program, "probe", result, *channels, "--csv").splitlines()[1:]
    return [[float(value) for value in line.split(",")] for line in lines]


def read_known(scene, channel):
    """Times and values of the scene's `reference` for a channel; formulas are left out."""
    for line in scene.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"  {channel}: {{"):
            pairs = line.split("{")[1].split("}")[0].split(",")
            return [tuple(float(x) for x in pair.split(":")) for pair in pairs]
    return []


def at(rows, t, column):
    """Linear between frames."""
    for first, second in zip(rows, rows[1:]):
        if second[0] >= t - 1e-12:
            share = (t - first[0]) / (second[0] - first[0])
            return first[column] + share * (second[column] - first[column])
    return rows[-1][column]


def draw(file, title, channels, tables, known, constant, end):
    figure, axes = plt.subplots(len(channels), 1, figsize=(9.6, 6.2), sharex=True)
    for k, channel in enumerate(channels):
        for label, rows in tables.items():
            axes[k].plot([row[0] for row in rows], [row[k + 1] for row in rows], label=label, linewidth=1.2)
        if channel in constant:
            last = constant[channel][-1]
            steps = [*constant[channel], (min(end, last[0] + 0.3) if last[0] > 0 else end, last[1])]
            axes[k].step([s[0] for s in steps], [s[1] for s in steps], "k--", where="post", label="exact", linewidth=1)
        if known.get(channel):
            axes[k].plot(*zip(*known[channel]), "ko", fillstyle="none", label="converged")
        axes[k].set_ylabel(channel + (" [J]" if channel.startswith("energy") else ""))
        axes[k].grid(alpha=0.3)
    axes[0].legend(fontsize=9)
    axes[0].set_title(title)
    axes[-1].set_xlabel("t [s]")
    axes[-1].set_xlim(0, end)
    figure.tight_layout()
    figure.savefig(file, dpi=100)
    plt.close(figure)


def make_curves(program, root, folder, results, name):
    """Writes the page; returns its title and the time that the runs took, s."""
    scene_name, title, end, channels, schemes, constant, words = CURVES[name]
    scene = root / "scenes" / f"{scene_name}.yaml"
    tables, spent, commands = {}, 0.0, []
    for label, arguments in schemes.items():
        result = results / f"{name}.h5"
        # Limits of the scene are those of its own scheme.
        call(program, "run", scene, "--quiet", "--until", end, "--set", "audit={}", "-o", result, *arguments)
        spent += json.loads(call(program, "info", result, "--json"))["wall_time"]
        tables[label] = read_table(program, result, channels)
        commands.append(" ".join(["    saltus run", f"scenes/{scene_name}.yaml --until {end}", *arguments]))
    known = {channel: [pair for pair in read_known(scene, channel) if pair[0] <= end] for channel in channels}
    draw(folder / f"{name}.png", title, channels, tables, known, constant, end)
    rows = []
    for column, channel in enumerate(channels, start=1):
        pairs = known[channel]
        if channel in constant:  # In the middle between two changes.
            ends = [t for t, _ in constant[channel][1:]] or [end]
            pairs = [((t + u) / 2, value) for (t, value), u in zip(constant[channel], ends)]
        for t, value in pairs:
            ours = " | ".join(f"{at(table, t, column):.6g}" for table in tables.values())
            rows.append(f"| {channel} | {t:.4g} | {value:.8g} | {ours} |")
    heads = " | ".join(schemes)
    (folder / f"{name}.md").write_text(f"""# {title}

![{title}]({name}.png)

{words}

{chr(10).join(commands)}

| channel | t [s] | exact or converged | {heads} |
|---|---|---|{'---|' * len(schemes)}
{chr(10).join(rows)}

Scene: [scenes/{scene_name}.yaml](../../scenes/{scene_name}.yaml). Computing time of all runs: {spent:.2g} s.
""", encoding="utf-8")
    return title, spent
