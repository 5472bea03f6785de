/* demo_parts.c - what is done in a take of the demo library, without what stands around it. */
#include "demo_parts.h"

#include <string.h>

marey_clip *test_demo_part(marey_ctx *ctx, const char *name, int segment, int frames)
{
    marey_demo_take *take = NULL;
    marey_clip *part = NULL;
    int number = 0, count;
    while (number < marey_demo_count() && strcmp(marey_demo_name(number), name) != 0) number++;
    assert_true(number < marey_demo_count());
    assert_int_equal(marey_demo_build(ctx, number, 1, &take, NULL), MAREY_OK);
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    for (int i = 0; i < count && !part; i++) { /* idling between them is not counted */
        int end = frames ? segments[i].start + frames : segments[i].end;
        if (strcmp(segments[i].label, "idle") == 0 || segment-- > 0) continue;
        assert_true(end <= segments[i].end);
        assert_int_equal(
            marey_clip_trim(marey_demo_clip(take), segments[i].start, end, &part, NULL), MAREY_OK);
    }
    assert_non_null(part);
    marey_demo_free(take);
    return part;
}
