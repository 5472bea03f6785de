/* demo.h - motion that is made, not captured, so that the truth about it is known: what is done when, with which
   hand, to which target, and which foot is planted. Read after motion.h. */
#ifndef MAREY_DEMO_H
#define MAREY_DEMO_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One stretch of a take. */
typedef struct marey_demo_segment {
    const char *label; /* "walk", "kick" ... */
    const char *side;  /* "left", "right" or "" */
    int start, end;    /* frames, end exclusive */
    int param_count;
    const char *param_names[4]; /* "speed_cm_s", "target_x_cm" ... */
    double param_values[4];
} marey_demo_segment;

/* A take: a clip and the truth about it. */
typedef struct marey_demo_take marey_demo_take;

MAREY_API const marey_clip *
marey_demo_clip(const marey_demo_take *take); /* all borrowed until free */
MAREY_API const marey_demo_segment *marey_demo_segments(const marey_demo_take *take, int *count);
MAREY_API const marey_contact *marey_demo_contacts(const marey_demo_take *take, int *count);
MAREY_API void marey_demo_free(marey_demo_take *take); /* NULL is allowed */

/* The actions there are, rows of a table; NULL past the last. Lives forever. */
typedef struct marey_demo_action {
    const char *name;
    const char *description;
    bool sided; /* done with a left or a right limb, or to the left or right */
} marey_demo_action;

MAREY_API const marey_demo_action *marey_demo_action_find(int index);

/* The takes of the demo library, in order: their number, their names, and each by number. The same `seed` gives the
   same bytes on every machine and for every number of threads. */
MAREY_API int marey_demo_count(void);
MAREY_API const char *marey_demo_name(int take);
MAREY_API marey_status marey_demo_build(marey_ctx *ctx, int take, uint64_t seed,
                                        marey_demo_take **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
