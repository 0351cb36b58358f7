"""A slider-crank with a driven crank: joints, a motion given as a Python function, joint forces."""

import math

import saltus

scene = saltus.Scene(name="Slider-crank", planar="xz", gravity=[0, 0, -9.81])
scene.bodies["crank"] = saltus.Body(mass=0.5, inertia=[1e-3] * 3, position=[0.05, 0, 0])
scene.bodies["rod"] = saltus.Body(mass=0.8, inertia=[4e-3] * 3, position=[0.25, 0, 0])
scene.bodies["slider"] = saltus.Body(mass=1.0, inertia=[1e-3] * 3, position=[0.4, 0, 0])


def crank_angle(t):
    """Speeds up smoothly to 10 rad/s: angle, rate and acceleration."""
    return (10 * t + 10 * (math.exp(-t) - 1), 10 - 10 * math.exp(-t), 10 * math.exp(-t))


scene.joints["motor"] = saltus.Revolute(between=["ground", "crank"], at=[0, 0, 0], axis=[0, -1, 0],
                                        drive={"angle": crank_angle})
scene.joints["pin"] = saltus.Revolute(between=["crank", "rod"], at=[0.1, 0, 0], axis=[0, -1, 0])
scene.joints["wrist"] = saltus.Revolute(between=["rod", "slider"], at=[0.4, 0, 0], axis=[0, -1, 0])
scene.joints["guide"] = saltus.Prismatic(between=["ground", "slider"], at=[0.4, 0, 0],
                                         axis=[1, 0, 0], friction=0.1)

result = saltus.simulate(scene, step=0.002, until=1.5)
angle = crank_angle(1.5)[0]
exact = 0.1 * math.cos(angle) + math.sqrt(0.3**2 - (0.1 * math.sin(angle))**2)
print(f"slider at {result['slider.position.x'][-1]:.9f} m, geometry says {exact:.9f} m")
print(f"largest motor torque {abs(result['motor.torque.y']).max():.3f} N m")
assert abs(result["slider.position.x"][-1] - exact) < 1e-7
result.plot("slider.position.x", "motor.angle", "guide.force.z", file="slider_crank.png")
