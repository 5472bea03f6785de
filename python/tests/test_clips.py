"""Clips as arrays: what they say, how long they live, and the way back from arrays."""
import gc
import pickle
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import marey
from marey.rotations import euler_of, matrices_of, quaternions_of_6d, quaternions_of_euler, quaternions_of_matrices

from support import DemoCase, demo, mocap


def positions_of(clip):
    """The textbook: down the tree, joint by joint, in double."""
    turns, tracks = matrices_of(clip.rotations.astype(np.float64)), clip.places
    out, world = np.zeros((len(clip), len(clip.skeleton), 3)), {}
    for joint, parent in enumerate(clip.parents):
        offset = tracks[joint] if joint in tracks else np.broadcast_to(clip.skeleton.offsets[joint], (len(clip), 3))
        if parent < 0:
            out[:, joint], world[joint] = offset, turns[:, joint]
        else:
            out[:, joint] = out[:, parent] + np.einsum("fij,fj->fi", world[parent], offset)
            world[joint] = world[parent] @ turns[:, joint]
    return out


class Arrays(DemoCase):
    def test_positions_are_those_of_the_tree(self):
        for name in ("walk_slow", "kicks", "cartwheels"):
            clip = self.library[name]
            self.assertLess(abs(positions_of(clip) - clip.positions).max(), 1e-3)
            self.assertEqual(clip.positions.dtype, np.float32)

    def test_real_clips_come_back_from_arrays(self):
        folder = mocap()
        if folder is None:
            self.skipTest("there is no real motion")
        files = sorted(folder.rglob("*.bvh"))[::40]
        for path in files:
            try:
                clip = marey.load(path)
            except marey.Error:
                continue
            clip = clip[: min(len(clip), 300)]
            again = marey.Clip(rotations=clip.rotations, skeleton=clip, places=clip.places, fps=clip.fps)
            self.assertLess(abs(again.positions - clip.positions).max(), 1e-3, path)
            self.assertEqual(again.roles, clip.roles, path)

    def test_every_kind_of_rotation_comes_back(self):
        clip = self.library["cartwheels"]
        for order in ("XYZ", "ZYX", "YXZ", "ZXY", "XZY", "YZX"):
            again = quaternions_of_euler(clip.euler(order), order)
            self.assertLess(abs(matrices_of(again) - matrices_of(clip.rotations)).max(), 1e-4, order)
        self.assertLess(abs(matrices_of(quaternions_of_6d(clip.rotations_6d)) - clip.matrices).max(), 1e-5)
        self.assertLess(abs(matrices_of(quaternions_of_matrices(clip.matrices)) - clip.matrices).max(), 1e-5)
        locked = quaternions_of_euler([[10, 90, 20], [10, -90, 20]], "ZYX")
        self.assertLess(abs(matrices_of(quaternions_of_euler(euler_of(locked, "ZYX"), "ZYX")) - matrices_of(locked)).max(), 1e-6)
        for kind in (clip.rotations, clip.rotations_6d, clip.matrices):
            again = marey.Clip(rotations=kind, skeleton=clip, root=clip.root, fps=clip.fps, name="again")
            self.assertLess(abs(again.positions - clip.positions).max(), 1e-2)

    def test_joints_may_stand_in_any_order(self):
        skeleton = marey.Skeleton(["Hips", "L", "R", "L2"], [-1, 0, 0, 1], [[0, 0, 0], [1, 0, 0], [-1, 0, 0], [1, 0, 0]])
        turns = np.zeros((5, 4, 4))
        turns[..., 0] = 1
        clip = marey.Clip(rotations=turns, skeleton=skeleton, root=np.zeros((5, 3)))
        self.assertEqual(clip.joints, ("Hips", "L", "L2", "R"))
        np.testing.assert_allclose(clip.positions[0], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [-1, 0, 0]])

    def test_what_is_wrong_is_said(self):
        clip = self.library["walk_slow"]
        with self.assertRaisesRegex(ValueError, "21 x 4"):
            marey.Clip(rotations=clip.rotations[:, :5], skeleton=clip)
        with self.assertRaisesRegex(marey.RequestError, "frame 0, joint 0"):
            marey.Clip(rotations=np.full_like(clip.rotations, np.nan), skeleton=clip)
        with self.assertRaisesRegex(marey.RequestError, "circle"):
            marey.Clip(rotations=clip.rotations[:, :2], skeleton=marey.Skeleton("ab", [1, 0], np.zeros((2, 3))))
        with self.assertRaises(marey.Error):
            marey.Clip(rotations=clip.rotations, skeleton=clip, fps=-1)
        with self.assertRaises(marey.InputError) as caught:
            broken = self.folder / "broken.bvh"
            broken.write_text("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 zero\n")
            marey.load(broken)
        self.assertEqual((caught.exception.path, caught.exception.line), (str(broken), 4))
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))

    def test_clips_go_through_a_pickle(self):
        self.library.set("kicks", mark="0-12")
        made = self.library.blend([("walk_slow", 133, 373), ("walk_fast", 119, 359)], weights=[1, 1])
        for clip in (self.library["kicks"], self.library["small_play"][100:200], made, self.library["kicks"].mirror()):
            again = pickle.loads(pickle.dumps(clip))
            self.assertIs(type(again), type(clip))
            np.testing.assert_array_equal(again.rotations, clip.rotations)
            np.testing.assert_array_equal(again.positions, clip.positions)
            np.testing.assert_array_equal(again.contacts, clip.contacts)
            for about in ("name", "fps", "skeleton", "roles", "marks", "units", "labels", "description", "licence", "provenance"):
                self.assertEqual(getattr(again, about), getattr(clip, about), about)
            self.library.put(again, "again")
        self.assertEqual(again.warnings, clip.warnings)
        self.assertEqual(pickle.loads(pickle.dumps(made)).weights, [0.5, 0.5])
        self.assertEqual(len(pickle.loads(pickle.dumps(self.library["kicks"])).marks), 1)

    def test_slices(self):
        clip = self.library["walk_slow"]
        np.testing.assert_array_equal(clip[100:200].positions, clip.positions[100:200])
        self.assertEqual(len(clip[-10:]), 10)
        self.assertEqual(len(clip[5]), 1)
        inside = [c for c in clip.contacts if c.start < 200 and c.end > 100]
        self.assertEqual(len(clip[100:200].contacts), len(inside))
        for bad in (slice(10, 10), slice(5000, 6000)):
            with self.assertRaises(IndexError):
                clip[bad]
        with self.assertRaises(IndexError):
            clip[len(clip)]
        with self.assertRaises(ValueError):
            clip[::2]

    def test_edits(self):
        clip = self.library["walk_slow"]
        half = clip.resample(30)
        np.testing.assert_allclose(half.positions[10], clip.positions[20], atol=1e-3)
        np.testing.assert_allclose(clip.mirror().mirror().positions, clip.positions, atol=1e-2)
        np.testing.assert_allclose(clip.scale(2).positions, 2 * clip.positions, atol=1e-2)
        self.assertLess(np.ptp(clip.in_place().path, axis=0).max(), 1e-3)

    def test_velocities(self):
        clip = self.library["run_straight"]
        steps = np.diff(clip.positions, axis=0) * clip.fps
        inner = (steps[1:] + steps[:-1]) / 2
        self.assertLess(abs(clip.velocities[1:-1] - inner).max(), 0.5)

    def test_contact_flags(self):
        clip = self.library["walk_slow"]
        flags = clip.contact_flags
        self.assertEqual(flags.shape, (len(clip), 6))
        self.assertEqual(int(flags.sum()), sum(end - start for _, start, end in clip.contacts))

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        table = self.library["walk_slow"].to_pandas()
        self.assertIsInstance(table, pandas.DataFrame)
        self.assertEqual(table.shape, (1143, 63))


class Lives(DemoCase):
    def test_arrays_outlive_their_clip(self):
        clip = self.library["walk_slow"]
        arrays = [clip.positions, clip.rotations, clip.root, *clip.places.values()]
        sums = [float(array.sum()) for array in arrays]
        del clip
        gc.collect()
        for _ in range(20):
            self.library["kicks"].positions
        self.assertEqual([float(array.sum()) for array in arrays], sums)

    def test_arrays_are_not_written_to(self):
        clip = self.library["walk_slow"]
        for array in (clip.positions, clip.rotations, clip.root):
            with self.assertRaises(ValueError):
                array[0] = 0
            with self.assertRaises(ValueError):
                array.setflags(write=True)

    def test_clips_outlive_their_library_and_thread(self):
        taken = []
        thread = threading.Thread(target=lambda: taken.append(marey.open(self.path)["walk_slow"]))
        thread.start()
        thread.join()
        gc.collect()
        self.assertEqual(taken[0].mirror().positions.shape, (1143, 21, 3))

    def test_things_in_a_circle_are_freed_in_any_order(self):
        """Clip, library and context of a thread that ended refer to each other and are all garbage at once."""
        code = """
import gc, sys, threading, marey
gc.disable()
def work(path, backwards):
    library = marey.open(path, "read")
    clip = library["walk_slow"]
    things = [clip, clip.rotations, library, library._context, clip._handle, library._handle]
    if backwards:
        things.reverse()
    library._features["circle"] = things
    things.append(things)
for backwards in (False, True) * 10:
    thread = threading.Thread(target=work, args=(sys.argv[1], backwards))
    thread.start(); thread.join(); del thread
    assert gc.collect() > 0
print("sound")
"""
        done = subprocess.run([sys.executable, "-c", code, self.path], capture_output=True, text=True)
        self.assertEqual((done.stdout.strip(), done.stderr, done.returncode), ("sound", "", 0))

    def test_arrays_of_what_was_made_outlive_the_thread_of_what_it_was_made_of(self):
        """A clip that is made of lent ones may be in their memory, which lasts as long as its arrays do."""
        code = """
import gc, sys, threading, marey
library, kept = marey.open(sys.argv[1], "read"), []
def work():
    lent = [marey.load(path)[100:300] for path in sys.argv[2:]]
    kept.append(library.transition(*lent).root)
thread = threading.Thread(target=work)
thread.start(); thread.join(); del thread
gc.collect()
print(len(kept[0]) > 200)
"""
        files = [demo / "walk_slow.bvh", demo / "walk_fast.bvh"]
        done = subprocess.run([sys.executable, "-c", code, self.path, *files], capture_output=True, text=True)
        self.assertEqual((done.stdout.strip(), done.stderr, done.returncode), ("True", "", 0))

    def test_a_closed_library_says_so(self):
        clip = self.library["walk_slow"]
        self.library.close()
        self.library.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            self.library.ls()
        self.assertEqual(len(clip.resample(30)), 572)

    def test_loads_and_drops_leave_nothing(self):
        """In a process of its own: what the heap grows by over many loads is that of a few."""
        code = """
import marey, resource, sys, gc
path, count = sys.argv[1], int(sys.argv[2])
def go(n):
    for _ in range(n):
        clip = marey.load(path); clip.positions; clip.rotations; clip[1:9]; clip.contacts
go(count // 10); gc.collect()
before, held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, marey._context.ctx_bytes()
go(count); gc.collect()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, marey._context.ctx_bytes() - held)
"""
        small = self.folder / "small.bvh"
        self.library["walk_slow"][:40].save(small)
        import os

        count = 100000 if os.environ.get("MAREY_LONG") else 2000
        done = subprocess.run([sys.executable, "-c", code, small, str(count)], capture_output=True, text=True, check=True)
        grown, held = map(int, done.stdout.split())
        self.assertEqual(held, 0)
        self.assertLess(grown, 4096, "kB")

    def test_refused_memory_is_a_memory_error(self):
        from marey._native import lib

        path = demo / "walk_slow.bvh"
        calls = [
            lambda: marey.load(path),
            lambda: self.library["walk_slow"].contacts,
            lambda: self.library["walk_slow"][3:90].mirror().positions,
            lambda: self.library.contacts("walk_slow"),
            lambda: marey.blend([self.library["walk_slow"][100:200], self.library["walk_fast"][100:180]], weights=[1, 1]),
        ]
        for number, call in enumerate(calls):
            call()
            refused, after, step = 0, 0, 1
            while True:
                lib.bridge_refuse(after)
                try:
                    call()
                    passed = True
                except MemoryError:
                    passed = False
                    refused += 1
                finally:
                    lib.bridge_refuse(-1)
                if passed and after > 4000:
                    break
                after += step
                if after > 60:
                    step = max(1, after // 12)
            self.assertGreater(refused, 5, f"call {number}")
            call()
        self.assertTrue(issubclass(marey.OutOfMemoryError, MemoryError))

    def test_a_limit_of_memory(self):
        marey.configure(memory_limit=200_000)
        try:
            with self.assertRaises(MemoryError):
                marey.load(demo / "walk_slow.bvh")
        finally:
            marey.configure(memory_limit=0)
        marey.load(demo / "walk_slow.bvh")

    def test_a_limit_of_time(self):
        """A nanosecond is over at the first look at the clock, however fast the machine is."""
        marey.configure(max_seconds=1e-9)
        try:
            for call in (lambda: self.library.motifs(), lambda: marey.similar(demo / "walk_slow.bvh", demo / "walk_fast.bvh")):
                with self.assertRaisesRegex(marey.LimitError, "not done within 1e-09 s"):
                    call()
            self.assertGreater(len(self.library), 0)  # what takes no time is no operation
        finally:
            marey.configure(max_seconds=0)
        self.assertTrue(marey.similar(demo / "walk_slow.bvh", demo / "walk_fast.bvh").to_dict()["pairs"])
        with self.assertRaises(ValueError):
            marey.configure(max_seconds=-1)


class Threads(DemoCase):
    def test_threads_share_a_library(self):
        wanted = self.library.search("kicks#120-240").to_dict()["matches"]
        found, failed = [], []

        def work(number):
            try:
                for _ in range(3):
                    found.append(self.library.search("kicks#120-240").to_dict()["matches"])
                    self.library["walk_slow"].mirror().contacts
                    marey.blend([self.library["walk_slow"][100:160], shared[100:150]], weights=[1, 1])
            except BaseException as error:
                failed.append(error)

        shared = self.library["walk_fast"]
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        self.assertTrue(all(each == wanted for each in found))

    def test_the_lock_of_python_is_free_during_work(self):
        """While one thread works in C, another one gets on: it counts many times more than it could in the moments
        between two calls."""
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        self.library.grid("mixed_home", "mixed_home")
        during = counted[0] - before
        done.set()
        thread.join()
        self.assertGreater(during, 100)

    def test_ctrl_c_ends_the_work(self):
        """A process that is interrupted while it works raises KeyboardInterrupt and can go on."""
        code = """
import marey, os, signal, sys, threading
library = marey.open(sys.argv[1])
clip = library["mixed_home"]
stop = threading.Event()
def interrupt():
    stop.wait(0.05)
    os.kill(os.getpid(), signal.SIGINT)
rounds = 0
threading.Thread(target=interrupt).start()
try:
    while True:
        marey.grid(clip, clip)
        rounds += 1
except KeyboardInterrupt:
    print("interrupted")
print(len(marey.grid(clip[:50], clip[:50]).distances))
"""
        done = subprocess.run([sys.executable, "-c", code, self.path], capture_output=True, text=True)
        self.assertEqual(done.stdout.split(), ["interrupted", "50"], done.stderr)

    def test_progress_is_told_and_can_stop_the_work(self):
        class Enough(Exception):
            pass

        told = []

        def stop(text, done, total):
            told.append((text, done, total))
            raise Enough

        clips = ["walk_slow", "walk_fast", "walk_left"]
        marey.configure(progress=lambda *each: told.append(each))
        try:
            self.library.graph_build("heard", clips, threshold=100)
            text, done, total = told[-1]
            self.assertTrue(text and 0 <= done <= total, told[-1])
            self.assertGreater(len(told), 1)
            told.clear()
            marey.configure(progress=stop)
            with self.assertRaises(Enough):
                self.library.graph_build("stopped", clips, threshold=100)
            self.assertEqual(len(told), 1)
        finally:
            marey.configure(progress=False)
        self.assertEqual([graph.name for graph in self.library.graph_ls().graphs if graph.name in ("heard", "stopped")], ["heard"])

    def test_contexts_are_locked_in_one_order(self):
        """Also where progress is told: two threads that lend each other clips would otherwise wait for each other."""
        class Noted:
            def __init__(self, context):
                self.context, self.lock = context, context.lock

            def __enter__(self):
                taken.append(self.context)
                return self.lock.__enter__()

            def __exit__(self, *why):
                return self.lock.__exit__(*why)

        taken = []
        marey.configure(progress=lambda *each: None)
        try:
            with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
                threads = [one, other]
                clips = [each.submit(marey.load, demo / "walk_slow.bvh").result()[100:160] for each in threads]
                contexts = [clip._context for clip in clips]
                for context in contexts:
                    context.lock = Noted(context)
                pairs = [[clip, clip[:50]] for clip in reversed(clips)]
                for thread, lent in zip(threads, pairs):
                    del taken[:]
                    thread.submit(marey.blend, lent, weights=[1, 1]).result()
                    self.assertEqual(list(dict.fromkeys(taken)), sorted(contexts, key=id))
        finally:
            marey.configure(progress=False)

    def test_a_fork_works(self):
        import multiprocessing

        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(count_frames, [(self.library, "walk_slow"), (self.library, "kicks")]), [1143, 1623])
            mirrored = pool.map(mirror, [self.library["walk_slow"], self.library["kicks"]])
        np.testing.assert_array_equal(mirrored[1].rotations, self.library["kicks"].mirror().rotations)


def count_frames(given):
    library, name = given
    return len(library[name].mirror())


def mirror(clip):
    return clip.mirror()


if __name__ == "__main__":
    unittest.main()
