"""Pages of results and scenes, and results in memory written to files."""

import os
import tempfile
import unittest

import numpy as np

import saltus

TEMPLATE = "<html><!--saltus-data--></html>"


def make_scene(name="Ball"):
    scene = saltus.Scene(name=name)
    scene.bodies["ball"] = saltus.Body(position=[0, 0, 0.3], shapes=[saltus.Sphere(radius=0.1)])
    scene.ground.shapes.append(saltus.HalfSpace(normal=[0, 0, 1]))
    return scene


class ViewTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        template = self.path("viewer.html")
        with open(template, "w", encoding="utf-8") as file:
            file.write(TEMPLATE)
        before = os.environ.get("SALTUS_VIEWER")
        os.environ["SALTUS_VIEWER"] = template
        self.addCleanup(lambda: os.environ.pop("SALTUS_VIEWER") if before is None
                        else os.environ.update(SALTUS_VIEWER=before))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_result_in_memory_is_shown(self):
        result = saltus.simulate(make_scene(), step=0.01, until=0.4)
        page = result.view(file=self.path("ball.html"))
        with open(self.path("ball.html"), "rb") as file:
            self.assertEqual(file.read(), page.page)
        text = page.page.decode()
        self.assertIn('id="saltus-block-0-bodies.position-0"', text)
        self.assertIn('"kind":"impact"', text)
        self.assertIn("<iframe srcdoc=", page._repr_html_())
        self.assertNotIn("<script", page._repr_html_())

    def test_a_scene_is_shown_before_any_run(self):
        self.assertIn('"frames":1', make_scene().view().page.decode())

    def test_several_in_tabs(self):
        result = saltus.simulate(make_scene(), step=0.01, until=0.1)
        text = saltus.view(result, make_scene("Other"), tabs=True).page.decode()
        self.assertIn('"layout":"single","results":2', text)

    def test_names_stay_text(self):
        name = '</script><script>alert(1)</script>"'
        text = make_scene(name).view().page.decode()
        self.assertNotIn("<script>alert", text)

    def test_a_result_in_memory_becomes_a_file_with_the_same_numbers(self):
        result = saltus.simulate(make_scene(), step=0.01, until=0.4)
        back = saltus.load(result.save(self.path("ball.h5")))
        self.assertEqual(back.outcome, result.outcome)
        for channel in result.channels():
            np.testing.assert_array_equal(back[channel], result[channel], err_msg=channel)
        self.assertEqual(dict(back.audit), dict(result.audit))
        with self.assertRaises(saltus.InputError):
            back.save(self.path("again.h5"))

    def test_without_a_viewer_it_says_what_to_do(self):
        os.environ["SALTUS_VIEWER"] = self.path("nothing.html")
        with self.assertRaisesRegex(saltus.InputError, "saltus_viewer"):
            make_scene().view()


if __name__ == "__main__":
    unittest.main()
