# SPDX-License-Identifier: GPL-3.0-or-later
"""Every button on three rigs of other makers: where Blender has the bones is where marey has the joints, and feet that
are planted stay where they are."""
import unittest
from unittest import mock

import bpy
import numpy as np

from support import RIGS, AddonCase, heads, measured, mocap

CLOSE_CM, SLIDE_CM = 0.05, 0.3


class OnRigs(AddonCase):
    def setUp(self):
        super().setUp()
        from marey_blender import operators

        self.put = []
        real = operators.new_action

        def seen(armature, motion, name, start, scene):
            action = real(armature, motion, name, start, scene)
            self.put.append((armature, motion, action, start))
            return action

        patched = mock.patch.object(operators, "new_action", seen)
        patched.start()
        self.addCleanup(patched.stop)

    def on_every_rig(self, judge):
        for name, make in RIGS.items():
            if name != "metarig" and mocap() is None:
                print("skipped: there is no real motion, so no rig", name)
                continue
            with self.subTest(rig=name):
                rig = make()
                self.select(rig)
                self.settings.onto = "RIG"
                judge(name, rig)
                bpy.data.objects.remove(rig)

    def judged(self, name, what, slides=True):
        """The last motion that was put: Blender's places are those of marey's own clip of it."""
        armature, motion, action, start = self.put[-1]
        self.assertIs(armature.animation_data.action, action)
        import marey

        skeleton = marey.Skeleton(motion.body.names, motion.body.parents, motion.body.offsets, motion.body.ends)
        clip = marey.Clip(rotations=motion.rotations.astype("f4"), skeleton=skeleton, places=motion.places, fps=motion.fps)
        frames = sorted({*range(0, len(clip), max(1, len(clip) // 60)), len(clip) - 1})
        seen = heads(armature, clip.joints, [start + frame for frame in frames])
        off = np.abs(seen - clip.positions[frames]).max()
        measured(f"{what}, {name}: off by cm", off)
        self.assertLess(off, CLOSE_CM)
        if slides:
            slide = self.slide_in_blender(armature, clip, start)
            measured(f"{what}, {name}: foot slide cm", slide)
            self.assertLess(slide, SLIDE_CM)
        return armature, clip

    def slide_in_blender(self, armature, clip, start):
        """The farthest that a planted foot is from where it stands on average: the plants are marey's, the places
        Blender's."""
        joints = {"left_heel": "left_ankle", "left_toe": "left_toe", "right_heel": "right_ankle", "right_toe": "right_toe"}
        plants = [(clip.roles[joints[point]], a, b) for point, a, b in clip.contacts if point in joints]
        self.assertTrue(plants, "no foot was planted")
        names = [clip.joints[joint] for joint in sorted({joint for joint, _, _ in plants})]
        seen = heads(armature, names, range(start, start + len(clip)))
        worst = 0.0
        for joint, a, b in plants:
            track = seen[a:b, names.index(clip.joints[joint])][:, [0, 2]]
            worst = max(worst, np.linalg.norm(track - track.mean(axis=0), axis=1).max())
        return worst

    def test_import(self):
        def judge(name, rig):
            for clip in ("walk_slow", "kicks", "cartwheels"):
                bpy.ops.marey.import_clip(clip=clip)
                self.judged(name, "import", slides=clip == "walk_slow")
            kept = rig.data.marey.maps[0]
            self.assertGreaterEqual(sum(1 for pair in kept.pairs if pair.to in rig.data.bones), 19)

        self.on_every_rig(judge)

    def test_a_map_that_was_changed_is_used(self):
        def judge(name, rig):
            bpy.ops.marey.import_clip(clip="kicks", start=100, end=300)
            before = self.put[-1][1]
            pair = next(pair for pair in rig.data.marey.maps[0].pairs if pair.role == "left_elbow")
            bone, pair.to = pair.to, ""
            bpy.ops.marey.import_clip(clip="kicks", start=100, end=300)
            _, clip = self.judged(name, "import", slides=False)
            elbow = clip.joints.index(bone)
            self.assertGreater(np.ptp(before.rotations[:, elbow], axis=0).max(), 0.05)
            self.assertLess(np.ptp(clip.rotations[:, elbow], axis=0).max(), 0.01)

        self.on_every_rig(judge)

    def test_at_the_cursor(self):
        def judge(name, rig):
            self.scene.cursor.location = (1.5, -2.5, 0.75)
            self.settings.at_cursor = True
            bpy.ops.marey.import_clip(clip="walk_fast")
            armature, clip = self.judged(name, "import at the cursor", slides=False)
            hips = clip.positions[0, clip.roles["hips"]]
            self.assertLess(np.abs(hips[[0, 2]] - (150, 250)).max(), 0.01)
            self.settings.at_cursor = False

        self.on_every_rig(judge)

    def two_walks(self):
        bpy.ops.marey.import_clip(clip="walk_slow", start=100, end=330)
        self.settings.first = self.put[-1][2]
        bpy.ops.marey.import_clip(clip="walk_fast", start=100, end=330)
        self.settings.second = self.put[-1][2]

    def test_transition(self):
        def judge(name, rig):
            self.two_walks()
            bpy.ops.marey.transition()
            self.judged(name, "transition")

        self.on_every_rig(judge)

    def test_blend(self):
        def judge(name, rig):
            self.two_walks()
            self.settings.weight = 0.4
            bpy.ops.marey.blend()
            self.judged(name, "blend")

        self.on_every_rig(judge)

    def test_loop(self):
        def judge(name, rig):
            self.settings.first = None
            bpy.ops.marey.import_clip(clip="walk_slow")
            bpy.ops.marey.loop()
            self.judged(name, "loop")
            self.settings.in_place = True
            self.settings.first = self.put[-2][2]
            bpy.ops.marey.loop()
            _, clip = self.judged(name, "loop in place", slides=False)
            self.assertLess(np.abs(clip.path - clip.path[0]).max(), 30)
            self.settings.in_place = False
            self.settings.first = None

        self.on_every_rig(judge)

    def slide_action(self, action, rig, joint):
        """A fault: the root drifts."""
        curve = action.fcurves.find(f'pose.bones["{rig.pose.bones[0].name}"].location', index=joint)
        values = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", values)
        unit = rig.matrix_world.to_scale()[0]
        values[1::2] += 0.02 * np.sin(np.arange(len(values) // 2) / 5) / unit
        curve.keyframe_points.foreach_set("co", values)
        curve.update()

    def test_clean_feet(self):
        def judge(name, rig):
            bpy.ops.marey.import_clip(clip="walk_slow", start=100, end=500)
            action = self.put[-1][2]
            self.slide_action(action, rig, 0)
            bpy.ops.marey.clean_feet()
            self.judged(name, "clean feet")

        self.on_every_rig(judge)

    def test_doctor(self):
        def judge(name, rig):
            bpy.ops.marey.import_clip(clip="walk_slow", start=100, end=500)
            action = self.put[-1][2]
            sound = self.put[-1][1]
            shoulder = next(pair.to for pair in rig.data.marey.maps[0].pairs if pair.role == "left_shoulder")
            self.throw(action, rig, shoulder, self.put[-1][3] + 60)
            bpy.ops.marey.look()
            found = [(one.name, one.start, one.end) for one in self.session.findings]
            self.assertTrue(any(start <= self.put[-1][3] + 60 < end for _, start, end in found), found)
            bpy.ops.marey.mend()
            _, clip = self.judged(name, "repair", slides=False)
            elbow = clip.roles["left_elbow"]
            self.assertLess(np.linalg.norm(clip.positions[60, elbow] - sound.positions()[60, elbow]), 3)

        self.on_every_rig(judge)

    def throw(self, action, rig, bone, frame):
        """A fault: one bone is elsewhere for one frame."""
        path = rig.pose.bones[bone].path_from_id("rotation_quaternion")
        if action.fcurves.find(path, index=0) is None:
            path = rig.pose.bones[bone].path_from_id("rotation_euler")
        for index in range(3):
            curve = action.fcurves.find(path, index=index)
            for key in curve.keyframe_points:
                if round(key.co[0]) == frame:
                    key.co[1] += 1.2
            curve.update()

    def test_find_similar_and_import_the_match(self):
        def judge(name, rig):
            bpy.ops.marey.import_clip(clip="kicks")
            self.scene.use_preview_range = True
            rate = self.scene.render.fps / 60
            self.scene.frame_preview_start, self.scene.frame_preview_end = 1 + round(120 * rate), 1 + round(240 * rate)
            bpy.ops.marey.find_similar()
            self.scene.use_preview_range = False
            found = [(match.name, match.start, match.end) for match in self.session.matches]
            best = next(match for match in found if match[0] == "kicks")
            self.assertLess(abs(best[1] - 120) + abs(best[2] - 240), 30, found)
            self.assertTrue({"mixed_fight", "small_fight"} & {match[0] for match in found}, found)
            bpy.ops.marey.import_clip(clip=best[0], start=best[1], end=best[2])
            self.judged(name, "import", slides=False)

        self.on_every_rig(judge)

    def test_send(self):
        def judge(name, rig):
            import marey

            bpy.ops.marey.import_clip(clip="jumps", start=0, end=300)
            motion = self.put[-1][1]
            self.settings.name, self.settings.labels = f"sent-{name}", "jump, blender"
            bpy.ops.marey.send()
            self.assertIn(f"sent-{name}", self.session.clips)
            with marey.open(self.path, "read") as library:
                clip = library[f"sent-{name}"]
            self.assertEqual(sorted(clip.labels), ["blender", "jump"])
            self.assertEqual(list(clip.joints), motion.body.names)
            off = np.abs(clip.positions - motion.positions()).max()
            measured(f"send, {name}: off by cm", off)
            self.assertLess(off, CLOSE_CM)
            self.settings.name = self.settings.labels = ""

        self.on_every_rig(judge)

    def curve(self, points):
        data = bpy.data.curves.new("path", "CURVE")
        data.dimensions = "3D"
        spline = data.splines.new("NURBS")
        spline.points.add(len(points) - 1)
        for to, (x, y) in zip(spline.points, points):
            to.co = (x, y, 0, 1)
        spline.use_endpoint_u, spline.order_u = True, 3
        curve = bpy.data.objects.new("path", data)
        curve.location = (0.5, -1, 0)
        self.scene.collection.objects.link(curve)
        return curve

    def test_walk_along_a_curve(self):
        def judge(name, rig):
            from marey_blender import operators

            self.settings.graph = "standard"
            self.settings.curve = self.curve([(0, 0), (0, -3), (2, -4), (4, -4)])
            bpy.context.view_layer.update()
            bpy.ops.marey.walk()
            _, clip = self.judged(name, "walk")
            points, _ = operators.curve_points(bpy.context, self.settings.curve)
            fine = np.column_stack([np.interp(np.linspace(0, 1, 2000), np.linspace(0, 1, len(points)), points[:, i]) for i in range(2)])
            away = np.linalg.norm(clip.path[:, None] - fine[None], axis=2).min(axis=1)
            measured(f"walk, {name}: cm from the curve on average", away.mean())
            self.assertLess(away.mean(), 5)
            self.assertLess(np.linalg.norm(clip.path[0] - (50, 100)), 15)
            self.assertLess(np.linalg.norm(clip.path[-1] - (450, 500)), 40)

        self.on_every_rig(judge)

    def test_reach_to_an_empty_that_is_moved(self):
        def judge(name, rig):
            from marey_blender import live

            size = {"metarig": 1.05, "mixamo": 1.0, "cmu": 0.95}[name]  # about that of its legs to those that reached
            empty = bpy.data.objects.new("target", None)
            empty.location = size * np.array((-0.15, -0.48, 1.25))
            self.scene.collection.objects.link(empty)
            bpy.context.view_layer.update()
            self.settings.family, self.settings.target, self.settings.live = "reach", empty, True
            bpy.ops.marey.reach()
            self.judged(name, "reach")
            hand = next(pair.to for pair in rig.data.marey.maps[0].pairs if pair.role == "right_wrist")
            for place in [None, (-0.15, -0.48, 1.27), (-0.14, -0.48, 1.24)]:
                if place is not None:
                    empty.location = size * np.array(place)
                    bpy.context.view_layer.update()
                    live.wait()
                at = empty.matrix_world.translation
                goal = 100 * np.array([at[0], at[2], -at[1]])
                length = int(rig.animation_data.action.frame_range[1])
                away = np.linalg.norm(heads(rig, [hand], range(1, length + 1))[:, 0] - goal, axis=1).min()
                measured(f"reach, {name}: cm from the empty", away)
                self.assertLess(away, 1.0)
            live.let_go(rig)

        self.on_every_rig(judge)


if __name__ == "__main__":
    unittest.main()
