"""What may be asked with: answers of other operations, frames in all their forms, paths as on a command line."""
import unittest

import numpy as np

import marey

from support import DemoCase


class Asking(DemoCase):
    def test_what_a_search_found_is_taken_as_a_whole(self):
        found = self.library.search("kicks", frames=(122, 252))
        labelled = self.library.label(found, add="found")
        self.assertEqual(len(labelled.stretches), len(found))
        clips = self.library.ls(label="found")
        stretches = [(clip.name, each.start, each.end) for clip in clips for each in clip.stretches]
        self.assertEqual(sorted(stretches), sorted((match.clip, match.start, match.end) for match in found))
        self.assertEqual(self.library.label(found[1], add="one").to_dict()["stretches"][0]["start"], found[1].start)
        family = self.library.param_build("kick", clips=found, feature="height(right_ankle, highest)")
        self.assertEqual(len(family.examples), 5)

    def test_several_libraries_are_searched_as_one(self):
        with marey.open(self.folder / "other.marey", "create") as other:
            other.put(self.library["mixed_fight"], "sparring")
        found = self.library.search("kicks", frames=(122, 252), also=[self.folder / "other.marey"], nearest=12)
        of = {(match.clip, match.library) for match in found}
        self.assertIn(("kicks", str(self.path)), of)
        self.assertIn(("sparring", str(self.folder / "other.marey")), of)
        self.assertIn("<img", found._repr_html_())
        match = next(match for match in found if match.clip == "sparring")
        again = self.library.search(match, also=[self.folder / "other.marey"])
        self.assertEqual((again[0].clip, again[0].start, again[0].library), ("sparring", match.start, match.library))
        with self.assertRaisesRegex(marey.NotFoundError, "other.marey"):
            self.library[match]

    def test_frames_in_all_their_forms(self):
        whole = self.library["kicks"]
        for address in ("kicks#120-180", "kicks#2s-3s", ("kicks", 120, 180), ("kicks", (120, 180)), (whole, 120, 180)):
            np.testing.assert_array_equal(self.library[address].rotations, whole[120:180].rotations)
        for address in ("kicks#120", ("kicks", 120)):
            np.testing.assert_array_equal(self.library[address].rotations, whole[120:121].rotations)
        for address in ("kicks#1600-1700", ("kicks", 50, 40), "kicks#1623"):
            with self.assertRaisesRegex(marey.RequestError, "outside the clip, which has 1623"):
                self.library[address]

    def test_a_query_in_memory_is_shown_with_its_matches(self):
        kick = self.library["kicks"][122:252]
        mine = marey.Clip(rotations=kick.rotations, skeleton=kick, root=kick.root, fps=kick.fps, name="mine")
        found = self.library.search(mine)
        self.assertEqual((found[0].clip, found[0].id), ("mine", None))
        page = found._repr_html_()
        self.assertIn("<img", page)
        self.assertIn("mine", page)

    def test_a_clip_in_memory_is_not_examined_as_a_file(self):
        clip = self.library["kicks"]
        with self.assertRaisesRegex(marey.RequestError, "kicks: this clip is in memory"):
            marey.doctor(clip)
        self.assertEqual([each.name for each in self.library.doctor(clip).clips], ["kicks"])

    def test_a_path_may_be_written_as_on_a_command_line(self):
        clips = ["idles", "walk_left", "walk_right", "walk_straight"]
        self.library.graph_build("ways", clips)
        points = np.array([[0, 0], [300, 0], [400, 100]])
        paths = (points, "0,0 300,0 400,100", "0,0\n300,0\n400,100\n", "0 0\n300 0\n400 100")
        walked = [self.library.graph_walk("ways", path=path) for path in paths]
        for walk in walked[1:]:
            np.testing.assert_array_equal(walk.rotations, walked[0].rotations)


if __name__ == "__main__":
    unittest.main()
