# SPDX-License-Identifier: GPL-3.0-or-later
"""operators.py - what the buttons do."""
import bpy
import numpy as np
from bpy.props import IntProperty, StringProperty

from . import backend, live, rig, state
from .backend import Failed
from .jobs import JobOperator, cancel_all, is_working
from .rig import Rig, RigError, action_range, assign, from_world

__all__ = ["classes"]


# ---- what several of them do --------------------------------------------------------------------


def opened(context):
    """The library that is listed."""
    path = context.window_manager.marey.path
    if not path:
        raise Failed("open a library first")
    return backend.library(path)


def words_of(text):
    return [word.strip() for word in text.split(",") if word.strip()]


def scene_fps(scene):
    return scene.render.fps / scene.render.fps_base


def armature_of(context):
    """The selected armature, or None."""
    active = context.active_object
    return active if active is not None and active.type == "ARMATURE" and active.select_get() else None


def needed_armature(context):
    armature = armature_of(context)
    if armature is None:
        raise RigError("select an armature")
    return armature


def take_rate(scene, fps):
    """The scene gets this rate: a whole number of frames a second over Blender's base."""
    scene.render.fps = max(1, round(fps))
    scene.render.fps_base = scene.render.fps / fps


def fitted(library, motion, body, pairs, keep=()):
    """(motion on a rig's body, the map that was used, the answer). `body` is the rig's rest pose. A body of the same bones
    gets the motion as it is."""
    if motion.body.is_like(body.body):
        return motion, None, {"leg_ratio": 1.0}
    if pairs is None:
        pairs = library.pairs(motion, body)
    made, answer = library.retarget(motion, body, pairs, keep)
    return made, pairs, answer


def new_action(armature, motion, name, start, scene):
    """Keys of a motion as a new action of the armature, which stays in the file whether used or not."""
    action = bpy.data.actions.new(name)
    action.use_fake_user = True
    Rig(scene, armature).write(motion, action, start)
    scene.frame_end = max(scene.frame_end, start + len(motion) - 1)
    return action


def at_cursor(scene, motion):
    """Shifted so that the body begins at the 3D cursor."""
    place = from_world(scene, np.array(scene.cursor.location))
    x, z = motion.start()[0]
    return motion.shifted((place[0] - x, place[1], place[2] - z))


def put(context, motion, name, to_cursor=False, armature=None):
    """A motion on a new armature, or on one whose body it has; returns (armature, action)."""
    scene = context.scene
    if armature is None:
        armature = rig.make_armature(context, motion, name)
        if to_cursor:
            place = rig.to_world(scene, [motion.start()[0][0], 0, motion.start()[0][1]])
            armature.location = np.array(scene.cursor.location) - place
            context.view_layer.update()
            motion = motion.shifted(from_world(scene, np.array(armature.location)))
    elif to_cursor:
        motion = at_cursor(scene, motion)
    return armature, new_action(armature, motion, name, scene.frame_start, scene)


def motion_of_action(context, armature, action):
    """(motion, first frame) of an action on an armature, which has its own action again afterwards."""
    if action is None:
        raise RigError(f"{armature.name} has no action")
    data = armature.animation_data or armature.animation_data_create()
    before, slot = data.action, getattr(data, "action_slot", None)
    first, last = action_range(action)
    try:
        assign(armature, action)
        motion = Rig(context.scene, armature).motion(first, last, action.name)
    finally:
        data.action = before
        if slot is not None:
            data.action_slot = slot
    return motion, first


def own_action(armature):
    return armature.animation_data.action if armature.animation_data else None


# ---- the library --------------------------------------------------------------------------------


class MAREY_OT_refresh(bpy.types.Operator):
    """Read the list of clips again"""

    bl_idname, bl_label = "marey.refresh", "List Again"

    def execute(self, context):
        context.scene.marey.library = context.scene.marey.library
        return {"FINISHED"}


class MAREY_OT_cancel(bpy.types.Operator):
    """Cancel what is under way"""

    bl_idname, bl_label = "marey.cancel", "Cancel"

    @classmethod
    def poll(cls, context):
        return is_working()

    def execute(self, context):
        cancel_all()
        return {"FINISHED"}


class MAREY_OT_import(JobOperator):
    """Put a clip of the library, or a match, on a new armature or on the selected rig"""

    bl_idname, bl_label = "marey.import_clip", "Import"

    clip: StringProperty(name="Clip", description="By default the one that is picked")
    start: IntProperty(name="Start", default=-1, description="First frame of the clip, -1: all of it")
    end: IntProperty(name="End", default=-1, description="The frame behind the last one")

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path)

    def prepare(self, context):
        settings, scene = context.scene.marey, context.scene
        library, name = opened(context), self.clip or settings.clip
        if not name:
            raise Failed("pick a clip")
        start, end = (None, None) if self.start < 0 else (self.start, self.end)
        fps = scene_fps(scene) if settings.rate == "SCENE" else None
        self.armature = needed_armature(context) if settings.onto == "RIG" else None
        if self.armature is None:
            return lambda: (library.clip(name, start, end, fps), None, {})
        body = Rig(scene, self.armature).rest_motion()
        maps = {one.key: state.pairs_of(one) for one in self.armature.data.marey.maps}

        def work():
            source = library.clip(name, start, end, fps)
            made, pairs, answer = fitted(library, source, body, maps.get(source.body.key))
            made.name = source.name
            return made, pairs and (source.body.key, source.name, pairs), answer

        return work

    def apply(self, context, result):
        motion, used, answer = result
        settings, scene = context.scene.marey, context.scene
        if settings.rate == "CLIP":
            take_rate(scene, motion.fps)
        if used is not None and state.map_of(self.armature, used[0]) is None:
            state.keep_map(self.armature, *used)
        armature, action = put(context, motion, motion.name, settings.at_cursor, self.armature)
        text = f"{action.name}: {len(motion)} frames on {armature.name}"
        return text + (f", foot slide at most {answer['slide_cm']:.2f} cm" if "slide_cm" in answer else "")


class MAREY_OT_find(JobOperator):
    """Find what is like the action of the selected armature, within the scene's preview range where that is set"""

    bl_idname, bl_label = "marey.find_similar", "Find Similar"

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path) and armature_of(context) is not None

    def prepare(self, context):
        armature, scene, library = needed_armature(context), context.scene, opened(context)
        action = scene.marey.first or own_action(armature)
        if action is None:
            raise RigError(f"{armature.name} has no action")
        motion, first = motion_of_action(context, armature, action)
        if scene.use_preview_range:
            start, end = max(scene.frame_preview_start, first) - first, min(scene.frame_preview_end - first + 1, len(motion))
            if start >= end:
                raise RigError("the preview range lies outside the action")
            motion = motion.part(start, end)
        count = scene.marey.count
        return lambda: library.search(motion, count)

    def apply(self, context, matches):
        session = context.window_manager.marey
        session.matches.clear()
        for match in matches:
            item = session.matches.add()
            item.name, item.start, item.end = match["clip"], match["start"], match["end"]
            item.distance, item.mirrored = match["distance_cm"] or 0, match["mirrored"]
        session.match_index = 0
        return f"{len(matches)} matches"


class MAREY_OT_send(JobOperator):
    """Add the action of the selected armature to the library"""

    bl_idname, bl_label = "marey.send", "Add to Library"

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path) and armature_of(context) is not None

    def prepare(self, context):
        armature, settings, library = needed_armature(context), context.scene.marey, opened(context)
        motion, _ = motion_of_action(context, armature, settings.first or own_action(armature))
        labels = words_of(settings.labels)
        name = settings.name or motion.name
        return lambda: library.put(motion, name, labels)

    def apply(self, context, name):
        context.scene.marey.library = context.scene.marey.library
        return f"added as {name}"


# ---- new actions of actions ---------------------------------------------------------------------


class ActionOperator(JobOperator):
    """Makes a new action of the selected armature's actions. `make(library, motions)` runs in the thread."""

    two = False
    what = ""

    @classmethod
    def is_possible(cls, context):
        return armature_of(context) is not None

    def prepare(self, context):
        self.armature, settings = needed_armature(context), context.scene.marey
        path = context.window_manager.marey.path
        library = backend.library(path or None)
        actions = [settings.first or own_action(self.armature)]
        if self.two:
            if settings.second is None:
                raise RigError("pick a second action")
            actions.append(settings.second)
        motions = [motion_of_action(context, self.armature, action)[0] for action in actions]
        self.title = "-".join([self.what, *(action.name for action in actions)])
        make, fps = self.maker(settings), scene_fps(context.scene)

        def work():
            made, answer = make(library, motions)
            return library.resampled(made, fps), answer

        return work

    def apply(self, context, result):
        motion, answer = result
        action = new_action(self.armature, motion, self.title, context.scene.frame_start, context.scene)
        return f"{action.name}: {len(motion)} frames{self.told(answer)}"

    def told(self, answer):
        return f", foot slide at most {answer['slide_after_cm']:.2f} cm" if answer.get("slide_after_cm") is not None else ""


class MAREY_OT_transition(ActionOperator):
    """A new action that goes from the first action over to the second where they fit best"""

    bl_idname, bl_label, two, what = "marey.transition", "Transition", True, "transition"

    def maker(self, settings):
        return lambda library, motions: library.transition(*motions)


class MAREY_OT_blend(ActionOperator):
    """A new action that is a mixture of both actions, which should do the same from start to end"""

    bl_idname, bl_label, two, what = "marey.blend", "Blend", True, "blend"

    def maker(self, settings):
        weights = [1 - settings.weight, settings.weight]
        return lambda library, motions: library.blend(motions, weights)


class MAREY_OT_loop(ActionOperator):
    """A new action that repeats without a seam, of the best stretch of the first action"""

    bl_idname, bl_label, what = "marey.loop", "Loop", "loop"

    def maker(self, settings):
        in_place = settings.in_place
        return lambda library, motions: library.loop(motions[0], in_place)


class MAREY_OT_clean(ActionOperator):
    """A new action in which planted feet stay where they are"""

    bl_idname, bl_label, what = "marey.clean_feet", "Clean Feet", "clean"

    def maker(self, settings):
        return lambda library, motions: library.clean(motions[0])


class MAREY_OT_mend(ActionOperator):
    """A new action without the flaws of capture that are certain"""

    bl_idname, bl_label, what = "marey.mend", "Repair", "repair"

    def maker(self, settings):
        return lambda library, motions: library.mend(motions[0])

    def told(self, mended):
        return f", {len(mended)} repairs"


class MAREY_OT_look(JobOperator):
    """Look for flaws of capture in the action"""

    bl_idname, bl_label = "marey.look", "Examine"

    @classmethod
    def is_possible(cls, context):
        return armature_of(context) is not None

    def prepare(self, context):
        armature = needed_armature(context)
        library = backend.library(context.window_manager.marey.path or None)
        motion, self.first = motion_of_action(context, armature, context.scene.marey.first or own_action(armature))
        return lambda: library.look(motion)

    def apply(self, context, found):
        findings = context.window_manager.marey.findings
        findings.clear()
        for one in found:
            item = findings.add()
            item.name, item.joint = one["kind"], one["joint"] or ""
            item.start, item.end, item.certainty = self.first + one["start"], self.first + one["end"], one["certainty"]
        return f"{len(found)} findings"


# ---- curve and empty ----------------------------------------------------------------------------


class MAREY_OT_walk(JobOperator):
    """Walk along a curve, by a motion graph of the library: on a new armature or on the selected rig"""

    bl_idname, bl_label = "marey.walk", "Walk Along Curve"

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path)

    def prepare(self, context):
        scene, settings, library = context.scene, context.scene.marey, opened(context)
        if settings.curve is None:
            raise Failed("pick a curve")
        if not settings.graph:
            raise Failed("pick a motion graph of the library")
        self.curve, graph, fps = settings.curve, settings.graph, scene_fps(scene)
        style = words_of(settings.style)
        points, height = curve_points(context, settings.curve)
        self.armature = needed_armature(context) if settings.onto == "RIG" else None
        if self.armature is None:
            def work():
                made, answer = library.walk(graph, points, style)
                return library.resampled(made, fps).shifted((0, height, 0)), None, answer

            return work
        body = Rig(scene, self.armature).rest_motion()
        maps = {one.key: state.pairs_of(one) for one in self.armature.data.marey.maps}

        def work():
            # The rig's path is the source's by the ratio of their legs: the source walks along a path that is so much
            # smaller, and how much is known once it was tried.
            made, _ = library.walk(graph, points, style)
            _, pairs, answer = fitted(library, made.first(), body, maps.get(made.body.key))
            ratio = answer["leg_ratio"]
            made, answer = library.walk(graph, points / ratio, style)
            made = library.resampled(made, fps)
            on_rig, pairs, _ = fitted(library, made, body, pairs)
            x, z = made.start()[0] * ratio - on_rig.start()[0]
            on_rig = on_rig.shifted((x, height, z))
            return on_rig, pairs and (made.body.key, graph, pairs), answer

        return work

    def apply(self, context, result):
        motion, used, answer = result
        if used is not None and state.map_of(self.armature, used[0]) is None:
            state.keep_map(self.armature, *used)
        _, action = put(context, motion, f"walk-{self.curve.name}", armature=self.armature)
        return f"{action.name}: {len(motion)} frames, {answer['path_cm']:.1f} cm from the curve on average"


def curve_points(context, curve):
    """(points of the floor, in cm; the curve's mean height): along its first spline, about every 10 cm."""
    plain = curve.data.copy()
    plain.bevel_depth = plain.extrude = 0
    plain.bevel_object = plain.taper_object = None
    copied = curve.copy()
    copied.data = plain
    context.collection.objects.link(copied)
    try:
        graph = context.evaluated_depsgraph_get()
        mesh = copied.evaluated_get(graph).to_mesh()
        where = np.array(curve.matrix_world)
        vertices = np.array([vertex.co for vertex in mesh.vertices], dtype=np.float64).reshape(-1, 3)
        edges = {(min(edge.vertices), max(edge.vertices)) for edge in mesh.edges}
        copied.evaluated_get(graph).to_mesh_clear()
    finally:
        bpy.data.objects.remove(copied)
        bpy.data.curves.remove(plain)
    if len(vertices) < 2:
        raise Failed(f"{curve.name} must have at least two points")
    count = next((i + 1 for i in range(len(vertices) - 1) if (i, i + 1) not in edges), len(vertices))
    order = list(range(count)) + ([0] if count > 2 and (0, count - 1) in edges else [])
    points = from_world(context.scene, vertices[order] @ where[:3, :3].T + where[:3, 3])
    floor = points[:, [0, 2]]
    lengths = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(floor, axis=0), axis=1))])
    if lengths[-1] < 10:
        raise Failed(f"{curve.name} is {lengths[-1]:.1f} cm long: too short to walk along")
    at = np.linspace(0, lengths[-1], max(2, round(lengths[-1] / 10) + 1))
    return np.column_stack([np.interp(at, lengths, floor[:, i]) for i in range(2)]), float(points[:, 1].mean())


class MAREY_OT_reach(JobOperator):
    """Reach to an empty, by a family of the library; Live follows the empty when that is moved"""

    bl_idname, bl_label = "marey.reach", "Reach to Empty"

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path)

    def prepare(self, context):
        scene, settings, library = context.scene, context.scene.marey, opened(context)
        if settings.target is None:
            raise Failed("pick an empty")
        if not settings.family:
            raise Failed("pick a family of the library")
        self.armature = needed_armature(context) if settings.onto == "RIG" else None
        family, fps = settings.family, scene_fps(scene)
        place = from_world(scene, np.array(settings.target.matrix_world.translation))
        if self.armature is not None:
            return live.reach_of(context, library, family, self.armature, place)
        spot = from_world(scene, np.array(scene.cursor.location))
        self.spot = spot if settings.at_cursor else np.zeros(3)
        stand = ((self.spot[0], self.spot[2]), 0.0), self.spot[1]
        return lambda: live.made_reach(library, family, stand, place, fps)

    def apply(self, context, result):
        motion, used, answer = result
        scene, settings = context.scene, context.scene.marey
        if used is not None and state.map_of(self.armature, used[0]) is None:
            state.keep_map(self.armature, *used)
        armature = self.armature
        if armature is None:
            armature = rig.make_armature(context, motion, settings.family)
            armature.location = rig.to_world(scene, self.spot)
            context.view_layer.update()
        action = new_action(armature, motion, f"{settings.family}-{settings.target.name}", scene.frame_start, scene)
        if settings.live:
            live.follow(context, armature, action, settings.target, settings.family, context.window_manager.marey.path)
        outside = ", outside what the family can do: this is the nearest" if answer["outside"] else ""
        return f"{action.name}: error {answer['error_cm']:.2f} cm{outside}"


class MAREY_OT_let_go(bpy.types.Operator):
    """The motion of the selected armature no longer follows the empty"""

    bl_idname, bl_label, bl_options = "marey.let_go", "Stop Following", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return armature_of(context) is not None and live.FOLLOW in armature_of(context)

    def execute(self, context):
        live.let_go(armature_of(context))
        return {"FINISHED"}


# ---- maps ---------------------------------------------------------------------------------------


class MAREY_OT_find_map(JobOperator):
    """Find which joints of the picked clip and bones of the selected rig belong together, and keep that with the rig"""

    bl_idname, bl_label = "marey.find_map", "Find Map"

    @classmethod
    def is_possible(cls, context):
        return bool(context.window_manager.marey.path) and armature_of(context) is not None

    def prepare(self, context):
        self.armature, name, library = needed_armature(context), context.scene.marey.clip, opened(context)
        if not name:
            raise Failed("pick a clip")
        body = Rig(context.scene, self.armature).rest_motion()

        def work():
            source = library.clip(name)
            return source, library.pairs(source, body)

        return work

    def apply(self, context, result):
        source, pairs = result
        state.keep_map(self.armature, source.body.key, source.name, pairs)
        return f"{len(pairs)} pairs"


class MAREY_OT_forget_map(bpy.types.Operator):
    """Forget the map that is shown: it is found again when it is needed"""

    bl_idname, bl_label, bl_options = "marey.forget_map", "Forget Map", {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        armature = armature_of(context)
        return armature is not None and len(armature.data.marey.maps) > 0

    def execute(self, context):
        maps = armature_of(context).data.marey
        maps.maps.remove(min(maps.shown, len(maps.maps) - 1))
        maps.shown = 0
        return {"FINISHED"}


classes = [
    MAREY_OT_refresh, MAREY_OT_cancel, MAREY_OT_import, MAREY_OT_find, MAREY_OT_send, MAREY_OT_transition, MAREY_OT_blend,
    MAREY_OT_loop, MAREY_OT_clean, MAREY_OT_mend, MAREY_OT_look, MAREY_OT_walk, MAREY_OT_reach, MAREY_OT_let_go,
    MAREY_OT_find_map, MAREY_OT_forget_map,
]
