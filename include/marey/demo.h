/* demo.h - motion that is generated, not captured, so that the truth about it is known: what is
   done when, with which hand, to which target, and which foot is planted. Read after motion.h. */
#ifndef MAREY_DEMO_H
#define MAREY_DEMO_H

#include <marey/motion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One action in a take. */
typedef struct marey_demo_segment {
    const char *label; /* "walk", "kick" ... */
    const char *side;  /* "left", "right" or "" */
    /* Frames, end exclusive. */
    int start, end;
    int param_count;
    const char *param_names[4]; /* "speed_cm_s", "target_x_cm" ... */
    double param_values[4];
} marey_demo_segment;

/* A take: a clip and the truth about it. */
typedef struct marey_demo_take marey_demo_take;

/* The motion. Borrowed until marey_demo_free. */
MAREY_API const marey_clip *marey_demo_clip(const marey_demo_take *take);

/* What is done, in the order of time. Borrowed until marey_demo_free. */
MAREY_API const marey_demo_segment *marey_demo_segments(const marey_demo_take *take, int *count);

/* The foot plants. Borrowed until marey_demo_free. */
MAREY_API const marey_contact *marey_demo_contacts(const marey_demo_take *take, int *count);

/* Frees a take and its clip. */
MAREY_API void marey_demo_free(marey_demo_take *take);

/* A kind of action: a row of a table. */
typedef struct marey_demo_action {
    const char *name;
    const char *description;
    /* Done with a left or a right limb, or to the left or right. */
    bool sided;
} marey_demo_action;

/* Row `index` of the table, or NULL past the last. Lives forever. */
MAREY_API const marey_demo_action *marey_demo_action_find(int index);

/* How many takes the demo library has. */
MAREY_API int marey_demo_count(void);

/* The name of a take, 0 <= take < marey_demo_count(). Lives forever. */
MAREY_API const char *marey_demo_name(int take);

/* Generates a take. The same `seed` gives the same bytes on every machine and for every number of
   threads.
   Errors: MEMORY.
   Ownership: free with marey_demo_free. */
MAREY_API marey_status marey_demo_build(marey_ctx *ctx, int take, uint64_t seed,
                                        marey_demo_take **out, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
