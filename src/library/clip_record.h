/* clip_record.h - a clip as the records that a library stores: the skeleton (shared by clips), the channels
   (packed columns), and what is known about the clip. Threads make records; one thread stores them. */
#ifndef MRY_CLIP_RECORD_H
#define MRY_CLIP_RECORD_H

#include "motion/clip_data.h"
#include "store/store.h"

typedef struct mry_record {
    const void *skeleton; /* joints, offsets and channels, in the file's units */
    size_t skeleton_size;
    char
        skeleton_name[64]; /* "cmu-31-5f3a": the same for the same joints, whatever their lengths */
    mry_packed motion;     /* packed columns */
    char motion_name[40];  /* 32 hexadecimal digits of its hash */
    uint8_t hash[16];      /* of skeleton, channels and rate: equal means the same clip */
    const void *about;     /* rate, units, marks and the import report */
    size_t about_size;
    int frames;
    double fps;
} mry_record;

/* Everything lives in mem. A clip without channels of its own (an edited one) gets them from its tracks, rounded
   to six decimals. False when out of memory. */
bool mry_record_make(const marey_clip *clip, mry_arena *mem, mry_record *out);

/* What was stored, as read from the library; borrowed. */
typedef struct mry_stored {
    const char *name;
    const void *skeleton, *columns, *about;
    size_t skeleton_size, columns_size, about_size;
} mry_stored;

/* INPUT with "damaged" if the bytes do not make a clip; they are never trusted. */
marey_status mry_record_open(marey_ctx *ctx, const mry_stored *stored, marey_clip **out,
                             marey_error *error);

/* The clip's hash, from stored bytes. */
void mry_record_hash(const mry_stored *stored, double fps, marey_units units, marey_up up,
                     uint8_t hash[16]);

#endif
