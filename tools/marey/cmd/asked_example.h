/* asked_example.h - query by example on the command line: what is asked for, by a clip, a part of one or a drawn curve, and
   what is found in a library. Read after input.h and shelf.h; example and cluster build use it. */
#ifndef MAREY_TOOL_ASKED_EXAMPLE_H
#define MAREY_TOOL_ASKED_EXAMPLE_H

#include "drawn_curve.h"
#include "input.h"
#include "shelf.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct asked_example {
    session *run;
    const request *asked;
    marey_library *library;       /* borrowed */
    const marey_listing *listing; /* likewise */
    marey_load_def load;
    marey_example_def def;
    marey_example_find_def find;
    /* the query */
    const char *text;
    address at;
    const marey_entry *entry; /* its clip in the library; NULL: a file, or drawn */
    marey_clip *clip;         /* NULL: drawn */
    drawn_curve drawn;
    int start, end; /* frames of its clip that are asked for */
    double fps;
    int samples;
    int first_sample, used;          /* those that are asked with: all, or with --whole some */
    marey_dof dofs[MAREY_MOST_DOFS]; /* the driving one first */
    int dof_count;
    buffer values; /* doubles: dofs x samples */
    /* where it is looked for */
    buffer clips;   /* marey_clip *: to be freed */
    buffer entries; /* const marey_entry *: theirs */
    int clip_count;
    marey_examples *examples;
    marey_example_found *found;
    double opening_s, seconds; /* cutting the clips into fragments took; finding took */
} asked_example;

/* The options: --dof, --k, --best, --noise, --shape, and those of reading. Returns an exit status, the reason being said; after
   it, whatever it was, asked_example_free must follow. */
int asked_example_options(asked_example *of, session *run, const request *asked, const char *text);
void asked_example_free(asked_example *of);

/* Reads the query, loads the library's clips (those with --label, --in, and not the query's own with --others) and finds. */
marey_status asked_example_find(asked_example *of, marey_library *library,
                                const marey_listing *listing, marey_error *error);

const marey_entry *asked_example_entry(const asked_example *of, int clip);

/* "LeftLeg.Xrotation" */
enum { DOF_TEXT_ROOM = MAREY_DOF_NAME + 32 };
void dof_text(const marey_dof *dof, char *text, size_t room);

/* The dofs of --dof, or if that was not given of `fallback`. Returns as options_parse does. */
int options_dofs(session *run, const request *asked, const char *fallback, marey_dof *dofs,
                 int *count);

/* The rotation of a joint, by its role, that moves most in frames [start, end): what bends it. False: there is no such joint, or
   it has no rotation. */
marey_status dof_bending(session *run, const marey_clip *clip, int start, int end, marey_role role,
                         marey_dof *out, bool *there, marey_error *error);

/* ---- the answer (asked_example_tell.c) --------------------------------------------------------------- */

/* Inside an object: "query", "dofs", "fragments", "paths", "clips" and so on. */
void asked_example_json(const asked_example *of, json *to);
void asked_example_text(const asked_example *of, buffer *out);

#endif
