/* test_fbx_answer.c - what the process that reads FBX files answers, made here byte by byte: what it
   may say becomes a clip, and what makes no sense is refused, wherever in it that is. */
#include "base/arena.h"
#include "io/fbx_answer.h"
#include "io/fbx_child.h"
#include "io/format.h"
#include "io/scene.h"
#include "motion/clip_data.h"
#include "reader_bench.h"

#include <math.h>
#include <stdlib.h>

/* A root, an arm 5 above it and a hand 4 further; the arm turns about z by 90 degrees in a second, of
   which there is a key every half. What is not said is as in a sound one. */
typedef struct said {
    int refused; /* or MRY_FBX_NO_MEMORY */
    const char *why;
    int axes[6];
    double unit, fps;
    int nodes;
    int parents[3], flags[3];
    double rest; /* how far the hand is from the arm */
    int takes, lost, tracks;
    int node, path, keys; /* of the track */
    float times[3], value;
    double seconds;
    const char *take;
} said;

static const said sound = { .axes = { 1, 1, 2, 1, 0, 1 },
                            .unit = 1,
                            .fps = 2,
                            .nodes = 3,
                            .parents = { -1, 0, 1 },
                            .rest = 4,
                            .takes = 1,
                            .tracks = 1,
                            .node = 1,
                            .path = MRY_TURN,
                            .keys = 3,
                            .times = { 0, 0.5f, 1 },
                            .seconds = 1,
                            .take = "Wave" };

typedef struct answer {
    uint8_t bytes[4096] __attribute__((aligned(8)));
    size_t count;
} answer;

static void put(answer *to, const void *from, size_t count)
{
    memcpy(to->bytes + to->count, from, count);
    to->count += count;
}

static void put_int(answer *to, int value)
{
    put(to, &value, sizeof value);
}

static void put_double(answer *to, double value)
{
    put(to, &value, sizeof value);
}

static void put_text(answer *to, const char *text)
{
    size_t length = strlen(text);
    put_int(to, (int)length);
    put(to, text, length);
    put(to, "\0\0\0", (4 - length % 4) % 4);
}

static void say(answer *to, const said *what)
{
    static const char *const names[] = { "root", "arm", "hand" };
    to->count = 0;
    put_int(to, MRY_FBX_MAGIC);
    put_int(to, what->refused);
    if (what->why) put_text(to, what->why);
    for (int i = 0; i < 6; i++) put_int(to, what->axes[i]);
    put_double(to, what->unit);
    put_double(to, what->fps);
    put_int(to, what->nodes);
    for (int n = 0; n < what->nodes && n < 3; n++) {
        double up = n == 0 ? 0 : n == 1 ? 5 : what->rest;
        put_int(to, what->parents[n]);
        put_int(to, what->flags[n]);
        put_text(to, names[n]);
        for (int i = 0; i < 12; i++) put_double(to, i == 7 ? up : i % 5 == 0);
        for (int i = 0; i < 10; i++)
            put_double(to, i == 1 ? up : i == 3 || i > 6); /* place, turn, scale */
        for (int i = 0; i < 12 && what->flags[n] & MRY_FBX_HAS_BIND; i++)
            put_double(to, i % 5 == 0);
    }
    put_int(to, what->takes);
    for (int t = 0; t < what->takes && t < 2; t++) {
        put_text(to, what->take);
        put_double(to, what->seconds);
        put_int(to, what->lost);
        put_int(to, what->tracks);
        for (int i = 0; i < what->tracks && i < 3; i++) {
            put_int(to, what->node);
            put_int(to, what->path);
            put_int(to, what->keys);
            put(to, what->times, sizeof what->times);
            for (int k = 0; k < 3; k++) {
                float angle = (float)k * (float)M_PI / 8; /* half of it */
                float turn[4] = { 0, 0, sinf(angle), cosf(angle) };
                float place[3] = { 0, (float)k, 0 };
                if (what->value != 0) turn[0] = place[0] = what->value;
                if (what->path == MRY_TURN) put(to, turn, sizeof turn);
                if (what->path != MRY_TURN) put(to, place, sizeof place);
            }
        }
    }
}

static marey_status understand(marey_ctx *ctx, const answer *of, const mry_fbx_facts *facts,
                               const char *take, marey_clip **clip)
{
    static const mry_fbx_facts none;
    OWNED(mry_arena) tmp = mry_arena_make(ctx);
    marey_load_def def = { .take = take };
    mry_scan scan;
    uint8_t *bytes = MRY_NEW_RAW(&tmp, uint8_t, of->count + 1); /* just its size */
    test_error = (marey_error){ 0 };
    if (!bytes) return MAREY_ERR_MEMORY;
    memcpy(bytes, of->bytes, of->count);
    marey_status status = mry_scan_bytes(&scan, &tmp, "a.fbx", "x", 1, &test_error);
    if (!status)
        status = mry_fbx_understand(&scan, &tmp, facts ? facts : &none, 1, bytes, of->count, "a",
                                    &def, clip);
    assert_int_equal(*clip != NULL, status == MAREY_OK);
    return status;
}

/* Where the hand is at the end, in the clip's units. */
static void check_hand(marey_ctx *ctx, const said *what, double x, double y, double z)
{
    answer of;
    OWNED(marey_clip) *clip = NULL;
    say(&of, what);
    test_ok(understand(ctx, &of, NULL, NULL, &clip));
    double p[6], want[] = { x, y, z };
    marey_clip_positions(clip, marey_clip_frames(clip) - 1, 1, p);
    for (int i = 0; i < 3; i++) test_near(p[3 + i], want[i], 1e-4);
}

TEST_OF(reader_bench *b, a_sound_answer_becomes_a_clip)
{
    answer of;
    OWNED(marey_clip) *clip = NULL;
    say(&of, &sound);
    test_ok(understand(b->ctx, &of, NULL, NULL, &clip));
    assert_int_equal(marey_clip_skeleton(clip)->joint_count, 2);
    check_hand(b->ctx, &sound, -4, 5, 0);
}

/* Up, front and right, with their signs. Which axes are which matters only as a whole: a front that
   would make a mirror of it is turned round. */
TEST_OF(reader_bench *b, axes_are_turned_to_y_up_and_never_mirrored)
{
    static const struct {
        int axes[6];
        double hand[3];
    } rows[] = {
        { { 1, 1, 2, 1, 0, 1 }, { -4, 5, 0 } },   { { 1, 1, 2, -1, 0, 1 }, { -4, 5, 0 } },
        { { 0, 1, 2, 1, 1, 1 }, { 5, -4, 0 } },   { { 0, -1, 2, 1, 1, 1 }, { 5, 4, 0 } },
        { { 1, 1, 0, 1, 2, 1 }, { 0, 5, 4 } },    { { 1, 1, 0, 1, 2, -1 }, { 0, 5, -4 } },
        { { 1, -1, 2, 1, 0, -1 }, { 4, -5, 0 } }, { { 3, 1, 2, 1, 0, 1 }, { -4, 5, 0 } },
        { { 1, 1, -1, 1, 0, 1 }, { -4, 5, 0 } },  { { 1, 1, 2, 1, 3, 1 }, { -4, 5, 0 } },
        { { 1, 1, 1, 1, 0, 1 }, { -4, 5, 0 } },   { { 1, 1, 2, 1, 1, 1 }, { -4, 5, 0 } },
        { { 1, 1, 2, 1, 2, 1 }, { -4, 5, 0 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        said what = sound;
        memcpy(what.axes, rows[i].axes, sizeof what.axes);
        check_hand(b->ctx, &what, rows[i].hand[0], rows[i].hand[1], rows[i].hand[2]);
    }
    said what = sound;
    what.unit = 91.44; /* yards have no name here, millimetres do */
    check_hand(b->ctx, &what, -4 * 91.44, 5 * 91.44, 0);
    what.unit = 0.1;
    check_hand(b->ctx, &what, -4, 5, 0);
    what.unit = -1;
    check_hand(b->ctx, &what, -4, 5, 0);
}

TEST_OF(reader_bench *b, what_makes_no_sense_is_refused)
{
    static const struct {
        size_t at; /* of a field of what is said */
        enum { INT, FLOAT, DOUBLE } type;
        double value;
    } rows[] = {
#define ROW(field, type, value) { offsetof(said, field), type, value }
        ROW(nodes, INT, 0),          ROW(nodes, INT, -1),
        ROW(nodes, INT, 100000),     ROW(parents[0], INT, 1),
        ROW(parents[0], INT, -2),    ROW(parents[1], INT, 1),
        ROW(parents[1], INT, -1),    ROW(parents[2], INT, -2),
        ROW(parents[2], INT, 3),     ROW(rest, DOUBLE, (double)NAN),
        ROW(rest, DOUBLE, HUGE_VAL), ROW(unit, DOUBLE, (double)NAN),
        ROW(fps, DOUBLE, HUGE_VAL),  ROW(takes, INT, -1),
        ROW(takes, INT, 1000),       ROW(seconds, DOUBLE, (double)NAN),
        ROW(tracks, INT, -1),        ROW(tracks, INT, 1000),
        ROW(node, INT, -1),          ROW(node, INT, 3),
        ROW(path, INT, -1),          ROW(path, INT, MRY_PATHS),
        ROW(keys, INT, -1),          ROW(keys, INT, 1000),
        ROW(times[1], FLOAT, 2),     ROW(times[1], FLOAT, (double)NAN),
        ROW(value, FLOAT, HUGE_VAL), ROW(value, FLOAT, (double)NAN),
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer of;
        said what = sound;
        OWNED(marey_clip) *clip = NULL;
        char *field = (char *)&what + rows[i].at;
        int whole = rows[i].type == INT ? (int)rows[i].value : 0;
        float narrow = (float)rows[i].value;
        if (rows[i].type == INT) memcpy(field, &whole, sizeof whole);
        if (rows[i].type == FLOAT) memcpy(field, &narrow, sizeof narrow);
        if (rows[i].type == DOUBLE) memcpy(field, &rows[i].value, sizeof rows[i].value);
        say(&of, &what);
        marey_status status = understand(b->ctx, &of, NULL, NULL, &clip);
        if (status != MAREY_ERR_INPUT || !strstr(test_error.message, "makes no sense"))
            fail_msg("row %zu: %s", i, test_error.message);
    }
}

TEST_OF(reader_bench *b, what_assimp_refuses_is_refused_with_its_reason)
{
    static const struct {
        const char *why;
        int version;
        const char *said;
    } rows[] = { { "odd", 0, "assimp refuses it: odd" },
                 { "odd", 7400, "assimp refuses it: odd" },
                 { "odd", 6100, "it is of FBX version 6.1" },
                 { NULL, 7400, "assimp refuses it: " } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer of;
        OWNED(marey_clip) *clip = NULL;
        said what = sound;
        mry_fbx_facts facts = { .version = rows[i].version };
        what.refused = 1;
        what.why = rows[i].why;
        say(&of, &what);
        if (!what.why) of.count = 8; /* it says no word */
        test_refused_about(understand(b->ctx, &of, &facts, NULL, &clip), MAREY_ERR_INPUT,
                           rows[i].said);
    }
}

TEST_OF(reader_bench *b, an_answer_cut_anywhere_is_refused)
{
    answer of;
    said what = sound;
    what.flags[1] = MRY_FBX_HAS_BIND;
    say(&of, &what);
    for (size_t whole = of.count; of.count-- > 0;) {
        OWNED(marey_clip) *clip = NULL;
        marey_status status = understand(b->ctx, &of, NULL, NULL, &clip);
        if (status != MAREY_ERR_INPUT) fail_msg("%zu of %zu bytes", of.count, whole);
    }
}

/* Bones of the file's own word first, then those of skins, then all that moves and what is below. */
TEST_OF(reader_bench *b, joints_are_bones_or_skinned_or_moved)
{
    static const struct {
        int bind, node, joints; /* the node that is bound, -1: none; the one that moves */
        const char *first;
    } rows[] = {
        { -1, 0, 3, "root" }, { -1, 1, 2, "arm" }, { 1, 0, 1, "arm" }, { 0, 2, 1, "root" }
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer of;
        OWNED(marey_clip) *clip = NULL;
        said what = sound;
        if (rows[i].bind >= 0) what.flags[rows[i].bind] = MRY_FBX_HAS_BIND;
        what.node = rows[i].node;
        say(&of, &what);
        test_ok(understand(b->ctx, &of, NULL, NULL, &clip));
        assert_int_equal(marey_clip_skeleton(clip)->joint_count, rows[i].joints);
        assert_string_equal(marey_clip_skeleton(clip)->joints[0].name, rows[i].first);
    }
}

TEST_OF(reader_bench *b, what_assimp_loses_is_said)
{
    static const struct {
        int nodes_move, lost, layers, stacks; /* 0: nothing moves */
        double fps;
        bool goes_on, curves, steps;
        const char *said; /* NULL: nothing; else of a warning, or of the refusal */
        bool is_refused;
    } rows[] = {
        { 1, 0, 1, 1, 2, false, false, false, NULL, false },
        { 1, 0, 0, 0, 2, false, false, false, NULL, false },
        { 1, 0, 2, 0, 2, false, false, false, NULL, false },
        { 1, 0, 2, 1, 2, false, false, false, "2 layers", false },
        { 1, 0, 1, 1, 2, true, false, false, "goes on", false },
        { 1, 7, 1, 1, 2, false, false, false, "7 of its nodes turn about pivots", false },
        { 1, 0, 1, 1, 30, false, true, false, "joined by curves", false },
        { 1, 0, 1, 1, 30, false, false, true, "joined by steps", false },
        { 1, 0, 1, 1, 20000, false, false, false, NULL, false },
        { 0, 7, 1, 1, 2, false, false, false, "turns about pivots, which assimp loses", true },
        { 0, 0, 1, 1, 2, false, false, false, "no skeleton", true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        answer of;
        OWNED(marey_clip) *clip = NULL;
        said what = sound;
        mry_fbx_facts facts = { .layers = rows[i].layers,
                                .stacks = rows[i].stacks,
                                .goes_on = rows[i].goes_on,
                                .curves = rows[i].curves,
                                .steps = rows[i].steps };
        what.tracks = rows[i].nodes_move;
        what.lost = rows[i].lost;
        what.fps = rows[i].fps;
        say(&of, &what);
        marey_status status = understand(b->ctx, &of, &facts, NULL, &clip);
        assert_int_equal(status, rows[i].is_refused ? MAREY_ERR_INPUT : MAREY_OK);
        if (rows[i].is_refused) assert_non_null(strstr(test_error.message, rows[i].said));
        if (clip && rows[i].said && !test_warnings_with(clip, rows[i].said))
            fail_msg("row %zu: no word of %s", i, rows[i].said);
        if (clip && !rows[i].said) assert_int_equal(test_warnings_with(clip, "assimp"), 0);
    }
}

/* A take whose tracks move nothing of the skeleton is none; without any the clip is at rest. */
TEST_OF(reader_bench *b, takes_that_move_nothing_are_none)
{
    answer of;
    OWNED(marey_clip) *still = NULL, *nameless = NULL;
    said what = sound;
    what.flags[1] = MRY_FBX_HAS_BIND;
    what.node = 2;
    say(&of, &what);
    test_ok(understand(b->ctx, &of, NULL, NULL, &still));
    assert_int_equal(marey_clip_frames(still), 1);
    what = sound;
    what.take = "";
    say(&of, &what);
    test_ok(understand(b->ctx, &of, NULL, NULL, &nameless));
    assert_int_equal(marey_clip_frames(nameless), 11);
    OWNED(marey_clip) *none = NULL;
    test_refused_about(understand(b->ctx, &of, NULL, "Jump", &none), MAREY_ERR_INPUT, "\"Jump\"");
    what.takes = 2;
    say(&of, &what);
    OWNED(marey_clip) *second = NULL;
    test_ok(understand(b->ctx, &of, NULL, "2", &second));
}

TEST_OF(reader_bench *b, refused_memory_is_reported)
{
    answer of;
    said what = sound;
    const mry_fbx_facts facts = {
        .layers = 2, .stacks = 1, .goes_on = true, .curves = true, .version = 7400
    };
    what.lost = 1;
    what.fps = 30;
    for (int i = 0; i < 2; i++) {
        what.refused = i ? MRY_FBX_NO_MEMORY : 0;
        say(&of, &what);
        marey_status status = MAREY_OK;
        if (i) {
            OWNED(marey_clip) *clip = NULL;
            assert_int_equal(understand(b->ctx, &of, &facts, NULL, &clip), MAREY_ERR_MEMORY);
            continue;
        }
        for (test_refusals sweep = { .memory = &b->memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_clip) *clip = NULL;
            status = understand(b->ctx, &of, &facts, NULL, &clip);
        }
    }
}

TEST_GROUP_OF_CASES(test_fbx_answer, reader_bench_make, reader_bench_free)
