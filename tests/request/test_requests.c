/* test_requests.c - families as nodes of a graph: the ways into them and out of them, walks in which
   their motions are done, and what these do, measured by hand in the clip. */
#include "reach_graph.h"

#include "request/request_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OWNED_VALUE(marey_performance, marey_performance_free)

static void perform(const reach_graph *f, const marey_walk_def *def, const marey_request *requests,
                    int count, marey_performance *out)
{
    marey_error error = { 0 };
    test_fine(marey_graph_perform(f->of->ctx, f->of->graph, def, requests, count, out, &error),
              &error);
}

/* ---- ways in and out ---------------------------------------------------------------------------- */

/* The mean over the window of frames of the squared distances of weighted joints, at the best turn
   of a fine search: no formula. */
static double brute_distance(const mry_bodies *b, const double *frame_weight, int window, int first,
                             int second)
{
    double best = INFINITY;
    for (int k = 0; k < 720; k++) {
        double angle = k * 2 * 3.14159265358979323846 / 720, sums[5] = { 0 }, all = 0, off = 0;
        for (int pass = 0; pass < 2; pass++) {
            for (int w = 0; w < window; w++) {
                int i = first, j = second, away = w - (window - 1) / 2;
                for (int s = 0; s < abs(away); s++) {
                    const int *go = away < 0 ? b->graph->before : b->graph->next;
                    i = go[i] >= 0 ? go[i] : i;
                    j = go[j] >= 0 ? go[j] : j;
                }
                for (int n = 0; n < b->joints; n++) {
                    const float *p = mry_body(b, i) + 3 * n, *q = mry_body(b, j) + 3 * n;
                    double weight = b->weight[n] * frame_weight[w], x = q[0], z = q[2];
                    mry_floor_turn(angle, &x, &z);
                    double dx = p[0] - x, dy = (double)p[1] - q[1], dz = p[2] - z;
                    if (pass == 0) {
                        all += weight;
                        sums[0] += weight * dx;
                        sums[1] += weight * dz;
                    } else {
                        dx -= sums[0] / all;
                        dz -= sums[1] / all;
                        off += weight * (dx * dx + dy * dy + dz * dz);
                    }
                }
            }
        }
        best = fmin(best, off / all);
    }
    return best;
}

TEST_OF(reach_graph *f, a_way_in_is_as_far_as_its_examples_are_on_the_mean)
{
    const marey_graph *graph = f->of->graph;
    enum { EXAMPLES = 12 };
    mry_guest guests[EXAMPLES] = { { 0 } };
    marey_clip *brought[EXAMPLES];
    marey_graph *with = NULL;
    marey_error error = { 0 };
    for (int i = 0; i < EXAMPLES; i++) {
        test_fine(mry_guest_bring(graph, f->reaches.clips[i], NULL, &brought[i], &error), &error);
        guests[i] = (mry_guest){ .clip = f->reaches.clips[i], .brought = brought[i] };
    }
    test_fine(mry_graph_with(f->of->ctx, graph, guests, EXAMPLES, &with, &error), &error);
    mry_arena tmp = mry_arena_make(f->of->ctx);
    mry_bodies bodies;
    test_fine(mry_bodies_open(&bodies, &tmp, with, &error), &error);
    static const double frame_weight[] = { 1, 1, 1, 1, 1 };
    int looked = 0, ways = 0;
    for (int n = 0; n < graph->nodes; n++) ways += isfinite(f->joined->in[n]);
    assert_int_equal(marey_graph_family_ways(f->joined).in, ways);
    assert_true(ways > 10);
    for (int n = 0; n < graph->nodes && looked < 3; n++) {
        if (!isfinite(f->joined->in[n]) || n % 23) continue;
        double sum = 0;
        for (int i = 0; i < EXAMPLES; i++) {
            double entered, left, least = INFINITY;
            test_fine(mry_family_edges(f->family, guests[i].clip, &entered, &left, &error), &error);
            int until = (int)(entered * graph->fps / guests[i].clip->fps);
            for (int k = 0; k <= until; k++)
                least =
                    fmin(least, brute_distance(&bodies, frame_weight, 5, n, guests[i].first + k));
            sum += least;
        }
        assert_true(graph->dwell.free[n]);
        assert_true(fabs(sum / EXAMPLES - (double)f->joined->in[n]) < 0.05 * sum / EXAMPLES + 0.05);
        assert_true(sum / EXAMPLES < MAREY_FAMILY_CEILING * 1.05);
        looked++;
    }
    assert_int_equal(looked, 3);
    mry_arena_free(&tmp);
    marey_graph_free(with);
    for (int i = 0; i < EXAMPLES; i++) marey_clip_free(brought[i]);
}

/* ---- what is done ------------------------------------------------------------------------------- */

/* Where the wrist is, seen from where the motion was laid, by hand. */
static double measured_error(const reach_graph *f, const marey_performance *p, int number,
                             const marey_clip *clip, const double *wanted)
{
    const marey_performed *done = &p->done[number];
    const marey_clip *motion = done->made.clip;
    double at[MOST_JOINTS][3], start[MOST_JOINTS][3], frame = done->answer.moments[0];
    double low[MOST_JOINTS][3];
    (void)f;
    int joint = clip->skeleton.roles[MAREY_ROLE_RIGHT_WRIST];
    int left = clip->skeleton.roles[MAREY_ROLE_LEFT_HIP];
    int right = clip->skeleton.roles[MAREY_ROLE_RIGHT_HIP];
    int a = (int)frame, b = a + 1 < marey_clip_frames(clip) ? a + 1 : a;
    marey_clip_positions(clip, a, 1, &low[0][0]);
    marey_clip_positions(clip, b, 1, &at[0][0]);
    for (int k = 0; k < 3; k++)
        at[joint][k] = low[joint][k] + (frame - a) * (at[joint][k] - low[joint][k]);
    /* The hips on the floor at the start, and where they face, as the family has it, then laid. */
    double origin[3], angle;
    int count;
    const marey_param *params = marey_family_params(f->family, &count);
    marey_clip_positions(motion, 0, 1, &start[0][0]);
    assert_int_equal(marey_param_origin(params, motion, 0, origin, &angle, NULL), MAREY_OK);
    double middle = 0.5 * (start[left][0] + start[right][0]);
    assert_true(fabs(origin[0] - middle) < 15); /* somewhere between the hips */
    double x = origin[0], z = origin[2];
    mry_floor_apply((mry_floor){ done->place.angle_rad, done->place.x_cm, done->place.z_cm }, &x,
                    &z);
    double dx = at[joint][0] - x, dz = at[joint][2] - z;
    mry_floor_turn(-(angle + done->place.angle_rad), &dx, &dz);
    return hypot(hypot(dx - wanted[0], at[joint][1] - wanted[1]), dz - wanted[2]);
}

static int by_number(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

TEST_OF(reach_graph *f, what_is_asked_for_is_done_in_the_walk)
{
    enum { TRIES = 12 };
    double errors[2 * TRIES];
    for (int i = 0; i < TRIES; i++) {
        marey_request requests[] = { { f->joined, some_values(f, 2 * i), 0 },
                                     { f->joined, some_values(f, 2 * i + 1), 0 } };
        OWNED(marey_performance) p = { 0 };
        OWNED(marey_made) made = { 0 };
        marey_walk_made about;
        marey_error error = { 0 };
        perform(f, &(marey_walk_def){ .kind = MAREY_WALK_TO }, requests, 2, &p);
        test_fine(marey_performance_make(f->of->ctx, &p, NULL, &made, &about, &error), &error);
        for (int k = 0; k < 2; k++) {
            double off = measured_error(f, &p, k, made.clip, requests[k].wanted);
            assert_true(fabs(off - p.done[k].answer.error) < 0.3);
            errors[2 * i + k] = off;
        }
        assert_true(about.jump_ratio <= MAREY_GRAPH_JUMP + 1e-6);
        /* Pieces last. */
        marey_walk_piece pieces[64];
        int count = marey_walk_pieces(p.graph, &p.walk, pieces, 64);
        for (int k = 0; k < count; k++) {
            bool end = k + 1 == count;
            assert_true(pieces[k].frames >= f->of->graph->dwell.least || end);
        }
    }
    qsort(errors, 2 * TRIES, sizeof *errors, by_number);
    assert_true(errors[TRIES] < 1);
    assert_true(errors[2 * TRIES - 2] < 2);
}

TEST_OF(reach_graph *f, a_walk_along_a_path_does_it_where_it_should)
{
    static const double path[] = { 0, 0, 300, 0, 600, 150 };
    marey_walk_def def = {
        .kind = MAREY_WALK_PATH, .path = path, .point_count = 3, .effort = 6000
    };
    marey_request requests[] = { { f->joined, some_values(f, 3), 250 },
                                 { f->joined, some_values(f, 8), 635.4 } };
    OWNED(marey_performance) p = { 0 }, again = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_error error = { 0 };
    perform(f, &def, requests, 2, &p);
    perform(f, &def, requests, 2, &again);
    assert_int_equal(p.walk.count, again.walk.count);
    assert_memory_equal(p.walk.nodes, again.walk.nodes,
                        (size_t)p.walk.count * sizeof *p.walk.nodes);
    test_fine(marey_performance_make(f->of->ctx, &p, NULL, &made, NULL, &error), &error);
    static const double spots[][2] = { { 250, 0 }, { 600, 150 } };
    for (int i = 0; i < 2; i++) {
        /* The hips as the first of its frames begins. */
        double at[MOST_JOINTS][3];
        double rate = marey_clip_fps(made.clip) / f->of->graph->fps;
        marey_clip_positions(made.clip, (int)((p.done[i].first - 1) * rate), 1, &at[0][0]);
        double away = hypot(at[0][0] - spots[i][0], at[0][2] - spots[i][1]);
        assert_true(fabs(away - p.done[i].away_cm) < 3);
        assert_true(away < 40);
        assert_true(measured_error(f, &p, i, made.clip, requests[i].wanted) < 2);
    }
    /* It ends with the second. */
    assert_int_equal(p.done[1].first + p.done[1].frames, p.walk.count);
    assert_true(p.walk.path_cm < 15);
}

/* However long differences are spread, what was asked for shows as the motion has it. */
TEST_OF(reach_graph *f, nothing_is_spread_over_the_moment_that_was_asked_for)
{
    marey_ctx *ctx = f->of->ctx;
    marey_graph *slow =
        demo_graph_build(ctx, f->of->clips, f->of->count, &(marey_graph_def){ .spread_s = 1 });
    marey_graph_family *joined = NULL;
    marey_error error = { 0 };
    test_fine(marey_graph_family_join(ctx, slow, f->family, "reach", &joined, &error), &error);
    marey_request requests[] = { { joined, some_values(f, 6), 0 },
                                 { joined, some_values(f, 9), 0 } };
    marey_performance p = { 0 };
    marey_made made = { 0 };
    test_fine(marey_graph_perform(ctx, slow, &(marey_walk_def){ 0 }, requests, 2, &p, &error),
              &error);
    marey_walk_make_def def = { .leave_feet = true, .fps = slow->fps };
    test_fine(marey_walk_make(ctx, p.graph, &p.walk, &def, &made, NULL, &error), &error);
    int joints = slow->motion->skeleton.joint_count;
    for (int i = 0; i < 2; i++) {
        const marey_performed *done = &p.done[i];
        mry_floor laid = { done->place.angle_rad, done->place.x_cm, done->place.z_cm };
        for (int side = 0; side < 2; side++) {
            double at[MOST_JOINTS][3], own[MOST_JOINTS][3];
            int frame = (int)(side ? ceil(done->moments[0]) : floor(done->moments[0]));
            int shown_at = done->first + frame - (p.plan->acts[i].in_frame + 1);
            marey_clip_positions(made.clip, shown_at, 1, &at[0][0]);
            marey_clip_positions(p.graph->motion, p.walk.nodes[shown_at], 1, &own[0][0]);
            for (int j = 0; j < joints; j++) mry_floor_apply(laid, &own[j][0], &own[j][2]);
            assert_true(joints_apart(&at[0][0], &own[0][0], joints) < 0.01);
        }
    }
    marey_made_free(&made);
    marey_performance_free(&p);
    marey_graph_family_free(joined);
    marey_graph_free(slow);
}

/* The cheapest of all ways in, each by the best walk to it. */
TEST_OF(reach_graph *f, the_way_to_it_is_the_cheapest)
{
    const marey_graph *graph = f->of->graph;
    int from = 0, tried = 0;
    while (mry_dwell_begin(graph, &graph->dwell, from) < 0 || isfinite(f->joined->in[from])) from++;
    marey_walk_def def = { .kind = MAREY_WALK_TO, .from_given = true, .from = from };
    marey_request request = { f->joined, some_values(f, 5), 0 };
    OWNED(marey_performance) p = { 0 };
    perform(f, &def, &request, 1, &p);
    int entered = p.plan->acts[0].from;
    assert_int_equal(p.walk.nodes[p.done[0].first - 1], entered);
    mry_arena tmp = mry_arena_make(f->of->ctx);
    mry_bodies bodies;
    mry_clouds clouds;
    assert_int_equal(mry_bodies_open(&bodies, &tmp, p.graph, NULL), MAREY_OK);
    assert_int_equal(mry_clouds_open(&clouds, &tmp, &bodies, NULL), MAREY_OK);
    double per = 0, chosen = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 0; n < graph->nodes; n += pass ? 7 : 1) {
            if (pass == 0 && n != entered) continue;
            if (!isfinite(f->joined->in[n])) continue;
            /* How far it is from the motion, and whether it is smooth. */
            double entry, left, distance;
            assert_int_equal(mry_family_edges(f->family, p.done[0].made.clip, &entry, &left, NULL),
                             MAREY_OK);
            int like = mry_family_nearest_edge(&clouds, n, graph->nodes, graph->nodes + (int)entry,
                                               &distance);
            mry_bridge in = mry_graph_bridge_of(&bodies, n, like);
            if (!((double)in.over.jump <= MAREY_GRAPH_JUMP)) continue;
            marey_walk walk = { 0 };
            marey_walk_def to = { .kind = MAREY_WALK_TO, .from_given = true, .from = from };
            to.to_given = true;
            to.to = n;
            marey_error error = { 0 };
            test_fine(marey_graph_walk(f->of->ctx, graph, &to, &walk, &error), &error);
            per = graph->def.smoothness / graph->def.threshold;
            double cost = walk.cost + per * distance;
            marey_walk_free(&walk);
            if (pass == 0) chosen = cost;
            tried += pass;
            assert_true(chosen <= cost + 1e-6);
        }
    }
    mry_arena_free(&tmp);
    assert_true(tried > 3);
}

/* ---- searching again ------------------------------------------------------------------------------ */

static void perform_once(const reach_graph *f, const marey_walk_def *def,
                         const marey_request *requests, int count, const mry_barred_way *barred,
                         int barred_count, marey_performance *out)
{
    marey_error error = { 0 };
    test_fine(mry_perform_once(f->of->ctx, f->of->graph, def, requests, count, barred, barred_count,
                               out, &error),
              &error);
}

TEST_OF(reach_graph *f, a_barred_way_is_not_taken_nor_one_beside_it)
{
    const marey_walk_def def = { .kind = MAREY_WALK_TO };
    marey_request requests[] = { { f->joined, some_values(f, 3), 0 },
                                 { f->joined, some_values(f, 8), 0 } };
    mry_barred_way barred[8];
    for (int k = 0; k < 8; k++) {
        OWNED(marey_performance) p = { 0 };
        perform_once(f, &def, requests, 2, barred, k, &p);
        for (int i = 0; i < k; i++) {
            const mry_act *act = &p.plan->acts[barred[i].act];
            assert_true(abs((barred[i].out ? act->like : act->from) - barred[i].node) > 2);
        }
        /* Into the first, out of it, into the second, which the walk ends with; and again. */
        const mry_act *acts = p.plan->acts;
        barred[k] = (mry_barred_way){ k % 3 == 2, k % 3 == 1 ? acts[0].like : acts[k % 3 == 2].from,
                                      k % 3 == 1 };
    }
}

/* The fastest that any joint is, by hand, and in which frame. */
static double fastest_step(const marey_clip *clip, int *frame)
{
    double most = 0, rows[2][MOST_JOINTS][3];
    *frame = 0;
    for (int f = 0; f < marey_clip_frames(clip); f++) {
        marey_clip_positions(clip, f, 1, &rows[f % 2][0][0]);
        for (int j = 0; j < marey_clip_skeleton(clip)->joint_count && f > 0; j++) {
            const double *a = rows[0][j], *b = rows[1][j];
            double step = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
            if (step > most) *frame = f;
            most = fmax(most, step);
        }
    }
    return most;
}

/* How a walk jumps, and behind which of its transitions; a judge of its own for the latter. */
static double find_jump(const reach_graph *f, const marey_performance *p, int *transition)
{
    marey_walk_make_def def = { .leave_feet = true,
                                .fps = fmin(f->of->graph->clips[0]->fps, 4 * f->of->graph->fps) };
    OWNED(marey_made) made = { 0 };
    marey_walk_made about;
    int frame;
    test_ok(marey_walk_make(f->of->ctx, p->graph, &p->walk, &def, &made, &about, NULL));
    fastest_step(made.clip, &frame);
    assert_int_equal(about.jump_frame, frame);
    marey_walk_piece pieces[64];
    int count = marey_walk_pieces(p->graph, &p->walk, pieces, 64), at = 0, nearest = INT32_MAX;
    frame = (int)lround(frame * p->graph->fps / def.fps);
    for (int k = 0; k + 1 < count; k++) {
        at += pieces[k].frames;
        if (abs(at - frame) >= nearest) continue;
        nearest = abs(at - frame);
        *transition = at;
    }
    return about.jump_ratio;
}

/* As if every walk jumped. */
TEST_OF(reach_graph *f, of_all_walks_that_were_searched_that_which_jumps_least_stays)
{
    marey_graph *graph = f->of->graph;
    const double usual = graph->def.jump;
    const marey_walk_def def = { .kind = MAREY_WALK_TO };
    graph->def.jump = 0.9;
    enum { SEARCHES = 10 };
    marey_request requests[] = { { f->joined, some_values(f, 2), 0 },
                                 { f->joined, some_values(f, 7), 0 } };
    mry_barred_way barred[SEARCHES];
    int bars[SEARCHES], ways = 0, transitions = 0, best = -1;
    double least = INFINITY;
    marey_performance all[SEARCHES] = { { 0 } };
    for (int k = 0; k < SEARCHES; k++) {
        marey_walk_def without = def;
        int at = 0;
        without.barred = bars;
        without.barred_count = transitions;
        perform_once(f, &without, requests, 2, barred, ways, &all[k]);
        double jump = find_jump(f, &all[k], &at);
        assert_true(jump > graph->def.jump);
        if (jump < least) best = k;
        least = fmin(least, jump);
        int before = ways;
        for (int i = 0; i < 2 && ways == before; i++) {
            const marey_performed *done = &all[k].done[i];
            const mry_act *act = &all[k].plan->acts[i];
            if (at == done->first) barred[ways++] = (mry_barred_way){ i, act->from, false };
            if (at == done->first + done->frames)
                barred[ways++] = (mry_barred_way){ i, act->like, true };
        }
        if (ways > before) continue;
        const int *node = all[k].walk.nodes + at;
        bars[transitions++] = mry_walk_step(graph, node[-1], node[0]);
    }
    OWNED(marey_performance) p = { 0 };
    perform(f, &def, requests, 2, &p);
    assert_int_equal(p.walk.count, all[best].walk.count);
    assert_memory_equal(p.walk.nodes, all[best].walk.nodes,
                        (size_t)p.walk.count * sizeof *p.walk.nodes);
    for (int k = 0; k < SEARCHES; k++) marey_performance_free(&all[k]);
    graph->def.jump = usual;
}

/* ---- what is out of reach or makes no sense ------------------------------------------------ */

TEST_OF(reach_graph *f, what_is_out_of_reach_is_the_nearest_and_said)
{
    marey_request request = { f->joined, (double[]){ 0, 400, 0 }, 0 };
    OWNED(marey_performance) p = { 0 };
    OWNED(marey_made) made = { 0 };
    marey_error error = { 0 };
    perform(f, &(marey_walk_def){ .kind = MAREY_WALK_TO }, &request, 1, &p);
    test_fine(marey_performance_make(f->of->ctx, &p, NULL, &made, NULL, &error), &error);
    assert_true(p.done[0].answer.outside);
    assert_true(p.done[0].answer.error > 100);
}

TEST_OF(reach_graph *f, requests_that_make_no_sense_are_refused)
{
    static const double path[] = { 0, 0, 300, 0 };
    marey_ctx *ctx = f->of->ctx;
    const marey_graph *graph = f->of->graph;
    marey_walk_def along = { .kind = MAREY_WALK_PATH, .path = path, .point_count = 2 };
    marey_request two[] = { { f->joined, some_values(f, 1), 200 },
                            { f->joined, some_values(f, 1), 100 } };
    marey_performance none = { 0 };
    test_refused_about(marey_graph_perform(ctx, graph, &along, two, 0, &none, &test_error),
                       MAREY_ERR_REQUEST, "no request");
    test_refused_about(marey_graph_perform(ctx, graph, &along, two, 2, &none, &test_error),
                       MAREY_ERR_REQUEST, "request 2 must be on the path");
    two[0].along_cm = 301;
    test_refused_about(marey_graph_perform(ctx, graph, &along, two, 1, &none, &test_error),
                       MAREY_ERR_REQUEST, "must be on the path");
    two[0].along_cm = NAN;
    test_refused_about(marey_graph_perform(ctx, graph, &along, two, 1, &none, &test_error),
                       MAREY_ERR_REQUEST, "must be on the path");
    double odd[] = { 0, NAN, 0 };
    marey_request wrong = { f->joined, odd, 0 };
    test_refused_about(
        marey_graph_perform(ctx, graph, &(marey_walk_def){ 0 }, &wrong, 1, &none, &test_error),
        MAREY_ERR_REQUEST, "finite");
    /* A graph of runs alone is nowhere like a reach. */
    marey_demo_take *take = test_demo_take(ctx, "run_straight");
    marey_clip *run = NULL;
    assert_int_equal(marey_clip_trim(marey_demo_clip(take), 500, 640, &run, NULL), MAREY_OK);
    marey_graph *walks = demo_graph_build(ctx, (const marey_clip *const *)&run, 1, NULL);
    marey_graph_family *joined = NULL;
    test_refused_about(
        marey_graph_family_join(ctx, walks, f->family, "reach", &joined, &test_error),
        MAREY_ERR_REQUEST, "of the motions of reach");
    marey_request other = { f->joined, some_values(f, 1), 0 };
    test_refused_about(
        marey_graph_perform(ctx, walks, &(marey_walk_def){ 0 }, &other, 1, &none, &test_error),
        MAREY_ERR_REQUEST, "another graph");
    marey_graph_free(walks);
    marey_clip_free(run);
    marey_demo_free(take);
}

TEST_OF(reach_graph *f, refused_memory_is_said)
{
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_request request = { f->joined, some_values(f, 4), 0 };
    marey_status status = MAREY_OK;
    test_refusals sweep = { .memory = &memory };
    while (test_refuse(&sweep, status)) {
        OWNED(marey_performance) p = { 0 };
        OWNED(marey_made) made = { 0 };
        marey_graph_family *joined = NULL;
        status = marey_graph_family_join(ctx, f->of->graph, f->family, "reach", &joined, NULL);
        marey_graph_family_free(joined);
        if (!status)
            status = marey_graph_perform(ctx, f->of->graph, &(marey_walk_def){ 0 }, &request, 1, &p,
                                         NULL);
        if (!status) status = marey_performance_make(ctx, &p, NULL, &made, NULL, NULL);
    }
}

TEST_GROUP_OF_CASES(test_requests, reach_graph_set_up, reach_graph_tear_down)
