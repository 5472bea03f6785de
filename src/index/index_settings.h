/* index_settings.h - the settings of an index: chosen, packed, kept. Read by index_*.c. */
#ifndef MRY_INDEX_SETTINGS_H
#define MRY_INDEX_SETTINGS_H

#include "index/index_data.h"

/* What was asked for over what there is (NULL: nothing) over the defaults; without normals and
   text. `def` is borrowed as long as *out. REQUEST: invalid. */
marey_status mry_index_choose(marey_ctx *ctx, const marey_index_def *def,
                              const mry_index_settings *old, mry_index_settings *out,
                              marey_error *error);

/* Equal settings give equal bytes; the normals are not in them. */
typedef struct mry_index_bytes {
    const uint8_t *bytes;
    size_t size;
} mry_index_bytes;

bool mry_index_pack(mry_arena *mem, const mry_index_settings *settings, mry_index_bytes *out);

/* *out as JSON, normals included; NULL: no memory. */
const char *mry_index_about(mry_arena *mem, const mry_index_settings *settings);

/* What is kept. */
typedef struct mry_index_kept {
    bool exists;
    mry_index_bytes settings;
    uint64_t clips;                       /* hash of the clips that the normals were measured on */
    double normal[MAREY_MOST_ATTRIBUTES]; /* 0: none */
    const char *about;
} mry_index_kept;

marey_status mry_index_kept_read(marey_library *library, mry_arena *mem, mry_index_kept *out,
                                 marey_error *error);
marey_status mry_index_kept_write(marey_library *library, const mry_index_kept *kept,
                                  marey_error *error);

typedef enum mry_unpacked {
    MRY_UNPACKED,
    MRY_UNPACKED_OTHER,
    MRY_UNPACKED_DAMAGED,
    MRY_UNPACKED_MEMORY
} mry_unpacked;

/* OTHER: of a marey that makes other webs. */
mry_unpacked mry_index_unpack(mry_arena *mem, const mry_index_bytes *bytes,
                              mry_index_settings *out);

#endif
