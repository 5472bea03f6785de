/* clip_record.h - a clip as the records that a library stores: the skeleton (shared by clips), the
   channels (packed columns), and what is known about the clip. Threads make records; one thread
   stores them. */
#ifndef MRY_CLIP_RECORD_H
#define MRY_CLIP_RECORD_H

#include "motion/clip_data.h"
#include "store/store.h"

typedef struct mry_record {
    const void *skeleton; /* joints, offsets and channels, in the file's units */
    size_t skeleton_size;
    /* "cmu-31-5f3a": the same for the same joints, whatever their lengths. */
    char skeleton_name[64];
    mry_packed motion;    /* packed columns */
    char motion_name[40]; /* 32 hexadecimal digits of its hash */
    uint8_t hash[16];     /* of skeleton, channels and rate: equal means the same clip */
    const void *about;    /* rate, units, marks and the import report */
    size_t about_size;
    int frames;
    double fps;
    uint64_t memory; /* mry_record_memory */
    /* Of its poses, for searches: pose_rows.h; NULL: it has none that can be compared. */
    const uint8_t *blocks;
    size_t blocks_size;
    /* Of its flaws: layer_rows.c. */
    const uint8_t *flaws;
    size_t flaws_size;
    int flaw_count;
} mry_record;

/* Everything lives in mem. A clip without channels of its own (an edited one) gets them from its
   tracks, rounded to six decimals. False when out of memory. */
bool mry_record_make(const marey_clip *clip, mry_arena *mem, mry_record *out);

/* Bytes that the tracks and channels of a clip with these joints take, `frames` of them. */
uint64_t mry_record_memory(const marey_clip *clip, int frames);

/* LIMIT: motion that hardly changes, packed into so few bytes that a clip of so many frames would
   not be believed when it is opened (mry_most_unpacked). */
marey_status mry_record_check(const mry_record *record, const char *name, marey_error *error);

/* What was stored, as read from the library; borrowed. */
typedef struct mry_stored {
    const char *name;
    const void *skeleton, *columns, *about;
    size_t skeleton_size, columns_size, about_size;
    size_t packed_size; /* of the columns in the file: the bytes that are there */
} mry_stored;

/* INPUT if the bytes do not make a clip ("damaged") or make none that is sound (mry_clip_check);
   they are never trusted. Memory is bounded by packed_size and skeleton_size before it is taken.
   `most_fps`: if its rate is a whole number of times that, it has only every so many-th frame, and that
   rate; 0: all. */
marey_status mry_record_open(marey_ctx *ctx, const mry_stored *stored, double most_fps,
                             marey_clip **out, marey_error *error);

/* Of what the joints are called and how they hang together, not of how long they are. */
uint64_t mry_skeleton_hash(const marey_clip *clip);

/* The clip's hash, from stored bytes. */
void mry_record_hash(const mry_stored *stored, double fps, marey_units units, marey_up up,
                     uint8_t hash[16]);

#endif
