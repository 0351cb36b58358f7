"""Scenes: what a file says can be said in Python and back, with equal results bit for bit."""

import os
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import saltus
from common import SCENES, SOURCE, ball_scene


def few_steps(scene):
    """The numbers of a very short run."""
    core, _ = scene._make_core()
    result = saltus.simulate(scene, until=4 * core.step, every=1)
    return result


class RoundTrip(unittest.TestCase):
    def assert_same(self, a, b):
        for name in ("time", "coordinates/q", "coordinates/v", "constraints/lambda",
                     "energy/total", "ledger/closure"):
            np.testing.assert_array_equal(a._dataset(name), b._dataset(name), err_msg=name)
        for name in ("gap", "point", "force", "impulse", "key"):
            np.testing.assert_array_equal(getattr(a.contacts, name), getattr(b.contacts, name))
        self.assertEqual(a.contacts.names, b.contacts.names)

    def test_all_ready_scenes(self):
        """Four forms of each: as read, its text, worked out, rebuilt by hand. They say the same in
        every word (the library writes them out in full), and run the same."""
        self.assertGreater(len(SCENES), 15)
        for path in SCENES:
            with self.subTest(scene=path.name):
                scene = saltus.Scene.read(path)
                scene.output.contacts = True
                again = saltus.Scene.parse(scene.to_yaml(), base_dir=scene.base_dir)
                self.assertEqual(dict(again), dict(scene))
                worked_out = scene.expanded()
                forms = [again, worked_out, self.rebuild(worked_out)]
                words = scene._make_core()[0].to_yaml()
                for form in forms:
                    self.assertEqual(form._make_core()[0].to_yaml(), words)
                if len(worked_out.bodies) > 2000:
                    continue  # what is said is the same; a run of it takes half a minute
                reference = few_steps(scene)
                for form in forms:
                    self.assert_same(few_steps(form), reference)

    @staticmethod
    def rebuild(scene):
        """The scene made anew with the classes a user would write."""
        new = saltus.Scene(name=scene.name, gravity=np.array(scene.gravity),
                           base_dir=scene.base_dir)
        if scene.planar is not None:
            new.planar = scene.planar
        for name, entries in scene.materials.items():
            new.materials[name] = saltus.Material(**entries)
        new.pairs.extend(saltus.Pair(**entries) for entries in scene.pairs)
        for name, entries in scene.bodies.items():
            kind = saltus.PointMass if "point_mass" in entries else saltus.Body
            new.bodies[name] = kind(**entries)
            new.bodies[name].shapes = [RoundTrip.remake(shape) for shape in entries.get("shapes", [])]
        new.ground.shapes.extend(RoundTrip.remake(shape) for shape in scene.ground.shapes)
        for items, made in ((scene.joints, new.joints), (scene.forces, new.forces)):
            for name, entries in items.items():
                made[name] = RoundTrip.remake(entries)
        for name, entries in scene.contacts.items():
            surface = next(key for key in saltus.surfaces() if key in entries)
            made = dict(entries, point=saltus.Point(**entries.point))
            made[surface] = getattr(saltus, surface.capitalize())(entries[surface])
            new.contacts[name] = saltus.Contact(**made)
        for section in ("simulation", "audit", "output"):
            new[section].update(scene[section])
        if scene.reference is not None:
            new.reference = scene.reference
        return new

    @staticmethod
    def remake(entries):
        """Sphere(radius=…), Revolute(between=…), …: the class that bears the name of the kind."""
        others = dict(entries)
        kind = others.pop("type", None)
        if kind is None:
            kind = next(key for key in saltus.shapes() if key in entries)
            others.update(others.pop(kind))
        name = "".join(word.capitalize() for word in kind.replace("_", "-").split("-"))
        return getattr(saltus, "Load" if name == "Force" else name)(**others)

    def test_laws_of_contact(self):
        scene = ball_scene()
        scene.materials["rubber"].update(restitution_law="poisson", rolling_friction=0.001)
        scene.materials["mat"] = saltus.Material(friction=0.9)
        scene.pairs.append(saltus.Pair(
            materials=["rubber", "mat"],
            compliance=saltus.Compliance(law="hertz", stiffness=1e6)))
        scene.pairs.append(saltus.Pair(
            materials=["mat", "mat"],
            cohesion=saltus.Cohesion(normal_stiffness=1e8, energy=2.0, area=0.1)))
        again = saltus.Scene.parse(scene.to_yaml())
        self.assertEqual(again.pairs[0].compliance.stiffness, 1e6)
        self.assertEqual(again.pairs[1].cohesion.energy, 2.0)
        self.assert_same(few_steps(again), few_steps(scene))
        self.assertIn("hunt-crossley", saltus.laws())
        with self.assertRaisesRegex(saltus.InputError, "stiffness"):
            saltus.Compliance(law="hertz", stifness=1e6)

    def test_files_and_copies(self):
        scene = ball_scene()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "ball.yaml")
            scene.save(path)
            self.assert_same(few_steps(saltus.read_scene(path)), few_steps(scene))
        copy = pickle.loads(pickle.dumps(scene))
        copy.bodies["ball"].position = [0, 0, 3]
        self.assertEqual(scene.bodies["ball"].position, [0, 0, 1.1])
        other = scene.copy()
        other.simulation.step = 0.01
        self.assertEqual(scene.simulation.step, 0.005)

    def test_parameters_stay_parameters(self):
        scene = saltus.Scene.read(SOURCE / "scenes" / "stack_of_ten.yaml")
        text = scene.to_yaml()
        if scene.parameters:
            self.assertIn("${", text)
        expanded = scene.expanded()
        self.assertNotIn("${", expanded.to_yaml())
        self.assertGreaterEqual(len(expanded.bodies), 10)

    def test_overrides(self):
        path = SOURCE / "scenes" / "bouncing_ball.yaml"
        for overrides in (["simulation.step=0.01"], {"simulation.step": 0.01}):
            self.assertEqual(saltus.read_scene(path, overrides).simulation.step, 0.01)

    def test_signs_of_zero_stay(self):
        scene = ball_scene()
        scene.bodies["ball"].velocity = [-0.0, 0.0, 0.0]
        again = saltus.Scene.parse(scene.to_yaml())
        self.assertEqual(np.signbit(again.bodies["ball"].velocity).tolist(), [True, False, False])

    def test_texts_that_look_like_numbers(self):
        scene = ball_scene()
        scene.materials["7"] = saltus.Material(density=500)
        scene.bodies["ball"].shapes[0].material = "7"
        again = saltus.Scene.parse(scene.to_yaml())
        self.assertEqual(again.bodies["ball"].shapes[0].material, "7")


class Building(unittest.TestCase):
    def test_files_are_looked_for_in_the_present_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "floor.obj").write_text(
                "v -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3\nf 1 3 4\n")
            here = os.getcwd()
            os.chdir(folder)
            try:
                scene = ball_scene(until=2)
                scene.ground.shapes[:] = [saltus.Mesh(file="floor.obj", material="rubber")]
                result = saltus.simulate(scene)
            finally:
                os.chdir(here)
            # The result holds the triangles: it runs again from anywhere.
            again = saltus.simulate(result.scene())
        np.testing.assert_array_equal(again.q, result.q)
        self.assertGreater(result.audit["events"], 0)
        elsewhere = saltus.Scene(base_dir=folder)
        self.assertEqual(elsewhere.copy().base_dir, folder)

    def test_joints_and_forces(self):
        scene = saltus.Scene(planar="xz")
        scene.bodies["link"] = saltus.Body(mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
        scene.bodies["bead"] = saltus.PointMass(0.5, position=[1, 0, 0])
        scene.joints["hinge"] = saltus.Revolute(between=["ground", "link"], at=[0, 0, 0],
                                                axis=[0, -1, 0], limits=[-1, None])
        scene.joints["rod"] = saltus.Distance(between=["link", "bead"],
                                              points=[[0, 0, 0], [0, 0, 0]])
        scene.forces["spring"] = saltus.Spring(between=["bead", "ground"], stiffness=100,
                                               points=[[0, 0, 0], [1, 0, 1]])
        scene.forces["wind"] = saltus.Load(on="bead", force=["sin(t)", 0, 0])
        scene.contacts["stop"] = saltus.Contact(point=saltus.Point(on="bead"),
                                                plane=saltus.Plane(normal=[0, 0, 1], offset=-0.5))
        result = saltus.simulate(scene, step=0.01, until=1)
        self.assertTrue(result.finished)
        self.assertEqual(result.joints, ["hinge", "rod"])
        self.assertLess(result.audit["max_constraint"], 1e-9)

    def test_functions_of_time(self):
        """A drive and a load given as functions do what the formulas do."""
        def make(drive, load):
            scene = saltus.Scene(gravity=[0, 0, 0])
            scene.bodies["arm"] = saltus.Body(mass=1, inertia=[0.1, 0.1, 0.1],
                                              angular_velocity=[0, 0, 1.5])
            scene.joints["motor"] = saltus.Revolute(between=["ground", "arm"], at=[0, 0, 0],
                                                    axis=[0, 0, 1], drive={"angle": drive})
            scene.bodies["bead"] = saltus.PointMass(2.0)
            scene.forces["push"] = saltus.Load(on="bead", force=[load, 0, 0])
            return saltus.simulate(scene, step=0.01, until=1)

        formula = make("0.5*sin(3*t)", "4*t")
        function = make(lambda t: 0.5 * np.sin(3 * t), lambda t: 4 * t)
        exact = make(lambda t: (0.5 * np.sin(3 * t), 1.5 * np.cos(3 * t), -4.5 * np.sin(3 * t)),
                     lambda t: 4 * t)
        for channel in ("motor.angle", "bead.velocity.x", "motor.torque.z"):
            # Differences of fourth order over 1e-4 s leave 1e-12 in the rate, and the torque divides
            # by the step.
            np.testing.assert_allclose(function[channel], formula[channel], atol=1e-8)
            np.testing.assert_allclose(exact[channel], formula[channel], atol=1e-12)
        self.assertAlmostEqual(float(formula["bead.velocity.x"][-1]), 1.0, places=12)

    def test_functions_have_no_text(self):
        scene = ball_scene()
        scene.forces["push"] = saltus.Load(on="ball", force=[lambda t: t, 0, 0])
        with self.assertRaisesRegex(saltus.InputError, r"forces\.push\.force\.0"):
            scene.to_yaml()
        scene.bodies["ball"].mass = lambda t: 1
        with self.assertRaisesRegex(saltus.InputError, "bodies.ball.mass"):
            scene.check()


class Errors(unittest.TestCase):
    def test_unknown_keys(self):
        with self.assertRaisesRegex(saltus.InputError, "masss.*did you mean 'mass'.*Known keys: mass"):
            saltus.Body(masss=1)
        with self.assertRaisesRegex(saltus.InputError, "radus"):
            saltus.Sphere(radus=1)
        with self.assertRaises(AttributeError):
            ball_scene().nonsense

    def test_same_message_as_the_library(self):
        scene = ball_scene()
        scene.bodies["ball"].shapes[0].material = "ruber"
        with self.assertRaises(saltus.InputError) as caught:
            saltus.simulate(scene)
        self.assertIsInstance(caught.exception, ValueError)
        self.assertEqual(caught.exception.item, "bodies.ball.shapes[0].material")
        self.assertIn("did you mean 'rubber'?", str(caught.exception))

    def test_place_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "bad.yaml")
            path.write_text("saltus: 1\nbodies:\n  a: {mass: -1, inertia: [1, 1, 1]}\n")
            with self.assertRaises(saltus.InputError) as caught:
                saltus.simulate(path)
            self.assertEqual(caught.exception.line, 3)
            self.assertIn("bad.yaml:3", str(caught.exception))
            with self.assertRaisesRegex(saltus.InputError, "nowhere.yaml"):
                saltus.read_scene("nowhere.yaml")

    def test_what_cannot_stand_in_a_scene(self):
        scene = ball_scene()
        scene.bodies["ball"].mass = object()
        with self.assertRaisesRegex(saltus.InputError, "bodies.ball.mass.*object"):
            scene.check()


if __name__ == "__main__":
    unittest.main()
