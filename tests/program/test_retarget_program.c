/* test_retarget_program.c - `retarget` and `map` when the machine fails: refused memory, a full disk, no
   room for the answer, cancelled; what is kept is kept or not at all. */
#include "program_lines.h"

#include <errno.h>
#include <unistd.h>

/* a and b, whose joints are called otherwise; and a map of the two. */
static void make_bodies(void)
{
    FREED char *bvh = test_person(40);
    write_person("a.bvh", 40);
    for (char *at = bvh; (at = strstr(at, "JOINT ")); at += 6) at[6] = 'x';
    test_file_write("b.bvh", bvh, strlen(bvh));
    test_run_well("marey add m.marey a.bvh b.bvh --quiet");
    char *map = test_reply("marey map a.bvh b.bvh");
    test_file_write("map.json", map, strlen(map));
}

static int enter_bodies(void **state)
{
    return test_enter_copy(state, make_bodies);
}

#define CASE(name) TEST_IN(enter_bodies, test_leave_place, name)

static const char *const lines[] = {
    "marey retarget --map-of a.bvh b.bvh --json",
    "marey map -L m.marey a b --json",
    "marey retarget a.bvh --onto b.bvh --map map.json -o out.bvh --json",
    "marey retarget -L m.marey a --onto b -o out.bvh --provenance --json",
    "marey retarget a.bvh a.bvh#0-20 --onto b.bvh --map map.json -o many --json",
    "marey convert a.bvh --to bvh --onto b.bvh --map map.json -o many --json",
    "marey export m.marey a --onto b -o many --json",
    "marey blend -L m.marey a#0-30 b#5-25 --weights 1,1 -o out.bvh --json",
};
enum { LINES = sizeof lines / sizeof *lines, WRITING = 2 };

static void check_files(const test_run *run, void *user)
{
    (void)run;
    (void)user;
    unlink("out.bvh");
    unlink("out.bvh.provenance.json");
    if (access("many", F_OK) == 0) test_folder_remove("many");
    assert_int_equal(test_folder_count("."), 4);
}

CASE(refused_memory_ends_with_status_3)
{
    test_run_well("marey map -L m.marey a b --set map.json --quiet");
    for (int i = 0; i < LINES; i++) sweep_memory(lines[i], check_files, NULL);
}

CASE(a_map_is_kept_or_not_at_all)
{
    sweep_change("marey map -L m.marey b a --json",
                 "marey map -L m.marey a b --set map.json --json", "\"map_from\":\"library\"",
                 "marey map -L m.marey a b --forget --quiet");
    test_run_well("marey map -L m.marey a b --set map.json --quiet");
    sweep_change("marey map -L m.marey a b --json", "marey map -L m.marey a b --forget --json",
                 "\"map_from\":\"found\"", "marey map -L m.marey a b --set map.json --quiet");
}

CASE(full_disks_and_cancelled_runs_are_reported)
{
    for (int i = 0; i < LINES; i++) {
        test_full_output(lines[i]);
        check_files(NULL, NULL);
    }
    for (int i = WRITING; i < LINES; i++) {
        test_run disk = test_run_make();
        disk.files.kinds = TEST_IO_WRITE;
        disk.files.fail = 0;
        disk.files.with_errno = ENOSPC;
        if (test_run_line(&disk, lines[i]) != 3) fail_msg("%s: %d", lines[i], disk.status);
        assert_int_not_equal(access("out.bvh", F_OK), 0);
        test_run_free(&disk);
        check_files(NULL, NULL);
        test_cancelled(lines[i]);
        check_files(NULL, NULL);
    }
}

/* Of a clip some frames are used: its body is still that of the whole clip, and so is the other one's. */
CASE(a_part_goes_onto_a_body_as_the_whole_does)
{
    char whole[64], part[64];
    const char *line = "marey blend a.bvh#0-30 b.bvh#5-25 --weights 1,1 -o out.bvh --json";
    const char *found = strstr(test_reply("marey retarget b.bvh --onto a.bvh -o out.bvh --json"),
                               "\"reach_percent\":");
    assert_non_null(found);
    snprintf(whole, sizeof whole, "%.*s", (int)strcspn(found, ",}"), found);
    found = strstr(test_reply(line), "\"reach_percent\":");
    assert_non_null(found);
    snprintf(part, sizeof part, "%.*s", (int)strcspn(found, ",}"), found);
    assert_string_equal(part, whole);
}

/* By a map of left on right the left foot stands when the right one did. */
CASE(plants_go_by_the_map)
{
    static const char left[] = "\"from\": \"Left", right[] = "\"from\": \"Right";
    test_run_well("marey demo w --take walk_straight --quiet");
    const char *map = test_reply("marey map w/walk_straight.bvh w/walk_straight.bvh");
    FREED char *other = calloc(2, strlen(map) + 1);
    size_t used = 0;
    assert_non_null(strstr(map, left));
    for (const char *at = map; *at;) {
        bool is_left = strncmp(at, left, strlen(left)) == 0;
        bool is_right = strncmp(at, right, strlen(right)) == 0;
        const char *put = is_left ? right : left;
        if (is_left || is_right) {
            memcpy(other + used, put, strlen(put));
            used += strlen(put);
            at += strlen(is_left ? left : right);
        } else {
            other[used++] = *at++;
        }
    }
    test_file_write("other.json", other, used);
    const char *reply = test_reply("marey retarget w/walk_straight.bvh --onto w/walk_straight.bvh "
                                   "--map other.json -o out.bvh --json");
    assert_true(test_number(reply, "reach_percent") < 1);
    assert_true(test_number(reply, "slide_cm") < 0.3);
}

TEST_GROUP_OF_CASES(test_retarget_program, NULL, NULL)
