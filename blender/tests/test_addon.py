# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on itself: it comes and goes without a trace, lists large libraries, works by the program too, and says what is
wrong."""
import contextlib
import io
import os
import threading
import time
import unittest

import bpy
import numpy as np

from support import AddonCase, demo, heads, measured, mocap, root


def handlers():
    """How many functions wait for something in Blender."""
    lists = [getattr(bpy.app.handlers, name) for name in dir(bpy.app.handlers)]
    return sum(len(each) for each in lists if isinstance(each, list))


def ours(kind):
    return [name for name in dir(bpy.types) if name.startswith(kind)]


class ComesAndGoes(unittest.TestCase):
    def test_fifty_times(self):
        bpy.ops.preferences.addon_disable(module="marey_blender")
        before = handlers(), threading.active_count(), ours("MAREY_"), ours("Marey")
        self.assertEqual(before[2:], ([], []))
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            for _ in range(50):
                bpy.ops.preferences.addon_enable(module="marey_blender")
                with_it = handlers(), threading.active_count()
                bpy.ops.preferences.addon_disable(module="marey_blender")
                self.assertEqual((handlers(), threading.active_count(), ours("MAREY_"), ours("Marey")), before)
        self.assertGreater(with_it, before[:2])
        self.assertEqual(said.getvalue(), "")
        measured("enabled and disabled without a trace, times", 50)
        self.assertFalse(hasattr(bpy.context.scene, "marey"))
        bpy.ops.preferences.addon_enable(module="marey_blender")

    def test_scripts_are_loaded_again(self):
        before = handlers()
        for _ in range(3):
            bpy.ops.script.reload()
        self.assertEqual(handlers(), before)
        self.assertTrue(hasattr(bpy.context.scene, "marey"))


class Importing(AddonCase):
    def exact(self, armature, clip, start=1):
        """Heads in Blender are joints in marey, however the two were made."""
        frames = sorted({*range(0, len(clip), max(1, len(clip) // 60)), len(clip) - 1})
        off = np.abs(heads(armature, clip.joints, [start + frame for frame in frames]) - clip.positions[frames]).max()
        measured("new armature: off by cm", off)
        self.assertLess(off, 0.05)

    def test_clips_of_the_demo(self):
        import marey

        with marey.open(self.path, "read") as library:
            for name in ("walk_slow", "cartwheels", "small_fight"):
                armature = self.bring(name)
                self.exact(armature, library[name].resample(24))
            self.settings.rate = "CLIP"
            armature = self.bring("hops", 100, 300)
            self.assertEqual(self.scene.render.fps / self.scene.render.fps_base, 60)
            self.exact(armature, library["hops"][100:300])

    def test_real_clips(self):
        if mocap() is None:
            self.skipTest("skipped: there is no real motion")
        import marey

        files = ["cmu/07_12.bvh", "hdm05/*/*.amc", "rigs/gltf/soldier.glb", "bandai/*.bvh"]
        with marey.open(self.path) as library:
            clips = [marey.load(path) for pattern in files for path in sorted(mocap().glob(pattern))[:1]]
            names = [library.put(clip) for clip in clips]
        bpy.ops.marey.refresh()
        for clip, name in zip(clips, names):
            with self.subTest(clip=name):
                self.exact(self.bring(name), clip.resample(24))

    def test_units_of_the_scene(self):
        import marey

        self.scene.unit_settings.scale_length = 0.01  # a unit is a centimetre
        armature = self.bring("kicks", 0, 200)
        with marey.open(self.path, "read") as library:
            clip = library["kicks"][0:200].resample(24)
        self.exact(armature, clip)
        self.assertGreater(max(bone.head_local[2] for bone in armature.data.bones), 100)

    def test_an_action_comes_back_as_it_went(self):
        import marey

        armature = self.bring("punches")
        self.settings.name = "back"
        bpy.ops.marey.send()
        with marey.open(self.path, "read") as library:
            there, back = library["punches"].resample(24), library["back"]
            self.assertEqual(there.skeleton.names, back.skeleton.names)
            self.assertLess(np.abs(there.skeleton.offsets[1:] - back.skeleton.offsets[1:]).max(), 1e-3)
            self.assertLess(np.abs(there.positions - back.positions).max(), 0.05)
        self.assertEqual(armature.animation_data.action.name, "punches")

    def test_rotation_modes(self):
        import marey

        armature = self.bring("kicks", 0, 200)
        for mode in ("XYZ", "ZXY", "AXIS_ANGLE"):
            for bone in armature.pose.bones:
                bone.rotation_mode = mode
            self.bring_onto(armature, "cartwheels", 200, 500)
            with marey.open(self.path, "read") as library:
                self.exact(armature, library["cartwheels"][200:500].resample(24))
            self.assertEqual(armature.pose.bones[1].rotation_mode, mode)

    def bring_onto(self, armature, *clip):
        self.select(armature)
        self.bring(*clip, onto="RIG")

    def test_bones_that_take_no_rotation_over(self):
        import marey

        armature = self.bring("kicks", 0, 200)
        roles = {pair.name: pair for pair in armature.data.bones}
        for name in ("LeftArm", "Head", "RightUpLeg"):
            roles[name].use_inherit_rotation = False
        roles["LeftForeArm"].use_local_location = False
        self.bring_onto(armature, "kicks", 200, 400)
        with marey.open(self.path, "read") as library:
            self.exact(armature, library["kicks"][200:400].resample(24))

    def test_an_armature_that_stands_elsewhere_and_is_turned(self):
        armature = self.bring("walk_fast")
        armature.location, armature.rotation_euler, armature.scale = (3, 2, 0), (0, 0, 1.0), (1.3, 1.3, 1.3)
        bpy.context.view_layer.update()
        self.bring_onto(armature, "kicks", 0, 200)
        from marey_blender.rig import Rig

        motion = Rig(self.scene, armature).motion(1, 80)
        off = np.abs(heads(armature, motion.body.names, range(1, 81)) - motion.positions()).max()
        self.assertLess(off, 0.05)

    def test_what_is_wrong_is_said(self):
        armature = self.bring("walk_fast")
        armature.scale = (1, 2, 1)
        bpy.context.view_layer.update()
        with self.assertRaisesRegex(RuntimeError, "apply its scale"):
            self.bring_onto(armature, "kicks")
        with self.assertRaisesRegex(RuntimeError, "no clip is called nothing"):
            self.bring("nothing")
        armature.scale = (1, 1, 1)
        bpy.context.view_layer.update()
        self.select(armature)
        with self.assertRaisesRegex(RuntimeError, "second action"):
            bpy.ops.marey.blend()
        with self.assertRaisesRegex(RuntimeError, "pick a curve"):
            bpy.ops.marey.walk()
        self.settings.library = str(self.folder / "nowhere.marey")
        self.assertIn("no library", self.session.message)
        self.assertEqual(len(self.session.clips), 0)


class Working(AddonCase):
    def test_a_step_is_undone_at_once(self):
        bpy.ops.ed.undo_push(message="before")
        before = set(bpy.data.actions.keys()), set(bpy.data.objects.keys())
        bpy.ops.marey.import_clip("EXEC_DEFAULT", True, clip="kicks")
        self.assertIn("kicks", bpy.data.actions)
        bpy.ops.ed.undo()
        self.assertEqual((set(bpy.data.actions.keys()), set(bpy.data.objects.keys())), before)

    def test_work_is_cancelled(self):
        from marey_blender import backend, jobs

        library = backend.library(str(self.path))
        job = jobs.Job("blend", lambda: [library.transition(clip, clip) for clip in [library.clip("walk_eight")] * 100])
        job.start()
        while not job.text and not job.done:
            time.sleep(0.001)
        self.assertFalse(job.done, "it was over before it could be cancelled")
        self.assertTrue(jobs.is_working())
        job.cancel()
        with self.assertRaises(backend.Cancelled):
            job.take()
        self.assertFalse(jobs.is_working())
        self.assertEqual(len(library.clips()), 30)

    def test_strips_are_drawn_when_they_are_seen(self):
        from marey_blender import previews

        begun = time.perf_counter()
        self.assertEqual(previews.icon(str(self.path), "kicks"), 0)
        self.assertEqual(previews.icon(str(self.path), "kicks", 100, 200), 0)
        previews.wait()
        measured("two strips are drawn after s", time.perf_counter() - begun)
        pictures = previews._state["pictures"].values()
        self.assertEqual(len(pictures), 2)
        for picture in pictures:
            self.assertGreater(len(set(np.array(picture.image_pixels[:]).tolist())), 50, "the picture is empty")
        previews.icon(str(self.path), "kicks")
        previews.wait()
        self.assertEqual(len(os.listdir(previews._state["folder"])), 2)

    def test_a_thousand_clips(self):
        import marey

        from marey_blender import previews

        large = self.folder / "large.marey"
        with marey.open(self.path, "read") as library, marey.open(large, "create") as to:
            parts = [library[name][start : start + 60] for name in library.names for start in range(0, len(library[name]) - 60, 30)]
            for number in range(1000):
                to.put(parts[number % len(parts)], f"clip {number:04}", labels="many")
        begun = time.perf_counter()
        self.settings.library = str(large)
        measured("1,000 clips are listed after s", time.perf_counter() - begun)
        self.assertEqual(len(self.session.clips), 1000)
        self.assertEqual(os.listdir(previews._state["folder"]), [], "strips were drawn before they were seen")
        self.session.clip_index = 617
        self.assertEqual(self.settings.clip, "clip 0617")
        bpy.ops.marey.import_clip()
        self.assertEqual(bpy.context.active_object.name, "clip 0617")

    def test_following_ends_with_the_add_on(self):
        from marey_blender import live

        empty = bpy.data.objects.new("target", None)
        empty.location = (-0.15, -0.45, 1.3)
        self.scene.collection.objects.link(empty)
        bpy.context.view_layer.update()
        self.settings.family, self.settings.target = "reach", empty
        bpy.ops.marey.reach()
        armature = bpy.context.active_object
        before = armature.pose.bones["RightHand"].head.copy()
        keys = [list(curve.keyframe_points[-1].co) for curve in armature.animation_data.action.fcurves]
        empty.location[0] -= 0.1
        bpy.ops.preferences.addon_disable(module="marey_blender")
        bpy.context.view_layer.update()
        self.assertEqual([list(curve.keyframe_points[-1].co) for curve in armature.animation_data.action.fcurves], keys)
        self.assertEqual(armature.pose.bones["RightHand"].head, before)
        bpy.ops.preferences.addon_enable(module="marey_blender")
        self.assertIn(live.FOLLOW, armature)


class ByTheProgram(AddonCase):
    """Where the package does not load a process does the same."""

    def setUp(self):
        super().setUp()
        from marey_blender import backend

        program = os.environ.get("MAREY_PROGRAM", str(root / "build/marey"))
        self.assertEqual(backend.load(program, process=True), "process")
        self.addCleanup(backend.load)
        self.settings.library = str(self.path)

    def test_it_makes_the_same(self):
        from marey_blender import backend

        def all_of(library):
            walk, run = library.clip("walk_slow", 100, 300, 30), library.clip("walk_fast", 100, 300, 30)
            small = library.clip("small_play", 0, 1, 30)
            return {
                "clip": walk, "transition": library.transition(walk, run)[0], "blend": library.blend([walk, run], [0.5, 0.5])[0],
                "loop": library.loop(walk, True)[0], "clean": library.clean(walk)[0],
                "retarget": library.retarget(walk, small, library.pairs(walk, small))[0],
                "walk": library.walk("standard", [[0, 0], [0, 200], [100, 300]])[0],
                "reach": library.reach("reach", [-15, 125, 48])[0], "mend": library.mend(walk)[0],
            }

        by_program = all_of(backend.library(str(self.path)))
        self.assertEqual(backend.load(), "package")
        by_package = all_of(backend.library(str(self.path)))
        for name, motion in by_package.items():
            with self.subTest(operation=name):
                other = by_program[name]
                self.assertEqual((len(other), other.body.names, other.body.parents), (len(motion), motion.body.names, motion.body.parents))
                self.assertAlmostEqual(other.fps, motion.fps, places=3)
                off = np.abs(other.positions() - motion.positions()).max()
                measured("program and package: apart by cm", off)
                self.assertLess(off, 0.5)

    def test_buttons(self):
        self.bring("walk_slow", 100, 400)
        bpy.ops.marey.loop()
        bpy.ops.marey.find_similar()
        self.assertGreater(len(self.session.matches), 2)
        self.settings.name = "sent"
        bpy.ops.marey.send()
        self.assertIn("sent", self.session.clips)
        with self.assertRaisesRegex(RuntimeError, "no clip is called nothing"):
            self.bring("nothing")


if __name__ == "__main__":
    unittest.main()
