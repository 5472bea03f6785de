# SPDX-License-Identifier: GPL-3.0-or-later
"""marey for Blender: motion capture used again. See docs/blender.md of marey."""
import bpy
from bpy.app.handlers import persistent

from . import backend, jobs, live, operators, panel, previews, state

bl_info = {
    "name": "marey",
    "author": "the authors of marey",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Marey",
    "description": "Motion capture used again: libraries, search, transitions, blends, loops, walks along curves, reaches",
    "category": "Animation",
}


class MareyPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(
        name="Program", subtype="FILE_PATH", update=lambda self, context: backend.load(self.program, self.process),
        description="The program marey, where its Python package does not load; by default the one on the path",
    )
    process: bpy.props.BoolProperty(
        name="Use the program", update=lambda self, context: backend.load(self.program, self.process),
        description="Work with the program even where the package can be loaded",
    )

    def draw(self, context):
        self.layout.prop(self, "program")
        self.layout.prop(self, "process")
        self.layout.label(text={"package": "marey's Python package is loaded", "process": "marey's program is used"}.get(backend.kind(), backend.why()))


@persistent
def _before_load(path):
    """Another file is opened: what was under way belongs to the old one."""
    live.stop()
    jobs.cancel_all()


@persistent
def _after_load(path):
    """The file's library is listed."""
    live.start()
    if bpy.context.scene.marey.library:
        bpy.context.scene.marey.library = bpy.context.scene.marey.library


classes = [MareyPreferences, *state.classes, *operators.classes, *panel.classes]


def register():
    for one in classes:
        bpy.utils.register_class(one)
    bpy.types.Scene.marey = bpy.props.PointerProperty(type=state.MareySettings)
    bpy.types.WindowManager.marey = bpy.props.PointerProperty(type=state.MareySession)
    bpy.types.Armature.marey = bpy.props.PointerProperty(type=state.MareyMaps)
    addon = bpy.context.preferences.addons.get(__package__)
    backend.load(addon.preferences.program, addon.preferences.process) if addon else backend.load()
    previews.start()
    live.start()
    bpy.app.handlers.load_pre.append(_before_load)
    bpy.app.handlers.load_post.append(_after_load)


def unregister():
    bpy.app.handlers.load_pre.remove(_before_load)
    bpy.app.handlers.load_post.remove(_after_load)
    live.stop()
    jobs.cancel_all()
    previews.free()
    backend.close_libraries()
    del bpy.types.Armature.marey
    del bpy.types.WindowManager.marey
    del bpy.types.Scene.marey
    for one in reversed(classes):
        bpy.utils.unregister_class(one)
