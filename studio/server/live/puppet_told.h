/* puppet_told.h - behaviours in words: what the addresses of puppets tell of one. Read after puppet_sourced.h. */
#ifndef STUDIO_PUPPET_TOLD_H
#define STUDIO_PUPPET_TOLD_H

#include "puppet_sourced.h"

enum { PUPPET_POINTS = 2000 }; /* rows that are told unasked */

/* With the samples of somebody who stands before each run: what is looked through at every step. */
int64_t puppet_all_samples(const marey_puppet *puppet);
double puppet_seconds(const marey_puppet *puppet); /* of all runs */

/* The fields of a list, null for each if `puppet` is NULL. */
void describe_puppet(const marey_puppet *puppet, json_t **to);

/* One puppet as GET /api/puppet gives it, behind what is in `out`. points 0: without rows. `more` is a last field, or NULL, and is
   taken over. False: out of memory. */
bool puppet_write(const char *name, const char *about, const marey_puppet *puppet,
                  const puppet_sourced *from, int points, json_t *more, studio_bytes *out);

/* "[t,mx,my,md,rx,ry,rd]", each number in as few digits as say exactly that. */
void puppet_write_row(studio_bytes *out, const marey_puppet_sample *sample);

/* What is kept under a name, and what was noted with it (which may be NULL; free both). INPUT: there is none. */
marey_status puppet_open_kept(studio_worker *worker, const char *name, marey_puppet **out,
                              marey_kept **kept, marey_error *error);
const char *puppet_about(const marey_kept *kept);

#endif
