"""Your own equations: a pendulum in redundant coordinates that bounces off a wall.

q = (x, y, θ), M = diag(m, m, J), constraints x = l cos θ, y = l sin θ, wall at x = √½.
"""

import numpy as np

import saltus

m, J, length, g = 1.0, 0.1, 1.0, 10.0


def closure(q):
    return [q[0] - length * np.cos(q[2]), q[1] - length * np.sin(q[2])]


def closure_jacobian(q):
    return [[1, 0, length * np.sin(q[2])], [0, 1, -length * np.cos(q[2])]]


wall = saltus.Contacts(saltus.Linear([[1.0, 0, 0]], -np.sqrt(0.5)), restitution=0.8, name="wall")
theta = np.pi / 12
pendulum = saltus.LagrangianSystem(
    3, mass=[m, m, J], force=[0, -m * g, 0], constraints=closure,
    constraints_jacobian=closure_jacobian, contacts=wall, names=["x", "y", "theta"],
    energy=lambda q: m * g * q[1], q0=[np.cos(theta), np.sin(theta), theta])
pendulum.check_jacobians()

for integrator in [name for name in ("moreau-jean", "nonsmooth-alpha") if name in saltus.integrators()]:
    result = saltus.simulate(pendulum, step=1e-3, until=2, integrator=integrator)
    first = next(event for event in result.events if event.kind == "impact")
    print(f"{integrator:<16} first impact at {first.time:.4f} s (exact 0.4861), "
          f"|g| ≤ {result.audit['max_constraint']:.1e} m")
    assert abs(first.time - 0.4861104433) < 3e-3
