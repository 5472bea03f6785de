"""Data sets: their rows against plain numpy, their windows against every place where one could be, and what becomes of
the file that they lie in."""
import errno
import gc
import glob
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

import marey
from marey import _frames
from marey._native import lib
from marey.rotations import matrices_of

from support import DemoCase, mocap, sanitized
from test_clips import positions_of

every = "|".join(_frames.FEATURES)


# ---- the plain way ----------------------------------------------------------------------------


def turned(facing, vectors):
    """Vectors (frames x ... x 3) in axes that are turned by so much about y."""
    c, s = np.cos(facing), np.sin(facing)
    zero, one = np.zeros_like(c), np.ones_like(c)
    matrices = np.stack([np.stack([c, zero, s], -1), np.stack([zero, one, zero], -1), np.stack([-s, zero, c], -1)], -2)
    return np.einsum("fji,f...j->f...i", matrices, vectors), matrices


def plain(clip, first=0, end=None, source=None):
    """{feature: frames x ...} of frames first to end, between which none is marked; source: the clip at its own rate."""
    end = len(clip) if end is None else end
    where = slice(first, end)
    p, roles = positions_of(clip), clip.roles
    across = np.zeros((len(clip), 3))
    for pair in ("hip", "shoulder"):
        if f"left_{pair}" in roles and f"right_{pair}" in roles:
            across += p[:, roles[f"left_{pair}"]] - p[:, roles[f"right_{pair}"]]
    if abs(across[:, ::2]).max() < 1e-3:
        across = np.cross([0, 1, 0], matrices_of(clip.rotations.astype(np.float64))[:, 0, :, 2])
    facing = np.arctan2(-across[:, 2], across[:, 0])
    hips = p[:, roles.get("hips", 0)]
    ground = hips * [1, 0, 1]
    local, matrices = turned(facing, p - ground[:, None])
    rotations = matrices_of(clip.rotations.astype(np.float64))
    rotations[:, 0] = np.einsum("fji,fjk->fik", matrices, rotations[:, 0])
    velocity = np.zeros((len(clip), 3))
    if end - first > 1:
        steps = turned(facing[first : end - 1], np.diff(ground[where], axis=0))[0]
        turns = np.angle(np.exp(1j * np.diff(facing[where])))
        inner = np.stack([steps[:, 0], steps[:, 2], turns], -1) * clip.fps
        velocity[first + 1 : end], velocity[first] = inner, inner[0]
    source = source or clip
    nearest = [min(int(np.rint(frame * source.fps / clip.fps)), len(source) - 1) for frame in range(len(clip))]
    out = {
        "positions": local, "world_positions": p, "velocities": turned(facing, clip.velocities)[0],
        "world_velocities": clip.velocities,
        "rot6d": rotations[..., :2].swapaxes(-1, -2).reshape(len(clip), -1, 6),
        "quaternions": rotations,  # compared as matrices: a quaternion and its negative are one rotation
        "root_velocity": velocity, "root_height": hips[:, 1:2], "path": ground[:, ::2],
        "heading": np.stack([np.sin(facing), np.cos(facing)], -1), "contacts": source.contact_flags[nearest],
    }
    return {name: array[where] for name, array in out.items()}


def unmarked(clip):
    """Stretches of frames, by looking at each."""
    marked = {frame for mark in clip.marks for frame in range(mark.start, mark.end)}
    free = [frame not in marked for frame in range(len(clip))] + [False]
    starts = [i for i in range(len(clip)) if free[i] and (i == 0 or not free[i - 1])]
    return [(start, free.index(False, start)) for start in starts]


def brute(library, window, stride=1, fps=None):
    """(clip, first frame, its features) of every window."""
    for name in sorted(library.names):
        clip = library[name]
        at = clip if fps in (None, clip.fps) else clip.resample(fps)
        for start, end in unmarked(at):
            features = plain(at, start, end, clip)
            for first in range(start, end - window + 1, stride):
                yield name, first, {key: each[first - start : first - start + window] for key, each in features.items()}


def quiet(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return marey.dataset(*args, **options)


def tables(folder):
    return sorted(glob.glob(f"{folder}/*.frames-*"))


def rest(folder):
    """Hidden files, as of what was not finished."""
    return [name for name in os.listdir(folder) if name.startswith(".") or name.endswith(".part")]


def dropped(clip, path, start, end):
    """Written and read with the root at 0 0 0 in some frames, as where tracking was lost."""
    clip.save(path)
    lines = Path(path).read_text().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for i in range(first + start, first + end):
        lines[i] = " ".join(["0", "0", "0"] + lines[i].split()[3:])
    Path(path).write_text("\n".join(lines) + "\n")
    return marey.load(path)


def renamed(clip, prefix, count=None):
    """The same motion on a skeleton with other names, which hide no roles."""
    old = clip.skeleton
    skeleton = marey.Skeleton([prefix + name for name in old.names], old.parents, old.offsets, old.ends, old.roles)
    return marey.Clip(rotations=clip.rotations[:count], skeleton=skeleton, root=clip.root[:count], fps=clip.fps, name=prefix)


class SmallCase(DemoCase):
    """A library of a few short clips: subjects 1 and 2, and two clips of others."""

    def setUp(self):
        super().setUp()
        self.full, self.path = self.library, self.folder / "moves.marey"
        self.library = marey.open(self.path, "create")
        self.addCleanup(self.library.close)
        for name, source, start, end, labels in (
            ("1_01", "walk_slow", 0, 150, ["walk"]), ("1_02", "cartwheels", 100, 220, ["cartwheel"]),
            ("2_01", "kicks", 300, 420, ["kick"]), ("2_02", "turns", 0, 90, ["turn", "walk"]),
            ("run", "run_curve", 0, 100, ["run"]), ("idle", "idles", 5, 80, []),
        ):
            self.library.put(self.full[source][start:end], name, labels=labels)


class Rows(SmallCase):
    def check(self, data, library, window, stride=1, fps=None):
        wanted = list(brute(library, window, stride, fps))
        self.assertEqual(len(data), len(wanted))
        for number, (name, first, features) in enumerate(wanted):
            found = data.as_dict(data[number])
            self.assertEqual(found.keys(), data.columns.keys())
            for key, array in found.items():
                array = array.astype(np.float64)
                if key == "quaternions":
                    self.assertGreaterEqual(array[..., 0].min(), 0)
                    array = matrices_of(array)
                self.assertEqual(array.shape, features[key].shape, key)
                # Rotations are floats, and in a cartwheel little is left of the line that says where a body faces.
                close = {"root_velocity": 0.02, "velocities": 1e-2, "world_velocities": 0, "contacts": 0}.get(key, 1e-3)
                self.assertLessEqual(abs(array - features[key]).max(), close, (name, first, key))
            self.assertEqual(data.info(number).clip, name)
        return wanted

    def test_rows_are_those_of_plain_numpy(self):
        data = quiet(self.path, 20, stride=7, features=every)
        self.check(data, self.library, 20, 7)
        self.assertEqual(data.fps, 60)

    def test_rows_of_another_rate(self):
        for fps in (30, 75):
            data = quiet(self.path, 16, stride=5, fps=fps, features=every)
            self.check(data, self.library, 16, 5, fps)

    def test_windows_hold_no_marked_frames(self):
        clip = dropped(self.full["walk_fast"][:120], self.folder / "lost.bvh", 40, 47)
        self.assertTrue(any(mark.kind == "dropout" for mark in clip.marks), clip.marks)
        self.library.put(clip, "3_01")
        for fps in (60, 30):
            data = quiet(self.library, 10, stride=3, fps=fps, features=every)
            self.check(data, self.library, 10, 3, fps)
        self.library.set("1_01", mark="100-101")
        self.check(quiet(self.library, 10, stride=3, features=every), self.library, 10, 3)
        data = quiet(self.library, 10, stride=3, fps=30)
        starts = {data.info(i).start for i in range(len(data)) if data.info(i).clip == "3_01"}
        self.assertTrue(starts and all(start + 20 <= 40 or start >= 47 for start in starts), starts)

    def test_rows_of_real_motion(self):
        folder = mocap()
        if folder is None:
            self.skipTest("there is no real motion")
        for number, path in enumerate(sorted((folder / "cmu").glob("*.bvh"))[::12]):
            clip = marey.load(path)
            self.library.put(clip[: min(len(clip), 150)], f"cmu{number}_{number:02d}")
        with self.assertWarns(marey.MareyWarning):
            data = marey.dataset(self.library, 12, stride=11, features=every)
        kept = {data.info(i).clip for i in range(len(data))}
        self.assertTrue(kept and all(name.startswith("cmu") for name in kept), kept)
        for name in set(self.library.names) - kept:
            self.library.rm([name])
        self.check(quiet(self.library, 12, stride=11, features=every), self.library, 12, 11)

    def test_the_path_is_the_sum_of_the_velocity(self):
        data = quiet(self.path, 90, features="root_velocity|path|heading", clips=["run"])
        parts = data.as_dict(data[0].astype(np.float64))
        where, facing = parts["path"][0].copy(), np.arctan2(*parts["heading"][0])
        for frame in range(1, 90):
            x, z, turn = parts["root_velocity"][frame] / data.fps
            where += [np.cos(facing) * x + np.sin(facing) * z, -np.sin(facing) * x + np.cos(facing) * z]
            facing += turn
            np.testing.assert_allclose(where, parts["path"][frame], atol=1e-2)
        self.assertLess(abs(np.exp(1j * facing) - np.exp(1j * np.arctan2(*parts["heading"][-1]))), 1e-4)

    def test_the_ground_forgets_where_a_body_is_and_faces(self):
        clip = self.library["2_01"]
        turn = np.array([np.cos(0.7), 0, np.sin(0.7), 0])
        turns = clip.rotations.astype(np.float64)
        w, x, y, z = np.moveaxis(turns[:, 0], -1, 0)
        c, s = turn[0], turn[2]
        turns[:, 0] = np.stack([c * w - s * y, c * x + s * z, c * y + s * w, c * z - s * x], -1)
        matrix = matrices_of(turn)
        other = marey.Clip(rotations=turns, skeleton=clip, root=clip.root @ matrix.T + [500, 0, -300], fps=clip.fps)
        library = marey.open(self.folder / "turned.marey", "create")
        library.put(other, "2_01")
        local = "positions|velocities|rot6d|root_velocity|root_height"
        here = quiet(self.path, 100, features=local, clips=["2_01"])
        there = quiet(library, 100, features=local)
        self.assertLess(abs(here[0] - there[0]).max(), 0.05)

    def test_rows_do_not_depend_on_how_many_are_made_at_once(self):
        sets = []
        for block in (1, 2, 7, 128, 1000):
            with mock.patch.object(_frames, "_BLOCK", block):
                sets.append(np.array(quiet(self.path, 30, features=every, rebuild=True)._table.rows))
        for other in sets[1:]:
            np.testing.assert_array_equal(sets[0], other)

    def test_a_joint_is_named_or_a_role(self):
        clip, some = self.library["run"], ["left_wrist", self.library["run"].joints[3]]
        data = quiet(self.path, 10, features="positions|quaternions", joints=some)
        self.assertEqual(data.joints, (clip.joints[clip.roles["left_wrist"]], clip.joints[3]))
        full = quiet(self.path, 10, features="positions|quaternions")
        numbers = [clip.skeleton.index(each) for each in some]
        for i in (0, len(data) - 1):
            part, whole = data.as_dict(data[i]), full.as_dict(full[i])
            for name in part:
                np.testing.assert_array_equal(part[name], whole[name][:, numbers])
        with self.assertRaisesRegex(ValueError, "no joint tail"):
            marey.dataset(self.path, joints=["tail"])

    def test_functions_are_features(self):
        def speed(clip):
            return np.linalg.norm(clip.velocities, axis=-1).mean(axis=1)

        def pair(clip):
            return clip.root[:, ::2]

        data = quiet(self.path, 20, stride=20, fps=30, features=["root_height", speed, ("place", pair), "contacts"])
        self.assertEqual(data.columns, {"root_height": slice(0, 1), "speed": slice(1, 2), "place": slice(2, 4), "contacts": slice(4, 10)})
        for i in range(len(data)):
            parts, info = data.as_dict(data[i]), data.info(i)
            clip, first = self.library[info.clip].resample(30), info.start // 2
            np.testing.assert_allclose(parts["speed"][:, 0], speed(clip)[first : first + 20], rtol=1e-6)
            np.testing.assert_allclose(parts["place"], pair(clip)[first : first + 20], rtol=1e-6)

    def test_what_a_function_returns_is_looked_at(self):
        for wrong, said in (
            (lambda clip: np.zeros(3), "rows, one for each frame"), (lambda clip: np.full(len(clip), np.nan), "finite"),
            (lambda clip: np.full(len(clip), 1e300), "finite"), (lambda clip: 3.0, "one number"),
            (lambda clip: np.zeros((len(clip), len(clip))), "numbers a frame as other clips"),
            (lambda clip: np.zeros((len(clip), 0)), "rows"),
        ):
            with self.assertRaisesRegex(ValueError, said), np.errstate(over="ignore"):
                marey.dataset(self.path, features=[("wrong", wrong)])
        with self.assertRaises(ZeroDivisionError):
            marey.dataset(self.path, features=[("wrong", lambda clip: 1 / 0)])
        self.assertEqual((tables(self.folder), rest(self.folder)), ([], []))

    def test_a_changed_function_is_called_again(self):
        def times(factor):
            return lambda clip: np.full(len(clip), factor)

        def itself(clip, deeper=True):
            return itself(clip, False) + 1 if deeper else np.zeros(len(clip))

        for factor in (2, 3, 2.5):
            self.assertEqual(quiet(self.path, features=[("same", times(factor))])[0][0, 0], factor)
        for _ in range(2):
            self.assertEqual(quiet(self.path, features=[itself])[0][0, 0], 1)
        self.assertEqual(len(tables(self.folder)), 4)


class Windows(SmallCase):
    def test_an_address_gives_the_part(self):
        for fps in (60, 30, 45):
            data = quiet(self.path, 20, fps=fps)
            for i in (0, len(data) // 2, len(data) - 1):
                info = data.info(i)
                part = self.library[info.address]
                self.assertEqual(len(part), info.end - info.start)
                self.assertEqual(info.address, f"{info.clip}#{info.start}-{info.end}")
                wanted = plain(part)["positions"]
                np.testing.assert_allclose(data.as_dict(data[i])["positions"][0], wanted[0], atol=1.5 if fps == 45 else 1e-3)
                self.assertLess(abs(len(part) / 60 - 20 / fps), 2 / fps)
        self.assertEqual(data.info(-1), data.info(len(data) - 1))
        with self.assertRaises(IndexError):
            data.info(len(data))

    def test_info_says_who_and_what(self):
        data = quiet(self.path)
        found = {data.info(i).clip: data.info(i) for i in range(len(data))}
        self.assertEqual({name: info.subject for name, info in found.items()},
                         {"1_01": "1", "1_02": "1", "2_01": "2", "2_02": "2", "run": "run", "idle": "idle"})
        self.assertEqual(found["2_02"].labels, ("turn", "walk"))

    def test_labels_of_frames(self):
        self.library.label("run#10-20", add="hop")
        data = quiet(self.path, 8, clips=["run"])
        for i in range(len(data)):
            info = data.info(i)
            self.assertEqual("hop" in info.labels, info.start < 20 and info.end > 10, info)

    def test_indices(self):
        data = quiet(self.path, 12, stride=3)
        np.testing.assert_array_equal(data[-1], data[len(data) - 1])
        np.testing.assert_array_equal(data[np.int64(4)], data[4])
        np.testing.assert_array_equal(data[[4, 0, -1]], [data[4], data[0], data[-1]])
        np.testing.assert_array_equal(data[3:9:2], [data[3], data[5], data[7]])
        np.testing.assert_array_equal(data[np.arange(len(data)) == 5], [data[5]])
        self.assertEqual(data[[]].shape, (0, 12, data[0].shape[1]))
        self.assertEqual(sum(1 for _ in data), len(data))
        for wrong in (len(data), -len(data) - 1, [0, len(data)]):
            with self.assertRaises(IndexError):
                data[wrong]
        for wrong in ((0, 1), "0", 1.5, True, [[0, 1], [2, 3]], [0.5]):
            with self.assertRaises((TypeError, IndexError)):
                data[wrong]

    def test_one_window_is_a_view_and_several_are_a_copy(self):
        data = quiet(self.path)
        self.assertTrue(np.shares_memory(data[0], data[1]))
        self.assertFalse(data[0].flags.writeable)
        with self.assertRaises(ValueError):
            data[0][0] = 1
        with self.assertRaises(ValueError):
            data[0].setflags(write=True)
        with self.assertRaises(ValueError):
            data[0].base.setflags(write=True)
        copy = data[[0]]
        copy[:] = 0
        self.assertNotEqual(float(abs(data[0]).sum()), 0)

    def test_views_outlive_everything(self):
        data = quiet(self.library)
        views, sums = [data[i] for i in (0, 5, len(data) - 1)], []
        sums = [float(each.sum()) for each in views]
        self.library.close()
        os.unlink(tables(self.folder)[0])
        del data
        gc.collect()
        quiet(self.path, rebuild=True)
        self.assertEqual([float(each.sum()) for each in views], sums)

    def test_batches(self):
        data = quiet(self.path, 12, stride=2)
        whole = data[:]
        found = list(data.batches(50))
        self.assertTrue(all(each.dtype == np.float32 and each.flags.c_contiguous for each in found))
        self.assertEqual([len(each) for each in found], [50] * (len(data) // 50) + [len(data) % 50])
        np.testing.assert_array_equal(np.concatenate(found), whole)
        self.assertEqual({len(each) for each in data.batches(50, drop_last=True)}, {50})
        shuffled = np.concatenate(list(data.batches(50, shuffle=True, seed=3)))
        self.assertFalse(np.array_equal(shuffled, whole))
        self.assertEqual(sorted(each.tobytes() for each in shuffled), sorted(each.tobytes() for each in whole))
        np.testing.assert_array_equal(shuffled, np.concatenate(list(data.batches(7, shuffle=True, seed=3))))
        self.assertFalse(np.array_equal(shuffled, np.concatenate(list(data.batches(50, shuffle=True, seed=4)))))
        parts = next(data.batches(5, as_dict=True))
        self.assertEqual(parts["positions"].shape, (5, 12, 21, 3))
        np.testing.assert_array_equal(parts["contacts"], whole[:5, :, data.columns["contacts"]])
        for wrong in (0, -1, 2.5, True):
            with self.assertRaises(ValueError):
                data.batches(wrong)
        with self.assertRaises(ValueError):
            data.as_dict(np.zeros(3))

    def test_orders_are_the_same_everywhere(self):
        """Of one seed, whatever numpy's own generators do."""
        from marey.dataset import _shuffled

        self.assertEqual(_shuffled(12, 0).tolist(), ORDER_0)
        self.assertEqual(_shuffled(12, 1).tolist(), ORDER_1)
        places = np.stack([_shuffled(20, seed) for seed in range(4000)])
        for place in (0, 7, 19):  # each number is about as often at each place: 200 times, give or take 14
            self.assertLess(abs(np.bincount(places[:, place], minlength=20) - 200).max(), 70)

    def test_short_clips_are_left_out(self):
        self.library.put(self.full["hops"][:1], "one")
        with self.assertWarnsRegex(marey.MareyWarning, "1 of 7") as caught:
            data = marey.dataset(self.path, 2)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual([name for name, why in data.left_out], ["one"])
        data = marey.dataset(self.path, 1, features=every)
        one = [i for i in range(len(data)) if data.info(i).clip == "one"]
        self.assertEqual((len(one), data.left_out), (1, []))
        parts = data.as_dict(data[one[0]])
        self.assertFalse(parts["root_velocity"].any() or parts["velocities"].any())
        data = quiet(self.path, 10000)
        self.assertEqual((len(data), len(data.left_out), list(data.batches(3)), list(data)), (0, 7, [], []))
        self.assertEqual(data[[]].shape, (0, 10000, 21 * 9 + 6))
        self.assertEqual([len(part) for part in data.split()], [0, 0, 0])
        with self.assertRaises(ValueError):
            data.normalize()
        with self.assertRaises(IndexError):
            data[0]

    def test_an_empty_library(self):
        library = marey.open(self.folder / "empty.marey", "create")
        for joints in (None, "roles"):
            data = marey.dataset(library, features="positions|contacts", joints=joints)
            self.assertEqual((len(data), data.left_out, list(data.batches(4)), data.groups), (0, [], [], {}))
            self.assertEqual(data.columns["contacts"], slice(0, 6))
            self.assertIn("0 windows", repr(data))
            data.check()
            data.export_npz(self.folder / "empty.npz")
            with np.load(self.folder / "empty.npz") as file:
                self.assertEqual(len(file["frames"]), 0)
            self.assertEqual(len(pickle.loads(pickle.dumps(data))), 0)

    def test_every_number_is_finite(self):
        self.library.put(self.full["hops"][:1], "one")
        for name in self.full.names[::6]:
            self.library.put(self.full[name], f"whole_{name}")
        rows = quiet(self.path, 1, features=every)._table.rows
        self.assertTrue(np.isfinite(rows).all())
        for start in range(0, len(rows), 1000):
            self.assertTrue(np.isfinite(rows[start : start + 1000]).all())

    def test_what_is_wrong_is_said(self):
        for options, said in (
            ({"features": "positions|rotd6"}, "the nearest is rot6d"), ({"features": []}, "at least one"),
            ({"features": "rot6d|rot6d"}, "twice"), ({"features": [lambda clip: 0]}, "lambda gets one"),
            ({"features": [("positions", len)]}, "another name"), ({"window": 0}, "window must"),
            ({"window": 2.5}, "window must"), ({"stride": 0}, "stride must"), ({"fps": -1}, "fps must"),
            ({"fps": float("nan")}, "fps must"), ({"split_by": "subjekt"}, "split_by must"), ({"joints": "role"}, "joints must"),
            ({"joints": "roles"}, "rot6d needs one skeleton"), ({"clips": ["1_03"]}, "the nearest is 1_0"),
            ({"split_by": {"1_01": "a"}}, "no group for 1_02 and 4 more"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                marey.dataset(self.path, **options)
        for wrong in ({"features": [3]}, {"windows": 3}):
            with self.assertRaises(TypeError):
                marey.dataset(self.path, **wrong)
        for wrong in (lambda: marey.dataset(3), marey.Dataset):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(marey.InputError):
            marey.dataset(self.folder / "no.marey")
        for name in _frames.FEATURES:
            self.assertIn(f"{name}: ", marey.dataset.__doc__)

    def test_refused_memory_is_a_memory_error(self):
        data, refused, after, held = quiet(self.path, features=every), 0, 0, tables(self.folder)
        wanted = np.array(data._table.rows)
        marey.configure(threads=1)
        try:
            while True:
                lib.bridge_refuse(after)
                try:
                    again = quiet(self.library, features=every, rebuild=True)
                    passed = True
                except MemoryError:
                    passed = False
                    refused += 1
                finally:
                    lib.bridge_refuse(-1)
                self.assertEqual((tables(self.folder), rest(self.folder)), (held, []))
                if passed and after > 4000:
                    break
                after += 1 if after < 60 else max(1, after // 12)
        finally:
            marey.configure(threads=0)
        self.assertGreater(refused, 20)
        np.testing.assert_array_equal(again._table.rows, wanted)


class Bodies(SmallCase):
    def test_other_skeletons_are_left_out(self):
        self.library.put(renamed(self.full["walk_left"], "x:", 70), "other")
        with self.assertWarnsRegex(marey.MareyWarning, "1 of 7 clips are left out, other as its joints are"):
            data = marey.dataset(self.path)
        self.assertEqual([name for name, why in data.left_out], ["other"])
        self.assertNotIn("other", data.groups)

    def test_roles_take_all_bodies(self):
        clip = renamed(self.full["walk_left"], "x:", 70)
        self.library.put(clip, "other")
        data = marey.dataset(self.path, features="positions|contacts", joints="roles")
        self.assertEqual(data.left_out, [])
        other = next(i for i in range(len(data)) if data.info(i).clip == "other")
        kept = self.library["other"]
        numbers = [kept.roles[role] for role in data.joints]
        np.testing.assert_allclose(data.as_dict(data[other])["positions"], plain(kept)["positions"][:64, numbers], atol=1e-3)
        self.assertGreater(len(numbers), 14)

    def test_a_body_without_legs_has_no_roles(self):
        skeleton = marey.Skeleton(["a", "b"], [-1, 0], [[0, 0, 0], [0, 10, 0]])
        turns = np.zeros((80, 2, 4))
        turns[..., 0] = 1
        self.library.put(marey.Clip(rotations=turns, skeleton=skeleton, fps=60), "stick")
        with self.assertWarnsRegex(marey.MareyWarning, "stick as its body has no"):
            marey.dataset(self.path, features="positions", joints="roles")
        data = quiet(self.path, features="positions|heading", clips=["stick"])
        np.testing.assert_array_equal(data.as_dict(data[0])["heading"], np.tile([0, 1], (64, 1)))


class Splits(SmallCase):
    def many(self, order, path="many.marey"):
        library = marey.open(self.folder / path, "create")
        for number in order:
            library.put(self.full["walk_slow"][number : number + 66 + number % 5], f"{number // 4}_{number % 4:02d}")
        return quiet(library)

    def test_parts_are_whole_groups_of_about_these_shares(self):
        data = self.many(range(80))
        self.assertEqual(set(data.groups), {str(number) for number in range(20)})
        for seed in range(10):
            parts = data.split(seed=seed)
            names = [set(part.groups) for part in parts]
            self.assertEqual(set.union(*names), set(data.groups))
            self.assertEqual(sum(map(len, names)), 20)
            self.assertEqual(sum(map(len, parts)), len(data))
            for part, share in zip(parts, (0.8, 0.1, 0.1)):
                self.assertLess(abs(len(part) / len(data) - share), 0.06)
                self.assertEqual({part.info(i).subject for i in range(len(part))}, set(part.groups))
        self.assertEqual(len({tuple(data.split(seed=seed)[2].groups) for seed in range(10)} - {()}) > 3, True)

    def test_the_order_of_adding_does_not_matter(self):
        one, other = self.many(range(40)), self.many(reversed(range(40)), "other.marey")
        np.testing.assert_array_equal(one._table.rows, other._table.rows)
        for seed in (0, "x"):
            for a, b in zip(one.split(seed=seed), other.split(seed=seed)):
                self.assertEqual(a.groups, b.groups)
                np.testing.assert_array_equal(a[:], b[:])

    def test_seeds_mean_the_same_everywhere(self):
        self.assertEqual([sorted(part.groups) for part in quiet(self.path).split(seed=0)], SPLIT_0)

    def test_a_part_is_fixed(self):
        data = self.many(range(40))
        train, validation, test = data.split(seed=1, test=["3", "7"])
        self.assertEqual(set(test.groups), {"3", "7"})
        self.assertFalse({"3", "7"} & (set(train.groups) | set(validation.groups)))
        self.assertTrue(len(validation))
        train, test = data.split((0.5, 0.5), train="1")
        self.assertEqual(set(train.groups), {"1"})
        parts = data.split({"a": 1, "b": 1, "c": 1, "d": 0}, b=[2])
        self.assertEqual((len(parts), set(parts[1].groups), len(parts[3])), (4, {"2"}, 0))
        with self.assertRaisesRegex(ValueError, "no group 33"):
            data.split(test=["33"])
        with self.assertRaisesRegex(TypeError, "no part tests; the nearest is test"):
            data.split(tests=["3"])
        with self.assertRaisesRegex(ValueError, "in test and in train|in train and in test"):
            data.split(test=["3"], train=["3"])
        with self.assertRaisesRegex(ValueError, "none of them"):
            data.split((0.5, 0.5), train=["1"], test=["2"])
        for wrong in ((0.5,), (0, 0, 0), (1, -1, 1), (float("nan"), 1)):
            with self.assertRaises(ValueError):
                data.split(wrong)

    def test_every_part_gets_a_group(self):
        data = quiet(self.path)
        for seed in range(20):
            self.assertTrue(all(len(part) for part in data.split(seed=seed)))
        with self.assertRaisesRegex(ValueError, "2 groups are too few for train and validation and test"):
            quiet(self.path, clips=["1_01", "2_01"]).split()

    def test_groups_by_other_things(self):
        self.assertEqual(set(quiet(self.path, split_by="clip").groups), set(self.library.names))
        self.assertEqual(set(quiet(self.path, split_by="label").groups), {"turn, walk", "cartwheel", "kick", "run", "idle"})
        odd = quiet(self.path, split_by=lambda info: len(info.clip) % 2)
        self.assertEqual(set(odd.groups), {"0", "1"})
        given = quiet(self.path, split_by={name: name[0] for name in self.library.names})
        self.assertEqual(set(given.groups), {"1", "2", "r", "i"})
        self.assertEqual(sum(given.groups.values()), len(given))


class Normalized(SmallCase):
    def test_numbers_are_those_of_numpy(self):
        data = quiet(self.path, 30, stride=17)
        train, _, test = data.split(seed=2)
        frames = np.concatenate([each for each in {train.info(i).address: train[i] for i in range(len(train))}.values()])
        # Windows that overlap hold the same frames: each is counted once.
        rows = np.unique(np.concatenate([np.arange(start, start + 30) for start in train._starts]))
        frames = data._table.rows[rows].astype(np.float64)
        mean, std = frames.mean(axis=0), frames.std(axis=0)
        normal = train.normalize()
        np.testing.assert_allclose(normal.mean, mean, rtol=1e-5, atol=1e-5)
        moves = std > 1e-6 * np.maximum(1, abs(mean))
        self.assertTrue(moves.any() and not moves.all())
        np.testing.assert_allclose(normal.std[moves], std[moves], rtol=1e-4)
        np.testing.assert_array_equal(normal.std[~moves], 1)
        other = test.normalize(train)
        np.testing.assert_array_equal(other.mean, normal.mean)
        np.testing.assert_array_equal(test.normalize(normal).std, normal.std)
        np.testing.assert_allclose(other[0], (test[0] - normal.mean) / normal.std, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(other.restore(other[0]), test[0], atol=1e-3)
        np.testing.assert_array_equal(other[[0, 1]], [other[0], other[1]])
        np.testing.assert_array_equal(next(other.batches(3)), other[:3])
        self.assertEqual(other[0].dtype, np.float32)
        self.assertTrue(np.isfinite(normal[:]).all())
        np.testing.assert_array_equal(train.restore(train[0]), train[0])

    def test_columns_must_be_the_same(self):
        with self.assertRaises(marey.ShapeError):
            quiet(self.path).normalize(quiet(self.path, features="positions"))


class Files(SmallCase):
    def build(self, **options):
        return quiet(self.path, 20, features="positions|contacts", **options)

    def test_the_file_is_found_again(self):
        self.build()
        (path,) = tables(self.folder)
        self.assertTrue(os.path.basename(path).startswith("moves.marey.frames-"))
        inode = os.stat(path).st_ino
        self.build()
        quiet(self.library, 33, stride=4, features="positions|contacts", split_by="clip")
        self.assertEqual((tables(self.folder), os.stat(path).st_ino, rest(self.folder)), ([path], inode, []))
        self.build(rebuild=True)
        self.assertNotEqual(os.stat(path).st_ino, inode)
        self.build(fps=30)
        self.assertEqual(len(tables(self.folder)), 2)

    def test_what_is_saved_in_the_library_does_not_count(self):
        self.build()
        (path,) = tables(self.folder)
        written = os.stat(path).st_mtime_ns
        self.library.graph_build("saved", ["1_01", "run"], threshold=200)
        self.library["run"].strip()
        self.build()
        self.assertEqual((tables(self.folder), os.stat(path).st_mtime_ns), ([path], written))

    def test_a_changed_library_makes_it_new(self):
        old = self.build()
        was = old[:].copy()
        self.library.put(self.full["hops"][:30], "new")
        self.assertIn("new", self.build().groups)
        self.library.rm(["new"])
        self.assertNotIn("new", self.build().groups)
        self.assertEqual(len(tables(self.folder)), 1)
        self.library.rename("run", "sprint")
        new = self.build()
        self.assertEqual(("run" in old.groups, "sprint" in new.groups, "run" in new.groups), (True, True, False))
        np.testing.assert_array_equal(old[:], was)
        self.library.label("idle", add="rest")
        new = self.build()
        self.assertIn(("rest",), {new.info(i).labels for i in range(len(new))})

    def test_bytes_do_not_depend_on_threads(self):
        found = set()
        for count in (1, 2, 3, 8):
            marey.configure(threads=count)
            try:
                self.build(rebuild=True)
            finally:
                marey.configure(threads=0)
            found.add(Path(tables(self.folder)[0]).read_bytes())
        self.assertEqual(len(found), 1)

    def test_damage_is_found_and_mended(self):
        wanted = self.build()[:]
        (path,) = tables(self.folder)
        sound = Path(path).read_bytes()
        for at in (0, 17, 30, 55, 63, 4096, 5000, len(sound) // 2, len(sound) - 300, len(sound) - 1):
            damaged = bytearray(sound)
            damaged[at] ^= 4
            # In place of the old one, as what is mapped must not change.
            Path(path + ".new").write_bytes(damaged)
            os.replace(path + ".new", path)
            np.testing.assert_array_equal(self.build()[:], wanted)
            self.assertEqual(Path(path).read_bytes(), sound, at)
        for size in (0, 10, 100, 4096, len(sound) - 1):
            Path(path + ".new").write_bytes(sound[:size])
            os.replace(path + ".new", path)
            np.testing.assert_array_equal(self.build()[:], wanted)
            self.assertEqual(Path(path).read_bytes(), sound, size)

    def test_check_finds_damage(self):
        data = self.build()
        data.check()
        (path,) = tables(self.folder)
        damaged = bytearray(Path(path).read_bytes())
        damaged[4096 + 4 * 69 * 200] ^= 1
        Path(path + ".new").write_bytes(damaged)
        os.replace(path + ".new", path)
        with self.assertRaisesRegex(marey.DamagedError, "frames of 1_0"):
            self.build(verify=False).check()
        data.check()

    def test_a_library_that_is_not_written_to(self):
        cache = self.folder / "cache"
        create = _frames._File.__init__

        def refuse(own, path):
            if os.path.dirname(path) == str(self.folder):
                raise PermissionError(errno.EACCES, "no", path)
            create(own, path)

        with mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(cache)}), mock.patch.object(_frames._File, "__init__", refuse):
            data = quiet(marey.open(self.path, "read"), 20)
            self.assertEqual((tables(self.folder), len(tables(cache / "marey"))), ([], 1))
            inode = os.stat(tables(cache / "marey")[0]).st_ino
            np.testing.assert_array_equal(quiet(self.path, 20)[:], data[:])
            self.assertEqual(os.stat(tables(cache / "marey")[0]).st_ino, inode)
            with mock.patch.object(_frames._File, "__init__", side_effect=PermissionError(errno.EROFS, "no")):
                with self.assertRaisesRegex(marey.MachineError, "neither beside"):
                    quiet(self.path, 21, fps=20)

    def test_a_full_disk_is_said_and_leaves_nothing(self):
        def full(*args):
            raise OSError(errno.ENOSPC, "No space left on device")

        for count in (1, 3):
            marey.configure(threads=count)
            try:
                with mock.patch("os.pwrite", full), self.assertRaisesRegex(marey.MachineError, "disk is full: 6"):
                    self.build()
            finally:
                marey.configure(threads=0)
            self.assertEqual((tables(self.folder), rest(self.folder)), ([], []))
        self.run_apart("""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
try:
    marey.dataset(sys.argv[1])
except marey.MachineError as error:
    assert "disk is full" in str(error), error
else:
    raise AssertionError
""")
        self.assertEqual((tables(self.folder), rest(self.folder)), ([], []))

    def test_no_file_without_a_name(self):
        """On file systems that cannot do that."""
        open_file = os.open

        def refuse(path, flags, *args, **options):
            if flags & os.O_TMPFILE == os.O_TMPFILE:
                raise OSError(errno.EOPNOTSUPP, "no")
            return open_file(path, flags, *args, **options)

        wanted = self.build()[:]
        with mock.patch("os.open", refuse):
            np.testing.assert_array_equal(self.build(rebuild=True)[:], wanted)
            with mock.patch("os.pwrite", side_effect=OSError(errno.ENOSPC, "full")), self.assertRaises(marey.MachineError):
                self.build(rebuild=True)
        self.assertEqual((len(tables(self.folder)), rest(self.folder)), (1, []))
        self.assertEqual(os.stat(tables(self.folder)[0]).st_mode & 0o777, 0o666 & ~current_umask())

    def run_apart(self, code, status=0):
        code = "import marey, os, signal, sys, warnings\nwarnings.simplefilter('ignore')\n" + code
        done = subprocess.run([sys.executable, "-c", code, str(self.path)], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def test_a_kill_leaves_nothing(self):
        self.run_apart("""
count = [0]
def last(clip):
    count[0] += 1
    if count[0] == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return clip.root
marey.dataset(sys.argv[1], features=["positions", last])
""", -signal.SIGKILL)
        self.assertEqual((tables(self.folder), rest(self.folder)), ([], []))

    def test_two_processes_at_once(self):
        code = "import marey, sys, warnings; warnings.simplefilter('ignore'); d = marey.dataset(sys.argv[1], rebuild=True); d.check(); print(len(d), float(d[7].sum()))"
        running = [
            subprocess.Popen([sys.executable, "-c", code, self.path], stdout=subprocess.PIPE, text=True) for _ in range(4)
        ]
        said = {each.communicate()[0] for each in running}
        self.assertEqual([each.returncode for each in running], [0] * 4)
        self.assertEqual(len(said), 1)
        self.assertEqual((len(tables(self.folder)), rest(self.folder)), (1, []))

    def test_threads_at_once(self):
        found, failed = [], []

        def work():
            try:
                found.append(float(self.build(rebuild=True)[:].sum()))
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((failed, len(set(found)), rest(self.folder)), ([], 1, []))

    def test_a_library_that_changes_meanwhile(self):
        changed = []

        def change(clip):
            if not changed:
                changed.append(self.library.rename("run", "sprint"))
            return clip.root

        data = quiet(self.library, features=[change])
        self.assertIn("sprint", data.groups)
        self.assertNotIn("run", data.groups)

        def always(clip):
            changed.append(self.library.label("idle", add=f"label{len(changed)}"))
            return clip.root

        with self.assertRaises(marey.BusyError):
            quiet(self.library, features=[always])

    def test_progress_is_told_and_can_stop_the_work(self):
        class Enough(Exception):
            pass

        def stop(text, done, total):
            raise Enough

        for count in (1, 2):
            told = []
            marey.configure(progress=lambda *each: told.append(each), threads=count)
            try:
                self.build(rebuild=True)
                self.assertTrue(told and all(0 <= done < total == 6 for _, done, total in told), told)
                marey.configure(progress=stop)
                with self.assertRaises(Enough):
                    self.build(rebuild=True)
            finally:
                marey.configure(progress=False, threads=0)
            self.assertEqual(rest(self.folder), [])

    def test_ctrl_c_ends_the_work(self):
        for threads in (1, 2):
            said = self.run_apart(f"""
marey.configure(threads={threads}, progress=lambda *each: os.kill(os.getpid(), signal.SIGINT))
try:
    marey.dataset(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
marey.configure(progress=False)
print(len(marey.dataset(sys.argv[1])))
""")
            self.assertEqual(said.split(), ["interrupted", str(len(quiet(self.path)))])
            os.unlink(tables(self.folder)[0])

    def test_npz(self):
        data = quiet(self.path, 20, stride=13)
        for part in (data, data.split(seed=1)[2], data.split(seed=1)[0].normalize()):
            path = self.folder / "moves.npz"
            part.export_npz(path)
            with np.load(path) as file:
                self.assertEqual(int(file["window"]), 20)
                self.assertEqual(file["names"].tolist(), data.names)
                self.assertEqual((len(file["starts"]), "mean" in file), (len(part), part.mean is not None))
                frames = file["frames"]
                for i in range(len(part)):
                    start, info = int(file["starts"][i]), part.info(i)
                    np.testing.assert_allclose(frames[start : start + 20], part[i], rtol=1e-6, atol=1e-6)
                    self.assertEqual((str(file["clips"][file["clip"][i]]), int(file["first"][i])), (info.clip, info.start))
                held = {(info.clip, frame) for info in map(part.info, range(len(part))) for frame in range(info.start, info.end)}
                self.assertEqual(len(frames), len(held))
            first = path.read_bytes()
            part.export_npz(path)
            self.assertEqual((path.read_bytes(), rest(self.folder)), (first, []))
        self.assertEqual(data.names[:3], ["positions.Hips.x", "positions.Hips.y", "positions.Hips.z"])
        with self.assertRaises(marey.MachineError):
            data.export_npz(self.folder / "no" / "moves.npz")

    def test_memory_stays_small(self):
        """In a process of its own: what it takes beside the mapped file is that of a clip or two, not of all frames."""
        if sanitized:
            self.skipTest("a sanitizer keeps memory that was freed")
        for number in range(40):
            self.library.put(self.full["reach_right"], f"big{number}_{number:02d}")
        said = self.run_apart("""
def held():
    return int(open("/proc/self/status").read().split("RssAnon:")[1].split()[0])
marey.dataset(sys.argv[1], clips=["idle"])
before = held()
data = marey.dataset(sys.argv[1])
after = held()
for start in range(0, len(data), 97):
    data[start].sum()
for batch in data.batches(64, shuffle=True, seed=1):
    pass
print(before, after, held(), data._table.rows.nbytes // 1024)
""")
        before, after, end, size = map(int, said.split())
        self.assertGreater(size, 100000)
        self.assertLess(max(after, end) - before, 60000)


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


# ---- other processes --------------------------------------------------------------------------


def sum_of(given):
    data, numbers = given
    return [float(data[number].sum()) for number in numbers], [data.info(number) for number in numbers]


class Processes(SmallCase):
    def test_a_pickle_is_small_and_the_same(self):
        train = quiet(self.path, 20, split_by=lambda info: info.clip).split(seed=0)[0].normalize()
        text = pickle.dumps(train)
        self.assertLess(len(text), 12 * len(train) + 5000)
        again = pickle.loads(text)
        np.testing.assert_array_equal(again[:], train[:])
        self.assertEqual((again.groups, again.info(3), again.columns), (train.groups, train.info(3), train.columns))

    def test_a_pickle_of_what_is_gone(self):
        text = pickle.dumps(quiet(self.path))
        self.library.rename("run", "sprint")
        quiet(self.path)
        with self.assertRaisesRegex(marey.StaleError, "changed"):
            pickle.loads(text)
        os.unlink(tables(self.folder)[0])
        with self.assertRaisesRegex(marey.StaleError, "gone"):
            pickle.loads(text)

    def test_fork_and_spawn(self):
        data = quiet(self.library).split(seed=0)[0].normalize()
        jobs = [(data, [0, 5]), (data, [len(data) - 1, 3])]
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(sum_of, jobs), [sum_of(job) for job in jobs])

    def test_what_a_loader_asks_for(self):
        data = quiet(self.path)
        found = data.__getitems__([4, 1])
        self.assertEqual((type(found), len(found)), (list, 2))
        np.testing.assert_array_equal(found[1], data[1])
        self.assertTrue(found[0].flags.writeable)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        data = quiet(self.path)
        for workers, method in ((0, None), (2, "fork"), (2, "spawn")):
            loader = torch.utils.data.DataLoader(data, batch_size=16, num_workers=workers, multiprocessing_context=method)
            found = torch.cat(list(loader))
            np.testing.assert_array_equal(found.numpy(), data[:])
        self.assertEqual(data.as_dict(found)["positions"].shape, (len(data), 64, 21, 3))


ORDER_0 = [4, 3, 8, 7, 10, 11, 0, 1, 2, 6, 9, 5]
ORDER_1 = [0, 5, 1, 6, 7, 8, 10, 4, 9, 2, 11, 3]
SPLIT_0 = [["1", "2"], ["idle"], ["run"]]


if __name__ == "__main__":
    unittest.main()
