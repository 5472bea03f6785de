/* puppet_sources.h - the clips that a behaviour was trained on, inside its bytes. Read after base/bytes.h; puppet_bytes.c calls
   this, and this calls it back for what all bytes of a behaviour begin and end with. */
#ifndef MRY_PUPPET_SOURCES_H
#define MRY_PUPPET_SOURCES_H

#include "base/bytes.h"

#include <marey/puppet.h>

/* What bytes are that say nothing of clips, and those that do. */
enum { MRY_PUPPET_PLAIN = 1, MRY_PUPPET_SOURCED = 2 };

void mry_put_sources(mry_bytes_writer *out, const marey_puppet_source *items, int count);

void mry_pass_sources(mry_bytes_reader *in); /* whether all of them are there */

/* A copy of such a list. MEMORY. */
marey_status mry_puppet_sources_make(marey_ctx *ctx, const marey_puppet_source *items, int count,
                                     marey_puppet_sources **out, marey_error *error);

/* Version and sum are right; `in` stands behind the version. (puppet_bytes.c) */
marey_status mry_puppet_bytes_open(const uint8_t *bytes, size_t size, mry_bytes_reader *in,
                                   int *version, marey_error *error);
marey_status mry_puppet_damaged(marey_error *error);

#endif
