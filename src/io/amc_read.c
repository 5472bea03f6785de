/* amc_read.c - an AMC file and its ASF become a clip. What is accepted, and how the two find each other,
   is in docs/asfamc.md. */
#include "io/asf_parse.h"
#include "io/format.h"

#include <string.h>

static bool is_number_line(mry_scan *look)
{
    mry_decimal number;
    size_t bytes = mry_number_read(look->p, look->end, &number);
    mry_scan_take(look, bytes);
    return bytes && !number.decimals && mry_asf_at_line_end(look);
}

/* Many files begin with a number; only a motion goes on with where the root is. */
static bool is_root_line(mry_scan *look)
{
    double first;
    mry_row_notes notes = { 0 };
    if (!mry_asf_next(look) || !mry_asf_sees(look, "root")) return false;
    mry_scan_take(look, strlen("root"));
    return mry_scan_row(look, &first, 1, MRY_MOST_NUMBER, &notes) == 1;
}

bool mry_amc_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    if (look.end - look.p >= 3 && memcmp(look.p, "\xef\xbb\xbf", 3) == 0) look.p += 3;
    if (!mry_asf_next(&look)) return false;
    if (mry_asf_sees(&look, ":FULLY-SPECIFIED") || mry_asf_sees(&look, ":DEGREES") ||
        mry_asf_sees(&look, ":RADIANS")) {
        return true;
    }
    return is_number_line(&look) && is_root_line(&look);
}

static marey_status read_skeleton(mry_scan *motion, mry_arena *tmp, const char *path, mry_asf *asf)
{
    mry_scan scan;
    marey_status status = mry_scan_open(&scan, tmp, path, motion->error);
    if (!status) status = mry_asf_read_skeleton(&scan, tmp, asf);
    mry_scan_close(&scan);
    return status;
}

static bool warn_lonely(marey_clip *clip, const char *path)
{
    return mry_clip_warn(
        clip,
        "the skeleton is %.300s, the only one there; its name has nothing in common "
        "with the motion's",
        path);
}

static marey_status read_into(mry_scan *scan, mry_arena *tmp, const char *name,
                              const marey_load_def *def, marey_clip **out)
{
    mry_asf asf;
    const char *path = NULL;
    bool lonely = false;
    marey_status status = mry_amc_find_skeleton(scan, tmp, def, &path, &lonely);
    if (!status) status = read_skeleton(scan, tmp, path, &asf);
    if (status) return status;
    marey_clip *clip = mry_asf_make_clip(&asf, scan->ctx, name);
    if (!clip || (lonely && !warn_lonely(clip, path))) {
        status = mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    } else {
        status = mry_amc_read_motion(scan, tmp, &asf, clip);
    }
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}

marey_status mry_amc_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    marey_status status = read_into(scan, &tmp, name, def, out);
    mry_arena_free(&tmp);
    return status;
}
