/* captured_frames.c - runs of frames between marks. */
#include "captured_frames.h"

#include <math.h>

/* The first run from *at on: *at becomes its beginning, *end its end. Marks may overlap. False: there is none. */
static bool next_run(const marey_clip *clip, int last, int *at, int *end)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (bool moved = true; moved;) {
        moved = false;
        *end = last;
        for (int i = 0; i < count; i++) {
            if (*at >= marks[i].start && *at < marks[i].end) {
                *at = marks[i].end;
                moved = true;
            } else if (marks[i].start > *at && marks[i].start < *end) {
                *end = marks[i].start;
            }
        }
    }
    return *at < last;
}

bool captured_read(const marey_clip *clip, int start, int end, captured_frames *out)
{
    *out = (captured_frames){ .count = 0 };
    for (int at = start, stop; next_run(clip, end, &at, &stop); at = stop) {
        if (out->count == CAPTURED_RUNS) return false;
        out->runs[out->count++] = (captured_span){ at, stop };
    }
    return true;
}

double captured_to_clip(const captured_frames *of, double frame)
{
    double whole = floor(frame), before = 0;
    for (int i = 0; i < of->count; i++) {
        int frames = of->runs[i].end - of->runs[i].start;
        if (whole < before + frames || i == of->count - 1) {
            return of->runs[i].start + (frame - before);
        }
        before += frames;
    }
    return frame;
}

int captured_from_clip(const captured_frames *of, int frame)
{
    int before = 0;
    for (int i = 0; i < of->count; i++) {
        if (frame < of->runs[i].start) return -1;
        if (frame < of->runs[i].end) return before + frame - of->runs[i].start;
        before += of->runs[i].end - of->runs[i].start;
    }
    return -1;
}
