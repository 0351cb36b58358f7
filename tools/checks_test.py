"""Tests of the checks: each must accept a good sample and name the line of a bad one."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import check_citations
import check_layering
import check_sizes
import check_style
import make_references
import source_tree

NOTE = "TO" + "DO"
BIB = "@book{Moreau1988,\n  author = {J},\n  title = {T},\n  year = {1988}\n}\n"


def run(check, files):
    """The messages of a check on a tree with these files."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(check(source_tree.Tree(root)))


class CheckTest(unittest.TestCase):
    def accepts(self, module, path, text, **others):
        self.assertEqual(run(module.check, {path: text, **others.get("files", {})}), [])

    def rejects(self, module, path, text, line, words, **others):
        messages = run(module.check, {path: text, **others.get("files", {})})
        self.assertEqual(len(messages), 1, messages)
        self.assertIn(f"{path}:{line}:", messages[0])
        self.assertIn(words, messages[0])


class Layering(CheckTest):
    def test_lower_layers_are_seen(self):
        self.accepts(check_layering, "saltus/cones/a.h",
                     '#include "saltus/linalg/b.h"\n#include "saltus/cones/c.h"\n#include <vector>\n')
        self.accepts(check_layering, "apps/saltus/main.cc", '#include "saltus/scene/b.h"\n')

    def test_higher_and_equal_layers_are_not(self):
        for user, used in [("base", "math"), ("math", "linalg"), ("cones", "collision"),
                           ("multibody", "integrators"), ("integrators", "multibody"),
                           ("dynamics", "simulation"), ("output", "scene")]:
            self.rejects(check_layering, f"saltus/{user}/a.cc",
                         f'#pragma once\n#include "saltus/{used}/b.h"\n', 2, f"may not use {used}")

    def test_problems_only_in_tests_of_integrators(self):
        include = '#include "problems/four_bar.h"\n'
        self.accepts(check_layering, "saltus/integrators/test/a_test.cc", include)
        self.rejects(check_layering, "saltus/integrators/a.cc", include, 1, "problems")
        self.rejects(check_layering, "saltus/multibody/test/a_test.cc", include, 1, "problems")

    def test_paths_start_at_the_root(self):
        self.rejects(check_layering, "saltus/math/a.cc", '#include "so3.h"\n', 1, "from the root")

    def test_packages_stay_in_their_folder(self):
        self.accepts(check_layering, "saltus/scene/a.cc", "#include <yaml-cpp/yaml.h>\n")
        self.accepts(check_layering, "saltus/math/test/a.cc", "#include <gtest/gtest.h>\n")
        self.rejects(check_layering, "saltus/math/a.cc", "#include <gtest/gtest.h>\n", 1, "test")
        self.rejects(check_layering, "saltus/multibody/a.cc", "#include <yaml-cpp/yaml.h>\n", 1,
                     "belongs to scene")

    def test_link_edges(self):
        path = "saltus/multibody/CMakeLists.txt"
        self.accepts(check_layering, path, "saltus_module(multibody DEPS dynamics base)\n")
        self.rejects(check_layering, path, "saltus_module(multibody DEPS integrators)\n", 1,
                     "may not use integrators")


class References(unittest.TestCase):
    def test_values_over_several_lines(self):
        bib = ("@book{Long2000,\n  author = {Long, A.},\n  title  = {A title\n            in two lines},\n"
               "  year = {2000},\n}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "references.bib"
            path.write_text(bib)
            with contextlib.redirect_stdout(io.StringIO()) as page:
                make_references.main(path)
        self.assertIn("Long, A.. *A title in two lines*. , 2000.", page.getvalue())


class Citations(CheckTest):
    def test_known_key(self):
        self.accepts(check_citations, "docs/a.md", "see @cite Moreau1988.\n",
                     files={"docs/references.bib": BIB})

    def test_unknown_key(self):
        self.rejects(check_citations, "saltus/cones/a.h", "\n// @cite Nobody2000\n", 2,
                     "Nobody2000", files={"docs/references.bib": BIB})
        self.rejects(check_citations, "docs/a.md", "@cite Moreau1988, Nobody2000, and so on\n", 1,
                     "Nobody2000", files={"docs/references.bib": BIB})

    def test_integrators_cite(self):
        bib = {"docs/references.bib": BIB}
        self.rejects(check_citations, "saltus/integrators/a.h", "\n", 1, "must @cite", files=bib)
        self.accepts(check_citations, "saltus/integrators/integrator.h", "\n", files=bib)
        method = "// @cite Moreau1988\nclass A final : public Integrator {};\n"
        self.rejects(check_citations, "saltus/integrators/a.h", method, 1, "Deviation", files=bib)
        self.accepts(check_citations, "saltus/integrators/a.h", "// Deviation: none\n" + method,
                     files=bib)

    def test_entries(self):
        self.rejects(check_citations, "docs/references.bib", BIB + BIB, 6, "defined twice")
        self.rejects(check_citations, "docs/references.bib", BIB.replace("year", "note"), 1,
                     "no year")


class Sizes(CheckTest):
    def test_file(self):
        self.accepts(check_sizes, "saltus/base/a.h", "\n" * 600)
        self.rejects(check_sizes, "saltus/base/a.h", "\n" * 601, 601, "at most 600")

    def test_function(self):
        body = "  ++i;\n"
        long = f"void Short() {{\n{body}}}\n\nvoid Long(int i,\n          int j) {{\n{body * 90}}}\n"
        messages = run(check_sizes.check, {"a.cc": long})
        self.assertEqual(messages, ["warning: a.cc:5: function of 93 lines (> 80)"])
        self.accepts(check_sizes, "a.cc", "class A {\n" + body * 90 + "};\n")


    def test_class(self):
        def members(count):
            return "class A {\n" + "".join(f"  int m{i}_ = 0;\n" for i in range(count)) + "};\n"

        method = "void A::F() {\n" + "  ++i;\n" * 70 + "}\n"
        self.assertEqual(run(check_sizes.check, {"saltus/a.h": members(30)}), [])
        messages = run(check_sizes.check, {"saltus/a.h": members(31)})
        self.assertEqual(messages, ["class A: 31 data members, at most 30 are allowed"])
        files = {f"saltus/a{i}.cc": method for i in range(10)}
        messages = run(check_sizes.check, {"saltus/a.h": members(1), **files})
        self.assertEqual(messages, ["class A: 723 lines in all, at most 700 are allowed"])


class Style(CheckTest):
    def test_good(self):
        equation = "// " + "λ" * 97 + "\n"
        self.accepts(check_style, "saltus/base/a.h", "#pragma once\n" + equation)
        self.accepts(check_style, "saltus/base/a.cc", "// never std::cout\nsnprintf(a, b);\n")
        self.accepts(check_style, "apps/saltus/a.cc", "std::cout << 1;\n")

    def test_bad_lines(self):
        path = "saltus/base/a.cc"
        self.rejects(check_style, path, "\nint i; \n", 2, "trailing")
        self.rejects(check_style, path, "\tint i;\n", 1, "tab")
        self.rejects(check_style, path, "// " + "λ" * 98 + "\n", 1, "101 columns")
        self.rejects(check_style, path, f"// {NOTE}: later\n", 1, "unfinished")
        self.rejects(check_style, path, "class A {};", 1, "no newline")
        self.rejects(check_style, path, "struct StepHelper {};\n", 1, "by what it is")
        self.rejects(check_style, path, b"// \xff\n", 1, "not UTF-8")
        for print_ in ("std::cout << 1;", "printf(\"\");", "fmt::print(\"\");", "std::puts(s);"):
            self.rejects(check_style, path, print_ + "\n", 1, "prints nothing")

    def test_bad_headers(self):
        path = "saltus/base/a.h"
        self.rejects(check_style, path, "\n", 1, "#pragma once")
        self.rejects(check_style, path, "#pragma once\nusing namespace std;\n", 2, "using namespace")
        self.rejects(check_style, path, "#pragma once\nint GetMass();\n", 2, "no Get")


class Repository(unittest.TestCase):
    def test_layers_are_those_of_the_build(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        for folder in (root / "saltus").iterdir():
            if folder.is_dir():
                self.assertIn(folder.name, check_layering.LAYERS)


if __name__ == "__main__":
    unittest.main()
