"""blender -b --python blender_positions.py -- FILE.glb ... - writes FILE.blender.json beside each: a list of frames,
each a list of x, y, z of the joints of the skin, in metres with y up as in the file."""

import json
import struct
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):  # Debian 12's Blender uses a name that its numpy has dropped
    numpy.bool = bool
RATE = 1000  # frames a second in Blender; those of the clip may lie between, so any rate will do


def read_text(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(data[20:20 + struct.unpack_from("<I", data, 12)[0]])


def see(path):
    text = read_text(path)
    about = text["asset"]["extras"]["marey"]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = RATE, 1
    bpy.ops.import_scene.gltf(filepath=path)
    body = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    bones = [body.pose.bones[text["nodes"][j]["name"]] for j in text["skins"][0]["joints"]]
    seen = []
    for frame in range(about["frames"]):
        at = RATE * frame / about["fps"]
        scene.frame_set(int(at), subframe=at - int(at))
        heads = [body.matrix_world @ bone.head for bone in bones]
        seen.append([number for head in heads for number in (head.x, head.z, -head.y)])
    return seen


for name in sys.argv[sys.argv.index("--") + 1:]:
    with open(name.replace(".glb", ".blender.json"), "w") as out:
        json.dump(see(name), out)
