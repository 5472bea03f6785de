/* param_grid.h - motions out of a family: one, and a whole grid of them as files for a game engine's blend space. Read
   after param_family.h and making.h; `param make` uses it. */
#ifndef MAREY_TOOL_PARAM_GRID_H
#define MAREY_TOOL_PARAM_GRID_H

#include "made_figures.h"
#include "param_family.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct param_maker {
    session *run;
    const request *asked;
    kept_family from;
    marey_listing *listing; /* for licences */
    marey_ask_def ask;
    marey_clean_def clean;
    marey_family_make_def def; /* points to these */
    const char *ending;        /* of the files of a grid */
} param_maker;

/* Opens the family; the settings must be in their place. */
marey_status param_maker_open(param_maker *by, session *run, const request *asked,
                              marey_error *error);
void param_maker_close(param_maker *by); /* may be called twice */

marey_status param_make(param_maker *by, const double *target, marey_made *made,
                        marey_answer *answer, marey_error *error);

/* Against the examples that it was made of. */
marey_status param_figures(const param_maker *by, const marey_made *made,
                           const marey_answer *answer, made_figures *out, marey_error *error);

/* Notes these examples as sources, with their weights. */
void param_note(const param_maker *by, const marey_answer *answer, clip_out *out);

/* "target", "reached", "error_cm", "error", "error_unit", "table_error", "outside", "weights": one of each example. */
void json_answer(json *to, const marey_family *family, const double *target,
                 const marey_answer *answer);

/* --grid 5x5x5 -o DIR: motions for points all over the examples' box as DIR/NAME_0_0_0.bvh and so on, and DIR/grid.json
   that says which is where. Ends the command. */
int param_grid(param_maker *by);

#endif
