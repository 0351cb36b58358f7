"""Results: memory and file agree; channels, contacts, events; pandas, ParaView, plots, films."""

import base64
import os
import pathlib
import shutil
import tempfile
import unittest
import xml.etree.ElementTree as ET

import numpy as np

import saltus
from common import SOURCE, ball_scene, ball_system
from saltus import geometry


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "ball.h5")
        cls.memory = saltus.simulate(ball_scene(), output=cls.path)
        cls.file = saltus.load(cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_channels_are_equal(self):
        self.assertEqual(dict(self.file.channels()), dict(self.memory.channels()))
        for name in self.file.channels():
            np.testing.assert_array_equal(self.file[name], self.memory[name], err_msg=name)
        self.assertEqual(self.file.unit("ball.velocity.z"), "m/s")
        self.assertEqual(self.file.bodies, ["ball"])

    def test_audit_and_scene(self):
        for key, value in self.file.audit.items():
            if key != "wall_time":
                self.assertEqual(value, self.memory.audit[key], key)
        self.assertRegex(self.memory.audit_table(), r"max_penetration +\S+ m +\w+")
        again = saltus.simulate(self.file.scene())
        np.testing.assert_array_equal(again.q, self.memory.q)
        self.assertTrue(self.file.finished)
        self.assertIn("201 frames", repr(self.file))

    def test_contacts_and_events(self):
        for name in ("offset", "name", "key", "gap", "point", "normal", "force", "impulse"):
            np.testing.assert_array_equal(getattr(self.file.contacts, name),
                                          getattr(self.memory.contacts, name))
        self.assertEqual(self.file.events, self.memory.events)
        rows = self.file.contacts.of("ball-ground")
        self.assertEqual(len(rows), len(self.file.contacts))
        with self.assertRaisesRegex(saltus.InputError, "ball-ground"):
            self.file.contacts.of("nothing")
        frame = int(self.file.contacts.frame[0])
        self.assertEqual(self.file.contacts.rows(frame), slice(0, 1))

    def test_vectors_and_whole_arrays(self):
        self.assertEqual(self.file["ball.position"].shape, (201, 3))
        self.assertEqual(self.file["bodies/position"].shape, (201, 1, 3))
        self.assertEqual(self.memory["contact.ball-ground.force"].shape, (201, 3))
        self.assertIs(self.memory["ball.position.z"].base, self.memory["ball.position.x"].base)
        with self.assertRaises(ValueError):
            self.memory.time[0] = 1
        # Nothing is copied: an array is what the run recorded, a channel is a view of it.
        for result in (self.memory, self.file):
            whole = result["bodies/position"]
            self.assertIs(result["bodies/position"], whole)
            self.assertEqual(type(whole.base).__name__, "PyCapsule")
            self.assertTrue(np.shares_memory(result["ball.position.z"], whole))
            self.assertTrue(np.shares_memory(result["ball.position"], whole))
            self.assertEqual(type(result.contacts.force.base).__name__, "PyCapsule")
        with self.assertRaisesRegex(saltus.InputError, "nearest: ball.position"):
            self.file["ball.positon.z"]
        with self.assertRaisesRegex(saltus.InputError, "bodies"):
            self.file.q

    def test_user_systems_in_files(self):
        path = os.path.join(self.folder.name, "system.h5")
        memory = saltus.simulate(ball_system(names=["height"]), until=0.6, step=0.005, output=path)
        file = saltus.load(path)
        np.testing.assert_array_equal(file.q, memory.q)
        np.testing.assert_array_equal(file["height.v"], memory.v[:, 0])
        self.assertIn("written in Python", file.scene_text)
        self.assertEqual(file.coordinates, ["height"])

    def test_intervals(self):
        self.assertEqual(len(saltus.simulate(ball_scene(), every=7)), 30)
        self.assertEqual(len(saltus.simulate(ball_scene(), dt=0.1)), 11)
        without = ball_scene()
        without.output.contacts = False
        result = saltus.simulate(without)
        with self.assertRaisesRegex(saltus.InputError, "not recorded"):
            result.contacts
        self.assertEqual(result.events, saltus.simulate(ball_scene()).events)
        self.assertEqual(saltus.simulate(ball_scene(), record=False), None)

    def test_missing_and_foreign_files(self):
        with self.assertRaisesRegex(saltus.InputError, "nothing.h5"):
            saltus.load("nothing.h5")
        with self.assertRaisesRegex(saltus.InputError, "not a saltus result"):
            saltus.load(SOURCE / "README.md")
        with self.assertRaisesRegex(saltus.InputError, "folder"):
            saltus.simulate(ball_scene(), output="/nowhere/at/all.h5")

    def test_command_line_gives_the_same(self):
        """The program and the package write equal numbers."""
        import subprocess
        program = pathlib.Path(saltus.__file__).parents[2] / "bin" / "saltus"
        if not program.exists():
            self.skipTest("the program is not built")
        scene = SOURCE / "scenes" / "robot_arm_falls.yaml"
        path = os.path.join(self.folder.name, "program.h5")
        subprocess.run([program, "run", scene, "--until", "0.2", "-q", "-o", path], check=True)
        program_result, package = saltus.load(path), saltus.simulate(scene, until=0.2)
        for name in program_result.channels():
            np.testing.assert_array_equal(program_result[name], package[name], err_msg=name)


class OtherForms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_pandas(self):
        table = saltus.simulate(ball_scene()).to_pandas(["ball.position.z", "energy.total"])
        self.assertEqual(table.shape, (201, 2))
        self.assertEqual(table.index.name, "time")

    def decode(self, element):
        data = base64.b64decode(element.text)
        kind = {"Float64": np.float64, "Int64": np.int64}[element.get("type")]
        self.assertEqual(np.frombuffer(data[:8], np.uint64)[0], len(data) - 8)
        array = np.frombuffer(data[8:], kind)
        return array.reshape(-1, int(element.get("NumberOfComponents")))

    def read(self, name):
        piece = ET.parse(os.path.join(self.folder, name)).getroot().find("PolyData/Piece")
        arrays = {e.get("Name"): self.decode(e) for e in piece.iter("DataArray")}
        self.assertEqual(len(arrays["Points"]), int(piece.get("NumberOfPoints")))
        return arrays, piece

    def test_vtk(self):
        result = saltus.simulate(ball_scene())
        written = result.to_vtk(self.folder, every=50)
        self.assertEqual([os.path.basename(p) for p in written],
                         ["bodies.pvd", "centers.pvd", "contacts.pvd"])
        sets = ET.parse(written[0]).getroot().findall("Collection/DataSet")
        self.assertEqual([float(s.get("timestep")) for s in sets], [0, 0.25, 0.5, 0.75, 1.0])
        arrays, piece = self.read(sets[1].get("file"))
        # The points are those of a sphere of radius 0.1 m about the centre, with its velocity.
        distance = np.linalg.norm(arrays["Points"] - result["ball.position"][50], axis=1)
        np.testing.assert_allclose(distance, 0.1, atol=1e-12)
        np.testing.assert_allclose(arrays["velocity"][:, 2], result["ball.velocity.z"][50])
        self.assertEqual(len(arrays["connectivity"]), 3 * int(piece.get("NumberOfPolys")))
        self.assertLess(arrays["connectivity"].max(), len(arrays["Points"]))
        impact = int(result.contacts.frame[0])
        result.to_vtk(self.folder, every=impact)
        contacts, _ = self.read(f"contacts_{impact:06d}.vtp")
        self.assertGreater(contacts["impulse"][0, 2], 0)
        np.testing.assert_allclose(contacts["Points"][0, :2], 0, atol=1e-12)
        with self.assertRaisesRegex(saltus.InputError, "no bodies"):
            saltus.simulate(ball_system()).to_vtk(self.folder)
        try:  # ParaView's own reader, where it is installed (python3-vtk9)
            from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
        except ImportError:
            return
        reader = vtkXMLPolyDataReader()
        reader.SetFileName(os.path.join(self.folder, sets[1].get("file")))
        reader.Update()
        self.assertEqual(reader.GetErrorCode(), 0)
        self.assertEqual(reader.GetOutput().GetNumberOfPoints(), len(arrays["Points"]))

    def test_contact_forces_in_world_axes(self):
        """A box slides along (3, 4): the sum of the forces is μ m g against it and m g up."""
        scene = saltus.Scene()
        scene.materials["wood"] = saltus.Material(density=500, friction=0.3)
        scene.bodies["box"] = saltus.Body(position=[0, 0, 0.1], velocity=[3, 4, 0],
                                          shapes=[saltus.Box(size=[0.2] * 3, material="wood")])
        scene.ground.shapes.append(saltus.HalfSpace(material="wood"))
        path = os.path.join(self.folder, "box.h5")
        result = saltus.simulate(scene, step=0.01, until=0.1, output=path)
        weight = 500 * 0.2**3 * 9.81
        for contacts in (result.contacts, saltus.load(path).contacts):
            forces = contacts.in_world(contacts.force)[contacts.rows(-1)]
            np.testing.assert_allclose(forces.sum(axis=0), [-0.18 * weight, -0.24 * weight, weight],
                                       rtol=1e-6)
        result.to_vtk(self.folder)
        arrays, _ = self.read("contacts_000010.vtp")
        np.testing.assert_array_equal(arrays["force"], forces)

    def test_events_are_in_the_file(self):
        path = os.path.join(self.folder, "events.h5")
        half = saltus.Event(lambda s: s.body("ball").position[2] - 0.6, name="half way")
        memory = saltus.simulate(ball_scene(), events=half, output=path)
        self.assertEqual([e.name for e in memory.events], ["half way", "ball-ground", "half way", "half way"])
        self.assertEqual(saltus.load(path).events, memory.events)

    def test_vtk_of_many_shapes(self):
        for name in ("robot_arm_falls", "masonry_arch"):
            scene = saltus.read_scene(SOURCE / "scenes" / f"{name}.yaml")
            result = saltus.simulate(scene, until=2 * scene.expanded().simulation.step, every=1)
            result.to_vtk(os.path.join(self.folder, name))

    def test_plots(self):
        result = saltus.simulate(ball_scene())
        path = os.path.join(self.folder, "plot.png")
        figure = result.plot("ball.position", "energies", file=path)
        self.assertEqual(len(figure.axes), 2)
        self.assertEqual(figure.axes[0].get_ylabel(), "[m]")
        self.assertEqual(figure.axes[1].get_ylabel(), "[J]")
        self.assertGreater(os.path.getsize(path), 1000)
        for group in ("states", "gaps", "forces"):
            result.plot(group)
        with self.assertRaisesRegex(saltus.InputError, "no such channel"):
            result.plot("ball.nothing")
        # A gap known in one frame alone is a point.
        gaps = result.plot("gaps").axes[0].lines
        self.assertEqual(np.isfinite(result["contact.ball-ground.gap"]).sum(), 1)
        self.assertEqual([len(line.get_xdata()) for line in gaps], [201, 1])

    def test_films(self):
        result = saltus.simulate(ball_scene())
        frames = result.animate(os.path.join(self.folder, "frames"), fps=5, dpi=40)
        self.assertEqual(len(os.listdir(frames)), 6)
        gif = result.animate(os.path.join(self.folder, "ball.gif"), fps=3, view="xz", dpi=40)
        with open(gif, "rb") as file:
            self.assertEqual(file.read(6), b"GIF89a")
        # Bodies without shapes are lines to their joints.
        pendulum = saltus.Scene(planar="xz")
        pendulum.bodies["bob"] = saltus.Body(mass=1, inertia=[0.1] * 3, position=[1, 0, 0])
        pendulum.joints["pin"] = saltus.Revolute(between=["ground", "bob"], at=[0, 0, 0],
                                                 axis=[0, 1, 0])
        swing = saltus.simulate(pendulum, until=0.2, step=0.01)
        np.testing.assert_allclose(geometry.Surfaces(swing).skeletons, [[[-1, 0, 0]]])
        for view in ("3d", "xy", "xz", "yz"):
            swing.animate(os.path.join(self.folder, view), fps=5, dpi=40, view=view)
        user = saltus.simulate(ball_system(), until=0.5)
        user.animate(os.path.join(self.folder, "user.gif"), fps=4, dpi=40,
                     draw=lambda axes, t, q: axes.plot(0, q[0], "o"))
        with self.assertRaisesRegex(saltus.InputError, "draw"):
            user.animate(os.path.join(self.folder, "user2.gif"))
        with self.assertRaisesRegex(saltus.InputError, "unknown format"):
            result.animate("film.avi")
        film = os.path.join(self.folder, "film.mp4")
        if shutil.which("ffmpeg") is None:
            with self.assertRaisesRegex(saltus.InputError, "ffmpeg"):
                result.animate(film)
        else:
            with open(result.animate(film, fps=5, dpi=40), "rb") as file:
                self.assertEqual(file.read(12)[4:8], b"ftyp")


class Shapes(unittest.TestCase):
    def volume(self, points, triangles):
        a, b, c = (points[triangles[:, i]] for i in range(3))
        return abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)

    def test_surfaces_are_closed_and_oriented(self):
        """The divergence theorem gives the volume only for a closed, oriented surface."""
        exact = {"box": (saltus.Box(size=[1, 2, 3]), 6.0, 1e-12),
                 "sphere": (saltus.Sphere(radius=0.5), np.pi / 6, 0.02),
                 "capsule": (saltus.Capsule(radius=0.5, length=1), np.pi / 6 + np.pi / 4, 0.02),
                 "cylinder": (saltus.Cylinder(radius=0.5, length=2), np.pi / 2, 0.02)}
        for name, (shape, volume, tolerance) in exact.items():
            with self.subTest(name):  # polyhedra inscribed in round shapes are a little smaller
                surface = geometry.triangulate(shape, segments=64)
                self.assertAlmostEqual(self.volume(*surface) / volume, 1, delta=tolerance)


if __name__ == "__main__":
    unittest.main()
