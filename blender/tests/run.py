# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py - all tests of the add-on, in Blender: names of some behind `--`."""
import os
import sys
import unittest

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
sys.dont_write_bytecode = True
import bpy  # noqa: E402

words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else []
bpy.ops.preferences.addon_install(filepath=os.environ["MAREY_ADDON"])
bpy.ops.preferences.addon_enable(module="marey_blender")
loader = unittest.defaultTestLoader
tests = loader.loadTestsFromNames(words) if words else loader.discover(here)
done = unittest.TextTestRunner(verbosity=1).run(tests)

from support import figures  # noqa: E402

for name, value in sorted(figures.items()):
    print(f"{name}: {value:.4f}")
sys.stdout.flush()
sys.exit(0 if done.wasSuccessful() and done.testsRun else 1)
