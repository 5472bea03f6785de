/* amc_read.c - an AMC file and its ASF become a clip. What is accepted, and how the two find each
   other, is in docs/asfamc.md. */
#include "base/fail.h"
#include "base/file.h"
#include "io/asf_parse.h"
#include "io/format.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* ---- which ASF belongs to an AMC ------------------------------------------------------------- */

/* The one that was named, else the one in the motion's folder, else in the parent folder, whose
   name shares the longest beginning with the motion's. Among equals the alphabetically first is
   taken, so that the order of a folder does not matter. */

typedef struct search {
    mry_arena *tmp;
    const char *motion; /* file name without folder */
    const char *best;   /* NULL: no ASF yet */
    size_t shared;      /* bytes that best and motion begin with alike */
    int count;          /* ASF files seen */
    bool no_memory;
} search;

static void look_at(void *user, const char *name)
{
    search *s = user;
    size_t count = strlen(name), shared = 0;
    if (count <= 4 || strcasecmp(name + count - 4, ".asf") != 0) return;
    /* Endings do not count: walk.asf shares "walk" with walk.amc, not "walk.a". */
    const char *motion = s->motion, *dot = strrchr(motion, '.');
    size_t most = count - 4;
    if (dot && (size_t)(dot - motion) < most) most = (size_t)(dot - motion);
    while (shared < most && motion[shared] && motion[shared] == name[shared]) shared++;
    s->count++;
    if (s->best && (shared < s->shared || (shared == s->shared && strcmp(name, s->best) >= 0)))
        return;
    s->best = mry_arena_text(s->tmp, name, count);
    s->no_memory |= !s->best;
    s->shared = shared;
}

/* ---- folders --------------------------------------------------------------------------------- */

static const char *folder_of(mry_arena *tmp, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return mry_arena_text(tmp, path, slash == path ? 1 : (size_t)(slash - path));
}

/* A folder that is not there or may not be read has no skeleton; other failures are the
   machine's. */
static marey_status search_folder(mry_scan *scan, const char *folder, search *s, const char **path)
{
    const marey_io *io = scan->ctx->def.io;
    if (!folder) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    s->best = NULL;
    s->count = 0;
    int listed = io->list ? io->list(io->user, folder, look_at, s) : -ENOENT;
    if (s->no_memory) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    if (listed == -ENOENT || listed == -EACCES || listed == -ENOTDIR) return MAREY_OK;
    if (listed < 0) return scan->status = mry_fail_errno(scan->error, listed, "list", folder);
    if (!s->best || (s->shared == 0 && s->count > 1)) return MAREY_OK;
    *path = strcmp(folder, ".") == 0 ? s->best : mry_arena_print(s->tmp, "%s/%s", folder, s->best);
    return *path ? MAREY_OK : mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
}

/* The path of the ASF that belongs to the AMC at `scan`, in tmp. *lonely: it was taken only because
   there is no other. */
static marey_status find_skeleton(mry_scan *scan, mry_arena *tmp, const marey_load_def *def,
                                  const char **path, bool *lonely)
{
    const char *slash = strrchr(scan->path, '/');
    search s = { .tmp = tmp, .motion = slash ? slash + 1 : scan->path };
    const char *folder = folder_of(tmp, scan->path);
    *lonely = false;
    *path = def->skeleton_path;
    if (*path) return MAREY_OK;
    marey_status status = search_folder(scan, folder, &s, path);
    if (!status && !*path) {
        /* The parent by its name alone where that is certain, so that messages show a short
           path. */
        const char *above = strrchr(folder, '/'), *last = above ? above + 1 : folder;
        bool is_here = strcmp(folder, ".") == 0;
        bool is_odd = !*last || strcmp(last, ".") == 0 || strcmp(last, "..") == 0;
        const char *parent = is_here  ? ".."
                             : is_odd ? mry_arena_print(tmp, "%s/..", folder)
                                      : folder_of(tmp, folder);
        status = search_folder(scan, parent, &s, path);
    }
    if (status) return status;
    *lonely = s.shared == 0;
    if (*path) return MAREY_OK;
    return scan->status =
               mry_fail(scan->error, MAREY_ERR_INPUT, scan->path,
                        "no skeleton (.asf) for this motion in its folder or the parent; name one "
                        "with --skeleton");
}

/* ---- reading --------------------------------------------------------------------------------- */

bool mry_amc_probe(const mry_scan *scan)
{
    mry_scan look = *scan; /* a copy: looking moves nothing */
    look.all_read = true;
    mry_scan_skip_mark(&look);
    if (!mry_asf_next(&look)) return false;
    if (mry_asf_sees(&look, ":FULLY-SPECIFIED") || mry_asf_sees(&look, ":DEGREES") ||
        mry_asf_sees(&look, ":RADIANS")) {
        return true;
    }
    /* Many files begin with a number; only a motion goes on with where the root is. */
    mry_decimal number;
    mry_row_notes notes = { 0 };
    double first;
    size_t bytes = mry_number_read(look.p, look.end, &number);
    mry_scan_take(&look, bytes);
    if (!bytes || number.decimals || !mry_scan_at_line_end(&look)) return false;
    if (!mry_asf_next(&look) || !mry_asf_sees(&look, "root")) return false;
    mry_scan_take(&look, strlen("root"));
    return mry_scan_row(&look, &first, 1, MRY_MOST_NUMBER, &notes) == 1;
}

marey_status mry_amc_read(mry_scan *scan, const char *name, const marey_load_def *def,
                          marey_clip **out)
{
    mry_arena tmp = mry_arena_make(scan->ctx);
    mry_scan skeleton;
    mry_asf asf;
    marey_clip *clip = NULL;
    const char *path = NULL;
    bool lonely = false;
    marey_status status = find_skeleton(scan, &tmp, def, &path, &lonely);
    if (!status) {
        status = mry_scan_open(&skeleton, &tmp, path, scan->error);
        if (!status) status = mry_asf_read_skeleton(&skeleton, &tmp, &asf);
        mry_scan_close(&skeleton);
    }
    if (!status) {
        clip = mry_asf_make_clip(&asf, scan->ctx, name);
        bool fits =
            clip && (!lonely || mry_clip_warn(clip,
                                              "the skeleton is %.300s, the only one there; its "
                                              "name has nothing in common with the motion's",
                                              path));
        if (fits) {
            clip->report.skeleton_path = mry_arena_text(&clip->mem, path, strlen(path));
            fits = clip->report.skeleton_path != NULL;
        }
        status = fits ? mry_amc_read_motion(scan, &tmp, &asf, clip)
                      : mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    }
    mry_arena_free(&tmp);
    if (status) {
        marey_clip_free(clip);
        return status;
    }
    *out = clip;
    return MAREY_OK;
}
