"""What the pages say in Python runs: every block of docs/python.md, one after the other, and README.md's."""
import contextlib
import io
import os
import re
import tempfile
import unittest
import warnings

import marey

from support import root

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Pages(unittest.TestCase):
    def follow(self, page):
        """Runs the blocks of a page in an empty folder; returns what they printed and the names they made."""
        text = (root / page).read_text(encoding="utf-8")
        names, said, before = {"__name__": "__main__"}, io.StringIO(), os.getcwd()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error", marey.MareyWarning)
            os.chdir(folder)
            try:
                for block in BLOCK.finditer(text):
                    line = text.count("\n", 0, block.start(1))
                    with contextlib.redirect_stdout(said):
                        exec(compile("\n" * line + block[1], str(root / page), "exec"), names)
                files = sorted(os.listdir(folder))
            finally:
                os.chdir(before)
        return said.getvalue(), names, files

    def test_the_page_of_the_package(self):
        said, names, files = self.follow("docs/python.md")
        self.assertIn("broken.bvh:4:12: expected a number", said)
        self.assertIn("True [0.5, 0.5]", said)
        self.assertEqual([len(names["kicks"]), names["positions"].shape[1:]], [5, (21, 3)])
        self.assertEqual(files, ["between.glb", "broken.bvh", "grid.png", "mine.marey", "walk.bvh", "walk.html", "walk.png", "waving.bvh"])

    def test_the_lines_of_the_readme(self):
        _, names, files = self.follow("README.md")
        self.assertEqual(names["positions"].shape[1:], (21, 3))
        self.assertEqual(files, ["between.glb"])

    def test_the_table_of_functions_names_what_there_is(self):
        text = (root / "docs/python.md").read_text(encoding="utf-8")
        table = text.split("| C | command | Python |")[1].split("\n\n")[0].strip().split("\n")[1:]
        headers = "".join(each.read_text(encoding="utf-8") for each in (root / "include/marey").glob("*.h"))
        self.assertGreater(len(table), 20)
        for row in table:
            in_c, _, in_python = (cell.strip() for cell in row.strip().strip("|").split("|"))
            for name in re.findall(r"marey_\w+", in_c):
                self.assertRegex(headers, rf"\b{name}\(", row)
            owners = {"marey": marey, "library": marey.Library, "clip": marey.Clip}
            for owner, name in re.findall(r"(marey|library|clip)\.(\w+)", in_python):
                self.assertTrue(hasattr(owners[owner], name), row)

    def test_what_the_page_says_of_arrays(self):
        """Shapes, types and views of its table."""
        text = (root / "docs/python.md").read_text(encoding="utf-8")
        cells = r"^\| `([\w(\")]+)` \| ([^|{]*) \| (float32|float64|bool) \| ([^|]*) \| ([^|]*) \|$"
        rows = re.findall(cells, text, re.MULTILINE)
        self.assertGreater(len(rows), 8)
        with marey.demo() as library:
            clip = library["walk_slow"]
        sizes = {"frames": len(clip), "joints": len(clip.joints)}
        for name, shape, kind, _, how in rows:
            get = (lambda: clip.euler("ZYX")) if name.startswith("euler") else (lambda: getattr(clip, name))
            value = get()
            self.assertEqual(str(value.dtype), kind, name)
            self.assertEqual(tuple(int(sizes.get(each, each)) for each in shape.split(" x ")), value.shape, name)
            shares = value.__array_interface__["data"][0] == get().__array_interface__["data"][0]
            self.assertEqual(shares, how != "new each time", name)
            self.assertEqual(value.flags.writeable, not shares, name)


if __name__ == "__main__":
    unittest.main()
