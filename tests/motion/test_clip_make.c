/* test_clip_make.c - clips from arrays: what a clip shows of itself makes the same clip again, what
   is wrong with arrays is refused with its place, and speeds are those of a naive measure. */
#include "support.h"

#include "motion/clip_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a clip's own arrays --------------------------------------------------------------------- */

/* Borrowed from the clip, but for the arrays of its joints. */
typedef struct arrays {
    const char **names;
    int *parents;
    double *offsets, *ends;
    bool *has_end;
    marey_clip_make_def def;
} arrays;

static void arrays_free(arrays *a)
{
    free(a->names);
    free(a->parents);
    free(a->offsets);
    free(a->ends);
    free(a->has_end);
}
OWNED_VALUE(arrays, arrays_free)

static arrays arrays_of(const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    size_t n = (size_t)skeleton->joint_count;
    arrays a = { calloc(n, sizeof *a.names),       calloc(n, sizeof *a.parents),
                 calloc(n, 3 * sizeof *a.offsets), calloc(n, 3 * sizeof *a.ends),
                 calloc(n, sizeof *a.has_end),     { 0 } };
    for (size_t j = 0; j < n; j++) {
        const marey_joint *joint = &skeleton->joints[j];
        a.names[j] = joint->name;
        a.parents[j] = joint->parent;
        a.has_end[j] = joint->has_end;
        memcpy(a.offsets + 3 * j, joint->offset_cm, sizeof joint->offset_cm);
        memcpy(a.ends + 3 * j, joint->end_cm, sizeof joint->end_cm);
    }
    a.def = (marey_clip_make_def){ .name = marey_clip_name(clip),
                                   .joint_count = skeleton->joint_count,
                                   .names = a.names,
                                   .parents = a.parents,
                                   .offsets_cm = a.offsets,
                                   .ends_cm = a.ends,
                                   .has_end = a.has_end,
                                   .frames = marey_clip_frames(clip),
                                   .fps = marey_clip_fps(clip),
                                   .rotations = marey_clip_rotations(clip, 0),
                                   .places_cm = marey_clip_places(clip, 0),
                                   .units = marey_clip_units(clip),
                                   .up = marey_clip_up(clip) };
    a.def.movers = marey_clip_movers(clip, &a.def.mover_count);
    a.def.marks = marey_clip_marks(clip, &a.def.mark_count);
    return a;
}

static marey_clip *again(marey_ctx *ctx, const marey_clip *clip)
{
    OWNED(arrays) a = arrays_of(clip);
    marey_clip *made = NULL;
    test_ok(marey_clip_make(ctx, &a.def, &made, &test_error));
    return made;
}

static double apart(const marey_clip *a, const marey_clip *b)
{
    int joints = marey_clip_skeleton(a)->joint_count;
    FREED double *p = calloc((size_t)joints, 3 * sizeof *p);
    FREED double *q = calloc((size_t)joints, 3 * sizeof *q);
    double most = 0;
    assert_int_equal(marey_clip_skeleton(b)->joint_count, joints);
    assert_int_equal(marey_clip_frames(a), marey_clip_frames(b));
    for (int f = 0; f < marey_clip_frames(a); f++) {
        marey_clip_positions(a, f, 1, p);
        marey_clip_positions(b, f, 1, q);
        for (int i = 0; i < 3 * joints; i++) most = fmax(most, fabs(p[i] - q[i]));
    }
    return most;
}

static void check_same(const marey_clip *clip, const marey_clip *made)
{
    const marey_skeleton *was = marey_clip_skeleton(clip), *is = marey_clip_skeleton(made);
    assert_true(apart(clip, made) < 1e-4);
    assert_string_equal(marey_clip_name(made), marey_clip_name(clip));
    assert_true(marey_clip_fps(made) == marey_clip_fps(clip));
    assert_int_equal(marey_clip_units(made), marey_clip_units(clip));
    assert_int_equal(marey_clip_up(made), marey_clip_up(clip));
    assert_string_equal(is->roles_from, was->roles_from);
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) assert_int_equal(is->roles[r], was->roles[r]);
    for (int j = 0; j < is->joint_count; j++) {
        assert_string_equal(is->joints[j].name, was->joints[j].name);
        assert_int_equal(is->joints[j].has_end, was->joints[j].has_end);
        assert_memory_equal(is->joints[j].offset_cm, was->joints[j].offset_cm, 3 * sizeof(double));
        if (!is->joints[j].has_end) continue;
        assert_memory_equal(is->joints[j].end_cm, was->joints[j].end_cm, 3 * sizeof(double));
    }
    assert_int_equal(test_marks(made), test_marks(clip));
    OWNED(marey_contacts) a = { 0 }, b = { 0 };
    test_ok(marey_contacts_find(clip, NULL, &a));
    test_ok(marey_contacts_find(made, NULL, &b));
    assert_int_equal(a.count, b.count);
    for (int i = 0; i < a.count; i++) {
        assert_int_equal(a.items[i].joint, b.items[i].joint);
        assert_int_equal(a.items[i].start, b.items[i].start);
        assert_int_equal(a.items[i].end, b.items[i].end);
    }
    assert_ptr_equal(marey_clip_channels(made, 0), NULL);
    test_ok(mry_clip_check(made, "made", &test_error));
}

TEST_CTX(arrays_of_demo_takes_make_the_same_takes)
{
    for (int take = 0; take < marey_demo_count(); take += test_is_long() ? 1 : 7) {
        OWNED(marey_demo_take) *of = NULL;
        test_ok(marey_demo_build(ctx, take, 1, &of, &test_error));
        OWNED(marey_clip) *made = again(ctx, marey_demo_clip(of));
        check_same(marey_demo_clip(of), made);
        test_near(marey_clip_report(made)->height_cm,
                  marey_clip_report(marey_demo_clip(of))->height_cm, 1e-6);
    }
}

/* As a file, in its units and axes, and read again. */
static void check_saved(marey_ctx *ctx, const marey_clip *made, const char *ending, double near)
{
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/made.%s", folder, ending);
    OWNED(marey_clip) *back = NULL;
    marey_load_def as = { .units = marey_clip_units(made), .up = marey_clip_up(made) };
    test_ok(marey_clip_save(made, path, &test_error));
    test_ok(marey_clip_load(ctx, path, &as, &back, &test_error));
    if (strcmp(ending, "bvh") == 0) {
        double off = apart(made, back);
        if (!(off < near)) fail_msg("%s is %g cm apart", marey_clip_name(made), off);
    } else {
        assert_int_equal(marey_clip_frames(back), marey_clip_frames(made));
    }
    test_folder_remove(folder);
}

typedef struct visit {
    marey_ctx *ctx;
    int every, seen, moving;
} visit;

static void visit_clip(void *user, const char *path)
{
    visit *v = user;
    if (v->seen++ % v->every && !test_is_long()) return;
    OWNED(marey_clip) *clip = test_clip_load(v->ctx, path), *made = again(v->ctx, clip);
    v->moving += clip->mover_count > 1;
    check_same(clip, made);
    check_saved(v->ctx, made, "bvh", 0.01);
}

TEST_CTX(arrays_of_real_clips_make_the_same_clips)
{
    test_need_mocap();
    visit zoo = { ctx, 1, 0, 0 }, others = { ctx, 9, 0, 0 }, some = { ctx, 2, 0, 0 };
    test_mocap_each("format_zoo", ".bvh", visit_clip, &zoo);
    test_mocap_each("cmu", ".bvh", visit_clip, &others);
    test_mocap_each("bandai", ".bvh", visit_clip, &others);
    test_mocap_each("accad", ".bvh", visit_clip, &others);
    test_mocap_each("cmu_asfamc", ".amc", visit_clip, &some);
    test_mocap_each("rigs/gltf", ".glb", visit_clip, &some);
    assert_true(zoo.moving + others.moving + some.moving > 0);
}

/* ---- a small body of our own ----------------------------------------------------------------- */

enum { J = 4, F = 5 };

/* A trunk with a head, and a leg beside it; it is turned and goes along. */
typedef struct small {
    const char *names[J];
    int parents[J];
    double offsets[3 * J], ends[3 * J], root[3 * F], places[6 * F];
    bool has_end[J];
    float rotations[4 * F * J];
    marey_clip_make_def def;
} small;

static void small_make(small *s)
{
    *s = (small){ .names = { "Trunk", "Head", "Leg", "Foot" },
                  .parents = { -1, 0, 0, 2 },
                  .offsets = { 0, 90, 0, 0, 60, 0, 10, -5, 0, 0, -80, 0 },
                  .ends = { NAN, NAN, NAN, 0, 20, 0, NAN, NAN, NAN, 0, 0, 15 },
                  .has_end = { false, true, false, true } };
    for (int f = 0; f < F; f++) {
        s->root[3 * f] = 3 * f;
        s->root[3 * f + 1] = 90;
        s->root[3 * f + 2] = f * f;
        memcpy(s->places + 6 * f, s->root + 3 * f, 3 * sizeof(double));
        memcpy(s->places + 6 * f + 3, (double[]){ 10, -5 - 0.5 * f, 0 }, 3 * sizeof(double));
        for (int j = 0; j < J; j++) {
            double half = 0.1 * f * (j + 1) / 2;
            s->rotations[4 * (J * f + j)] = (float)cos(half);
            s->rotations[4 * (J * f + j) + 1 + j % 3] = (float)sin(half);
        }
    }
    s->def = (marey_clip_make_def){ .joint_count = J,
                                    .names = s->names,
                                    .parents = s->parents,
                                    .offsets_cm = s->offsets,
                                    .ends_cm = s->ends,
                                    .has_end = s->has_end,
                                    .frames = F,
                                    .fps = 30,
                                    .rotations = s->rotations,
                                    .root_cm = s->root };
}

TEST_CTX(what_is_given_is_what_the_clip_shows)
{
    small s;
    small_make(&s);
    OWNED(marey_clip) *clip = NULL;
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    int count = 0;
    assert_int_equal(marey_clip_movers(clip, &count)[0], 0);
    assert_int_equal(count, 1);
    assert_memory_equal(marey_clip_places(clip, 0), s.root, sizeof s.root);
    assert_memory_equal(marey_clip_root(clip, 2), s.root + 6, 3 * sizeof(double));
    assert_memory_equal(marey_clip_rotations(clip, 0), s.rotations, sizeof s.rotations);
    assert_string_equal(marey_clip_name(clip), "clip");
    assert_string_equal(marey_clip_report(clip)->format, "arrays");
    assert_int_equal(marey_clip_units(clip), MAREY_UNITS_CM);
    assert_int_equal(marey_clip_up(clip), MAREY_UP_Y);
    assert_int_equal(test_warnings_with(clip, "no human body"), 1);
    test_near(marey_clip_skeleton(clip)->joints[3].end_cm[2], 15, 0);
    test_near(marey_clip_skeleton(clip)->joints[2].end_cm[0], 0, 0);
    check_saved(ctx, clip, "bvh", 0.01);
    s.names[1] = "gone";
    assert_string_equal(marey_clip_skeleton(clip)->joints[1].name, "Head");
}

TEST_CTX(joints_besides_the_root_may_move)
{
    static const int movers[] = { 0, 2 };
    small s;
    small_make(&s);
    s.def.root_cm = NULL;
    s.def.mover_count = 2;
    s.def.movers = movers;
    s.def.places_cm = s.places;
    OWNED(marey_clip) *clip = NULL;
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    int count = 0;
    const int *which = marey_clip_movers(clip, &count);
    assert_int_equal(count, 2);
    assert_memory_equal(which, movers, sizeof movers);
    assert_memory_equal(marey_clip_places(clip, 0), s.places, sizeof s.places);
    assert_int_equal(marey_clip_skeleton(clip)->joints[2].channel_count, 6);
    assert_int_equal(marey_clip_skeleton(clip)->channel_count, 18);
    check_saved(ctx, clip, "bvh", 0.01);
}

/* In every unit and with either axis up: the arrays are centimetres all the same. */
TEST_CTX(files_are_written_in_the_units_and_axes_that_are_said)
{
    small s;
    small_make(&s);
    OWNED(marey_clip) *plain = NULL;
    test_ok(marey_clip_make(ctx, &s.def, &plain, &test_error));
    for (int n = 2 * MAREY_UNITS_MM; n <= 2 * MAREY_UNITS_RAW; n++) {
        s.def.units = (marey_units)(n / 2);
        s.def.up = n % 2 ? MAREY_UP_Z : MAREY_UP_Y;
        OWNED(marey_clip) *clip = NULL;
        test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
        assert_int_equal(marey_clip_units(clip), s.def.units);
        assert_int_equal(marey_clip_up(clip), s.def.up);
        assert_true(apart(plain, clip) == 0);
        check_saved(ctx, clip, "bvh", 0.01);
    }
}

TEST_CTX(every_format_takes_a_clip_from_arrays)
{
    static const char *const endings[] = { "bvh", "glb", "fbx", "amc", "npz" };
    OWNED(marey_clip) *person = test_person_clip(ctx, 20), *clip = again(ctx, person);
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/made.%s", folder, endings[i]);
        test_ok(marey_clip_save(clip, path, &test_error));
    }
    test_folder_remove(folder);
    check_saved(ctx, clip, "glb", 0);
    check_saved(ctx, clip, "amc", 0);
}

TEST_CTX(clips_from_arrays_are_edited_joined_and_kept_as_others)
{
    OWNED(marey_clip) *person = test_person_clip(ctx, 60), *clip = again(ctx, person);
    OWNED(marey_clip) *part = NULL, *mirrored = NULL, *joined = NULL, *wanted = NULL;
    test_ok(marey_clip_trim(clip, 10, 40, &part, &test_error));
    assert_int_equal(marey_clip_frames(part), 30);
    test_ok(marey_clip_mirror(clip, &mirrored, &test_error));
    test_ok(marey_clip_mirror(person, &wanted, &test_error));
    assert_true(apart(mirrored, wanted) < 1e-4);
    const marey_clip *both[] = { person, clip };
    test_ok(marey_clip_concatenate(both, 2, true, &joined, &test_error));
    assert_int_equal(marey_clip_frames(joined), 120);
    char folder[256], path[300];
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/lib.marey", folder);
    {
        OWNED(marey_library) *library = NULL;
        OWNED(marey_clip) *back = NULL;
        char name[256];
        test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
        test_ok(marey_library_put(library, clip, "made", NULL, name, sizeof name, &test_error));
        test_ok(marey_library_load(library, name, &back, &test_error));
        assert_true(apart(clip, back) < 0.01);
        assert_string_equal(marey_clip_report(back)->format, "arrays");
    }
    test_folder_remove(folder);
}

TEST_CTX(roles_that_are_given_are_taken)
{
    small s;
    small_make(&s);
    int roles[MAREY_ROLE_COUNT];
    for (int r = 0; r < MAREY_ROLE_COUNT; r++) roles[r] = -1;
    roles[MAREY_ROLE_HIPS] = 0;
    roles[MAREY_ROLE_HEAD] = 1;
    roles[MAREY_ROLE_LEFT_ANKLE] = 3;
    s.def.roles = roles;
    OWNED(marey_clip) *clip = NULL;
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    assert_memory_equal(marey_clip_skeleton(clip)->roles, roles, sizeof roles);
    assert_string_equal(marey_clip_skeleton(clip)->roles_from, "given");
    roles[MAREY_ROLE_NECK] = 1;
    OWNED(marey_clip) *none = NULL;
    test_refused(marey_clip_make(ctx, &s.def, &none, &test_error), MAREY_ERR_REQUEST,
                 "joint 1 (Head) must have one role, got neck and head");
    roles[MAREY_ROLE_NECK] = J;
    test_refused(marey_clip_make(ctx, &s.def, &none, &test_error), MAREY_ERR_REQUEST,
                 "role neck must be a joint or -1, got 4");
}

TEST_CTX(rotations_nearly_of_length_one_become_so)
{
    small s;
    small_make(&s);
    for (int i = 0; i < 4 * F * J; i++) s.rotations[i] *= 1.009f;
    OWNED(marey_clip) *clip = NULL;
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    for (int i = 0; i < F * J; i++) {
        const float *q = marey_clip_rotations(clip, 0) + 4 * i;
        test_near((double)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1, 1e-6);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Changes one thing, tries, and says what must be said of it. */
#define REFUSED(change, status, words)                                                             \
    do {                                                                                           \
        small_make(&s);                                                                            \
        change;                                                                                    \
        test_refused_about(marey_clip_make(ctx, &s.def, &none, &test_error), status, words);       \
        assert_null(none);                                                                         \
    } while (0)
#define REQUEST(change, words) REFUSED(change, MAREY_ERR_REQUEST, words)

TEST_CTX(counts_and_rates_out_of_bounds_are_refused_before_data_is_read)
{
    small s;
    OWNED(marey_clip) *none = NULL;
    REQUEST(s.def.joint_count = 0, "joints must be 1 to 16384, got 0");
    REQUEST(s.def.joint_count = -1, "joints must be 1 to 16384, got -1");
    REFUSED(s.def.joint_count = 16385, MAREY_ERR_LIMIT, "joints must be at most 16384, got 16385");
    REQUEST(s.def.frames = 0, "frames must be 1 to 100000000, got 0");
    REQUEST(s.def.frames = -5, "frames must be 1 to 100000000, got -5");
    REFUSED(s.def.frames = 100000001, MAREY_ERR_LIMIT, "frames must be at most 100000000");
    REQUEST(s.def.fps = 0, "rate must be 0.01 to 20000 Hz, got 0");
    REQUEST(s.def.fps = -30, "got -30");
    REQUEST(s.def.fps = NAN, "rate must be");
    REQUEST(s.def.fps = INFINITY, "rate must be");
    REQUEST(s.def.mover_count = -1, "either root_cm or movers");
    REQUEST(s.def.mark_count = -1, "marks must be given");
    REQUEST(s.def.mark_count = 1, "marks must be given");
    REQUEST(s.def.units = MAREY_UNITS_COUNT, "units and up must be known");
    REQUEST(s.def.up = (marey_up)7, "units and up must be known");
    REQUEST((s.def.units = MAREY_UNITS_RAW, s.def.up = MAREY_UP_Z), "raw units must have y up");
}

TEST_CTX(arrays_that_are_missing_or_too_many_are_refused_by_name)
{
    static const int movers[] = { 0, 2 }, sinking[] = { 0, 2, 1 }, twice[] = { 0, 0 },
                     beyond[] = { 0, J }, rootless[] = { 1 };
    small s;
    OWNED(marey_clip) *none = NULL;
    REQUEST(s.def.names = NULL, "names must be given, got NULL");
    REQUEST(s.def.parents = NULL, "parents must be given, got NULL");
    REQUEST(s.def.offsets_cm = NULL, "offsets_cm must be given, got NULL");
    REQUEST(s.def.rotations = NULL, "rotations must be given, got NULL");
    REQUEST(s.def.ends_cm = NULL, "got has_end alone");
    REQUEST(s.def.has_end = NULL, "got ends_cm alone");
    REQUEST(s.def.root_cm = NULL, "must be given, got none");
    REQUEST(s.def.places_cm = s.places, "must be given, got both");
    REQUEST((s.def.root_cm = NULL, s.def.places_cm = s.places), "movers must be given, got NULL");
    REQUEST((s.def.root_cm = NULL, s.def.movers = movers), "places_cm must be given, got NULL");
#define MOVING(which, count)                                                                       \
    (s.def.root_cm = NULL, s.def.places_cm = s.places, s.def.movers = (which),                     \
     s.def.mover_count = (count))
    REQUEST(MOVING(movers, 0), "joints that move must be 1 to 4");
    REQUEST(MOVING(movers, J + 1), "joints that move must be 1 to 4");
    REQUEST(MOVING(sinking, 3), "must rise and be less than 4, got 1 after 2");
    REQUEST(MOVING(twice, 2), "got 0 after 0");
    REQUEST(MOVING(beyond, 2), "got 4 after 0");
    REQUEST(MOVING(rootless, 1), "must be the root, 0, got 1");
}

TEST_CTX(joints_out_of_order_are_refused_with_what_the_order_must_be)
{
    small s;
    OWNED(marey_clip) *none = NULL;
    REQUEST(s.parents[0] = 0, "joint 0 (Trunk): the first joint must be the root");
    REQUEST(s.parents[2] = -1, "joint 2 (Leg): only joint 0 must be a root");
    REQUEST(s.parents[2] = -7, "got -7");
    REQUEST(s.parents[2] = 2, "joints must be in depth-first order");
    REQUEST(s.parents[2] = 3, "joints must be in depth-first order");
    REQUEST(s.parents[2] = 1 << 30, "joints must be in depth-first order");
    /* Joint 1 was left for joint 2, so it gets no more children. */
    REQUEST(s.parents[3] = 1,
            "joint 3 (Foot): joints must be in depth-first order: its parent must be "
            "joint 2 or an ancestor of that, got 1");
}

TEST_CTX(names_that_no_file_can_have_are_refused)
{
    static char longest[256 + 1];
    memset(longest, 'n', 256);
    small s;
    OWNED(marey_clip) *none = NULL;
    REQUEST(s.def.name = "", "a clip's name must be 1 to 255 bytes");
    REQUEST(s.def.name = "a\nb", "a clip's name must be 1 to 255 bytes");
    REQUEST(s.def.name = longest, "a clip's name must be 1 to 255 bytes");
    REQUEST(s.names[2] = NULL, "joint 2: its name must be given, got NULL");
    REQUEST(s.names[2] = "", "joint 2 (): its name must be 1 to 255 bytes");
    REQUEST(s.names[2] = "a\rb", "its name must be 1 to 255 bytes");
    REQUEST(s.names[2] = longest, "its name must be 1 to 255 bytes");
    small_make(&s);
    s.names[2] = s.def.name = longest + 1;
    test_ok(marey_clip_make(ctx, &s.def, &none, &test_error));
}

TEST_CTX(numbers_that_are_no_motion_are_refused_with_their_place)
{
    small s;
    OWNED(marey_clip) *none = NULL;
    REQUEST(s.offsets[7] = NAN, "joint 2 (Leg): its offset must be finite");
    REQUEST(s.offsets[0] = INFINITY, "joint 0 (Trunk): its offset");
    REQUEST(s.offsets[0] = 1.1e9, "at most 1e9");
    REQUEST((s.offsets[0] = 2e8, s.def.units = MAREY_UNITS_MM), "at most 1e9 units");
    REQUEST(s.ends[3] = NAN, "joint 1 (Head): its end must be finite");
    REQUEST(s.root[7] = NAN, "frame 2, joint 0 (Trunk): its position must be finite");
    REQUEST(s.root[14] = -2e9, "frame 4, joint 0 (Trunk): its position");
#define TURN(frame, joint) s.rotations[4 * (J * (frame) + (joint))]
    REQUEST(TURN(3, 2) = NAN, "frame 3, joint 2 (Leg): its rotation must be a unit quaternion");
    REQUEST(TURN(3, 2) = INFINITY, "frame 3, joint 2 (Leg)");
    REQUEST(memset(&TURN(4, 3), 0, 4 * sizeof(float)),
            "frame 4, joint 3 (Foot): its rotation must be a unit quaternion, of length 1, got 0");
    REQUEST(TURN(0, 0) = 1.02f, "frame 0, joint 0 (Trunk)");
    REQUEST(TURN(0, 0) = 0.98f, "frame 0, joint 0 (Trunk)");
}

TEST_CTX(marks_that_are_not_in_the_clip_are_refused)
{
    static const marey_mark wrong[][2] = { { { MAREY_MARK_DROPOUT, -1, 2 } },
                                           { { MAREY_MARK_DROPOUT, 2, 2 } },
                                           { { MAREY_MARK_DROPOUT, 4, 6 } },
                                           { { MAREY_MARK_COUNT, 0, 1 } } };
    static const marey_mark right[2] = { { MAREY_MARK_INVENTED, 0, 1 },
                                         { MAREY_MARK_BY_HAND, 1, 3 } };
    static const marey_mark over[2] = { { MAREY_MARK_JUMP, 0, 2 }, { MAREY_MARK_JUMP, 1, 3 } };
    small s;
    OWNED(marey_clip) *none = NULL, *clip = NULL;
    for (int i = 0; i < 4; i++)
        REQUEST((s.def.marks = wrong[i], s.def.mark_count = 1), "mark 0 must be of a known kind");
    REQUEST((s.def.marks = over, s.def.mark_count = 2), "mark 1 must be of a known kind");
    small_make(&s);
    s.def.marks = right;
    s.def.mark_count = 2;
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    test_check_mark(clip, 1, MAREY_MARK_BY_HAND, 1, 3);
}

TEST(every_refused_allocation_of_a_clip_from_arrays_is_reported_and_leaks_nothing)
{
    static const marey_mark mark = { MAREY_MARK_BY_HAND, 1, 3 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    OWNED(marey_clip) *person = test_person_clip(ctx, 30);
    small s;
    small_make(&s);
    OWNED(arrays) a = arrays_of(person);
    a.def.marks = s.def.marks = &mark;
    a.def.mark_count = s.def.mark_count = 1;
    const marey_clip_make_def *defs[2] = { &s.def, &a.def };
    for (int i = 0; i < 2; i++) {
        marey_status status = MAREY_OK;
        for (test_refusals sweep = { .memory = &memory, .each = true };
             test_refuse(&sweep, status);) {
            OWNED(marey_clip) *made = NULL;
            status = marey_clip_make(ctx, defs[i], &made, &test_error);
            assert_true((made != NULL) == (status == MAREY_OK));
        }
    }
    float out[3 * 21];
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory, .each = true }; test_refuse(&sweep, status);)
        status = marey_clip_velocities(person, 3, 1, out);
}

/* ---- velocities ------------------------------------------------------------------------------ */

static void naive_velocities(const marey_clip *clip, int frame, double *out)
{
    int joints = marey_clip_skeleton(clip)->joint_count, last = marey_clip_frames(clip) - 1;
    bool before = frame > 0 && !mry_clip_is_marked(clip, frame - 1);
    bool after = frame < last && !mry_clip_is_marked(clip, frame + 1);
    FREED double *a = test_positions(clip, before ? frame - 1 : frame);
    FREED double *b = test_positions(clip, after ? frame + 1 : frame);
    for (int i = 0; i < 3 * joints; i++) {
        double way = b[i] - a[i], seconds = (before + after) / marey_clip_fps(clip);
        out[i] = mry_clip_is_marked(clip, frame) || seconds == 0 ? 0 : way / seconds;
    }
}

TEST_CTX(velocities_are_those_of_a_naive_measure_in_parts_and_at_once)
{
    /* The last row leaves single frames between marks, and at either end. */
    static const marey_mark marks[3][3] = { { { MAREY_MARK_INVENTED, 0, 1 } },
                                            { { MAREY_MARK_DROPOUT, 5, 9 },
                                              { MAREY_MARK_JUMP, 9, 11 },
                                              { MAREY_MARK_BY_HAND, 18, 20 } },
                                            { { MAREY_MARK_DROPOUT, 1, 9 },
                                              { MAREY_MARK_JUMP, 10, 11 },
                                              { MAREY_MARK_BY_HAND, 12, 19 } } };
    enum { FRAMES = 20, WIDE = 3 * 21 };
    OWNED(marey_clip) *person = test_person_clip(ctx, FRAMES);
    OWNED(arrays) a = arrays_of(person);
    for (int n = -1; n < 3; n++) {
        OWNED(marey_clip) *clip = NULL;
        float all[FRAMES * WIDE], part[FRAMES * WIDE];
        double want[WIDE];
        a.def.marks = n < 0 ? NULL : marks[n];
        a.def.mark_count = n < 0 ? 0 : n == 0 ? 1 : 3;
        test_ok(marey_clip_make(ctx, &a.def, &clip, &test_error));
        test_ok(marey_clip_velocities(clip, 0, FRAMES, all));
        for (int f = 0; f < FRAMES; f++) {
            naive_velocities(clip, f, want);
            for (int i = 0; i < WIDE; i++) test_near((double)all[WIDE * f + i], want[i], 1e-3);
        }
        for (int first = 0; first < FRAMES; first++) {
            for (int count = 0; count <= FRAMES - first; count += 3) {
                test_ok(marey_clip_velocities(clip, first, count, part));
                assert_memory_equal(part, all + (size_t)WIDE * (size_t)first,
                                    (size_t)count * WIDE * sizeof *part);
            }
        }
    }
}

TEST_CTX(one_frame_has_no_velocity)
{
    OWNED(marey_clip) *clip = test_person_clip(ctx, 1);
    float out[3 * 21];
    memset(out, 1, sizeof out);
    test_ok(marey_clip_velocities(clip, 0, 1, out));
    for (int i = 0; i < 3 * 21; i++) assert_true(out[i] == 0);
}

/* What goes at 100 cm/s along x, does so in every frame. */
TEST_CTX(a_body_that_goes_steadily_has_its_speed_everywhere)
{
    small s;
    small_make(&s);
    for (int f = 0; f < F; f++) {
        memcpy(s.root + 3 * f, (double[]){ f * 100.0 / 30, 90, 0 }, 3 * sizeof(double));
        for (int j = 0; j < J; j++)
            memcpy(&s.rotations[4 * (J * f + j)], (float[]){ 1, 0, 0, 0 }, 4 * sizeof(float));
    }
    OWNED(marey_clip) *clip = NULL;
    float out[3 * J * F];
    test_ok(marey_clip_make(ctx, &s.def, &clip, &test_error));
    test_ok(marey_clip_velocities(clip, 0, F, out));
    for (int i = 0; i < 3 * J * F; i++) test_near((double)out[i], i % 3 ? 0 : 100, 1e-4);
}

TEST_GROUP_OF_CASES(test_clip_make, NULL, NULL)
