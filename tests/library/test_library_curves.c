/* test_library_curves.c - registration curves in a library: they come back with the clips they are
   of, and damage to either is named. */
#include "library_bench.h"

static const marey_part both[] = { { WALK, 4, 56 }, { RUN, 4, 70 } };

static void set_plants(test_library *f)
{
    static const marey_contact walk[] = { { MAREY_CONTACT_LEFT_HEEL, 0, 20 },
                                          { MAREY_CONTACT_LEFT_HEEL, 30, 50 },
                                          { MAREY_CONTACT_RIGHT_TOE, 10, 40 } };
    static const marey_contact run[] = { { MAREY_CONTACT_LEFT_HEEL, 2, 25 },
                                         { MAREY_CONTACT_LEFT_HEEL, 40, 70 },
                                         { MAREY_CONTACT_RIGHT_TOE, 12, 45 } };
    test_ok(marey_library_set_contacts(f->library, "walk", walk, 3, &test_error));
    test_ok(marey_library_set_contacts(f->library, "run", run, 3, &test_error));
}

/* Builds one of both clips and keeps it. */
static marey_status build_and_keep(marey_library *library, marey_ctx *ctx, const char *name,
                                   marey_error *error)
{
    OWNED(marey_parts) *opened = NULL;
    OWNED(marey_registration) *made = NULL;
    marey_status status = marey_library_parts(library, both, 2, 0, &opened, error);
    if (status) return status;
    status = marey_registration_build(ctx, opened->clips, 2, opened->contacts, NULL, &made, error);
    if (!status) {
        status = marey_library_keep_registration(library, name, made, both,
                                                 "{\"metric\":\"points\"}", error);
    }
    return status;
}

static void keep_both(test_library *f, const char *name)
{
    test_ok(build_and_keep(f->library, f->ctx, name, &test_error));
}

#define CASE(name) TEST_OF_IN(two_clips_make, test_library_free, test_library *f, name)

CASE(a_registration_comes_back_with_its_clips_whatever_they_are_called)
{
    OWNED(marey_parts) *opened = NULL, *parts = NULL;
    OWNED(marey_registration) *made = NULL, *back = NULL;
    set_plants(f);
    opened = test_library_parts(f, both, 2);
    test_ok(marey_registration_build(f->ctx, opened->clips, 2, opened->contacts, NULL, &made,
                                     &test_error));
    test_ok(marey_library_keep_registration(f->library, "gaits", made, both, NULL, &test_error));
    test_ok(marey_library_rename(f->library, "run", "walk-fast", &test_error));
    test_ok(marey_library_rename(f->library, "walk", "run", &test_error));
    test_ok(marey_library_registration(f->library, "gaits", &parts, &back, &test_error));
    /* The same registration. */
    double first, last, range[2];
    int count_a, count_b;
    marey_registration_range(made, &first, &last);
    marey_registration_range(back, &range[0], &range[1]);
    assert_true(first == range[0] && last == range[1] && first < last);
    for (int i = 0; i <= 20; i++) {
        double u = first + (last - first) * i / 20, rows_a[2], rows_b[2];
        marey_registration_times(made, u, rows_a, NULL);
        marey_registration_times(back, u, rows_b, NULL);
        assert_memory_equal(rows_a, rows_b, sizeof rows_a);
        marey_placement place_a = marey_registration_place(made, 1, u);
        marey_placement place_b = marey_registration_place(back, 1, u);
        assert_true(place_a.angle_rad == place_b.angle_rad && place_a.x_cm == place_b.x_cm &&
                    place_a.z_cm == place_b.z_cm);
    }
    const marey_constraint_match *ma = marey_registration_matches(made, &count_a);
    const marey_constraint_match *mb = marey_registration_matches(back, &count_b);
    assert_int_equal(count_a, 3);
    assert_int_equal(count_a, count_b);
    for (int i = 0; i < count_a; i++) {
        assert_int_equal(ma[i].joint, mb[i].joint);
        assert_memory_equal(ma[i].spans, mb[i].spans, 2 * sizeof *ma[i].spans);
    }
    assert_int_equal(parts->count, 2);
    assert_string_equal(parts->names[0].name, "run");
    assert_string_equal(parts->names[1].name, "walk-fast");
    assert_memory_equal(parts->parts, both, sizeof both);
    assert_ptr_equal(marey_registration_clip(back, 1), parts->clips[1]);
}

CASE(a_clip_that_a_registration_lacks_is_named)
{
    const char *race = "race";
    marey_parts *parts = NULL;
    marey_registration *back = NULL;
    keep_both(f, "gaits");
    test_ok(marey_library_rename(f->library, "run", "race", &test_error));
    test_ok(marey_library_remove(f->library, &race, 1, &test_error));
    test_refused(marey_library_registration(f->library, "gaits", &parts, &back, &test_error),
                 MAREY_ERR_STALE,
                 "the registration gaits needs the clip race (number 2), which "
                 "is removed; marey restore brings it back");
    test_library_sound(f); /* that is no damage */
    test_ok(marey_library_restore(f->library, &race, 1, &test_error));
    test_ok(marey_library_registration(f->library, "gaits", &parts, &back, &test_error));
    marey_registration_free(back);
    marey_parts_free(parts);
    parts = NULL;
    back = NULL;
    test_ok(marey_library_purge(f->library, &race, 1, NULL, &test_error));
    test_refused(marey_library_registration(f->library, "gaits", &parts, &back, &test_error),
                 MAREY_ERR_STALE,
                 "the registration gaits needs the clip #2, which is not there any more");
    assert_null(parts);
    assert_null(back);
    test_library_sound(f);
    test_refused(marey_library_registration(f->library, "gait", &parts, &back, &test_error),
                 MAREY_ERR_NOT_FOUND, "no registration is called gait; is it gaits?");
}

CASE(a_registration_of_other_parts_is_not_kept)
{
    static const marey_part others[] = { { WALK, 4, 56 }, { RUN, 4, 71 } };
    OWNED(marey_parts) *opened = test_library_parts(f, both, 2);
    OWNED(marey_registration) *made = NULL;
    test_ok(marey_registration_build(f->ctx, opened->clips, 2, opened->contacts, NULL, &made,
                                     &test_error));
    test_refused(
        marey_library_keep_registration(f->library, "gaits", made, others, NULL, &test_error),
        MAREY_ERR_REQUEST, "this registration is not one of these parts of clips");
    assert_int_equal(
        marey_library_keep_registration(f->library, "a/b", made, both, NULL, &test_error),
        MAREY_ERR_REQUEST);
    assert_int_equal(test_kept_count(f->library, NULL), 0);
}

CASE(plants_that_are_set_later_change_the_matches)
{
    static const marey_contact one = { MAREY_CONTACT_LEFT_HEEL, 0, 20 };
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_registration) *back = NULL;
    int count;
    set_plants(f);
    keep_both(f, "gaits");
    test_ok(marey_library_set_contacts(f->library, "walk", &one, 1, &test_error));
    test_ok(marey_library_registration(f->library, "gaits", &parts, &back, &test_error));
    marey_registration_matches(back, &count);
    assert_int_equal(count, 1);
}

/* ---- damage ---------------------------------------------------------------------------------- */

CASE(damage_is_refused_and_verify_names_the_thing)
{
    static const struct {
        const char *sql, *said;
        bool readable;
    } wrong[] = {
        { "UPDATE blob SET sum = sum + 1 WHERE kind = 'kept/registration'",
          "registration gaits: stored data", false },
        { "UPDATE kept_part SET stop = start WHERE place = 1",
          "registration gaits: the registration gaits is damaged", false },
        { "UPDATE kept_part SET stop = 5000000000 WHERE place = 1",
          "registration gaits: the registration gaits is damaged", false },
        { "UPDATE kept_part SET start = 5 WHERE place = 1",
          "registration gaits: the registration was made of other clips", true },
        { "DELETE FROM kept_part WHERE place = 1",
          "registration gaits: the registration was made of other clips", true },
        { "UPDATE kept SET blob = (SELECT blob FROM kept WHERE kind = 'web') WHERE name = 'gaits'",
          "registration gaits: the bytes are not a registration curve", true },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char said[4096];
        marey_parts *parts = NULL;
        marey_registration *back = NULL;
        marey_kept *kept = NULL;
        test_keep(f->library, "web", "sound", "something else, long enough");
        keep_both(f, "gaits");
        test_history_clear(f);
        test_library_sound(f);
        test_ok(mry_store_run(f->library->store, wrong[i].sql, &test_error));
        assert_int_equal(
            marey_library_registration(f->library, "gaits", &parts, &back, &test_error),
            MAREY_ERR_INPUT);
        marey_status status =
            marey_library_kept(f->library, "registration", "gaits", &kept, &test_error);
        assert_int_equal(status, wrong[i].readable ? MAREY_OK : MAREY_ERR_INPUT);
        if (status)
            assert_string_equal(test_error.message,
                                "the registration gaits is damaged; run marey verify");
        marey_kept_free(kept);
        assert_true(test_is_kept(f->library, "web", "sound", "something else, long enough"));
        assert_int_equal(test_library_verify(f, said), 1);
        if (!strstr(said, wrong[i].said)) fail_msg("%d: %s", (int)i, said);
    }
    keep_both(f, "gaits"); /* as good as new */
    test_library_sound(f);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static marey_status use_curves(marey_library *library, marey_ctx *ctx, marey_error *error)
{
    OWNED(marey_parts) *parts = NULL;
    OWNED(marey_registration) *back = NULL;
    marey_status status = build_and_keep(library, ctx, "gaits", error);
    if (!status) status = marey_library_registration(library, "gaits", &parts, &back, error);
    return status;
}

CASE(refused_memory_is_reported_and_leaves_a_sound_library)
{
    set_plants(f);
    test_library_refuse_memory(f, use_curves);
}

TEST_GROUP_OF_CASES(test_library_curves, NULL, NULL)
