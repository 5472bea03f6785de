/* api_common.h - what the addresses share: a clip by its number, its foot plants, ranges of frames,
   and refusals that read the same everywhere. Functions that return a bool have filled the answer
   when they return false. Read after worker.h. */
#ifndef STUDIO_API_COMMON_H
#define STUDIO_API_COMMON_H

#include "buffer.h"
#include "describe.h"
#include "foot_plants.h"
#include "json_body.h"
#include "worker.h"

enum { API_NAME_ROOM = 256 }; /* names have at most 200 bytes */

void api_fail_memory(studio_response *response);

/* 200 with what is in the buffer, a JSON object, which is freed; 500 if it could not be put
   together. */
void api_answer(studio_response *response, buffer *text);

/* A clip that is there and not removed, borrowed until the worker's next one; 404 otherwise. */
bool api_open(studio_worker *worker, int64_t id, const marey_clip **clip,
              studio_response *response);

/* A whole number of the query; *value is left alone if it is not there. */
bool api_query_whole(const studio_request *request, const char *name, int least, int most,
                     int *value, studio_response *response);

/* Frames [start, end) of a clip that has `frames`; by the query, default all. */
bool api_range(const studio_request *request, int frames, int *start, int *end,
               studio_response *response);

/* Something changed: all clients are notified soon. */
void api_changed(studio_worker *worker);

/* ---- foot plants ----------------------------------------------------------------------------- */

typedef struct feet_kept {
    app_scope scope;
    marey_contact *items; /* by joint, then start */
    int count;
    bool kept; /* by the library; else found in the motion */
} feet_kept;

/* What the library keeps for a clip, cut to the frames [start, end) and counted from `start`. Where
   it keeps none: what is found in `clip`, which has these frames only; with NULL no items, and kept
   is false. */
marey_status feet_find(studio_worker *worker, int64_t id, const marey_clip *clip, int start,
                       int end, feet_kept *out, marey_error *error);
void feet_free(feet_kept *feet);

#endif
