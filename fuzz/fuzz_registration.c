/* fuzz_registration.c - a sound registration curve as bytes, changed at the places that the input
   names, with its sum put right again: what the sum would catch is let through, so that reading
   must cope. What is read is looked at everywhere along its curve, and blended. The first byte
   chooses between two motions and three, which hang on each other in a row. */
#include "changed_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VERSION = 1, KINDS = 2, STEPS = 50 }; /* as registration_bytes.c has it */

static void make_registrations(void)
{
    marey_ctx *ctx = open_ctx();
    marey_clip *clips[MOST_CLIPS];
    load_clips(ctx, MOST_CLIPS, clips);
    for (int kind = 0; kind < KINDS; kind++) {
        marey_registration_def def = { .parents = (const int[]){ 1, -1, 0 } };
        marey_registration *of;
        uint8_t *bytes;
        size_t size;
        require(!marey_registration_build(ctx, (const marey_clip *const *)clips, 2 + kind, NULL,
                                          &def, &of, NULL),
                "a registration is made");
        require(!marey_registration_write(of, &bytes, &size, NULL), "and written");
        keep_bytes(ctx, kind, bytes, size);
        marey_registration_free(of);
    }
    free_clips(MOST_CLIPS, clips);
    marey_ctx_close(ctx);
}

static void look(const marey_registration *of)
{
    double first, last, before[MOST_CLIPS], rows[MOST_CLIPS], slopes[MOST_CLIPS];
    int motions = marey_registration_count(of), matches;
    marey_registration_range(of, &first, &last);
    require(first < last, "u runs on");
    for (int step = 0; step <= STEPS; step++) {
        double u = first + step * (last - first) / STEPS;
        marey_registration_times(of, u, rows, slopes);
        for (int m = 0; m < motions; m++) {
            const marey_clip *clip = marey_registration_clip(of, m);
            marey_placement at = marey_registration_place(of, m, u);
            double end =
                marey_clip_frames(clip) * marey_registration_fps(of) / marey_clip_fps(clip);
            require(isfinite(at.angle_rad) && isfinite(at.x_cm) && isfinite(at.z_cm), "places");
            require(rows[m] > -1 && rows[m] < end + 1 && isfinite(slopes[m]), "inside the clip");
            require(step == 0 || rows[m] >= before[m], "times do not go back");
            before[m] = rows[m];
            double back = marey_registration_find(of, m, rows[m]);
            require(back >= first && back <= last, "found inside the range");
        }
    }
    const marey_constraint_match *match = marey_registration_matches(of, &matches);
    for (int i = 0; i < matches; i++)
        for (int m = 0; m < motions; m++)
            require(match[i].spans[m].start <= match[i].spans[m].end, "plants begin, then end");
    for (int m = 0; m < motions; m++) {
        const marey_path *path = marey_registration_path(of, m);
        require((path == NULL) == (m == marey_registration_reference(of)),
                "all but one have paths");
        for (int i = 0; path && i < path->count; i++)
            require(path->cells[i].row >= 0 && path->cells[i].col >= 0, "cells are in the grid");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!base.clip[0]) {
        make_walks(MOST_CLIPS);
        make_registrations();
    }
    if (size < 1) return 0;
    int kind = data[0] % KINDS, count = 2 + kind;
    size_t whole;
    uint8_t *bytes = changed_bytes(kind, data, size, VERSION, &whole);
    marey_ctx *ctx = open_ctx();
    marey_clip *clips[MOST_CLIPS];
    load_clips(ctx, count, clips);
    marey_registration *of = NULL;
    bool read = !marey_registration_read(ctx, bytes, whole, (const marey_clip *const *)clips, count,
                                         NULL, &of, NULL);
    require(read || size > 1 || whole < base.size[kind], "what was not changed is read");
    if (read) {
        const double weights[MOST_CLIPS] = { 0.5, 0.75, -0.25 };
        marey_blend_def def = { .weights = weights,
                                .method =
                                    (marey_blend_method)(data[0] / 2 % MAREY_BLEND_METHOD_COUNT) };
        marey_made made = { 0 };
        uint8_t *again;
        size_t length;
        look(of);
        if (!marey_blend_make(ctx, of, &def, &made, NULL)) marey_made_free(&made);
        if (!marey_registration_write(of, &again, &length, NULL)) {
            require(length == whole && !memcmp(again, bytes, whole), "it writes the same bytes");
            marey_registration_bytes_free(ctx, again, length);
        }
    }
    marey_registration_free(of);
    free(bytes);
    free_clips(count, clips);
    require(marey_ctx_bytes(ctx) == 0, "nothing is held at the end");
    marey_ctx_close(ctx);
    return 0;
}
