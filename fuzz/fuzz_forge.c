/* fuzz_forge.c - whole libraries with everything in them, changed anywhere - rows, schema, bytes of
   every kind, pages - with every sum put right again, then used by every operation. The input is
   read as choices (forge.h); eight bytes are a seed, so that the program itself can make any number
   of them: `fuzz_forge seeded` tries as many as the tests do, all with MAREY_LONG, and prints what
   came of it; `fuzz_forge seeded:FROM-TO` these. With MAREY_SHOW it
   says of each what was forged, with MAREY_SHOW_CALLS which calls were refused. */
#include "forge.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int fuzz_seeded(const char *which);

static forge_story story;
static int64_t seed_now = -1;

/* Which one it was, whatever ended it. */
static void say_which(void)
{
    char text[sizeof story.text + 80];
    int used =
        snprintf(text, sizeof text, "forged library, seed %" PRId64 ": %s\n", seed_now, story.text);
    if (write(2, text, (size_t)used) < 0) _exit(1);
}

/* Of sanitizers, which end the program by themselves. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

void forge_require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz: not so: %s\n", what);
    if (__sanitizer_set_death_callback && seed_now >= 0) say_which();
    abort();
}

static void crashed(int number)
{
    say_which();
    signal(number, SIG_DFL);
    raise(number);
}

static void count_problem(void *user, const char *problem)
{
    fprintf(stderr, "fuzz_forge: %s\n", problem);
    ++*(int64_t *)user;
}

/* Where sums are put right and nothing is changed, nothing may be wrong, or what is behind them is
   never reached. */
static void check_mending(void)
{
    char path[96];
    int64_t told = 0;
    marey_ctx *ctx = NULL;
    snprintf(path, sizeof path, "%s/same.marey", forge_sound.folder);
    forge_write(NULL, path, &story);
    forge_require(!marey_ctx_open(&forge_host, &ctx) &&
                      !marey_library_verify(ctx, path, count_problem, &told, NULL, NULL) &&
                      told == 0,
                  "a library without changes is sound");
    marey_ctx_close(ctx);
}

static void begin(void)
{
    forge_check_operations();
    forge_make_bases();
    check_mending();
}

static void remove_beside(const char *path)
{
    static const char *const endings[] = { "-wal", "-shm", "-journal", "-migrating",
                                           "-migrating-journal" };
    char beside[160];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, endings[i]);
        unlink(beside);
    }
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[96];
    if (forge_sound.count == 0) begin();
    forge_choices from = forge_choices_of(data, size);
    story = (forge_story){ 0 };
    snprintf(path, sizeof path, "%s/forged.marey", forge_sound.folder);
    forge_write(&from, path, &story);
    if (getenv("MAREY_SHOW")) say_which();
    forge_use(&from, path, story.schema);
    remove_beside(path);
    return 0;
}

/* ---- on its own ------------------------------------------------------------------------------ */

static void report(void)
{
    const forge_tally *t = &forge_tallied;
    struct rusage used;
    long refused = 0;
    getrusage(RUSAGE_SELF, &used);
    for (int i = 1; i <= MAREY_ERR_BUSY; i++) refused += t->refused[i];
    printf(
        "%ld forged libraries used: %ld opened, %ld verified (%ld with problems), %ld calls (%ld"
        " done, %ld refused), %ld lines; %ld calls cancelled after 1 s, %ld libraries given up; at"
        " most %.0f MB, answers of %.1f kB, %.1f s for one; %.0f s of CPU time\n",
        t->libraries, t->opened, t->verified, t->problems, t->calls, t->done, refused, t->lines,
        t->cancelled, t->cut_short, (double)t->most_bytes / 1e6, (double)t->most_answer / 1e3,
        t->slowest_s, (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec);
    for (int i = 1; i <= MAREY_ERR_BUSY; i++)
        if (t->refused[i])
            printf("  %ld refused: %s\n", t->refused[i], marey_status_name((marey_status)i));
    fflush(stdout);
}

/* Of the tests; of those with sanitizers; all. */
enum { USUAL = 100, SANITIZED = 30, ALL = 200000 };

/* libFuzzer has a way of its own to say which input it was. */
static void watch_for_the_end(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(say_which);
        return;
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], crashed);
}

int fuzz_seeded(const char *which)
{
    int64_t first = 1, last = __sanitizer_set_death_callback ? SANITIZED : USUAL;
    if (getenv("MAREY_LONG")) last = ALL;
    watch_for_the_end();
    if (*which && sscanf(which, ":%" SCNd64 "-%" SCNd64, &first, &last) < 2) return 2;
    for (seed_now = first; seed_now <= last; seed_now++) {
        uint8_t data[8];
        for (int i = 0; i < 8; i++) data[i] = (uint8_t)(seed_now >> 8 * i);
        LLVMFuzzerTestOneInput(data, sizeof data);
        if (seed_now % 5000 == 0) report();
    }
    report();
    bool few = forge_tallied.libraries < SANITIZED;
    forge_require(few || forge_tallied.opened > forge_tallied.libraries / 2,
                  "most forged libraries open");
    return 0;
}
