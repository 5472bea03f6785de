/* unmarked.c - a clip without the frames that are no captured motion. What is made of clips leaves those out. */
#include "base/fail.h"

#include <marey/blend.h>

enum { MOST_PIECES = 64 };

marey_status marey_clip_unmarked(const marey_clip *clip, int *frame, marey_clip **out,
                                 marey_error *error)
{
    marey_clip *pieces[MOST_PIECES];
    int count = 0, dropped = 0, last = 0, frames = marey_clip_frames(clip), mark_count;
    const marey_mark *marks = marey_clip_marks(clip, &mark_count);
    marey_status status = MAREY_OK;
    for (int at = 0, end = 0; status == MAREY_OK; at = end) {
        /* The next run of unmarked frames: [at, end). */
        for (bool moved = true; moved;) {
            moved = false;
            end = frames;
            for (int i = 0; i < mark_count; i++) {
                if (at >= marks[i].start && at < marks[i].end) {
                    at = marks[i].end;
                    moved = true;
                } else if (marks[i].start > at && marks[i].start < end) {
                    end = marks[i].start;
                }
            }
        }
        if (at >= frames) break;
        /* Frames before `frame` that are left out, of those between the run before and this one. */
        if (frame && last < *frame) dropped += (at < *frame ? at : *frame) - last;
        last = end;
        if (count == MOST_PIECES) {
            status = mry_fail(error, MAREY_ERR_LIMIT, NULL,
                              "the clip would be made of more than %d pieces between frames that "
                              "are no captured motion",
                              (int)MOST_PIECES);
        }
        if (status == MAREY_OK) status = marey_clip_trim(clip, at, end, &pieces[count], error);
        if (status == MAREY_OK) count++;
    }
    if (status == MAREY_OK && count == 1) {
        *out = pieces[--count];
    } else if (status == MAREY_OK && count == 0) {
        status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                          "no frame of the clip would be captured motion");
    } else if (status == MAREY_OK) {
        status =
            marey_clip_concatenate((const marey_clip *const *)pieces, count, false, out, error);
    }
    for (int i = 0; i < count; i++) marey_clip_free(pieces[i]);
    if (status == MAREY_OK && frame) {
        int most = marey_clip_frames(*out) - 1; /* behind the last run no other frame comes */
        *frame = *frame - dropped < most ? *frame - dropped : most;
    }
    return status;
}
