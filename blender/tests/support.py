# SPDX-License-Identifier: GPL-3.0-or-later
"""support.py - what the tests of the add-on share. They run in Blender: `blender --background --python run.py`."""
import builtins
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import addon_utils
import bpy
import numpy as np

root = Path(__file__).resolve().parents[2]
demo = Path(os.environ.get("MAREY_DEMO", root / "build/tests/whole-demo"))
figures = {}  # what was measured, by name: the largest


def mocap():
    """Where real motion is, or None."""
    folder = Path(os.environ.get("MAREY_MOCAP", root / "../shared/mocap"))
    return folder if folder.is_dir() else None


def measured(name, value):
    figures[name] = max(figures.get(name, 0.0), float(value))


def heads(armature, names, frames):
    """frames x bones x 3: where Blender has the bones' heads, by marey's axes in cm. Judged apart from the add-on."""
    scene, out = bpy.context.scene, np.empty((len(frames), len(names), 3))
    for i, frame in enumerate(frames):
        scene.frame_set(frame)
        posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for j, name in enumerate(names):
            x, y, z = posed.matrix_world @ posed.pose.bones[name].head
            out[i, j] = x, z, -y
    return out * 100 * scene.unit_settings.scale_length


class AddonCase(unittest.TestCase):
    """An empty scene with the add-on, and a library of its own."""

    def setUp(self):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        if "marey_blender" not in bpy.context.preferences.addons:
            bpy.ops.preferences.addon_enable(module="marey_blender")
        self.folder = Path(tempfile.mkdtemp(prefix="marey-blender-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "demo.marey"
        shutil.copy(demo / "demo.marey", self.path)
        self.scene = bpy.context.scene
        self.scene.marey.library = str(self.path)
        self.session = bpy.context.window_manager.marey
        self.settings = self.scene.marey

    def tearDown(self):
        from marey_blender import backend

        backend.close_libraries()

    def bring(self, clip, start=-1, end=-1, onto="NEW"):
        """Imports a clip; returns its armature."""
        self.settings.onto = onto
        bpy.ops.marey.import_clip(clip=clip, start=start, end=end)
        return bpy.context.active_object

    def select(self, armature):
        for other in bpy.context.selected_objects:
            other.select_set(False)
        armature.select_set(True)
        bpy.context.view_layer.objects.active = armature


# ---- rigs of other makers -----------------------------------------------------------------------


def metarig():
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    return bpy.context.active_object


def generated(file):
    """What Rigify makes of the metarig, which is taken away: most users delete or hide it. Kept in a file, since it takes
    Rigify many seconds."""
    if not file.exists():
        meta = metarig()
        bpy.ops.pose.rigify_generate()
        bpy.data.objects.remove(meta)
        bpy.data.libraries.write(str(file), {bpy.context.active_object})
    else:
        with bpy.data.libraries.load(str(file)) as (there, here):
            here.objects = [name for name in there.objects if not name.startswith("WGT-")]
        bpy.context.collection.objects.link(here.objects[0])
    rig = next(one for one in bpy.context.scene.objects if one.type == "ARMATURE")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    return rig


def mixamo():
    addon_utils.enable("io_scene_fbx", default_set=True)
    bpy.ops.import_scene.fbx(filepath=str(mocap() / "rigs/fbx/samba_dancing.fbx"))
    rig = next(one for one in bpy.context.selected_objects if one.type == "ARMATURE")
    for skin in list(rig.children):  # which would be bent for every frame that is looked at
        bpy.data.objects.remove(skin)
    return rig


def cmu():
    """Blender's own importer, whose way to open a file Python 3.11 no longer knows."""
    addon_utils.enable("io_anim_bvh", default_set=True)
    from io_anim_bvh import import_bvh

    import_bvh.open = lambda path, mode, **more: builtins.open(path, mode.replace("U", ""), **more)
    bpy.ops.import_anim.bvh(filepath=str(mocap() / "cmu/07_12.bvh"), global_scale=0.05644)
    return bpy.context.active_object


RIGS = {"metarig": metarig, "mixamo": mixamo, "cmu": cmu}
