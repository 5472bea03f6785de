/* material.h - the clips that something is made of: without the frames that are no captured motion, on the bones of the
   first of them, with their foot plants. Read after plants.h; align, transition, blend, clean and loop use it. */
#ifndef MAREY_TOOL_MATERIAL_H
#define MAREY_TOOL_MATERIAL_H

#include "clip_out.h"
#include "plants.h"

typedef struct material {
    const char *text; /* as it was asked for; borrowed */
    marey_clip *own;  /* as it was read */
    input_source source;
    plants feet;       /* in frames of the clip that is used */
    bool refitted;     /* it had other bones than the first */
    bool centre_given; /* its address names one frame: */
    int centre;        /* .. of the clip that is used */
} material;

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct materials {
    session *run;
    const request *asked;
    input from;
    bool found;   /* --found: whatever plants the library keeps */
    bool centres; /* set before loading: walk.bvh#120 is the whole clip, and this frame of it */
    int count, room;
    material *items;
    marey_clip **clips;       /* those that are used, one of each item */
    marey_contacts *contacts; /* their plants, borrowed from the items */
} materials;

/* Reads the options of reading and opens the library of -L. Returns an exit status, the reason being said; after
   PROGRAM_DONE materials_close must follow. */
int materials_open(materials *all, session *run, const request *asked);
void materials_close(materials *all);

/* Loads clips by their addresses, which must live as long. */
marey_status materials_load(materials *all, const char *const *texts, int count,
                            marey_error *error);

const marey_clip *const *materials_list(const materials *all);

/* The frame as it is in its file or library that a frame of the clip is .. */
int material_frame(const materials *all, int item, int frame);
/* .. and back. REQUEST: it is not in the clip, or no captured motion; `from` is what asked for it, as in "--near". */
marey_status material_find(const materials *all, int item, int64_t frame, const char *from,
                           int *out, marey_error *error);

/* Notes all of them as sources. */
void materials_note(const materials *all, clip_out *out);

/* The fastest that any joint of any of them moves. */
marey_status materials_fastest(const materials *all, double *cm_per_s, marey_error *error);

/* "run.bvh was put on the bones of walk.bvh", a line for each. */
void materials_say_refits(const materials *all, buffer *out);

#endif
