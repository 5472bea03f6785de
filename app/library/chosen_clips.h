/* chosen_clips.h - which clips of a library something is made of: named ones, those with a
   label, or all. Read after env.h and params.h. */
#ifndef MAREY_APP_CHOSEN_CLIPS_H
#define MAREY_APP_CHOSEN_CLIPS_H

#include "params.h"

/* What of a clip has a label: all of it if the label is the clip's or NULL, else one stretch after
   the other. *at is 0 at first. false: there is no more. */
bool app_next_labelled(const marey_entry *entry, const char *label, int *at, marey_part *out);

typedef struct app_chosen {
    const marey_part *parts; /* of each clip once, or the stretches of it that have the label */
    int count;
    int left_out; /* clips with other joints than the first; named ones never are */
} app_chosen;

/* Named ones in the order they are named; without names those with the label, without a label
   all. NOT_FOUND, REQUEST: there are none. MEMORY. */
marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, app_chosen *out,
                              marey_error *error);

#endif
