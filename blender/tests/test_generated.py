# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs that Rigify generated: bones that bend skins do what marey has, and controls lead again afterwards."""
import shutil
import tempfile
import unittest
from pathlib import Path

import bpy
import numpy as np

from support import AddonCase, generated, heads, measured

CLOSE_CM = 0.05


class OnGeneratedRigs(AddonCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = Path(tempfile.mkdtemp(prefix="marey-rigify-"))
        cls.addClassCleanup(shutil.rmtree, cls.kept)

    def setUp(self):
        super().setUp()
        self.rig = generated(self.kept / "rig.blend")
        self.bending = [bone.name for bone in self.rig.data.bones if bone.use_deform]
        self.settings.onto = "RIG"
        self.before = set(bpy.data.objects.keys())

    def exact(self):
        """Bones that bend skins are where a rig of these bones alone would have them, rotations too."""
        from marey_blender import operators
        from marey_blender.rig import Rig

        body = operators.armature_of(bpy.context)
        action = body.animation_data.action
        first, last = (int(frame) for frame in action.frame_range)
        frames = sorted({*range(first, last + 1, max(1, (last - first) // 40)), last})
        wanted = Rig(self.scene, body).motion(first, last).positions()
        names = [name for name in body.data.bones.keys() if f"DEF-{name}" in self.rig.data.bones]
        order = [Rig(self.scene, body).names.index(name) for name in names]
        seen = heads(self.rig, [f"DEF-{name}" for name in names], frames)
        off = np.abs(seen - wanted[np.array(frames) - first][:, order]).max()
        measured("generated rig: off by cm", off)
        self.assertLess(off, CLOSE_CM)
        posed = self.rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for name in ("DEF-hand.L", "DEF-thigh.R", "DEF-spine.003", "DEF-upper_arm.L.001", "DEF-shin.R.001"):
            whole = name[4:].removesuffix(".001")
            rest = self.rig.data.bones[name].matrix_local.to_3x3()
            like = body.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones[whole]
            turned = rest.inverted() @ body.data.bones[whole].matrix_local.to_3x3()
            now = posed.pose.bones[name].matrix.to_3x3() @ turned
            self.assertLess(np.abs(np.array(now) - np.array(like.matrix.to_3x3())).max(), 1e-4, name)
        return body

    def at_rest(self):
        return heads(self.rig, self.bending, [1])[0]

    def test_every_bone_is_a_joint_or_a_piece_of_one(self):
        from marey_blender import generated as module

        bones = self.rig.data.bones
        joints = module._joints(bones)
        self.assertEqual([name for name in self.bending if module._joint_of(name, joints) is None], [])
        parents = {joint: module._parent_of(joint, bones, joints) for joint in joints}
        self.assertEqual([joint for joint, parent in parents.items() if parent is None], ["spine"])
        self.assertEqual((parents["thigh.L"], parents["hand.R"], parents["spine.004"]), ("spine", "forearm.R", "spine.003"))

    def test_import_and_back(self):
        rest = self.at_rest()
        self.assertEqual(self.scene.frame_current, 1)
        for clip in ("walk_slow", "kicks"):
            bpy.ops.marey.import_clip(clip=clip)
            body = self.exact()
            self.assertTrue(body.hide_get())
            self.assertIs(bpy.context.active_object, self.rig)
        self.assertEqual(set(bpy.data.objects.keys()), self.before | {body.name})
        kept = body.data.marey.maps[0]
        self.assertGreaterEqual(sum(1 for pair in kept.pairs if pair.to in body.data.bones), 19)
        self.assertGreater(np.abs(self.at_rest() - rest).max(), 10)
        bpy.ops.marey.give_back()
        self.assertEqual(set(bpy.data.objects.keys()), self.before)
        self.assertLess(np.abs(self.at_rest() - rest).max(), 1e-3)
        self.assertIn("walk_slow", bpy.data.actions)
        self.assertFalse(bpy.ops.marey.give_back.poll())

    def test_a_step_is_undone_at_once(self):
        rest = self.at_rest()
        bpy.ops.ed.undo_push(message="before")
        bpy.ops.marey.import_clip("EXEC_DEFAULT", True, clip="kicks")
        self.assertGreater(np.abs(self.at_rest() - rest).max(), 1)
        bpy.ops.ed.undo()
        self.rig, self.scene = bpy.context.active_object, bpy.context.scene  # all data are others now
        self.assertEqual(set(bpy.data.objects.keys()), self.before)
        self.assertEqual([bone.name for bone in self.rig.pose.bones if "marey" in bone.constraints], [])
        self.assertNotIn("kicks", bpy.data.actions)
        self.assertLess(np.abs(self.at_rest() - rest).max(), 1e-3)

    def test_it_stands_elsewhere_and_is_posed(self):
        self.rig.location, self.rig.rotation_euler, self.rig.scale = (2, 1, 0), (0, 0, 1.0), (1.2, 1.2, 1.2)
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.marey.import_clip(clip="cartwheels")
        self.assertEqual(self.rig.mode, "POSE")
        self.exact()

    def test_other_buttons(self):
        bpy.ops.marey.import_clip(clip="walk_slow", start=100, end=330)
        bpy.ops.marey.import_clip(clip="walk_fast", start=100, end=330)
        self.settings.first, self.settings.second = bpy.data.actions["walk_slow"], bpy.data.actions["walk_fast"]
        bpy.ops.marey.transition()
        self.exact()
        self.settings.name = "sent"
        bpy.ops.marey.send()
        self.assertIn("sent", self.session.clips)
        self.settings.first = None
        bpy.ops.marey.loop()
        self.exact()

    def test_what_is_wrong_is_said(self):
        with self.assertRaisesRegex(RuntimeError, "its actions move control bones: import a clip onto it"):
            self.rig.animation_data_create().action = bpy.data.actions.new("posed")
            bpy.ops.marey.send()
        with self.assertRaisesRegex(RuntimeError, "no clip is called nothing"):
            bpy.ops.marey.import_clip(clip="nothing")
        self.assertEqual(set(bpy.data.objects.keys()), self.before)
        self.assertEqual([bone.name for bone in self.rig.pose.bones if "marey" in bone.constraints], [])


if __name__ == "__main__":
    unittest.main()
