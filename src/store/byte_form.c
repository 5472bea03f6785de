/* byte_form.c - letters, version and hash around saved things. */
#include "store/byte_form.h"
#include "base/fail.h"

#include <string.h>

enum { LETTERS = 4, MOST_VERSIONS = 1000 };

mry_bytes_writer mry_form_begin(const mry_byte_form *form, mry_arena *tmp)
{
    mry_bytes_writer out = { .mem = tmp };
    mry_put_bytes(&out, form->letters, LETTERS);
    mry_put_integer(&out, form->version);
    return out;
}

marey_status mry_form_damaged(const mry_byte_form *form, marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "%s is damaged%s", form->name, form->besides);
}

marey_status mry_form_open(const mry_byte_form *form, const uint8_t *bytes, size_t size,
                           mry_bytes_reader *in, marey_error *error)
{
    if (size < LETTERS + MRY_SEAL_BYTES || memcmp(bytes, form->letters, LETTERS) != 0)
        return mry_form_damaged(form, error);
    *in = (mry_bytes_reader){ .p = bytes + LETTERS, .end = bytes + size - MRY_SEAL_BYTES };
    mry_bytes_reader sum = { .p = in->end, .end = bytes + size };
    int version = (int)mry_get_integer(in, 0, MOST_VERSIONS);
    /* Every version's sum begins with its number. */
    uint64_t hash = mry_hash64(bytes, size - MRY_SEAL_BYTES, (uint64_t)version);
    if (in->failed || mry_get_fixed(&sum, MRY_SEAL_BYTES) != hash)
        return mry_form_damaged(form, error);
    if (version == form->version) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_INPUT, NULL,
                    "%s is of version %d of its format and this program reads version %d: %s it "
                    "again",
                    form->name, version, form->version, form->again);
}

marey_status mry_form_failed(const mry_byte_form *form, marey_status status, marey_error *error)
{
    bool own = status == MAREY_ERR_MEMORY || status == MAREY_ERR_CANCELLED;
    return own ? status : mry_form_damaged(form, error);
}
