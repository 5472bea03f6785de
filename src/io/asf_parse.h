/* asf_parse.h - what the parts of the ASF and AMC readers share: the skeleton as it was written,
   and the few words both formats have in common. Read asf_bones.c, asf_read.c, then amc_*.c. */
#ifndef MRY_ASF_PARSE_H
#define MRY_ASF_PARSE_H

#include "base/names.h"
#include "base/scan.h"
#include "motion/clip_data.h"

#include <marey/io.h>

/* Bone 0 is the root, which has no length. */
typedef struct mry_asf_bone {
    const char *name;
    int64_t line;     /* where it is defined */
    double vector[3]; /* from its start to its end */
    double angles[3]; /* of its axes, as in the file; angles[i] turns about axis letters[i] */
    uint8_t letters[3];
    int channel_count;
    marey_channel channels[6];
    int parent, first_child, last_child, next_sibling; /* -1: none */
    int64_t child_line; /* where the hierarchy hangs it up; 0: nowhere */
} mry_asf_bone;

typedef struct mry_asf {
    mry_asf_bone *bones;
    int count, room;
    double position[3]; /* of the root; adds to every frame's translation */
    bool radians;
    int *joint;      /* of a bone: its number when parents come first */
    int *bone;       /* the other way round */
    mry_names names; /* of the bones, which the numbers are; without slots until all are known */
    int skipped;     /* statements that are not known */
    int slanted;     /* bones whose direction is not of length one */
    int64_t commas;  /* numbers with a decimal comma */
} mry_asf;
#define MRY_DEGREES_PER_RADIAN 57.29577951308232

/* The format has no place for the rate: an AMC that marey wrote says it in its first comment. */
#define MRY_AMC_RATE "# written by marey: "

/* asf_bones.c: a whole ASF file. Everything lives in tmp. */
marey_status mry_asf_read_skeleton(mry_scan *scan, mry_arena *tmp, mry_asf *asf);

int mry_asf_find(const mry_asf *asf, const char *name, size_t count); /* -1: no such bone */

/* asf_read.c: a clip with this skeleton and no frames yet. NULL when out of memory. */
marey_clip *mry_asf_make_clip(const mry_asf *asf, marey_ctx *ctx, const char *name);

/* amc_motion.c: the whole AMC into a clip that has its skeleton. */
marey_status mry_amc_read_motion(mry_scan *scan, mry_arena *tmp, const mry_asf *asf,
                                 marey_clip *clip);

/* ---- words of both formats, in asf_bones.c --------------------------------------------------- */

/* To the next word that is no comment, so that all of a keyword is in sight; false: the file
   ends. */
bool mry_asf_next(mry_scan *scan);
void mry_asf_skip_line(mry_scan *scan); /* up to its end */

/* A word of 1 to 255 bytes, borrowed until the next call; `subject` is for messages. Does not
   move. */
marey_status mry_asf_read_name(mry_scan *scan, const char *subject, const char **name,
                               size_t *count);

/* Is the word in sight `word`, in any case, with white space behind it? Does not move. */
bool mry_asf_sees(const mry_scan *scan, const char *word);

#endif
