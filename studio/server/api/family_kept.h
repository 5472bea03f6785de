/* family_kept.h - the family that somebody drags through just now, open with its clips: what the next requests about it need
   again. Each worker keeps one. Read after clip_speed.h. */
#ifndef STUDIO_FAMILY_KEPT_H
#define STUDIO_FAMILY_KEPT_H

#include "clip_speed.h"
#include "json_families.h"

struct family_kept {
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library: clips, plants and families may be others in the next */
    marey_parts *parts;
    marey_family *family; /* NULL: nothing is kept */
    int frames;           /* of all parts */
    fastest speeds[JSON_FAMILY_PARTS];
    bool measured[JSON_FAMILY_PARTS]; /* those whose speeds are known */
};

/* Opens the family of this name, unless it is open. Borrowed until the worker's next such call; family_let_go must follow,
   also after a failure. INPUT: there is none, or one of its clips is gone. */
marey_status family_open(studio_worker *worker, const char *name, struct family_kept **out,
                         marey_error *error);

/* What is too large to be kept goes. */
void family_let_go(studio_worker *worker);

/* ---- a member of it ----------------------------------------------------------------------------- */

/* The motion that does what the body asks for. REQUEST: not as many numbers as the family has. */
marey_status family_member(studio_worker *worker, const struct family_kept *of,
                           const member_body *asked_for, marey_made *made, marey_answer *out,
                           marey_error *error);

/* The fastest that joints of the examples move that are in an answer. */
marey_status family_speeds(studio_worker *worker, struct family_kept *of,
                           const marey_answer *member, fastest *out, marey_error *error);

/* Which example's values are nearest. */
int family_nearest(const marey_family *family, const double *at);

/* ---- as JSON ------------------------------------------------------------------------------------ */

/* The unit of distances between values. */
const char *family_distance_unit(const marey_family *family);

json_t *describe_family(heap *memory, const char *name, const marey_family *family,
                        const marey_parts *parts);

/* What is told of a member, put into an object. */
marey_status describe_member(const struct family_kept *of, const member_body *asked_for,
                             const marey_made *made, const marey_answer *member, json_t **to,
                             marey_error *error);

#endif
