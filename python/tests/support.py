"""support.py - what the tests of the package share: the demo's library, copied for each test, and real motion where
there is some."""
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import marey

root = Path(__file__).resolve().parents[2]
demo = Path(os.environ.get("MAREY_DEMO", root / "build/tests/whole-demo"))


# Is the library one with a sanitizer? Another compiler made it then than the program: the last digits of distances differ,
# and memory that was freed is kept.
sanitized = "asan" in os.environ.get("LD_PRELOAD", "")


def mocap():
    """Where real motion is, or None."""
    folder = Path(os.environ.get("MAREY_MOCAP", root / "../shared/mocap"))
    return folder if folder.is_dir() else None


class DemoCase(unittest.TestCase):
    """A library of its own for each test."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="marey-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "demo.marey"
        shutil.copy(demo / "demo.marey", self.path)
        self.library = marey.open(self.path)
        self.addCleanup(self.library.close)
