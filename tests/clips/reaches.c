/* reaches.c - see reaches.h. */
#include "reaches.h"

#include <stdlib.h>
#include <string.h>

/* The plants inside a segment, in its frames. */
static marey_contacts plants_in(const marey_demo_take *take, int start, int end)
{
    int count;
    const marey_contact *all = marey_demo_contacts(take, &count);
    marey_contacts out = { .items = calloc((size_t)count + 1, sizeof *out.items) };
    for (int i = 0; i < count; i++) {
        marey_contact c = all[i];
        c.start = c.start < start ? 0 : c.start - start;
        c.end = (c.end > end ? end : c.end) - start;
        if (c.start < c.end) out.items[out.count++] = c;
    }
    return out;
}

static void take_segments(const marey_demo_take *take, const char *label, const char *side,
                          int most, test_examples *out)
{
    int count;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    for (int i = 0; i < count && out->count < most; i++) {
        const marey_demo_segment *s = &segments[i];
        marey_clip *cut = NULL;
        if (strcmp(s->label, label) != 0 || strcmp(s->side, side) != 0) continue;
        test_ok(marey_clip_trim(marey_demo_clip(take), s->start, s->end, &cut, NULL));
        out->clips[out->count] = cut;
        out->contacts[out->count] = plants_in(take, s->start, s->end);
        memcpy(out->truth[out->count], s->param_values, sizeof s->param_values);
        out->count++;
    }
}

void test_examples_make(marey_ctx *ctx, const char *label, const char *side, int count,
                        test_examples *out)
{
    *out = (test_examples){ 0 };
    assert_true(count <= TEST_MOST_EXAMPLES);
    for (uint64_t seed = 1; seed < 50 && out->count < count; seed++) {
        for (int t = 0; t < marey_demo_count() && out->count < count; t++) {
            OWNED(marey_demo_take) *take = NULL;
            if (strncmp(marey_demo_name(t), "small", 5) == 0) continue;
            test_ok(marey_demo_build(ctx, t, seed, &take, NULL));
            take_segments(take, label, side, count, out);
        }
    }
    assert_int_equal(out->count, count);
}

void test_examples_free(test_examples *examples)
{
    for (int i = 0; i < examples->count; i++) {
        union {
            const marey_clip *borrowed;
            marey_clip *own;
        } clip = { examples->clips[i] };
        marey_clip_free(clip.own);
        free(examples->contacts[i].items);
    }
    *examples = (test_examples){ 0 };
}
