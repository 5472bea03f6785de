# SPDX-License-Identifier: GPL-3.0-or-later
"""state.py - what the panel shows and asks: settings that are kept with the scene, lists that are not, and the maps that
are kept with a rig."""
import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)

from . import backend

__all__ = ["classes", "map_of", "pairs_of"]


class MareyClip(bpy.types.PropertyGroup):
    """A clip of the library, or a match in one: `name` is the clip's."""

    frames: IntProperty()
    seconds: FloatProperty()
    fps: FloatProperty()
    labels: StringProperty()
    start: IntProperty()
    end: IntProperty()
    distance: FloatProperty()
    mirrored: BoolProperty()


def _pick(self, context):
    """A row of the list was clicked."""
    if self.clip_index < len(self.clips):
        context.scene.marey.clip = self.clips[self.clip_index].name


class MareyName(bpy.types.PropertyGroup):
    """Of a graph or a family."""


class MareyFinding(bpy.types.PropertyGroup):
    """What the doctor found in an action: `name` is its kind."""

    joint: StringProperty()
    start: IntProperty()
    end: IntProperty()
    certainty: FloatProperty()


class MareySession(bpy.types.PropertyGroup):
    """What is gone with Blender's window."""

    path: StringProperty()  # of the library that is listed
    clips: CollectionProperty(type=MareyClip)
    clip_index: IntProperty(update=_pick)
    matches: CollectionProperty(type=MareyClip)
    match_index: IntProperty()
    graphs: CollectionProperty(type=MareyName)
    families: CollectionProperty(type=MareyName)
    findings: CollectionProperty(type=MareyFinding)
    finding_index: IntProperty()
    doing: StringProperty()
    progress: FloatProperty(min=0, max=100, subtype="PERCENTAGE")
    message: StringProperty()


def _open(self, context):
    """A library was named: it is listed. What is wrong with it the panel says."""
    session = context.window_manager.marey
    for listed in (session.clips, session.matches, session.graphs, session.families):
        listed.clear()
    session.path = ""
    if not self.library:
        return
    path = bpy.path.abspath(self.library)
    try:
        library = backend.library(path)
        clips, graphs, families = library.clips(), library.graphs(), library.families()
    except (backend.Failed, OSError) as error:
        session.message = str(error)
        return
    for clip in clips:
        item = session.clips.add()
        item.name, item.frames, item.seconds, item.fps = clip["name"], clip["frames"], clip["seconds"], clip["fps"]
        item.labels = ", ".join(clip["labels"])
    for name in graphs:
        session.graphs.add().name = name
    for family in families:
        if is_place(family):
            session.families.add().name = family["name"]
    session.path = path
    session.message = f"{len(clips)} clips"


def is_place(family):
    """Whether a family is asked for a place in space: an empty can be its target."""
    return len(family["features"]) == 1 and family["features"][0].startswith("position(")


class MareySettings(bpy.types.PropertyGroup):
    """What is kept with the scene."""

    library: StringProperty(name="Library", subtype="FILE_PATH", description="A library of motion, made by marey", update=_open)
    clip: StringProperty(name="Clip", description="Type a part of its name, or pick one in the list")
    onto: EnumProperty(name="Onto", items=[
        ("NEW", "New armature", "Make an armature with the clip's own skeleton"),
        ("RIG", "Selected rig", "Put the motion on the selected armature, by the map that is kept with it"),
    ])
    at_cursor: BoolProperty(name="At 3D cursor", description="The body begins at the 3D cursor, else where it was captured")
    rate: EnumProperty(name="Rate", items=[
        ("SCENE", "Scene's rate", "Motion gets the scene's frames a second"),
        ("CLIP", "Clip's rate", "The scene gets the clip's frames a second"),
    ])
    first: PointerProperty(name="First", type=bpy.types.Action, description="By default the action of the selected armature")
    second: PointerProperty(name="Second", type=bpy.types.Action)
    weight: FloatProperty(name="Weight", default=0.5, min=0, max=1, description="How much of the second action is in a blend")
    in_place: BoolProperty(name="In place", description="The body of a loop stays where it is")
    count: IntProperty(name="Matches", default=8, min=1, max=100)
    graph: StringProperty(name="Graph", description="A motion graph of the library")
    style: StringProperty(name="Only", description="Only frames with one of these labels, with commas between them: walk")
    curve: PointerProperty(name="Curve", type=bpy.types.Object, poll=lambda self, o: o.type == "CURVE", description="The path on the floor")
    family: StringProperty(name="Family", description="A family of the library that is asked for a place in space")
    target: PointerProperty(name="Empty", type=bpy.types.Object, poll=lambda self, o: o.type == "EMPTY", description="Where the hand or foot goes")
    live: BoolProperty(name="Live", default=True, description="The motion follows the empty when that is moved")
    name: StringProperty(name="Name", description="By default the action's name")
    labels: StringProperty(name="Labels", description="With commas between them")


# ---- maps that are kept with a rig --------------------------------------------------------------


class MareyPair(bpy.types.PropertyGroup):
    """A joint of a clip and a bone of the rig: `name` is the joint's."""

    role: StringProperty()
    to: StringProperty(name="Bone")


class MareyMap(bpy.types.PropertyGroup):
    """The pairs of one skeleton, which `key` names."""

    key: StringProperty()
    pairs: CollectionProperty(type=MareyPair)
    pair_index: IntProperty()


class MareyMaps(bpy.types.PropertyGroup):
    """Of an armature."""

    maps: CollectionProperty(type=MareyMap)
    shown: IntProperty()


def map_of(armature, key):
    """The map that an armature keeps for a skeleton, or None."""
    return next((one for one in armature.data.marey.maps if one.key == key), None)


def keep_map(armature, key, name, pairs):
    """Keeps pairs as marey has them with the armature, which shows them."""
    kept, maps = map_of(armature, key), armature.data.marey
    if kept is None:
        kept = maps.maps.add()
        kept.key, kept.name = key, name
    kept.pairs.clear()
    for pair in pairs:
        item = kept.pairs.add()
        item.name, item.role, item.to = pair["from"], pair.get("role") or "", pair["to"]
    maps.shown = list(maps.maps).index(kept)
    return kept


def pairs_of(kept):
    """As marey has them. A pair without a bone is none: the joint has no counterpart."""
    return [{**({"role": pair.role} if pair.role else {}), "from": pair.name, "to": pair.to} for pair in kept.pairs if pair.to]


classes = [MareyClip, MareyName, MareyFinding, MareySession, MareySettings, MareyPair, MareyMap, MareyMaps]
