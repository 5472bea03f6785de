/* chosen_clips.h - which clips of a library something is made of, on one body: named ones, those with
   a label, or all. Read after env.h and params.h. */
#ifndef MAREY_APP_CHOSEN_CLIPS_H
#define MAREY_APP_CHOSEN_CLIPS_H

#include "json.h"
#include "params.h"

/* What of a clip has a label: all of it if the label is the clip's or NULL, else one stretch after
   the other. *at is 0 at first. false: there is no more. */
bool app_next_labelled(const marey_entry *entry, const char *label, int *at, marey_part *out);

/* Opens named ones in the order they are named; without names those with the label, without a label
   all: their captured parts on the body of `onto`, or of the first (NULL), in the scope. A body with
   too few roles for that is an error where it was named (SHAPE), otherwise it is left out with a
   warning. NOT_FOUND, REQUEST: there are none. Otherwise as marey_library_captured_parts. */
marey_status app_choose_clips(const app_env *env, const marey_listing *listing,
                              const app_texts *names, const char *label, const char *onto,
                              marey_parts **out, marey_error *error);

/* The number of the clip of a parameter "onto"; 0 of NULL. NOT_FOUND. */
marey_status app_onto_find(const app_env *env, const marey_listing *listing, const char *onto,
                           int64_t *out, marey_error *error);

/* A row for the member `onto`. */
#define APP_ONTO_PARAM(owner, member)                                                              \
    {                                                                                              \
        .name = "onto", .type = APP_CLIP, .at = offsetof(owner, member), .value = "CLIP",          \
        .help = "a clip of the library whose body all get (default: the first one's)"              \
    }

/* "retargeted": those with other joints than the first and how well they fit; "left_out_clips", of
   chosen ones: those that do not, and why. */
void app_fits_write(json *out, const marey_parts *parts);

#endif
