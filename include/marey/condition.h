/* condition.h - flaws of the clips of a library, and their repairs: layers over the captured frames that
   are kept with a clip and can be taken off again. Read after repair.h and library.h. */
#ifndef MAREY_CONDITION_H
#define MAREY_CONDITION_H

#include <marey/library.h>
#include <marey/repair.h>
#include <marey/shard.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A layer of a clip, and why it is there. */
typedef struct marey_repair {
    marey_layer layer;
    /* The joint's name, or "". For reading: marey_library_repair knows it. */
    const char *joint;
    /* The flaw that it mends, by its name, and its size and certainty; "": set by the user. */
    const char *flaw;
    double size, certainty;
    const char *unit;
} marey_repair;

/* The repair of a flaw that is mendable. Its texts live forever. */
MAREY_API marey_repair marey_flaw_repair(const marey_flaw *flaw);

/* What is known of a clip: its repairs in the order in which they are applied, and the flaws that
   are left in it then. */
typedef struct marey_condition {
    marey_named clip;
    int frames;
    double fps;
    /* Which repairs these are, as marey_library_layers has it. */
    int64_t layers;
    /* What its motion says about that. */
    marey_rate_evidence rate;
    const marey_repair *repairs;
    int repair_count;
    const marey_flaw *flaws;
    /* The names of their joints, "" for the whole body. */
    const char *const *flaw_joints;
    int flaw_count;
    /* By which copies of it are found: marey_copies_find. */
    const marey_landmark *landmarks;
    int landmark_count;
} marey_condition;

/* Of several clips. Borrowed until free. */
typedef struct marey_conditions {
    int count;
    const marey_condition *items;
} marey_conditions;

/* Examines clips, or all that are not removed (count 0), in the order of their names. Flaws that
   are not known, or by earlier checks, are looked for by all threads, and kept if the library is
   open for writing and no other program writes.
   Errors: NOT_FOUND. INPUT: a clip is damaged. CANCELLED.
   Ownership: free with marey_conditions_free. */
MAREY_API marey_status marey_library_examine(marey_library *library, const char *const *names,
                                             int count, marey_conditions **out, marey_error *error);

/* The same of all clips, from what is kept only: those that were not examined have no flaws and no
   landmarks.
   Cost: reads some kilobytes for a clip. */
MAREY_API marey_status marey_library_known(marey_library *library, marey_conditions **out,
                                           marey_error *error);

/* Shares what marey_library_examine does with other machines (shard.h): a tile is a clip that is not
   removed, in the order of their numbers. Making: the library is only read. Reading: what shards found
   is kept, as if it had been found here, and all that is known is listed then.
   Errors: REQUEST: the library is open for reading only and shards are read. INPUT: a clip, or a
     shard, is damaged. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_library_examine_tiles(marey_library *library, const marey_tiles *tiles,
                                                   marey_error *error);

/* Frees conditions. */
MAREY_API void marey_conditions_free(marey_conditions *conditions);

/* Reads a number that says which repairs a clip has: 0 without any, the same for the same ones in the
   same order. What was read of a clip is still right if it is the same.
   Errors: NOT_FOUND: no such clip.
   Cost: microseconds. */
MAREY_API marey_status marey_library_layers(marey_library *library, int64_t id, int64_t *layers,
                                            marey_error *error);

/* What is changed about the repairs of a clip: some are taken off, then others are put behind those
   that stay. Leave a field zero for nothing. */
typedef struct marey_repair_def {
    const char *clip;
    /* All; those set by the user; those of flaws of these kinds, a bit for each. */
    bool drop_all, drop_set;
    uint64_t drop_flaws;
    /* Those at these places of the list. */
    const int *drop_places;
    int drop_place_count;
    const marey_repair *add;
    int add_count;
    /* The repairs that the clip must have, as marey_library_layers has it; NULL: any. */
    const int64_t *layers;
} marey_repair_def;

/* Changes the repairs of clips by one transaction. The captured frames stay as they are, and no
   frame gets another number. What follows from a clip that is changed goes or is made anew: its
   pictures, its poses and flaws, its match webs (it is then as one that was never indexed). Saved
   things that are made of it are stale, until it has the repairs again that it had then.
   *webs (may be NULL): so many match webs went.
   Errors: NOT_FOUND. REQUEST: a layer that is not for this clip. LIMIT: too many. STALE: a clip has
   other repairs than it must. CANCELLED.
   Cost: the clips are opened and examined by all threads. */
MAREY_API marey_status marey_library_repair(marey_library *library, const marey_repair_def *defs,
                                            int count, int *webs, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
