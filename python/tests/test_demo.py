"""The demo library of the package is that of the program, and so is what is said of it."""
import json
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

import marey

from support import demo


class Demo(unittest.TestCase):
    def test_clips_are_those_of_the_program(self):
        with marey.demo() as made, marey.open(demo / "demo.marey", "read") as judge:
            self.assertEqual(sorted(made.names), sorted(judge.names))
            for name in ("kicks", "walk_eight", "small_play"):
                np.testing.assert_array_equal(made[name].rotations, judge[name].rotations)
                self.assertEqual(made[name].labels, judge[name].labels)
                self.assertEqual(made[name].contacts, judge[name].contacts)

    def test_a_temporary_library_ends_with_its_last_use(self):
        closed, dropped = marey.open(), marey.open()
        folders = [Path(each.path).parent for each in (closed, dropped)]
        child = os.fork()
        if child == 0:  # a copy of both ends here, and not the parent's folders
            closed.close()
            del dropped
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual([each.exists() for each in folders], [True, True])
        closed.close()
        del dropped
        self.assertEqual([each.exists() for each in folders], [False, False])

    def test_the_truth_is_that_of_the_program(self):
        truth = marey.demo_truth()
        self.assertEqual(truth.to_dict(), json.loads((demo / "truth.json").read_text()))
        kick = next(each for take in truth.takes for each in take.segments if each.label == "kick")
        self.assertEqual((kick.side, kick.frames), ("right", (122, 252)))

    def test_a_library_at_a_path_is_kept_and_filled_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "demo.marey"
            with marey.demo(path) as first:
                first.label("kicks", add="mine")
            with marey.demo(path) as again:
                self.assertEqual(len(again), 30)
                self.assertIn("mine", again["kicks"].labels)
            self.assertEqual([each.name for each in Path(folder).iterdir()], ["demo.marey"])

    def test_the_truth_names_the_actions_of_a_graph(self):
        with marey.demo() as library:
            clips = ["sits", "turns", "walk_straight"]
            library.graph_build("moves", clips, behaviours=marey.demo_truth())
            walk = library.graph_walk("moves", through=["walk", "sit"])
            self.assertEqual([piece.label for piece in walk.pieces if piece.label in ("walk", "sit")][-1], "sit")
