/* live_record.h - what a character was given: its inputs and requests, each with the frame of its
   graph from which on it counted. `graph control` makes the same steps of it. Read after live.h. */
#ifndef STUDIO_LIVE_RECORD_H
#define STUDIO_LIVE_RECORD_H

#include "live.h"

typedef struct play_record {
    studio_bytes inputs, asks; /* with their memory */
    double direction_rad;      /* where it faced at first: directions are measured from there */
    int asked, begun;          /* requests */
    int64_t frames;            /* that it knows the inputs of */
    bool full;                 /* these are all that are kept */
} play_record;

void record_free(play_record *record);

/* Before the next step, with its input. */
void record_step(play_record *record, const marey_control_input *input);
/* Before the next step it was asked for this. */
void record_ask(play_record *record, const char *text);
void record_begun(play_record *record);

/* The body of `graph control` without graph and controller: "script", "do", "replace" and "length",
   frames at `clip_fps`. Whether it is all that was played is left to the caller. Errors: NULL if there is
   nothing to make a clip of, or no memory. */
struct json_t *record_json(const play_record *record, double graph_fps, double clip_fps);

#endif
