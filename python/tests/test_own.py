"""Metrics and features of a user's own, against sums that numpy works out."""
import gc
import pickle
import threading
import traceback
import unittest
import weakref

import numpy as np

import marey

from support import DemoCase


def hands(clip):
    """The wrists, as seen from the hips, without the way the body faces: how far and how high they are."""
    places, of = clip.positions, clip.roles
    away = places[:, [of["left_wrist"], of["right_wrist"]]] - places[:, [of["hips"]]]
    return np.stack([np.hypot(away[..., 0], away[..., 2]), away[..., 1]], axis=2)


def distances(a, b, weights=1.0):
    return (((a[:, None] - b[None]) ** 2) * weights).sum(axis=2)


class Metrics(DemoCase):
    def setUp(self):
        super().setUp()
        self.kick, self.punch = self.library["kicks#100-160"], self.library["punches#40-120"]

    def rows(self, clip):
        return hands(clip).reshape(len(clip), -1).astype(np.float64)

    def near(self, seen, asked):
        np.testing.assert_allclose(seen, asked, rtol=2e-4, atol=1e-2)

    def test_a_grid_is_the_differences_of_rows(self):
        grid = marey.grid(self.kick, self.punch, metric=hands)
        self.near(np.asarray(grid), distances(self.rows(self.kick), self.rows(self.punch)))
        self.assertEqual(grid.metric, "hands")

    def test_columns_are_weighed(self):
        weights = [1, 0, 0.25, 3]
        metric = marey.Metric(hands, name="mine", unit="cm2", weights=weights)
        grid = marey.grid(self.kick, self.punch, metric=metric)
        self.near(np.asarray(grid), distances(self.rows(self.kick), self.rows(self.punch), weights))
        self.assertEqual((grid.metric, grid.unit), ("mine", "cm2"))

    def test_a_window_is_a_mean_of_diagonals(self):
        grid = np.asarray(marey.grid(self.kick, self.punch, metric=marey.Metric(hands, window=3)))
        single = distances(self.rows(self.kick), self.rows(self.punch))
        self.near(grid[1:-1, 1:-1], (single[:-2, :-2] + single[1:-1, 1:-1] + single[2:, 2:]) / 3)

    def test_rows_may_be_single_numbers_and_any_kind_of_number(self):
        grid = np.asarray(marey.grid(self.kick, self.punch, metric=lambda clip: np.arange(len(clip)) // 10))
        steps = [np.arange(len(clip)) // 10 for clip in (self.kick, self.punch)]
        self.near(grid, distances(*[step[:, None].astype(float) for step in steps]))

    def test_weights_of_joints_are_places_seen_from_the_body(self):
        metric = marey.Metric.of_joints({"left_wrist": 2, "knee": 1})
        rows = metric.rows(self.kick)
        self.assertEqual((rows.shape, metric.weights.tolist()), ((60, 9), [2] * 3 + [1] * 6))
        turned = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]])
        moved = marey.rotations.matrices_of(self.kick.rotations).copy()
        moved[:, 0] = turned @ moved[:, 0]
        again = marey.Clip(rotations=moved, skeleton=self.kick, root=self.kick.root @ turned.T + (100, 0, -40), fps=self.kick.fps)
        np.testing.assert_allclose(metric.rows(again), rows, atol=2e-3)
        of = self.kick.roles
        np.testing.assert_allclose(rows[:, 1], self.kick.positions[:, of["left_wrist"], 1], atol=1e-4)
        left = self.kick.positions[:, of["left_knee"]] - self.kick.positions[:, of["hips"]]
        np.testing.assert_allclose(np.hypot(rows[:, 3], rows[:, 5]), np.hypot(left[:, 0], left[:, 2]), atol=1e-3)
        grid = np.asarray(marey.grid(self.kick, self.punch, metric={"left_wrist": 2, "knee": 1}))
        self.near(grid, distances(rows, metric.rows(self.punch), metric.weights))
        with self.assertRaisesRegex(ValueError, "there is no role tail; there are hips"):
            marey.Metric.of_joints({"tail": 1})

    def test_searches_find_what_is_nearest(self):
        """The query, cut short, against every stretch of the same length, by brute force along diagonals: the best match
        of a scan that may warp time is at least as near."""
        metric = marey.Metric(hands, unit="cm2", threshold=60)
        found = self.library.search("kicks", frames=(120, 180), metric=metric)
        self.assertEqual((found[0].clip, found[0].frames), ("kicks", (120, 180)))
        rows = self.rows(self.library["kicks"])
        query = rows[120:180]
        best = min(
            (((rows[at : at + 60] - query) ** 2).sum(axis=1).mean(), at) for at in range(len(rows) - 60) if abs(at - 120) > 60
        )
        others = [match for match in found if match.clip == "kicks" and match.start != 120]
        self.assertTrue(others)
        self.assertLessEqual(min(match.distance for match in others), best[0] * 1.001)
        self.assertTrue(any(abs(match.start - best[1]) < 30 for match in others))
        few = self.library.search("kicks", frames=(120, 180), metric=hands, nearest=3)
        self.assertEqual(len(few), 4)

    def test_a_search_by_the_query_in_a_file(self):
        self.kick.save(self.folder / "kick.bvh")
        found = self.library.search(self.folder / "kick.bvh", metric=hands, nearest=2)
        self.assertEqual(found[1].clip, "kicks")
        self.assertLess(abs(found[1].start - 100), 3)

    def test_alignments_cuts_and_loops_take_one(self):
        metric = marey.Metric(hands, unit="cm2", threshold=200)
        aligned = marey.align([self.kick, self.punch], metric=metric)
        self.assertEqual((aligned.metric, aligned.unit), ("hands", "cm2"))
        cells = distances(self.rows(self.kick), self.rows(self.punch))
        self.assertAlmostEqual(aligned.mean_distance, np.mean([cells[a, b] for a, b in aligned.path.to_dict()]), delta=0.01)
        walk = self.library["walk_slow"]
        self.assertGreater(len(marey.loop(walk, metric=metric)), 10)
        both = marey.blend([walk[100:200], self.library["run_straight"][100:160]], weights=[1, 1], metric=metric)
        self.assertIn("hands", str(both.provenance))

    def test_the_same_metric_gives_the_same_bytes(self):
        first, second = (np.asarray(marey.grid(self.kick, self.punch, metric=hands)).tobytes() for _ in range(2))
        self.assertEqual(first, second)

    def test_a_function_that_fails_is_raised_as_it_is(self):
        def broken(clip):
            raise KeyError("left_tentacle")

        for clip in (self.kick, self.folder / "kick.bvh"):
            if not isinstance(clip, marey.Clip):
                self.kick.save(clip)
            with self.assertRaisesRegex(KeyError, "left_tentacle"):
                marey.grid(clip, self.punch, metric=broken)
        later = marey.Metric(lambda clip: broken(clip) if clip.name == "punches" else hands(clip))
        try:
            marey.grid(self.kick, self.punch, metric=later)
        except KeyError as error:
            where = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        self.assertIn("broken", where)
        self.assertEqual(marey.grid(self.kick, self.punch).rows, 60)  # the context goes on

    def test_a_function_that_fails_in_a_thread_leaves_its_context_working(self):
        """Ctrl-C ends work of the main thread alone, so what is done after it does not happen in others."""
        self.kick.save(self.folder / "kick.bvh")
        seen = []

        def work():
            clip = marey.load(self.folder / "kick.bvh")
            try:
                marey.grid(clip, clip, metric=marey.Metric(lambda clip: clip.no_such_array, weights=[1]))
            except AttributeError:
                seen.append("raised")
            seen.append(marey.grid(clip, clip).rows)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(seen, ["raised", 60])

    def test_what_is_no_row_of_numbers_is_refused(self):
        wrong = {
            "a row for each of 60 frames": lambda clip: np.zeros(7),
            r"shape \(\)": lambda clip: 3,
            "which is not a number within 1e15": lambda clip: np.full((len(clip), 2), np.nan),
            "could not convert": lambda clip: ["a"] * len(clip),
            "has 60 numbers, got 80": lambda clip: np.zeros((len(clip), len(clip))),
        }
        for message, function in wrong.items():
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                marey.grid(self.kick, self.punch, metric=function)
        with self.assertRaisesRegex(TypeError, "a metric is made of a function"):
            marey.Metric("points")
        with self.assertRaisesRegex(marey.RequestError, "at least one weight"):
            marey.grid(self.kick, self.punch, metric=marey.Metric(hands, weights=[0, 0, 0, 0]))

    def test_a_function_may_keep_its_clip_and_ask_others(self):
        kept = []

        def nested(clip):
            kept.append(clip)
            inner = marey.grid(clip, self.punch[:5])
            return np.asarray(inner)

        marey.grid(self.kick, self.punch, metric=nested)
        gc.collect()
        self.assertEqual(len(kept), 3)  # once to know the columns
        np.testing.assert_array_equal(kept[1].positions, self.kick.positions)
        self.assertIsNotNone(kept[2].contacts)

    def test_nothing_of_a_metric_is_kept_after_its_call(self):
        metric = marey.Metric(lambda clip: hands(clip))
        seen = weakref.ref(metric.function)
        grid = marey.grid(self.kick, self.punch, metric=metric)
        np.asarray(grid)
        del metric, grid
        gc.collect()
        self.assertIsNone(seen())

    def test_threads_ask_at_the_same_time(self):
        found, failed = {}, []

        def work(number):
            try:
                clip = marey.load(self.folder / "kick.bvh")
                found[number] = np.asarray(marey.grid(clip, clip, metric=lambda c: hands(c) * number)).copy()
            except BaseException as error:
                failed.append(error)

        self.kick.save(self.folder / "kick.bvh")
        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        for number in range(2, 5):
            np.testing.assert_allclose(found[number], found[1] * number**2, rtol=1e-4, atol=1e-2)

    def test_refused_memory_is_a_memory_error(self):
        from marey._native import lib

        refused = 0
        for after in range(0, 400, 13):
            lib.bridge_refuse(after)
            try:
                marey.grid(self.kick, self.punch, metric=hands)
            except MemoryError:
                refused += 1
            finally:
                lib.bridge_refuse(-1)
        self.assertGreater(refused, 2)
        self.assertEqual(marey.grid(self.kick, self.punch, metric=hands).rows, 60)

    def test_metrics_travel_where_their_functions_do(self):
        metric = pickle.loads(pickle.dumps(marey.Metric(hands, weights=[1, 2, 3, 4], window=3)))
        self.assertEqual((metric.name, metric.window, metric.weights.tolist()), ("hands", 3, [1, 2, 3, 4]))


def high(clip):
    """How high the right ankle comes, in cm: what height(right_ankle, highest) measures."""
    return clip.positions[:, clip.roles["right_ankle"], 1].max()


class Features(DemoCase):
    def build(self, feature, name="kick"):
        return self.library.param_build(name, query="kicks#122-252", feature=feature, samples=60)

    def test_a_family_by_a_function_is_that_by_the_same_feature(self):
        self.build("height(right_ankle, highest)", "judge")
        self.build(marey.Feature(high, unit="cm"))
        judge, own = (self.library.param_show(name) for name in ("judge", "kick"))
        self.assertEqual((own["features"], own.axes[0].unit), (["own(high)"], "cm"))
        values = [[each["values"] for each in family.to_dict()["examples"]] for family in (judge, own)]
        self.assertGreater(len(values[0]), 3)
        np.testing.assert_allclose(values[1], values[0], atol=0.1)
        self.assertLess(abs(high(self.library.param_make("kick", at=[90])) - 90), 2)

    def test_a_family_is_asked_again_by_who_lends_its_feature(self):
        self.build(marey.Feature(high, unit="cm"))
        with marey.open(self.path) as again:
            with self.assertRaisesRegex(marey.RequestError, r"own\(high\) is a feature that only a program can lend"):
                again.param_make("kick", at=[90])
            again.lend(marey.Feature(high, unit="cm"))
            self.assertLess(abs(high(again.param_make("kick", at=[90])) - 90), 2)

    def test_a_slip_of_the_pen_leaves_no_sample_out(self):
        with self.assertRaisesRegex(NameError, "heigth"):
            self.build(marey.Feature(lambda clip: heigth, name="high"))  # noqa: F821
        self.assertNotIn("kick", [family.name for family in self.library.param_ls().spaces])
        self.build("height(right_ankle, highest)")

    def test_a_function_without_a_number_is_refused(self):
        with self.assertRaises((TypeError, ValueError)):
            self.build(marey.Feature(lambda clip: None, name="none"))
        with self.assertRaisesRegex(ValueError, "no brackets"):
            marey.Feature(high, name="a(b)")


if __name__ == "__main__":
    unittest.main()
