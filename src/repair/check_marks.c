/* check_marks.c - frames that an import marked: a first frame that was invented, and dropouts. They
   are ignored already; a dropout that is short enough to be bridged can be filled. */
#include "repair/exam.h"

static const double LONGEST_FILL_S = 0.2; /* a joint may do anything in more */

bool mry_check_marks(mry_exam *exam)
{
    const marey_clip *clip = exam->clip;
    for (int i = 0; i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        int frames = mark->end - mark->start;
        if (mark->kind != MAREY_MARK_INVENTED && mark->kind != MAREY_MARK_DROPOUT) continue;
        marey_flaw flaw = { .joint = -1,
                            .start = mark->start,
                            .end = mark->end,
                            .size = frames,
                            .certainty = 1,
                            .repair = { .joint = -1, .start = mark->start, .end = mark->end } };
        if (mark->kind == MAREY_MARK_INVENTED) {
            flaw.kind = MAREY_FLAW_FIRST_FRAME;
        } else {
            flaw.kind = MAREY_FLAW_DROPOUT;
            flaw.repair.kind = MAREY_LAYER_FILL;
            flaw.mendable =
                frames <= LONGEST_FILL_S * clip->fps && mark->start > 0 && mark->end < clip->frames;
        }
        if (!mry_flaw_add(exam, &flaw)) return false;
    }
    return true;
}
