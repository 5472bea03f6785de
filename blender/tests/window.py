# SPDX-License-Identifier: GPL-3.0-or-later
"""window.py - cancelling as users do, in a window: `blender --enable-event-simulate --python window.py`. Work is begun by a
button; Esc cancels it, and so does a click on the cross beside its progress; what is not cancelled comes to its end, as one step
to undo. Prints what is wrong and ends with status 1, or what was done."""
import os
import sys
import time
import traceback

import bpy

LONG_S = 120  # after that something is broken: waiting as such proves nothing
TAB_STEP, TAB_IN = 15, 12  # pixels: from one try to hit the tab to the next; from the region's edge
CROSS_IN, CROSS_FROM, CROSS_TO, CROSS_STEP = 57, 62, 92, 5  # where the cross is from the region's right and upper edge

bpy.context.preferences.view.show_splash = False
bpy.ops.preferences.addon_install(filepath=os.environ["MAREY_ADDON"])
bpy.ops.preferences.addon_enable(module="marey_blender")
from marey_blender import backend, jobs, operators, panel  # noqa: E402

shown = []
real_kind = backend.kind
panel.backend.kind = lambda: (shown.append(True), real_kind())[1]  # the tab asks when it is drawn


class Hand:
    """The window, and what a user does in it."""

    def __init__(self):
        self.window = bpy.context.window_manager.windows[0]
        self.area = next(area for area in self.window.screen.areas if area.type == "VIEW_3D")
        self.area.spaces.active.show_region_ui = True

    def region(self, kind):
        return next(region for region in self.area.regions if region.type == kind)

    def in_view(self):
        return bpy.context.temp_override(window=self.window, area=self.area, region=self.region("WINDOW"))

    def click(self, x, y):
        self.window.event_simulate("MOUSEMOVE", "NOTHING", x=x, y=y)
        self.window.event_simulate("LEFTMOUSE", "PRESS", x=x, y=y)
        self.window.event_simulate("LEFTMOUSE", "RELEASE", x=x, y=y)

    def press(self, key):
        view = self.region("WINDOW")
        x, y = view.x + view.width // 3, view.y + view.height // 3
        for value in ("PRESS", "RELEASE"):
            self.window.event_simulate(key, value, x=x, y=y)


def until(true):
    """Lets Blender go on until something is true."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < LONG_S, "it does not come to its end"
        yield


def wait(times):
    for _ in range(times):
        yield


def opened_tab(hand):
    side = hand.region("UI")
    shown.clear()
    for down in range(20, side.height, TAB_STEP):
        hand.click(side.x + side.width - TAB_IN, side.y + side.height - down)
        yield from wait(2)
        if shown:
            return
    raise AssertionError("the tab Marey is not there")


def begun(hand, endless):
    """Work that a button begins; as long as anyone may want if endless."""
    def work(library, motions):
        made = library.loop(motions[0], False)
        while endless:
            library.transition(motions[0], motions[0])
        return made

    operators.MAREY_OT_loop.maker = lambda self, settings: work
    with hand.in_view():
        assert bpy.ops.marey.loop("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from wait(3)
    if endless:
        assert jobs.is_working(), "the work was over before it could be cancelled"
        with hand.in_view():
            assert not bpy.ops.marey.blend.poll(), "two pieces of work at once"


def cancelled(before):
    session = bpy.context.window_manager.marey
    assert session.message == "Loop: cancelled", session.message
    assert session.doing == "" and set(bpy.data.actions.keys()) == before, list(bpy.data.actions.keys())


def story():
    hand = Hand()
    bpy.context.scene.marey.library = os.environ["MAREY_LIBRARY"]
    yield from wait(2)
    yield from opened_tab(hand)
    with hand.in_view():
        bpy.ops.marey.import_clip(clip="walk_slow")
    before = set(bpy.data.actions.keys())

    yield from begun(hand, True)
    if "MAREY_SCREENSHOT" in os.environ:
        bpy.ops.screen.screenshot(filepath=os.environ["MAREY_SCREENSHOT"])
    hand.press("ESC")
    yield from until(lambda: not jobs.is_working())
    yield from wait(3)
    cancelled(before)

    yield from begun(hand, True)
    side = hand.region("UI")
    for down in range(CROSS_FROM, CROSS_TO, CROSS_STEP):
        hand.click(side.x + side.width - CROSS_IN, side.y + side.height - down)
        yield from wait(3)
        if not jobs.is_working():
            break
    assert not jobs.is_working(), "the cross was not hit, or does nothing"
    yield from wait(3)
    cancelled(before)

    with hand.in_view():
        bpy.ops.ed.undo_push(message="before")  # scripts leave no step, buttons do
    yield from begun(hand, False)
    yield from until(lambda: not jobs.is_working())
    yield from wait(3)
    assert set(bpy.data.actions.keys()) == before | {"loop-walk_slow"}, list(bpy.data.actions.keys())
    with hand.in_view():
        bpy.ops.ed.undo()
    yield from wait(3)
    assert set(bpy.data.actions.keys()) == before, list(bpy.data.actions.keys())
    print("in a window: cancelled by Esc and by the cross, finished, undone")


def step():
    try:
        next(told)
        return 0.1
    except StopIteration:
        status = 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    jobs.cancel_all()
    os._exit(status)  # Blender's own end asks whether to save


told = story()
bpy.app.timers.register(step, first_interval=0.5)
