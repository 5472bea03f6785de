/* demo_parts.c - what is done in a take of the demo library, without what stands around it. */
#include "demo_parts.h"

#include <string.h>

marey_clip *test_demo_part(marey_ctx *ctx, const char *name, int segment, int frames)
{
    OWNED(marey_demo_take) *take = test_demo_take(ctx, name);
    marey_clip *part = NULL;
    int count;
    const marey_demo_segment *segments = marey_demo_segments(take, &count);
    for (int i = 0; i < count && !part; i++) { /* idling between them is not counted */
        int end = frames ? segments[i].start + frames : segments[i].end;
        if (strcmp(segments[i].label, "idle") == 0 || segment-- > 0) continue;
        assert_true(end <= segments[i].end);
        test_ok(marey_clip_trim(marey_demo_clip(take), segments[i].start, end, &part, NULL));
    }
    assert_non_null(part);
    return part;
}
