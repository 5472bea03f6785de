/* flawed.c - which frames flaws spoil. */
#include "repair/flawed.h"

#include <string.h>

static void spoil(const marey_clip *clip, uint8_t *spoiled, int start, int end)
{
    if (start < 0) start = 0;
    if (end > clip->frames) end = clip->frames;
    if (start < end) memset(spoiled + start, 1, (size_t)(end - start));
}

bool mry_flawed_frames(const marey_clip *clip, uint8_t *spoiled)
{
    enum { BRIEF = 24 }; /* frames between two leaps that are no motion of their own */
    marey_flaws flaws;
    if (marey_flaws_find(clip, &flaws)) return false;
    memset(spoiled, 0, (size_t)clip->frames);
    for (int i = 0; i < clip->mark_count; i++)
        spoil(clip, spoiled, clip->marks[i].start, clip->marks[i].end);
    for (int i = 0; i < flaws.count; i++) {
        const marey_flaw *flaw = &flaws.items[i];
        bool leap = flaw->kind == MAREY_FLAW_SPIKE || flaw->kind == MAREY_FLAW_STEP ||
                    flaw->kind == MAREY_FLAW_FLIP;
        int next = flaw->joint + 1;
        bool carries =
            next < clip->skeleton.joint_count && clip->joints[next].parent == flaw->joint;
        if (flaw->kind == MAREY_FLAW_FROZEN) spoil(clip, spoiled, flaw->start, flaw->end);
        if (!leap || (flaw->kind == MAREY_FLAW_FLIP && !carries)) continue;
        if (flaw->end - flaw->start <= BRIEF) {
            spoil(clip, spoiled, flaw->start - 1, flaw->end + 1);
        } else {
            spoil(clip, spoiled, flaw->start - 1, flaw->start + 1);
            if (flaw->end < clip->frames) spoil(clip, spoiled, flaw->end - 1, flaw->end + 1);
        }
    }
    marey_flaws_free(&flaws);
    return true;
}
