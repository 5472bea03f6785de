/* made_answer.h - a clip that was just made, on its way into the library. Read after api_common.h and made_of.h. */
#ifndef STUDIO_MADE_ANSWER_H
#define STUDIO_MADE_ANSWER_H

#include "api_common.h"
#include "made_of.h"

typedef struct made_answer {
    studio_worker *by;
    marey_made made;
    made_of from;
} made_answer;

made_answer made_answer_begin(studio_worker *worker, const char *verb);
void made_answer_free(made_answer *all);

/* Puts it into the library and writes `value` behind what is in `to`, with `id` and `name`. */
marey_status made_answer_keep(const made_answer *all, const json_t *value, const char *name,
                              studio_bytes *to, marey_error *error);

#endif
