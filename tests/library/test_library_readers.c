/* test_library_readers.c - eight readers and a writer, each a process of its own, killed at random
   and started again. In every transaction the writer gives all clips the label of its generation; a
   reader that ever sees two generations at once has read a torn state. */
#include "support.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READERS = 8, CLIPS = 4 };

/* In memory that all processes share. */
typedef struct shared {
    atomic_long reads, writes, torn, failed, stop;
    char message[512];
} shared;

static const char *const clip_names[CLIPS] = { "a", "b", "c", "d" };

static marey_library *open_or_fail(shared *all, marey_ctx **ctx, const char *path,
                                   marey_library_mode mode)
{
    marey_library *library = NULL;
    marey_error error = { 0 };
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, ctx)) _exit(3);
    if (marey_library_open(*ctx, path, mode, &library, &error)) {
        snprintf(all->message, sizeof all->message, "open: %.400s", error.message);
        atomic_fetch_add(&all->failed, 1);
        _exit(1);
    }
    return library;
}

/* Every clip once, all with one and the same label. */
static bool is_whole(const marey_listing *listing)
{
    int count;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    if (count != CLIPS) return false;
    for (int i = 0; i < count; i++) {
        if (entries[i].label_count != 1 || strcmp(entries[i].labels[0], entries[0].labels[0]) != 0)
            return false;
    }
    return true;
}

static void read_for_ever(shared *all, const char *path, unsigned seed)
{
    marey_ctx *ctx;
    marey_library *library = open_or_fail(all, &ctx, path, MAREY_LIBRARY_READ);
    for (unsigned n = seed; !atomic_load(&all->stop); n++) {
        OWNED(marey_listing) *listing = NULL;
        OWNED(marey_clip) *clip = NULL;
        marey_error error = { 0 };
        marey_status status = marey_library_list(library, NULL, &listing, &error);
        if (!status && n % 16 == 0) {
            status = marey_library_load(library, clip_names[n / 16 % CLIPS], &clip, &error);
            if (!status && marey_clip_frames(clip) != 3 + (int)(n / 16 % CLIPS))
                atomic_fetch_add(&all->torn, 1);
        }
        if (status) {
            snprintf(all->message, sizeof all->message, "read: %.400s", error.message);
            atomic_fetch_add(&all->failed, 1);
        } else if (!is_whole(listing)) {
            atomic_fetch_add(&all->torn, 1);
        } else {
            atomic_fetch_add(&all->reads, 1);
        }
    }
    marey_library_close(library);
    marey_ctx_close(ctx);
    _exit(0);
}

/* One transaction moves all clips from the old label to the new one: dropping and adding would be
   two. */
static void write_for_ever(shared *all, const char *path)
{
    marey_ctx *ctx;
    marey_library *library = open_or_fail(all, &ctx, path, MAREY_LIBRARY_WRITE);
    for (long n = 0; !atomic_load(&all->stop); n++) {
        char label[32];
        marey_error error = { 0 };
        snprintf(label, sizeof label, "generation %ld", n % 1000);
        if (marey_library_relabel(library, clip_names, CLIPS, label, &error)) {
            snprintf(all->message, sizeof all->message, "write: %.400s", error.message);
            atomic_fetch_add(&all->failed, 1);
        } else {
            atomic_fetch_add(&all->writes, 1);
        }
        usleep(500);
    }
    marey_library_close(library);
    marey_ctx_close(ctx);
    _exit(0);
}

static pid_t start(shared *all, const char *path, int which, unsigned seed)
{
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) return child;
    if (which < READERS) read_for_ever(all, path, seed);
    write_for_ever(all, path);
    _exit(0);
}

TEST(readers_never_see_a_torn_state_when_a_process_is_killed)
{
    const double seconds = test_is_long() ? 60 : 4, most_seconds = 600;
    const long least_reads = test_is_long() ? 100000 : 100, least_writes = 11;
    long writes_before = 0;
    char folder[256], path[300];
    pid_t child[READERS + 1];
    unsigned seed = 12345, kills = 0;
    shared *all =
        mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    test_folder_make(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/moves.marey", folder);
    static char names[CLIPS][600];
    const char *paths[CLIPS];
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_library) *library = NULL;
    for (int i = 0; i < CLIPS; i++) {
        char *text = test_person(3 + i);
        snprintf(names[i], sizeof names[i], "%s/%s.bvh", folder, clip_names[i]);
        test_file_write(names[i], text, strlen(text));
        free(text);
        paths[i] = names[i];
    }
    test_ok(marey_library_open(ctx, path, MAREY_LIBRARY_CREATE, &library, &test_error));
    test_ok(marey_library_add(library, paths, CLIPS, NULL, &test_error));
    test_ok(marey_library_label(library, clip_names, CLIPS, "generation 0", true, &test_error));
    for (int i = 0; i <= READERS; i++) child[i] = start(all, path, i, seed++);
    /* On a busy machine it takes longer: until enough was read and written. The writer is killed
       only after it has written something, or it would never get that far. */
    double begin = test_seconds(), took = 0;
    for (; took < most_seconds &&
           (took < seconds || all->reads < least_reads || all->writes < least_writes);
         kills++, took = test_seconds() - begin) {
        seed = seed * 1103515245 + 12345;
        usleep(5000 + seed / 65536 % 30000);
        bool wrote = atomic_load(&all->writes) > writes_before;
        int which = kills % 3 == 0 && wrote ? READERS : (int)(seed / 65536 % READERS);
        if (which == READERS) writes_before = atomic_load(&all->writes);
        kill(child[which], SIGKILL);
        waitpid(child[which], NULL, 0);
        child[which] = start(all, path, which, seed);
    }
    atomic_store(&all->stop, 1);
    for (int i = 0; i <= READERS; i++) waitpid(child[i], NULL, 0);
    print_message("%ld reads, %ld writes, %u kills in %.0f s\n", atomic_load(&all->reads),
                  atomic_load(&all->writes), kills, took);
    if (all->failed)
        fail_msg("%ld failures; the last: %s", atomic_load(&all->failed), all->message);
    assert_int_equal(all->torn, 0);
    assert_true(atomic_load(&all->reads) >= least_reads &&
                atomic_load(&all->writes) >= least_writes);
    munmap(all, sizeof *all);
    test_folder_remove(folder);
}

TEST_GROUP_OF_CASES(test_library_readers, NULL, NULL)
