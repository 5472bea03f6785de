/* fuzz_example.c - a query drawn by a wild hand: two signals out of the input's bytes, as numbers
   of any kind or as small ones, asked of a small library that is cut as the first bytes say. What
   is found must be sound: fragments that follow each other, paths in order, parts within the clip,
   jumps and errors that add up. The same bytes are also read as names of degrees of freedom. */
#include <marey/marey.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FRAMES = 90, HEAD = 4, DOFS = 2, MOST_SAMPLES = 4000 };

static const char skeleton[] = "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 6 Xposition "
                               "Yposition Zposition Zrotation Xrotation "
                               "Yrotation\nJOINT Spine\n{\nOFFSET 0 40 1\nCHANNELS 3 Zrotation "
                               "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 "
                               "20 0\n}\n}\n}\nMOTION\nFrames: 90\nFrame Time: 0.05\n";

static void require(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_example: not so: %s\n", what);
    abort();
}

static marey_clip *load_clip(marey_ctx *ctx)
{
    size_t room = sizeof skeleton + FRAMES * 100, used = sizeof skeleton - 1;
    char *text = malloc(room);
    marey_clip *clip = NULL;
    require(text != NULL, "there is memory");
    memcpy(text, skeleton, used);
    for (int f = 0; f < FRAMES; f++) {
        used += (size_t)snprintf(text + used, room - used, "%.2f 90 2 %.3f 0 5 %.3f 5 0\n", 2.0 * f,
                                 f < 20 ? 0.5 * (f % 3) : 30 * sin(f * 0.3),
                                 170 + 30 * sin(f * 0.21) + (f % 4));
    }
    require(!marey_clip_load_bytes(ctx, "a.bvh", text, used, NULL, &clip, NULL), "the clip loads");
    free(text);
    return clip;
}

static void check_words(const uint8_t *data, size_t size)
{
    marey_dof dofs[MAREY_MOST_DOFS];
    char *text = malloc(size + 1);
    int count = 0;
    require(text != NULL, "there is memory");
    memcpy(text, data, size);
    text[size] = 0;
    if (marey_dofs_parse(text, dofs, &count, NULL) == MAREY_OK) {
        require(count >= 1 && count <= MAREY_MOST_DOFS, "there are as many as fit");
        for (int d = 0; d < count; d++) {
            require(dofs[d].joint[0] && strlen(dofs[d].joint) < MAREY_DOF_NAME,
                    "joints have names");
            require(dofs[d].channel <= MAREY_CHANNEL_Z_ROTATION, "positions or rotations");
        }
    }
    free(text);
}

static double *read_values(const uint8_t *data, size_t size, bool raw, int *samples)
{
    size_t each = raw ? sizeof(double) : 1, count = size / each / DOFS;
    if (count > MOST_SAMPLES) count = MOST_SAMPLES;
    double *values = calloc(DOFS * count + 1, sizeof *values);
    require(values != NULL, "there is memory");
    for (size_t i = 0; i < DOFS * count; i++) {
        if (raw) {
            memcpy(&values[i], data + i * each, each);
        } else {
            values[i] = (double)(int8_t)data[i] / 2;
        }
    }
    *samples = (int)count;
    return values;
}

static void check_path(const marey_example_path *path, int fragments)
{
    double sum = 0;
    int jumps = 0;
    for (int i = 0; i < fragments; i++) {
        const marey_example_part *part = &path->parts[i];
        require(part->clip == 0 && part->fragment >= 0 && part->next > part->fragment, "a part");
        require(part->at.start >= 0 && part->at.start < part->at.end && part->at.end <= FRAMES - 1,
                "parts lie within the clip");
        require(part->error >= 0 && isfinite(part->error), "errors are numbers");
        sum += part->error;
        jumps += i > 0 && part[-1].next != part->fragment;
    }
    require(jumps == path->jumps, "jumps add up");
    require(fabs(sum - path->error) <= 1e-9 * (1 + sum), "errors add up");
}

static void check_found(const marey_example_found *found, int samples, int best)
{
    int fragments, paths, clips;
    const marey_fragment *cut = marey_example_fragments(found, &fragments);
    const marey_example_path *path = marey_example_paths(found, &paths);
    const marey_example_clip *clip = marey_example_clips(found, &clips);
    require(fragments > 0 && cut[0].start == 0 && cut[fragments - 1].end == samples - 1,
            "fragments cover the query");
    for (int i = 0; i < fragments; i++) {
        require(cut[i].start < cut[i].end, "time goes on");
        if (i == 0) continue;
        require(cut[i].start == cut[i - 1].end, "fragments follow each other");
        require(cut[i].rising != cut[i - 1].rising, "they rise and fall in turn");
    }
    require(paths >= 1 && paths <= best && clips == 1, "as many as asked for");
    for (int p = 0; p < paths; p++) {
        check_path(&path[p], fragments);
        if (p == 0) continue;
        require(path[p - 1].jumps < path[p].jumps ||
                    (path[p - 1].jumps == path[p].jumps && path[p - 1].error <= path[p].error),
                "paths are in order");
    }
    require(clip->path.jumps == path->jumps && clip->path.error == path->error,
            "of one clip both are the same");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    marey_ctx *ctx = NULL;
    marey_ctx_def limits = { .threads = 1, .byte_limit = (size_t)256 << 20 };
    marey_examples *in = NULL;
    marey_example_found *found = NULL;
    marey_dof dofs[MAREY_MOST_DOFS];
    int count, samples;
    if (size < HEAD) return 0;
    require(marey_ctx_open(&limits, &ctx) == MAREY_OK, "a context can be had");
    marey_clip *made = load_clip(ctx);
    const marey_clip *clip = made;
    marey_example_def def = { .noise = (int8_t)data[1] / 8.0,
                              .shape = data[0] & 1,
                              .plain = data[0] & 2 };
    marey_example_find_def wish = { .k = data[2] % 66, .best = data[3] % 102 };
    require(!marey_dofs_parse("Hips.Zrotation,Spine.Zrotation", dofs, &count, NULL), "names");
    require(!marey_examples_open(ctx, &clip, 1, dofs, count, &def, &in, NULL), "it opens");
    double *values = read_values(data + HEAD, size - HEAD, data[0] & 4, &samples);
    marey_example_query query = { samples, 30, values };
    if (marey_examples_find(ctx, in, &query, &wish, &found, NULL) == MAREY_OK) {
        check_found(found, samples, wish.best ? wish.best : 5);
    }
    check_words(data + HEAD, size - HEAD);
    free(values);
    marey_example_found_free(found);
    marey_examples_free(in);
    marey_clip_free(made);
    marey_ctx_close(ctx);
    return 0;
}
