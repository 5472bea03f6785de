"""Every operation of the program is a function of the package, with its parameters and defaults: the judge is the
manual that the program writes of its own table."""
import inspect
import keyword
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import marey
from marey.library import Library

from support import DemoCase, root

program = os.environ.get("MAREY_PROGRAM", str(root / "build/marey"))
EXTRA = {"self", "frames", "make_clip", "metric", "save_as"}


def manual():
    """{command: ([(field, needed, value, help)], summary)}, as the program writes it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "--write-manual", folder], check=True, stdout=subprocess.DEVNULL)
        text = (Path(folder) / "operations.md").read_text()
    operations = {}
    for part in text.split("\n## ")[1:]:
        name, summary = re.search(r"`marey ([^`]+)` – (.+)", part).groups()
        rows = re.findall(r"^\| `([^`]+)`(, needed)? \| (.*?) \| (.*) \|$", part, re.MULTILINE)
        operations[name] = ([(field, bool(needed), value, told) for field, needed, value, told in rows], summary)
    return operations


def python_name(name):
    name = name.replace(" ", "_").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.operations = manual()

    def functions(self, name):
        found = [getattr(marey, python_name(name), None), getattr(Library, python_name(name), None)]
        return [each for each in found if each is not None]

    def test_every_operation_is_there(self):
        self.assertGreater(len(self.operations), 60)
        for name in self.operations:
            self.assertTrue(self.functions(name), name)

    def test_parameters_are_those_of_the_rows(self):
        for name, (rows, _) in self.operations.items():
            fields = [python_name(field) for field, *_ in rows]
            self.assertEqual(len(fields), len(set(fields)), f"{name} has two rows of one name")
            for function in self.functions(name):
                given = [each for each in inspect.signature(function).parameters if each not in EXTRA - set(fields)]
                self.assertEqual(sorted(given), sorted(fields), name)

    def test_what_is_needed_has_no_default(self):
        for name, (rows, _) in self.operations.items():
            for function in self.functions(name):
                parameters = inspect.signature(function).parameters
                for field, needed, _, _ in rows:
                    lacks = parameters[python_name(field)].default is inspect.Parameter.empty
                    self.assertEqual(lacks, needed, f"{name} {field}")

    def test_defaults_are_those_of_the_rows(self):
        seen = 0
        for name, (rows, _) in self.operations.items():
            for function in self.functions(name):
                parameters = inspect.signature(function).parameters
                for field, needed, value, told in rows:
                    said = re.search(r"\(default: ([^()]*)\)$", told)
                    default = parameters[python_name(field)].default
                    if value == "true or false":
                        self.assertIs(default, False, f"{name} {field}")
                    if default in (None, False, inspect.Parameter.empty) or not said:
                        continue
                    if isinstance(default, float):
                        self.assertAlmostEqual(default, float(said[1].split()[0]), msg=f"{name} {field}")
                    else:
                        self.assertEqual(str(default), said[1].split(" ")[0] if isinstance(default, int) else said[1], f"{name} {field}")
                    seen += 1
        self.assertGreater(seen, 20)

    def test_help_says_what_the_rows_say(self):
        for name, (rows, summary) in self.operations.items():
            for function in self.functions(name):
                text = " ".join(inspect.getdoc(function).split())
                self.assertIn(summary[1:].split(". ")[0].rstrip("."), text, name)
                for field, _, _, told in rows:
                    self.assertIn(python_name(field) + " :", text, f"{name} {field}")

    def test_the_stub_is_of_the_same_functions(self):
        stub = Path(marey.__file__).with_name("operations.pyi").read_text()
        for name in self.operations:
            self.assertRegex(stub, rf"def {python_name(name)}\(", name)
        compile(stub, "operations.pyi", "exec")


class Running(DemoCase):
    def test_the_five_lines_of_the_readme(self):
        seen = [(match.clip, match.frames, match.distance_cm) for match in self.library.search("kicks", frames=(120, 240))]
        self.assertEqual(seen[0][:2], ("kicks", (120, 240)))
        self.assertGreater(len(seen), 3)
        walk, run = self.library["walk_slow"][100:200], self.library["run_straight"][100:160]
        half = marey.blend([walk, run], weights=[0.5, 0.5])
        half.save(self.folder / "half.glb")
        self.assertEqual(len(marey.load(self.folder / "half.glb")), len(half))
        self.assertLess(max(fault.value for fault in half.faults) if len(half.faults) else 0, 2)

    def test_answers_are_those_of_the_program(self):
        import json

        def asked(*words):
            return json.loads(subprocess.run([program, *words, "--json"], check=True, capture_output=True, cwd=self.folder).stdout)

        calls = [
            (lambda: self.library.ls("walk"), ["ls", "demo.marey", "walk"]),
            (lambda: self.library.search("kicks#120-240"), ["search", "demo.marey", "kicks#120-240"]),
            (lambda: self.library.contacts("walk_slow"), ["contacts", "walk_slow", "-L", "demo.marey"]),
            (lambda: self.library.quality("walk_slow", frames=(100, 300)), ["quality", "walk_slow#100-300", "-L", "demo.marey"]),
            (lambda: self.library.similar("walk_slow", "walk_fast", count=5), ["similar", "walk_slow", "walk_fast", "-L", "demo.marey", "--count", "5"]),
            (lambda: self.library.param_ls(), ["param", "ls", "demo.marey"]),
            (lambda: self.library.history(), ["history", "demo.marey"]),
            (lambda: marey.formats(), ["formats"]),
        ]
        for call, words in calls:
            answer, judge = call().to_dict(), asked(*words)
            judge = {key: value for key, value in judge.items() if key not in ("seconds", "path")}
            answer.pop("seconds", None)
            self.assertNearly(answer, judge, words)

    def assertNearly(self, answer, judge, where):
        """Equal, but that another compiler may have rounded otherwise."""
        if isinstance(judge, float) and isinstance(answer, (int, float)):
            self.assertLessEqual(abs(answer - judge), 1e-5 * max(1, abs(judge)), where)
        elif isinstance(judge, dict):
            self.assertEqual(list(answer), list(judge), where)
            for key in judge:
                self.assertNearly(answer[key], judge[key], [*where, key])
        elif isinstance(judge, list):
            self.assertEqual(len(answer), len(judge), where)
            for number, (one, other) in enumerate(zip(answer, judge)):
                self.assertNearly(one, other, [*where, number])
        else:
            self.assertEqual(answer, judge, where)

    def test_a_made_clip_is_that_of_the_program(self):
        subprocess.run([program, "blend", "walk_slow#100-200", "run_straight#100-160", "-L", "demo.marey", "--weights",
                        ".5,.5", "-o", "half.bvh", "--quiet"], check=True, cwd=self.folder)
        made = self.library.blend(["walk_slow#100-200", "run_straight#100-160"], weights=[0.5, 0.5])
        lent = marey.blend([self.library["walk_slow"][100:200], self.library["run_straight"][100:160]], weights=(0.5, 0.5))
        made.save(self.folder / "made.bvh")
        lent.save(self.folder / "lent.bvh")
        judge = (self.folder / "half.bvh").read_bytes()
        self.assertEqual((self.folder / "made.bvh").read_bytes(), judge)
        # The whole clip's body is known to the library, that of a part is not.
        self.assertEqual(len(lent), len(made))
        self.assertLess(abs(lent.positions - made.positions).max(), 1.0)

    def test_frames_are_said_in_every_way(self):
        clip = self.library["kicks"]
        ways = ["kicks#120-240", ("kicks", 120, 240), ("kicks", (120, 240)), clip[120:240], "kicks#2s-4s",
                self.library.search("kicks#120-240")[0], {"clip": "kicks", "start": 120, "end": 240}]
        found = [self.library.search(way, nearest=3).to_dict()["matches"] for way in ways]
        for each in found[1:]:
            self.assertEqual(each, found[0])

    def test_a_clip_is_saved_in_the_library(self):
        made = self.library.loop("walk_slow", save_as="round")
        self.assertEqual(made.saved_as, "round")
        self.assertEqual(len(self.library["round"]), len(made))
        self.assertEqual(self.library["round"].provenance["made_by"], "loop")
        self.assertEqual(self.library.put(made, "round"), "round-2")

    def test_only_what_could_be_made(self):
        self.assertIsInstance(self.library.transition("walk_slow", "run_straight", make_clip=False), marey.Result)
        self.assertIsInstance(self.library.transition("walk_slow", "run_straight"), marey.Clip)

    def test_a_grid_is_an_array(self):
        grid = self.library.grid("walk_slow", "walk_left")
        self.assertEqual(grid.distances.shape, (grid.rows, grid.cols))
        self.assertAlmostEqual(float(grid.distances.min()), grid.least, places=4)
        with self.assertRaises(ValueError):
            grid.distances[0, 0] = 1
        kept = grid.distances
        total = float(kept.sum())
        del grid
        self.assertEqual(float(kept.sum()), total)

    def test_wrong_requests_name_the_parameter(self):
        with self.assertRaisesRegex(marey.RequestError, "window must be"):
            self.library.grid("walk_slow", "walk_left", window=99)
        with self.assertRaisesRegex(marey.NotFoundError, "no clip is called nope"):
            self.library.search("nope")
        with self.assertRaises(TypeError):
            self.library.search("kicks", no_such_parameter=1)

    def test_changes_are_undone(self):
        self.library.label("kicks", add="seen")
        self.assertIn("seen", self.library["kicks"].labels)
        self.library.undo()
        self.assertNotIn("seen", self.library["kicks"].labels)


if __name__ == "__main__":
    unittest.main()
