/* byte_form.h - what saved things have in common as bytes: four letters and the version of their
   format before them, a 64-bit hash of all that behind. Read by whatever writes such bytes. */
#ifndef MRY_BYTE_FORM_H
#define MRY_BYTE_FORM_H

#include "store/store.h"

typedef struct mry_byte_form {
    const char *letters; /* four */
    int version;
    const char *name, *besides; /* what it is; what else may be wrong where it seems damaged */
    const char *again;          /* what to do with one of another version */
} mry_byte_form;

/* A writer behind letters and version; end with mry_bytes_seal. */
mry_bytes_writer mry_form_begin(const mry_byte_form *form, mry_arena *tmp);

/* A reader of what is behind the version, of bytes that are whole. INPUT: they are not, or of
   another version. */
marey_status mry_form_open(const mry_byte_form *form, const uint8_t *bytes, size_t size,
                           mry_bytes_reader *in, marey_error *error);

/* INPUT: "the saved policy is damaged". */
marey_status mry_form_damaged(const mry_byte_form *form, marey_error *error);

/* Whatever else went wrong while reading, the bytes were not right. */
marey_status mry_form_failed(const mry_byte_form *form, marey_status status, marey_error *error);

#endif
