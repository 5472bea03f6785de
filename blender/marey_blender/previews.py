# SPDX-License-Identifier: GPL-3.0-or-later
"""previews.py - film strips of clips as pictures in the panel, drawn when they are first seen, in a thread."""
import os
import queue
import shutil
import tempfile
import threading

import bpy
import bpy.utils.previews

from . import backend

__all__ = ["free", "icon", "start", "wait"]

WIDTH, HEIGHT = 256, 192  # Blender scales what is larger

_state = {"pictures": None, "folder": None, "thread": None, "wanted": None, "drawn": None, "asked": set()}


def start():
    _state.update(pictures=bpy.utils.previews.new(), folder=tempfile.mkdtemp(prefix="marey-"), asked=set(),
                  wanted=queue.Queue(), drawn=queue.Queue())
    _state["thread"] = threading.Thread(target=_draw, args=(_state["wanted"], _state["drawn"]), name="marey previews", daemon=True)
    _state["thread"].start()


def free():
    if _state["pictures"] is None:
        return
    with _state["wanted"].mutex:
        _state["wanted"].queue.clear()
    _state["wanted"].put(None)
    _state["thread"].join()
    if bpy.app.timers.is_registered(_collect):
        bpy.app.timers.unregister(_collect)
    bpy.utils.previews.remove(_state["pictures"])
    shutil.rmtree(_state["folder"], ignore_errors=True)
    _state.update(pictures=None, folder=None, thread=None, asked=set())


def icon(library, name, start=None, end=None):
    """The icon of a strip, or 0 as long as there is none: then it is drawn."""
    key = repr((library, name, start, end))
    if key in _state["pictures"]:
        return _state["pictures"][key].icon_id
    if key not in _state["asked"]:
        _state["asked"].add(key)
        path = os.path.join(_state["folder"], f"{len(_state['asked'])}.png")
        _state["wanted"].put((key, path, library, name, start, end))
        if not bpy.app.background and not bpy.app.timers.is_registered(_collect):
            bpy.app.timers.register(_collect, first_interval=0.1)
    return 0


def wait():
    """Waits for all strips that were asked for; for scripts, which have no timers."""
    _state["wanted"].join()
    _collect()


def _draw(wanted, drawn):
    while True:
        order = wanted.get()
        try:
            if order is None:
                return
            key, path, library, *frames = order
            backend.library(library).strip(*frames, path, WIDTH, HEIGHT)
            drawn.put((key, path))
        except (backend.Failed, OSError):
            pass  # a clip that went from the library since it was listed has no picture
        finally:
            wanted.task_done()


def _collect():
    """Takes what was drawn; called again as long as something is missing."""
    changed = False
    while not _state["drawn"].empty():
        key, path = _state["drawn"].get()
        _state["pictures"].load(key, path, "IMAGE")
        changed = True
    if changed and not bpy.app.background:
        for window in bpy.context.window_manager.windows:
            for area in window.screen.areas:
                area.tag_redraw()
    return 0.1 if _state["wanted"].unfinished_tasks or not _state["drawn"].empty() else None
