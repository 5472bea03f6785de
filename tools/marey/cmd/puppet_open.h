/* puppet_open.h - a puppet on the command line: a file P.puppet, one that a library keeps as LIB.marey:NAME, or with -L by its name.
   Read after puppet_origin.h; the commands of `marey puppet` use it. */
#ifndef MAREY_TOOL_PUPPET_OPEN_H
#define MAREY_TOOL_PUPPET_OPEN_H

#include "puppet_origin.h"

/* Holds pointers into itself: make it in its place and do not copy it. */
typedef struct puppet_place {
    const char *library; /* NULL: it is a file .. */
    const char *name;    /* .. and this its path */
    bool make;           /* a library that is not there is made */
    char room[4096];
} puppet_place;

/* Where the puppet is that an operand names. */
void puppet_place_of(const request *asked, const char *text, puppet_place *out);
/* Where -o says that one goes. Returns an exit status, the reason being said. */
int puppet_place_to(session *run, const request *asked, puppet_place *out);

/* `about` (may be NULL) gets the text that is kept with it, with an ending zero; `origin` the clips it was trained on. */
marey_status puppet_open(session *run, const puppet_place *at, marey_puppet **out, buffer *about,
                         puppet_origin *origin, marey_error *error);

/* To what is wrong with a kept one: where to see which there are. */
void puppet_explain(marey_error *error);

/* Writes it; the answer must be ready in run->out. `parts` and `about` are for libraries. */
marey_status puppet_keep(session *run, const puppet_place *to, const marey_puppet *puppet,
                         const puppet_origin *origin, const marey_part *parts, int part_count,
                         const char *about, marey_error *error);

/* "follower.puppet", or "demo.marey:follower". */
void buffer_puppet(buffer *out, const puppet_place *at);

/* "follower" of both. */
enum { PUPPET_NAME_ROOM = 256 };
void puppet_called(const puppet_place *at, char *name, size_t room);

bool puppet_is_bytes(const buffer *text); /* do they begin as those of a trained puppet do? */

bool is_clip_file(const char *path); /* does it end as files of clips do? */

/* ---- files that are written ---------------------------------------------------------------------------- */

/* Is it the same file, by whatever name? */
bool is_same_file(const char *a, const char *b);

/* Refuses an option's file that is one of those that are read; NULL is none. Returns an exit status. */
int refuse_overwriting(session *run, const char *option, const char *path, char **read, int count);

/* Says what to do about a file that is not there, if that is what is wrong. */
void explain_missing(const char *path, const char *advice, marey_error *error);

#endif
