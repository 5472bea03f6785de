"""blender -b --python blender_positions.py -- LIST.json - opens each file of the list (path, names, frames, fps) and writes
PATH.blender.json beside it: a list of frames, each a list of x, y, z of the heads of the bones with these names, in metres with
y up."""

import json
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):  # Debian 12's Blender uses a name that its numpy has dropped
    numpy.bool = bool
RATE = 1000  # frames a second for glTF, which has none; those of the clip may lie between, so any rate will do


def open_glb(path):
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = RATE, 1
    bpy.ops.import_scene.gltf(filepath=path)


def open_fbx(path):
    bpy.ops.import_scene.fbx(filepath=path)


def open_bvh(path):
    from io_anim_bvh import import_bvh
    import_bvh.open = lambda name, mode: open(name)  # it asks for a mode that Debian 12's Python has dropped
    bpy.ops.import_anim.bvh(filepath=path, axis_forward="-Z", axis_up="Y", frame_start=1)


# How a file is opened, in which frame it begins, and how many of Blender's frames are one of the clip.
WAYS = {
    "glb": (open_glb, 0, lambda fps: RATE / fps),
    "fbx": (open_fbx, 1, lambda fps: 1),
    "bvh": (open_bvh, 1, lambda fps: 1),
}


def see(path, names, frames, fps):
    opened, start, step = WAYS[path.rsplit(".", 1)[1]]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    opened(path)
    body = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bones = [body.pose.bones[name] for name in names]
    seen = []
    for frame in range(frames):
        at = start + frame * step(fps)
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        heads = [body.matrix_world @ bone.head for bone in bones]
        seen.append([number for head in heads for number in (head.x, head.z, -head.y)])
    return seen


with open(sys.argv[sys.argv.index("--") + 1]) as text:
    todo = json.load(text)
for one in todo:
    seen = see(**one)
    with open(one["path"] + ".blender.json", "w") as out:
        json.dump(seen, out)
