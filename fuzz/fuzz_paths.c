/* fuzz_paths.c - tables of paths from anything. The first byte says whether a sound line of names
   is put before the rest, and who is wanted. What is read must be paths that can be, must be
   written and read back as what it was, and is then learned from and played. */
#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ROWS = 200, RATE = 5 };

static const char NAMES[] = "time,main_x,main_y,main_dir,react_x,react_y,react_dir\n";

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_paths: not so: %s\n", what);
    abort();
}

static bool can_be(const marey_entity *at)
{
    return fabs(at->x_cm) <= 1e6 && fabs(at->y_cm) <= 1e6 && fabs(at->direction_rad) <= 1e4;
}

static bool same(const marey_entity *a, const marey_entity *b)
{
    return a->x_cm == b->x_cm && a->y_cm == b->y_cm && a->direction_rad == b->direction_rad;
}

static void check(const marey_paths *paths)
{
    int count = 0;
    const marey_puppet_sample *s = marey_paths_samples(paths, &count);
    const marey_paths_about *about = marey_paths_facts(paths);
    require(count >= 2 && count == about->count, "there are two rows at least");
    require(about->gaps < count && (about->gaps > 0) == (about->gap_line > 0), "gaps are counted");
    for (int i = 0; i < count; i++) {
        require(can_be(&s[i].main) && can_be(&s[i].react), "places can be");
        require(i == 0 || s[i].time_s > s[i - 1].time_s, "times rise");
    }
}

static void write_and_read_back(marey_ctx *ctx, const marey_paths *paths)
{
    int count = 0, again = 0;
    const marey_puppet_sample *s = marey_paths_samples(paths, &count);
    uint8_t *bytes = NULL;
    size_t size = 0;
    marey_paths *back = NULL;
    require(!marey_paths_write(ctx, s, count, true, &bytes, &size, NULL), "it is written");
    require(!marey_paths_read(ctx, bytes, size, "back", NULL, &back, NULL), "and read back");
    const marey_puppet_sample *b = marey_paths_samples(back, &again);
    require(again == count, "with as many rows");
    for (int i = 0; i < count; i++)
        require(b[i].time_s == s[i].time_s && same(&b[i].main, &s[i].main) &&
                    same(&b[i].react, &s[i].react),
                "each as it was");
    marey_paths_free(back);
    marey_graph_bytes_free(ctx, bytes, size);
}

static void learn_and_play(marey_ctx *ctx, const marey_paths *paths)
{
    int count = 0;
    const marey_puppet_sample *s = marey_paths_samples(paths, &count);
    marey_puppet *puppet = NULL;
    marey_puppet_sample played[MOST_ROWS];
    marey_puppet_def def = { .rate = RATE, .window_s = 1, .gap_s = 2 };
    if (count > MOST_ROWS || s[count - 1].time_s - s[0].time_s > MOST_ROWS) return;
    marey_demonstration one = { s, count };
    if (marey_puppet_train(ctx, &one, 1, &def, &puppet, NULL)) return;
    memcpy(played, s, sizeof *s * (size_t)count);
    require(!marey_puppet_play(ctx, puppet, played, count, NULL, NULL, NULL), "it is played");
    for (int i = 0; i < count; i++) require(can_be(&played[i].react), "and is somewhere");
    marey_puppet_free(puppet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    marey_ctx *ctx = NULL;
    marey_ctx_def def = { .threads = 1, .byte_limit = (size_t)64 << 20 };
    require(marey_ctx_open(&def, &ctx) == MAREY_OK, "a context can be had");
    size_t names = data[0] % 2 ? strlen(NAMES) : 0;
    char *text = malloc(names + size);
    require(text != NULL, "there is memory");
    memcpy(text, NAMES, names);
    memcpy(text + names, data + 1, size - 1);
    marey_paths *paths = NULL;
    marey_paths_def wants = { .needs_react = data[0] & 2, .main_only = (data[0] & 6) == 4 };
    marey_error error = { 0 };
    marey_status status =
        marey_paths_read(ctx, text, names + size - 1, "any", &wants, &paths, &error);
    if (status) {
        require(marey_status_group(status) == MAREY_ERR_INPUT && !paths && error.message[0],
                "it is refused in words");
    } else {
        check(paths);
        write_and_read_back(ctx, paths);
        if (marey_paths_facts(paths)->has_react) learn_and_play(ctx, paths);
    }
    marey_paths_free(paths);
    free(text);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
