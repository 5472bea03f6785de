/* made_answer.h - a clip that was just made: how good it is, and the way to whoever asked: as binary frames with JSON
   before them (the layout MRYM of docs/studio-api.md), or into the library. Read after clip_speed.h and made_of.h. */
#ifndef STUDIO_MADE_ANSWER_H
#define STUDIO_MADE_ANSWER_H

#include "clip_speed.h"
#include "made_of.h"

typedef struct made_answer {
    studio_worker *by;
    fastest inputs; /* of what it was made of */
    marey_made made;
    const marey_clip *raw; /* the same with its feet left alone, or NULL if that is what was made */
    marey_clip *own_raw;   /* it, if it is this struct's own */
    bool cleaned;
    bool
        in_place; /* the floor moves under planted feet, so they are none that could be measured or kept */
    int first, end; /* plants that reach into these frames are measured */
    made_of from;   /* needed if it is to be kept */
} made_answer;

made_answer made_answer_begin(studio_worker *worker, const char *verb);
void made_answer_free(made_answer *all);

/* Measures it and describes it; json_decref what it gives, or hand it on. */
marey_status made_answer_describe(made_answer *all, json_t **out, marey_error *error);

/* Puts it into the library and writes `value` behind what is in `to`, with `id` and `name`. */
marey_status made_answer_keep(const made_answer *all, const json_t *value, const char *name,
                              studio_bytes *to, marey_error *error);

/* Takes `value` over, which may have got more fields. `name` NULL: as binary; else it is put into the library. */
void made_answer_send(made_answer *all, json_t *value, const char *name, studio_response *response);

#endif
