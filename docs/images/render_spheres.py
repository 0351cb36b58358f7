#!/usr/bin/env python3
"""Draws spheres of one frame of a result file: render_spheres.py RESULT.h5 RADIUS OUT.png"""
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def main(result, radius, out):
    with h5py.File(result) as f:
        centers = f["bodies/position"][-1]
        speed = np.linalg.norm(f["bodies/velocity"][-1], axis=1)
        time = f["time"][-1]
    u, v = np.mgrid[0 : 2 * np.pi : 18j, 0 : np.pi : 10j]
    ball = radius * np.array([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    axes = plt.figure(figsize=(7, 5.2), dpi=120).add_subplot(projection="3d")
    colors = plt.cm.viridis((centers[:, 2] - centers[:, 2].min()) / np.ptp(centers[:, 2]))
    for center, color in zip(centers, colors):
        axes.plot_surface(*(ball + center[:, None, None]), color=color, linewidth=0)
    axes.set_box_aspect(np.ptp(centers, axis=0) + 2 * radius)
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    axes.set_title(f"{len(centers)} spheres at t = {time:g} s, fastest {speed.max():.1e} m/s", fontsize=10)
    axes.view_init(18, -58)
    plt.tight_layout()
    plt.savefig(out)


main(sys.argv[1], float(sys.argv[2]), sys.argv[3])
