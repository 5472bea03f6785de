/* forge_use.c - a forged library is used: a line of the program, which shows results to people; verify;
   the calls of C; then every operation. */
#include "forge.h"
#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The sound library, and the context in which it stays open: a library beside it opens in a tenth
   of the time, since what it consists of is compared with one that was compared already. */
static struct {
    forge_place at;
    size_t bytes, held;
} home;

static void open_home(void)
{
    static char path[128];
    if (home.at.ctx) return;
    snprintf(path, sizeof path, "%s/all.marey", forge_sound.folder);
    home.at = (forge_place){ .def = forge_host };
    forge_require(
        !marey_ctx_open(&home.at.def, &home.at.ctx) &&
            !marey_library_open(home.at.ctx, path, MAREY_LIBRARY_READ, &home.at.library, NULL),
        "the sound library opens");
    home.bytes = marey_ctx_bytes(home.at.ctx);
    home.held = forge_held();
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char *const lines[] = {
    "ls @",
    "ls @ --long",
    "ls @ --removed",
    "ls @ --json --long",
    "history @",
    "verify @",
    "verify @ --hash",
    "verify @ --json",
    "contacts -L @ a",
    "quality -L @ b",
    "info -L @ a",
    "positions -L @ k -o o.npy",
    "grid -L @ a b",
    "similar -L @ a b",
    "compare -L @ a b",
    "align -L @ a b",
    "align -L @ --curve pair",
    "align -L @ --curve three --json",
    "transition -L @ a b --below inf --anywhere --half 3 -o o.bvh",
    "blend -L @ a b --weights 1,1 -o o.glb",
    "blend -L @ --curve three --weights 1,1,1 -o o.bvh",
    "clean -L @ a -o o.bvh",
    "retarget -L @ a --onto w0 -o o.bvh",
    "map -L @ a w0",
    "loop -L @ a",
    "loop -L @ mix -o o.bvh",
    "curves @",
    "index @ --show",
    "index @",
    "search @ a#2-16",
    "search @ a#0-14 --web",
    "search @ a#0-14 --nearest 4 --cut found",
    "motifs @ --limit 3",
    "example @ k#2-20",
    "param ls @ --long",
    "param show @ fam",
    "param examine @ fam",
    "param check @ fam --count 5",
    "param make @ fam --at 10,120,20 -o o.bvh",
    "graph ls @",
    "graph stats @ g",
    "graph stats @ joined",
    "graph walk @ g --length 2s -o o.bvh",
    "graph walk @ joined --length 2s -o o.bvh",
    "graph path @ g --path '0,0 100,50'",
    "cluster ls @",
    "cluster show @ c",
    "cluster show @ c --node 1",
    "cluster loop @ c a",
    "puppet ls @",
    "puppet show -L @ dog",
    "puppet show -L @ shy",
    "doctor @",
    "doctor @ --long",
    "doctor @ --fix all",
    "doctor @ --undo all",
    "label @ a --add x",
    "set @ w1 --reset",
    "rename @ a other",
    "rm @ a",
    "rm @ a --purge",
    "restore @ gone",
    "cut @ a#2-9 bit",
    "undo @",
    "redo @",
    "undo @ --to 0",
    "export @ --all --to glb -o out",
    "export @ a b -o out",
    "convert -L @ a o.fbx",
    "convert -L @ a b o.bvh --align",
    "merge @ in.shard",
    "add @ in.bvh",
    "graph rm @ g",
    "cluster rm @ c",
    "param rm @ fam",
    "puppet rename @ shy bold",
    "puppet rm @ dog",
    "render -L @ a -o o.png",
    "graph control @ g --script s.csv -o o.bvh",
};
/* One library in so many meets everything there is, the others a share of it. */
enum { ALL_OF_ONE_IN = 128 };

enum { LINES = sizeof lines / sizeof *lines, MOST_WORDS = 24 };

static int hear(void *user, const char *bytes, size_t count)
{
    size_t *said = user;
    (void)bytes;
    *said += count;
    forge_require(*said < forge_most_said, "what the program says has an end");
    return 0;
}

static void watch(void *user, marey_ctx *ctx)
{
    static marey_ctx *now;
    if (ctx)
        forge_clock_start(ctx, user);
    else if (now)
        forge_clock_stop(now);
    now = ctx;
}

static void use_line(forge_choices *from, const char *path)
{
    char text[1024], *words[MOST_WORDS], *to = text, program[] = "marey";
    int count = 0;
    size_t said = 0;
    const char *line = lines[forge_below(from, LINES)];
    char copy[160];
    snprintf(copy, sizeof copy, "%s", line);
    for (const char *at = line; *at; at++)
        to += *at == '@' ? snprintf(to, 128, "%s", path) : (*to = *at, 1);
    *to = 0;
    words[count++] = program;
    for (char *at = text; *(at += strspn(at, " ")) && count < MOST_WORDS - 1;) {
        char end = *at == '\'' ? *at++ : ' ';
        words[count++] = at;
        at += strcspn(at, (char[]){ end, 0 });
        if (*at) *at++ = 0;
    }
    words[count] = NULL;
    program_host host = { .def = forge_host,
                          .out = { hear, &said },
                          .err = { hear, &said },
                          .running = watch,
                          .running_user = copy };
    int status = program_run(&host, count, words);
    forge_require(status == PROGRAM_DONE || said > 0, "the program says why it fails");
    forge_require(status != PROGRAM_USAGE, line);
    forge_require(forge_held() == home.held, line);
    forge_tallied.lines++;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void count_problem(void *user, const char *problem)
{
    ++*(int64_t *)user;
    forge_require(*problem != 0, "a problem is named");
}

static marey_status open_it(forge_place *at, forge_choices *from, bool schema, marey_error *error)
{
    marey_library_mode mode = forge_below(from, 8) ? MAREY_LIBRARY_WRITE : MAREY_LIBRARY_READ;
    bool whole = schema || forge_below(from, 8) == 0;
    return whole ? marey_library_open(at->ctx, at->path, mode, &at->library, error)
                 : marey_library_open_beside(home.at.library, at->path, mode, &at->library, error);
}

static void verify(const forge_place *at)
{
    marey_error error = { 0 };
    int64_t problems = 0, told = 0;
    forge_clock_start(at->ctx, "verify");
    marey_status status =
        marey_library_verify(at->ctx, at->path, count_problem, &told, &problems, &error);
    forge_clock_stop(at->ctx);
    forge_check("verify", status, &error);
    forge_require(status || problems == told, "every problem is reported");
    forge_tallied.verified++;
    forge_tallied.problems += !status && problems > 0;
}

void forge_use(forge_choices *from, const char *path, bool schema)
{
    double start = forge_seconds();
    marey_error error = { 0 };
    open_home();
    forge_place at = home.at;
    at.path = path;
    at.library = NULL;
    int free_handle = dup(0);
    close(free_handle);
    forge_tallied.libraries++;
    from->all = forge_below(from, ALL_OF_ONE_IN) == 0;
    if (forge_picks(from, 8)) use_line(from, path);
    if (forge_picks(from, 8)) verify(&at);

    forge_clock_start(at.ctx, "open");
    marey_status status = open_it(&at, from, schema, &error);
    forge_clock_stop(at.ctx);
    forge_check("open", status, &error);
    if (status == MAREY_OK) {
        forge_tallied.opened++;

        forge_use_api(from, &at);
        forge_use_operations(from, &at, start);

        marey_library_close(at.library);
    }
    forge_require(marey_ctx_bytes(at.ctx) == home.bytes, "nothing is held at the end");
    forge_require(forge_held() == home.held, "no memory is left");
    int now_free = dup(0);
    close(now_free);
    forge_require(now_free == free_handle, "no file is left open");
    double took = forge_seconds() - start;
    if (took > forge_tallied.slowest_s) forge_tallied.slowest_s = took;
}
