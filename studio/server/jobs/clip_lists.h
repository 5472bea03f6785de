/* clip_lists.h - the list of all clips as pages ask for it, kept for as long as the library does not
   change, and what has changed since an earlier one: a page has it whole once, and then hears of
   single clips. Safe from any thread. Read after worker.h. */
#ifndef STUDIO_CLIP_LISTS_H
#define STUDIO_CLIP_LISTS_H

#include "worker.h"

typedef struct clip_lists clip_lists;

marey_status clip_lists_open(shared *common, clip_lists **out, marey_error *error);
void clip_lists_close(clip_lists *lists); /* NULL is allowed */

/* Frees what is kept only to save time. NULL is allowed. */
void clip_lists_make_room(clip_lists *lists);

/* Answers with all clips that are not removed; or, where it is known what version `since` had (0: it
   is not asked for), with those that are others since. */
void clip_lists_answer(studio_worker *worker, int64_t since, studio_response *response);

#endif
