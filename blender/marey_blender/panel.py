# SPDX-License-Identifier: GPL-3.0-or-later
"""panel.py - the tab Marey at the side of the 3D view."""
import bpy

from . import backend, generated, live, previews
from .jobs import is_working
from .operators import armature_of, selected_armature

__all__ = ["classes"]


class MAREY_UL_clips(bpy.types.UIList):
    """Only rows that are seen are drawn."""

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.split(factor=0.55)
        row.label(text=item.name)
        row.label(text=f"{item.seconds:.1f} s  {item.labels}")


class MAREY_UL_matches(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.split(factor=0.6)
        row.label(text=f"{item.name} {item.start}-{item.end}{' mirrored' if item.mirrored else ''}")
        row.label(text=f"{item.distance:.1f} cm")


class MAREY_UL_pairs(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.split(factor=0.45)
        row.label(text=item.name)
        row.prop_search(item, "to", armature_of(context).data, "bones", text="")


class MAREY_UL_findings(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        row = layout.split(factor=0.6)
        row.label(text=f"{item.name} {item.joint}")
        row.label(text=f"{item.start}-{item.end}")


class MareyPanel(bpy.types.Panel):
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "Marey"


class MAREY_PT_library(MareyPanel):
    bl_idname, bl_label = "MAREY_PT_library", "Library"

    def draw(self, context):
        layout, settings, session = self.layout, context.scene.marey, context.window_manager.marey
        if not backend.kind():
            for line in (f"marey is missing: {backend.why()}", "Name the program in the add-on's preferences"):
                layout.label(text=line, icon="ERROR")
            return
        row = layout.row(align=True)
        row.prop(settings, "library", text="")
        row.operator("marey.refresh", text="", icon="FILE_REFRESH")
        if is_working():
            row = layout.row(align=True)
            row.prop(session, "progress", text=session.doing, slider=True)
            row.operator("marey.cancel", text="", icon="CANCEL")
        elif session.message:
            layout.label(text=session.message)
        if not session.path:
            return
        layout.prop_search(settings, "clip", session, "clips", text="", icon="VIEWZOOM")
        layout.template_list("MAREY_UL_clips", "", session, "clips", session, "clip_index", rows=6)
        if settings.clip in session.clips:
            strip(layout, session.path, settings.clip)
        layout.row().prop(settings, "onto", expand=True)
        layout.row().prop(settings, "rate", expand=True)
        layout.prop(settings, "at_cursor")
        layout.operator("marey.import_clip", icon="IMPORT")
        armature = selected_armature(context)
        if armature is not None and generated.body_of(armature) is not None:
            layout.operator("marey.give_back")


def strip(layout, library, name, start=None, end=None):
    picture = previews.icon(library, name, start, end)
    if picture:
        layout.template_icon(icon_value=picture, scale=9)
    else:
        layout.label(text="…")


class MAREY_PT_map(MareyPanel):
    bl_idname, bl_label, bl_options = "MAREY_PT_map", "Map", {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return armature_of(context) is not None

    def draw(self, context):
        layout, maps = self.layout, armature_of(context).data.marey
        row = layout.row(align=True)
        row.operator("marey.find_map")
        row.operator("marey.forget_map", text="", icon="X")
        if not len(maps.maps):
            layout.label(text="Found with the first import")
            return
        layout.template_list("UI_UL_list", "marey_maps", maps, "maps", maps, "shown", rows=2)
        shown = maps.maps[min(maps.shown, len(maps.maps) - 1)]
        layout.template_list("MAREY_UL_pairs", "", shown, "pairs", shown, "pair_index", rows=8)


class MAREY_PT_find(MareyPanel):
    bl_idname, bl_label, bl_options = "MAREY_PT_find", "Find Similar", {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings, session = self.layout, context.scene.marey, context.window_manager.marey
        row = layout.row(align=True)
        row.operator("marey.find_similar", icon="VIEWZOOM")
        row.prop(settings, "count")
        if not len(session.matches):
            return
        layout.template_list("MAREY_UL_matches", "", session, "matches", session, "match_index", rows=4)
        match = session.matches[min(session.match_index, len(session.matches) - 1)]
        strip(layout, session.path, match.name, match.start, match.end)
        again = layout.operator("marey.import_clip", text="Import Match", icon="IMPORT")
        again.clip, again.start, again.end = match.name, match.start, match.end


class MAREY_PT_actions(MareyPanel):
    bl_idname, bl_label = "MAREY_PT_actions", "Actions"

    def draw(self, context):
        layout, settings, session = self.layout, context.scene.marey, context.window_manager.marey
        column = layout.column(align=True)
        column.prop(settings, "first")
        column.prop(settings, "second")
        row = layout.row(align=True)
        row.operator("marey.transition")
        row.operator("marey.blend")
        layout.prop(settings, "weight", slider=True)
        row = layout.row(align=True)
        row.operator("marey.loop")
        row.prop(settings, "in_place", toggle=True)
        row = layout.row(align=True)
        row.operator("marey.clean_feet")
        row.operator("marey.look")
        row.operator("marey.mend")
        if len(session.findings):
            layout.template_list("MAREY_UL_findings", "", session, "findings", session, "finding_index", rows=3)
        column = layout.column(align=True)
        column.prop(settings, "name")
        column.prop(settings, "labels")
        column.operator("marey.send", icon="EXPORT")


class MAREY_PT_make(MareyPanel):
    bl_idname, bl_label = "MAREY_PT_make", "Curve and Empty"

    def draw(self, context):
        layout, settings, session = self.layout, context.scene.marey, context.window_manager.marey
        column = layout.column(align=True)
        column.prop_search(settings, "graph", session, "graphs")
        column.prop(settings, "style")
        column.prop(settings, "curve")
        column.operator("marey.walk", icon="CURVE_DATA")
        column = layout.column(align=True)
        column.prop_search(settings, "family", session, "families")
        column.prop(settings, "target")
        row = column.row(align=True)
        row.operator("marey.reach", icon="EMPTY_AXIS")
        row.prop(settings, "live", toggle=True)
        armature = armature_of(context)
        if armature is not None and live.FOLLOW in armature:
            layout.operator("marey.let_go")


classes = [
    MAREY_UL_clips, MAREY_UL_matches, MAREY_UL_pairs, MAREY_UL_findings, MAREY_PT_library, MAREY_PT_map, MAREY_PT_find,
    MAREY_PT_actions, MAREY_PT_make,
]
