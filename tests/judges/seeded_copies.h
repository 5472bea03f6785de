/* seeded_copies.h - copies of a clip that are not the same numbers: trimmed, turned, rounded,
   resampled, scaled, mirrored. */
#ifndef MAREY_TEST_SEEDED_COPIES_H
#define MAREY_TEST_SEEDED_COPIES_H

#include <marey/marey.h>

typedef struct seeded_copy_row {
    const char *name;
    marey_clip *(*make)(marey_clip *clip, uint64_t *seed); /* frees the clip */
} seeded_copy_row;

extern const seeded_copy_row seeded_copies[];
extern const int seeded_copies_count;

/* A copy of this kind. Free with marey_clip_free. */
marey_clip *seeded_copy(const marey_clip *clip, const seeded_copy_row *row, uint64_t *seed);

#endif
