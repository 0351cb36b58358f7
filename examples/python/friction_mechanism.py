"""A planar frictional mechanism with linear constraints, vectorised: many steps per second.

Terms that are constant by declaration are never asked for again; functions that return constants
cost a fraction of a microsecond per call.
"""

import time

import numpy as np

import saltus

M = np.diag([1.0, 1.0, 0.1, 2.0])           # a sledge (x, y, angle) and a weight that pulls it
f = np.array([4.0, -9.81, 0.0, 1.0])
A = np.array([[0, 0, 1.0, 0], [1.0, 0, 0, -1.0]])       # no tilting; sledge and weight move together
N = np.array([[0, 1.0, 0.5, 0], [0, 1.0, -0.5, 0]])     # gaps of the two runners
T = np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0]])          # their slip

constant = saltus.LagrangianSystem(4, mass=M, force=f, constraints=saltus.Linear(A),
                                   contacts=saltus.Contacts(saltus.Linear(N), tangent=T, friction=0.3))
functions = saltus.LagrangianSystem(
    4, mass=lambda q: M, force=lambda t, q, v: f, constraints=lambda q: A @ q,
    constraints_jacobian=lambda q: A, contacts=saltus.Contacts(
        lambda q: N @ q, normal=lambda q: N, tangent=lambda q: T, friction=0.3))

for name, system in (("constants", constant), ("functions", functions)):
    start = time.process_time()
    result = saltus.simulate(system, step=1e-3, until=10)
    rate = 10000 / (time.process_time() - start)
    print(f"{name}: {rate:.0f} steps per second of computing, speed {result.v[-1, 0]:.6f} m/s")
    assert abs(result.v[-1, 0] - 10 * (5 - 0.3 * 9.81) / 3) < 1e-6
