/* test_shards_program.c - long work shared among machines, as a program: whatever N is and in whatever
   order shards are made and merged, the library holds what the command alone puts in, and the answer
   is its answer. Shards that are missing, stale, of other work or damaged are refused by name; one
   that is stopped leaves nothing. */
#include "program_lines.h"

#include <unistd.h>

/* Walking, standing, and two persons whose clips have flaws. */
static void make_files(void)
{
    test_run_well("marey demo . --take walk_left --take idles --quiet");
    test_write_dropouts("one.bvh", 140, 60, 63);
    write_person("two.bvh", 120);
    test_run_well("marey add moves.marey walk_left.bvh idles.bvh one.bvh two.bvh --quiet");
}

static int enter(void **state)
{
    return test_enter_copy(state, make_files);
}

#define SHARDS(name) TEST_IN(enter, test_leave_place, name)

static void hash_of(const char *library, char out[24])
{
    char line[128];
    snprintf(line, sizeof line, "marey verify %s --hash --json", library);
    const char *answer = test_reply(line), *hash = strstr(answer, "\"hash\":\"");
    assert_non_null(hash);
    snprintf(out, 24, "%.16s", hash + strlen("\"hash\":\""));
}

static void copy_library(const char *from, const char *to)
{
    static const char *const beside[] = { "-wal", "-shm" };
    for (size_t i = 0; i < 2; i++) {
        char log[256];
        snprintf(log, sizeof log, "%s%s", to, beside[i]);
        unlink(log);
    }
    test_file_copy(from, to);
}

/* ---- in any order ---------------------------------------------------------------------------- */

static uint32_t random_state = 20261119;

static int random_below(int n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (int)(random_state % (uint32_t)n);
}

static void shuffle(int *order, int n)
{
    for (int i = 0; i < n; i++) order[i] = i + 1;
    for (int i = n - 1; i > 0; i--) {
        int j = random_below(i + 1), other = order[i];
        order[i] = order[j];
        order[j] = other;
    }
}

static const char *shard_path(int n, int i)
{
    static char path[32];
    snprintf(path, sizeof path, "part-%d-%d", n, i);
    return path;
}

/* Every second shard by two threads. */
static void make_shards(const char *verb, const char *rest, int n)
{
    int order[64];
    shuffle(order, n);
    for (int i = 0; i < n; i++) {
        char line[256];
        snprintf(line, sizeof line,
                 "marey %s shared.marey %s --shard %d/%d --out %s --threads %d --quiet", verb, rest,
                 order[i], n, shard_path(n, order[i]), 1 + order[i] % 2);
        test_run_well(line);
    }
}

static char *merge_all(const char *library, int n)
{
    int order[64];
    char line[2048];
    int used = snprintf(line, sizeof line, "marey merge %s", library);
    shuffle(order, n);
    for (int i = 0; i < n; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, " %s", shard_path(n, order[i]));
    snprintf(line + used, sizeof line - (size_t)used, " --json");
    return test_reply(line);
}

/* An answer without the times that it took, and without the step of the history at its end. */
static char *without_times(const char *answer)
{
    char *out = strdup(answer), *to = out;
    for (const char *at = answer; *at;) {
        const char *key = strncmp(at, "\"seconds\":", 10) == 0         ? at + 10
                          : strncmp(at, "\"total_seconds\":", 16) == 0 ? at + 16
                                                                       : NULL;
        if (key)
            at = key + strspn(key, "0123456789.e+-");
        else
            *to++ = *at++;
    }
    *to = 0;
    char *step = strstr(out, ",\"step\":");
    if (step) strcpy(step, "}\n");
    return out;
}

static void shares_as_alone(const char *verb, const char *rest)
{
    static const int counts[] = { 1, 2, 3, 8 };
    char line[256], alone[24], shared[24];
    snprintf(line, sizeof line, "marey %s alone.marey %s --json", verb, rest);
    copy_library("moves.marey", "alone.marey");
    FREED char *answer = without_times(test_reply(line));
    hash_of("alone.marey", alone);
    for (size_t i = 0; i < 4; i++) {
        copy_library("moves.marey", "shared.marey");
        make_shards(verb, rest, counts[i]);
        hash_of("shared.marey", shared);
        hash_of("moves.marey", line);
        assert_string_equal(shared, line);
        FREED char *merged = without_times(merge_all("shared.marey", counts[i]));
        hash_of("shared.marey", shared);
        if (strcmp(shared, alone) != 0)
            fail_msg("%s %s: %d shards: another hash", verb, rest, counts[i]);
        const char *result = strstr(merged, "\"result\":");
        assert_non_null(result);
        if (strncmp(result + 9, answer, strlen(answer) - strlen("}\n")) != 0)
            fail_msg("%s %s: %d shards: %s, alone: %s", verb, rest, counts[i], result, answer);
    }
}

SHARDS(webs_are_those_of_the_command_alone)
{
    shares_as_alone("index", "--web --fps 20");
    shares_as_alone("index", "--web --fps 15 --metric angles --ceiling none");
}

SHARDS(graphs_are_those_of_the_command_alone)
{
    shares_as_alone("graph build", "g walk_left idles --fps 20");
    shares_as_alone("graph build", "g walk_left idles --fps 15 --kind connected");
}

SHARDS(cluster_graphs_are_those_of_the_command_alone)
{
    shares_as_alone("cluster build", "c walk_left idles --fps 15");
    shares_as_alone("cluster build", "c walk_left one --fps 15 --link single --onto one");
}

SHARDS(motifs_and_flaws_are_those_of_the_command_alone)
{
    shares_as_alone("motifs", "");
    shares_as_alone("doctor", "");
}

/* All numbers of the first frame are 0, as exporters write it. It is a flaw that is listed but not counted. */
SHARDS(a_first_frame_that_was_added_is_a_flaw_in_shards_too)
{
    size_t size;
    FREED char *bvh = test_file_read("walk_left.bvh", &size);
    char *row = strstr(bvh, "Frame Time:");
    assert_non_null(row);
    row = strchr(row, '\n') + 1;
    for (; *row != '\n'; row++)
        if (*row != ' ' && *row != '\r') *row = '0';
    test_file_write("first.bvh", bvh, size);
    test_run_well("marey add moves.marey first.bvh --quiet");
    assert_non_null(strstr(test_reply("marey doctor moves.marey --json"), "first-frame"));
    shares_as_alone("doctor", "");
}

/* ---- what is there, and what is not ---------------------------------------------------------- */

SHARDS(missing_shards_are_listed_and_asked_for)
{
    copy_library("moves.marey", "shared.marey");
    make_shards("motifs", "", 1);
    test_run_well("marey motifs shared.marey --shard 2/4 --out b --quiet");
    char *answer = test_reply("marey merge shared.marey b --missing --json");
    assert_non_null(strstr(answer, "\"operation\":\"motifs\""));
    assert_non_null(strstr(answer, "\"missing\":[1,3,4]"));
    assert_null(strstr(answer, "\"result\""));
    test_fails("marey merge shared.marey b", 1, "missing: 1, 3, 4");
    test_fails("marey merge shared.marey part-1-1 b", 1, "b");
}

SHARDS(webs_come_in_part_by_part)
{
    char before[24], after[24], whole[24];
    copy_library("moves.marey", "shared.marey");
    make_shards("index", "--web --fps 20", 3);
    hash_of("shared.marey", before);
    test_run_well("marey merge shared.marey part-3-2 --quiet");
    hash_of("shared.marey", after);
    assert_string_not_equal(before, after);
    test_run_well("marey merge shared.marey part-3-1 part-3-2 --quiet");
    test_run_well("marey merge shared.marey part-3-3 --quiet");
    hash_of("shared.marey", after);
    copy_library("moves.marey", "alone.marey");
    test_run_well("marey index alone.marey --web --fps 20 --quiet");
    hash_of("alone.marey", whole);
    assert_string_equal(after, whole);
    assert_non_null(
        strstr(test_reply("marey merge shared.marey part-3-1 part-3-2 part-3-3 --missing --json"),
               "\"missing\":[]"));
}

SHARDS(a_shard_that_is_there_is_not_worked_out_again)
{
    copy_library("moves.marey", "shared.marey");
    assert_non_null(strstr(test_reply("marey motifs shared.marey --shard 1/2 --out p --json"),
                           "\"there_already\":false"));
    assert_non_null(strstr(test_reply("marey motifs shared.marey --shard 1/2 --out p --json"),
                           "\"there_already\":true"));
    /* Of another work: made anew. */
    assert_non_null(
        strstr(test_reply("marey motifs shared.marey --limit 3 --shard 1/2 --out p --json"),
               "\"there_already\":false"));
    /* Damaged: made anew. */
    size_t size;
    FREED char *bytes = test_file_read("p", &size);
    bytes[size / 2] ^= 1;
    test_file_write("p", bytes, size);
    test_fails("marey merge shared.marey p", 1, "p");
    assert_non_null(
        strstr(test_reply("marey motifs shared.marey --limit 3 --shard 1/2 --out p --json"),
               "\"there_already\":false"));
}

/* By a signal that means nothing to marey, as when a terminal changes its size. */
SHARDS(a_read_of_a_shard_that_is_interrupted_goes_on)
{
    copy_library("moves.marey", "shared.marey");
    test_run_well("marey motifs shared.marey --shard 1/2 --out p --quiet");
    bool reached = true;
    for (long n = 0; reached; n++) {
        test_run run = test_run_make();
        run.files.kinds = TEST_IO_READ;
        run.files.with_errno = EINTR;
        run.files.fail = n;
        test_run_line(&run, "marey merge shared.marey p --missing --quiet");
        reached = run.files.calls > n;
        if (run.status != 0) fail_msg("read %ld: %d: %s", n, run.status, run.err.bytes);
        test_run_free(&run);
    }
}

SHARDS(stale_shards_and_those_of_other_work_are_refused)
{
    copy_library("moves.marey", "shared.marey");
    test_run_well("marey index shared.marey --web --fps 20 --shard 1/2 --out a --quiet");
    test_run_well("marey motifs shared.marey --shard 2/2 --out b --quiet");
    test_run_well("marey index shared.marey --web --fps 15 --shard 2/2 --out c --quiet");
    test_fails("marey merge shared.marey a b", 1, "b");
    test_fails("marey merge shared.marey a c", 1, "c");
    write_person("more.bvh", 60);
    test_run_well("marey add shared.marey more.bvh --quiet");
    test_fails("marey merge shared.marey a", 1, "another state of the library");
    test_fails("marey merge shared.marey b --missing", 1, "another state of the library");
}

SHARDS(mistakes_are_named)
{
    static const test_wrong_line wrong[] = {
        { "marey motifs moves.marey --shard 1/2", 2, "--out" },
        { "marey motifs moves.marey --out p", 2, "--shard" },
        { "marey motifs moves.marey --shard 0/2 --out p", 2, "I/N" },
        { "marey motifs moves.marey --shard 3/2 --out p", 2, "I/N" },
        { "marey motifs moves.marey --shard 1 --out p", 2, "I/N" },
        { "marey motifs moves.marey --shard 1/99999999 --out p", 2, "I/N" },
        { "marey motifs moves.marey --shard 1/2 --out nowhere/p", 1, "nowhere" },
        { "marey merge moves.marey", 2, "PART" },
        { "marey merge moves.marey nowhere", 1, "nowhere" },
        { "marey merge moves.marey one.bvh", 1, "one.bvh" },
        { "marey merge moves.marey moves.marey", 1, "moves.marey" },
    };
    TEST_FAIL_ALL(wrong);
}

SHARDS(what_is_stopped_leaves_nothing)
{
    int before = test_folder_count(".");
    test_cancelled("marey motifs moves.marey --shard 1/2 --out p");
    test_cancelled("marey index moves.marey --web --shard 1/2 --out p");
    assert_int_equal(test_folder_count("."), before);
}

static void check_whole(const test_run *run, void *user)
{
    (void)user;
    if (run->status != 0)
        assert_int_equal(access("p", F_OK), -1);
    else
        assert_int_equal(unlink("p"), 0);
}

SHARDS(refused_memory_leaves_no_half_of_a_shard)
{
    test_run_well("marey add small.marey two.bvh --quiet");
    sweep_memory("marey index small.marey --web --fps 10 --shard 1/2 --out p --quiet", check_whole,
                 NULL);
    test_run_well("marey index small.marey --web --fps 10 --shard 1/1 --out all --quiet");
    sweep_memory("marey merge small.marey all --missing --json", NULL, NULL);
    sweep_memory("marey merge small.marey all --json", NULL, NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static size_t most_memory(const char *line, int status)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != status) fail_msg("%s: %s", line, run.err.bytes);
    if (status != 0)
        assert_non_null(strstr(run.err.bytes, "more is needed than --max-memory allows"));
    size_t most = run.memory.most;
    test_run_free(&run);
    return most;
}

SHARDS(long_work_keeps_to_the_memory_that_it_may_use)
{
    enum { MEGA = 1 << 20, OWN = 1 << 18 }; /* the program's own, beside the library's */
    char free[24], limited[24];
    copy_library("moves.marey", "free.marey");
    copy_library("moves.marey", "limited.marey");
    test_run_well("marey index free.marey --web --quiet");
    size_t most = most_memory("marey index limited.marey --web --quiet --max-memory 14M", 0);
    assert_true(most <= 14 * MEGA + OWN);
    hash_of("free.marey", free);
    hash_of("limited.marey", limited);
    assert_string_equal(free, limited);
    most = most_memory("marey cluster build free.marey c --memory 2M --quiet", 3);
    assert_true(most <= 2 * MEGA + OWN);
}

TEST_GROUP_OF_CASES(test_shards_program, NULL, NULL)
