# SPDX-License-Identifier: GPL-3.0-or-later
"""live.py - motion that follows an empty: made anew, beside Blender, whenever the empty was moved.

What an armature follows is kept in a property of its own, so a file that is opened again goes on.
"""
import json

import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import backend, state
from .backend import Cancelled, Failed
from .jobs import Job
from .rig import Rig, RigError, from_world

__all__ = ["FOLLOW", "follow", "let_go", "made_reach", "reach_of", "start", "stop", "wait"]

FOLLOW = "marey_follow"
CLOSE_CM, TRIES = 0.1, 5
ORIGIN = ((0.0, 0.0), 0.0), 0.0

_work = {"job": None, "armature": None, "place": None}


# ---- a reach ------------------------------------------------------------------------------------


def asked_of(family, stand, place):
    """What a family is asked for, for a body that stands at ((x, z), angle) on a floor of some height, so that its hand
    goes to a place of the world: x left, y up, z ahead of the floor under the hips."""
    ((x, z), angle), floor = stand
    if family["params"][0]["from"] != "start":
        raise Failed(f"{family['name']} is not asked for a place as seen from where the body begins")
    c, s = np.cos(angle), np.sin(angle)
    dx, dy, dz = place[0] - x, place[1] - floor, place[2] - z
    return c * dx - s * dz, dy, s * dx + c * dz


def made_reach(library, name, stand, place, fps):
    """(motion, None, answer) of a body that begins at `stand` and reaches to `place`."""
    made, answer = library.reach(name, asked_of(library.family(name), stand, place))
    return _stood(library.resampled(made, fps), stand), None, answer


def _stood(motion, stand):
    ((x, z), angle), floor = stand
    spot, facing = motion.start()
    turned = motion.turned(angle - facing, spot)
    return turned.shifted((x - spot[0], floor, z - spot[1]))


def stand_of(rig):
    """Where the body of a rig begins: where its rest pose stands, and facing as that does, on the floor of its origin."""
    return rig.rest_motion().start(), float(rig.shift[1])


def reach_of(context, library, name, armature, place):
    """The work that makes the reach of a rig: the hand goes to the place itself, as long as a body of
    its size can reach there."""
    scene = context.scene
    rig = Rig(scene, armature)
    rest, fps = rig.rest_motion(), scene.render.fps / scene.render.fps_base
    floor = float(rig.shift[1])
    maps = {one.key: state.pairs_of(one) for one in armature.data.marey.maps}

    def work():
        rest.body.roles = rest.body.roles or _roles_of(library, rest)
        ((x, z), angle), family = rest.start(), library.family(name)
        stand = ((x, z), angle), floor
        asked = np.array(asked_of(family, stand, place))  # as the rig sees it
        made, answer = library.reach(name, asked)
        if made.body.is_like(rest.body):
            return _stood(library.resampled(made, fps), stand), None, answer
        pairs = maps.get(made.body.key) or library.pairs(made, rest)
        hand = next((rest.body.names.index(pair["to"]) for pair in pairs if pair["from"] == family["params"][0]["joint"]), None)
        if hand is None:
            raise Failed(f"the map has no bone for {family['params'][0]['joint']}, which reaches")
        # A body of another size does the same in proportion; where its arms are of other proportions it is aimed beside.
        ratio = library.retarget(made.first(), rest, pairs)[1]["leg_ratio"]
        at, best = asked / ratio, None
        for _ in range(TRIES):
            made, answer = library.reach(name, at)
            made = _stood(library.resampled(made, fps), ORIGIN)
            on_rig = _stood(library.retarget(made, rest, pairs)[0], ORIGIN)
            away = asked - on_rig.positions()[:, hand]
            miss = away[np.argmin(np.linalg.norm(away, axis=1))]
            error = float(np.linalg.norm(miss))
            if best is None or error < best[0]:
                best = error, on_rig, made.body.key, answer["outside"]
            if error < CLOSE_CM:
                break
            at = at + miss / ratio
        error, on_rig, key, outside = best
        return _stood(on_rig, stand), (key, name, pairs), {"error_cm": error, "outside": outside}

    return work


def _roles_of(library, rest):
    index = {name: joint for joint, name in enumerate(rest.body.names)}
    return {pair["role"]: index[pair["to"]] for pair in library.pairs(rest, rest) if pair.get("role")}


# ---- following ----------------------------------------------------------------------------------


def follow(context, armature, action, target, family, path):
    armature[FOLLOW] = json.dumps({"action": action.name, "target": target.name, "family": family, "library": path,
                                   "place": list(target.matrix_world.translation)})


def let_go(armature):
    if FOLLOW in armature:
        del armature[FOLLOW]


def start():
    if _moved not in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.append(_moved)


def stop():
    if _moved in bpy.app.handlers.depsgraph_update_post:
        bpy.app.handlers.depsgraph_update_post.remove(_moved)
    if bpy.app.timers.is_registered(_apply):
        bpy.app.timers.unregister(_apply)
    if _work["job"] is not None:
        _work["job"].cancel()
        _work["job"].thread.join()
        _work["job"] = None


@persistent
def _moved(scene, graph=None):
    """After every change of the scene: begins the work where an empty that is followed is elsewhere."""
    if _work["job"] is None:
        _begin(scene)


def _begin(scene):
    for armature in scene.objects:
        if armature.type != "ARMATURE" or FOLLOW not in armature:
            continue
        told = json.loads(armature[FOLLOW])
        target, action = scene.objects.get(told["target"]), bpy.data.actions.get(told["action"])
        if target is None or action is None:
            continue
        place = target.matrix_world.translation
        if max(abs(a - b) for a, b in zip(place, told["place"])) < 1e-6:
            continue
        told["place"] = list(place)
        armature[FOLLOW] = json.dumps(told)
        try:
            library = backend.library(told["library"])
            work = reach_of(bpy.context, library, told["family"], armature, from_world(scene, np.array(place)))
        except (Failed, RigError) as error:
            bpy.context.window_manager.marey.message = str(error)
            continue
        _work.update(job=Job("reach", work), armature=armature.name, action=action.name)
        _work["job"].thread.start()
        if not bpy.app.background and not bpy.app.timers.is_registered(_apply):
            bpy.app.timers.register(_apply, first_interval=0.02)
        return


def _apply():
    """Takes what was made, and begins again where the empty was moved since. A timer: it is called again after the time
    that it returns."""
    job = _work["job"]
    if job is None:
        return None
    if not job.done:
        return 0.02
    _work["job"] = None
    armature, action = bpy.data.objects.get(_work["armature"]), bpy.data.actions.get(_work["action"])
    session = bpy.context.window_manager.marey
    try:
        motion, _, answer = job.take()
        if armature is not None and action is not None:
            Rig(bpy.context.scene, armature).write(motion, action, bpy.context.scene.frame_start)
            session.message = f"{action.name}: error {answer['error_cm']:.2f} cm" + (", outside" if answer["outside"] else "")
    except Cancelled:
        return None
    except (Failed, RigError) as error:
        session.message = str(error)
    _begin(bpy.context.scene)
    return None if _work["job"] is None else 0.02


def wait():
    """Waits until every empty that was moved is reached; for scripts, which have no timers."""
    while _work["job"] is not None:
        _work["job"].thread.join()
        _apply()
