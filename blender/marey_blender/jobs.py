# SPDX-License-Identifier: GPL-3.0-or-later
"""jobs.py - long work in a thread beside Blender. The thread asks marey and knows nothing of Blender; what it made is put
into the scene by the operator that began it, as one step to undo."""
import threading

import bpy

from . import backend
from .backend import Cancelled, Failed
from .generated import remove_unused
from .rig import RigError

__all__ = ["Job", "JobOperator", "cancel_all", "is_working"]

_running = []


class Job:
    """One piece of work: `work()` in a thread of its own."""

    def __init__(self, title, work):
        self.title = title
        self.work = work
        self.text = ""
        self.share = 0.0
        self.cancelled = False
        self.warnings = []
        self.result = self.failure = None
        self.thread = threading.Thread(target=self._run, name=f"marey {title}", daemon=True)

    def start(self):
        _running.append(self)
        self.thread.start()

    def hear(self, text, share):
        self.text, self.share = text, share

    def cancel(self):
        self.cancelled = True

    @property
    def done(self):
        return not self.thread.is_alive()

    def _run(self):
        try:
            with backend.working(self):
                self.result = self.work()
        except Exception as error:  # it is raised again where the result is taken
            self.failure = error

    def take(self):
        """Waits for the result; raises what went wrong."""
        self.thread.join()
        if self in _running:
            _running.remove(self)
        if self.cancelled:
            raise Cancelled
        if self.failure is not None:
            raise self.failure
        return self.result


def is_working():
    return bool(_running)


def cancel_all():
    """Cancels what runs and waits for its end, which is near: marey looks whether it shall go on many times a second."""
    for job in list(_running):
        job.cancel()
        job.thread.join()
    _running.clear()


class JobOperator(bpy.types.Operator):
    """An operator in three parts: `prepare(context)` reads what is needed out of Blender and returns the work, a function
    that runs in a thread; `apply(context, result)` puts the result into the scene and returns a message.

    Invoked, by a button, it is modal: the progress is in the panel and Esc cancels. Executed, by a script, it waits.
    """

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if is_working():
            cls.poll_message_set("other work is under way")
            return False
        return cls.is_possible(context)

    @classmethod
    def is_possible(cls, context):
        return True

    def execute(self, context):
        if not self._start(context):
            return {"CANCELLED"}
        return self._finish(context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not self._start(context):
            return {"CANCELLED"}
        self._timer = context.window_manager.event_timer_add(0.05, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        session = context.window_manager.marey
        if event.type == "ESC" and event.value == "PRESS":
            self._job.cancel()
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        session.doing = self._job.text or self._job.title
        session.progress = 100 * self._job.share
        _redraw(context)
        if not self._job.done:
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self._timer)
        result = self._finish(context)
        _redraw(context)
        return result

    def cancel(self, context):
        self._job.cancel()

    def _start(self, context):
        try:
            work = self.prepare(context)
        except (Failed, RigError) as error:
            self._give_up()
            self.report({"ERROR"}, str(error))
            return False
        self._job = Job(self.bl_label, work)
        session = context.window_manager.marey
        session.doing, session.progress = self.bl_label, 0
        self._job.start()
        return True

    def _finish(self, context):
        session = context.window_manager.marey
        try:
            message = self.apply(context, self._job.take())
        except Cancelled:
            self._give_up()
            session.message = f"{self.bl_label}: cancelled"
            self.report({"INFO"}, session.message)
            return {"CANCELLED"}
        except (Failed, RigError) as error:
            self._give_up()
            session.message = str(error)
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        finally:
            session.doing = ""
        for warning in self._job.warnings:
            self.report({"WARNING"}, warning)
        session.message = "; ".join([message, *self._job.warnings])
        self.report({"INFO"}, message)
        return {"FINISHED"}

    def _give_up(self):
        """The scene is as it was before."""
        armature = getattr(self, "armature", None)
        if armature is not None:
            remove_unused(armature)


def _redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()
