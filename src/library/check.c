/* check.c - is every stored byte as it was written, and does every clip still open to the motion it
   was? Pages and blobs are the store's to check; here each clip is opened and its hash taken again,
   and each kept thing. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "base/json_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct checking {
    marey_library *library;
    void (*found)(void *user, const char *problem);
    void *user;
    int64_t problems;
    char name[MRY_LONGEST_CLIP_NAME + 8];
} checking;

/* For the store and the index too. */
static void report_problem(void *user, const char *problem)
{
    checking *check = user;
    check->problems++;
    if (check->found) check->found(check->user, problem);
}

/* "clip 02_02" for the blob that holds its motion, "registration walks" for one that is kept. */
static const char *name_blob(void *user, mry_store *store, const char *kind, const char *name,
                             int64_t id)
{
    checking *check = user;
    size_t prefix = strlen(MRY_KEPT_PREFIX);
    if (strncmp(kind, MRY_KEPT_PREFIX, prefix) == 0) {
        mry_query saved =
            mry_query_with(store, "SELECT name FROM kept WHERE blob = ?", mry_integer(id));
        bool is_saved = mry_query_next(&saved);
        snprintf(check->name, sizeof check->name, "%.40s %.128s", kind + prefix,
                 is_saved ? mry_column_text(&saved, 0) : name);
        mry_query_end(&saved, NULL);
        return check->name;
    }
    if (strcmp(kind, "motion") != 0) return NULL;
    mry_query query =
        mry_query_with(store, "SELECT name FROM clip WHERE motion = ?", mry_integer(id));
    bool known = mry_query_next(&query);
    if (known) snprintf(check->name, sizeof check->name, "clip %s", mry_column_text(&query, 0));
    return mry_query_end(&query, NULL) || !known ? NULL : check->name;
}

/* Reports what is wrong with a thing, or what stops the check since it is not the file's fault. */
static marey_status report(checking *check, const char *kind, const char *name, marey_status status,
                           const marey_error *why, marey_error *error)
{
    char problem[sizeof why->message + MRY_LONGEST_CLIP_NAME + 80];
    if (status == MAREY_OK) return MAREY_OK;
    if (marey_status_group(status) != MAREY_ERR_INPUT && status != MAREY_ERR_LIMIT) {
        if (error) *error = *why;
        return status;
    }
    snprintf(problem, sizeof problem, "%s %s: %s", kind, name, why->message);
    report_problem(check, problem);
    return MAREY_OK;
}

/* (id, name, pack, about, motion, frames, -, hash, packed size, provenance): does the clip open
   to what was stored? */
static marey_status check_clip(checking *check, mry_query *row, mry_arena *tmp, marey_error *error)
{
    marey_library *library = check->library;
    mry_stored stored = { .name = mry_column_text(row, 1) };
    marey_error why = { 0 };
    marey_clip *clip = NULL;
    void *columns = NULL;
    int contacts = 0;
    int64_t id = mry_column_integer(row, 0);
    stored.skeleton = mry_column_bytes(row, 2, &stored.skeleton_size);
    stored.about = mry_column_bytes(row, 3, &stored.about_size);
    marey_status status =
        mry_blob_get(library->store, mry_column_integer(row, 4), mry_most_motion_bytes, tmp,
                     &columns, &stored.columns_size, error);
    if (marey_status_group(status) == MAREY_ERR_INPUT)
        return MAREY_OK; /* the store has named this one already */
    if (status) return status;
    stored.columns = columns;
    stored.packed_size = (size_t)mry_column_integer(row, 8);
    status = mry_record_open(library->ctx, &stored, 0, &clip, &why);
    if (!status) {
        uint8_t hash[16] = { 0 };
        size_t hash_size;
        const void *written = mry_column_bytes(row, 7, &hash_size);
        mry_record_hash(&stored, marey_clip_fps(clip), marey_clip_units(clip), marey_clip_up(clip),
                        hash);
        if (hash_size != sizeof hash || memcmp(written, hash, sizeof hash) != 0 ||
            marey_clip_frames(clip) != mry_column_integer(row, 5))
            status = mry_fail(&why, MAREY_ERR_INPUT, NULL, "it is not the motion that was stored");
        if (!status) status = mry_check_repairs(library, id, clip, &why);
        marey_clip_free(clip);
    }
    if (!status) status = mry_read_contacts(library, id, NULL, 0, &contacts, &why);
    if (!status) status = mry_check_stretches(library, id, &why);
    const char *provenance = mry_column_text(row, 9), *rewritten;
    if (!status && *provenance) {
        status = mry_json_rewrite(tmp, provenance, &rewritten);
        if (status == MAREY_ERR_MEMORY) mry_fail_memory(&why, stored.name);
        if (status == MAREY_ERR_INPUT)
            mry_fail(&why, status, NULL, "its provenance must be a JSON object");
    }
    return report(check, "clip", stored.name, status, &why, error);
}

/* (clip, kind) */
static marey_status check_picture(checking *check, mry_query *row, mry_arena *tmp,
                                  marey_error *error)
{
    int64_t clip = mry_column_integer(row, 0);
    const char *kind = mry_column_text(row, 1);
    char name[MRY_LONGEST_CLIP_NAME + 1] = "?";
    marey_error why = { 0 };
    size_t count;
    (void)tmp;
    marey_status status = marey_library_picture(check->library, clip, kind, NULL, 0, &count, &why);
    if (marey_status_group(status) == MAREY_ERR_INPUT) {
        /* the name may be hit too */
        mry_clip_name(check->library, clip, name, sizeof name, NULL, NULL);
        mry_fail(&why, status, NULL, "its kept picture %.63s is damaged", kind);
    }
    return report(check, "clip", name, status, &why, error);
}

/* (clip, sum) Their bytes are read by themselves: a damaged one hides no other. */
static marey_status check_blocks(checking *check, mry_query *row, mry_arena *tmp,
                                 marey_error *error)
{
    int64_t clip = mry_column_integer(row, 0);
    char name[MRY_LONGEST_CLIP_NAME + 1] = "?";
    marey_error why = { 0 };
    bool sound = false;
    (void)tmp;
    marey_status status = mry_pose_row_sound(check->library, clip, &sound, &why);
    if (!status && sound) return MAREY_OK;
    mry_clip_name(check->library, clip, name, sizeof name, NULL, NULL);
    if (!status) {
        status = mry_fail(&why, MAREY_ERR_INPUT, NULL,
                          "what searches go by is damaged; marey index --rebuild makes it again");
    }
    return report(check, "clip", name, status, &why, error);
}

/* (clip) Likewise. */
static marey_status check_flaws(checking *check, mry_query *row, mry_arena *tmp, marey_error *error)
{
    int64_t clip = mry_column_integer(row, 0);
    char name[MRY_LONGEST_CLIP_NAME + 1] = "?";
    marey_error why = { 0 };
    bool sound = true;
    (void)tmp;
    mry_query own = mry_query_with(check->library->store,
                                   "SELECT sum, bytes FROM flaw WHERE clip = ?", mry_integer(clip));
    if (mry_query_next(&own)) {
        size_t size;
        uint64_t sum = (uint64_t)mry_column_integer(&own, 0);
        const void *bytes = mry_column_bytes(&own, 1, &size);
        sound = mry_hash64(bytes, size, 0) == sum;
    }
    marey_status status = mry_query_end(&own, &why);
    if (!status && sound) return MAREY_OK;
    mry_clip_name(check->library, clip, name, sizeof name, NULL, NULL);
    if (!status)
        status = mry_fail(&why, MAREY_ERR_INPUT, NULL,
                          "its flaws are damaged; marey doctor finds them again");
    return report(check, "clip", name, status, &why, error);
}

/* (kind, name) */
static marey_status check_saved(checking *check, mry_query *row, mry_arena *tmp, marey_error *error)
{
    /* One column's text may move when the next is asked for. */
    char kind[64], name[MAREY_NAME_ROOM];
    marey_error why = { 0 };
    (void)tmp;
    snprintf(kind, sizeof kind, "%s", mry_column_text(row, 0));
    snprintf(name, sizeof name, "%s", mry_column_text(row, 1));
    marey_status status = mry_check_kept(check->library, kind, name, &why);
    if (!status) status = mry_check_made(check->library, kind, name, &why);
    return report(check, kind, name, status, &why, error);
}

/* (step) */
static marey_status check_step(checking *check, mry_query *row, mry_arena *tmp, marey_error *error)
{
    marey_error why = { 0 };
    char number[24];
    int64_t step = mry_column_integer(row, 0);
    (void)tmp;
    snprintf(number, sizeof number, "%" PRId64, step);
    marey_status status = mry_check_step(check->library, step, &why);
    if (marey_status_group(status) == MAREY_ERR_INPUT)
        mry_fail(&why, status, NULL, "it is damaged, and can be neither undone nor redone");
    return report(check, "step", number, status, &why, error);
}

/* Pictures and saved things are listed from their index, which a damaged one does not cut short,
   and each is read by itself, so that one whose pages are damaged hides no other. */
static const struct {
    const char *name, *sql;
    int keys; /* columns by which it is ordered */
    marey_status (*check)(checking *check, mry_query *row, mry_arena *tmp, marey_error *error);
} tables[] = {
    { "clips",
      "SELECT clip.id, clip.name, pack, about, motion, frames, fps, clip.hash,"
      " (SELECT length(bytes) FROM blob WHERE blob.id = motion), provenance"
      " FROM clip LEFT JOIN skeleton ON skeleton.id = clip.skeleton ORDER BY clip.id",
      1, check_clip },
    { "saved pictures",
      "SELECT clip, kind FROM picture INDEXED BY sqlite_autoindex_picture_1 ORDER BY clip, kind", 2,
      check_picture },
    { "search index", "SELECT clip FROM pose_block ORDER BY clip", 1, check_blocks },
    { "flaws", "SELECT clip FROM flaw ORDER BY clip", 1, check_flaws },
    { "saved things",
      "SELECT kind, name FROM kept INDEXED BY sqlite_autoindex_kept_1 ORDER BY kind, name", 2,
      check_saved },
    { "steps of the history", "SELECT id FROM history ORDER BY id", 1, check_step },
};

static marey_status check_table(checking *check, int number, marey_error *error)
{
    marey_error why;
    marey_status checked = MAREY_OK;
    mry_round list = { 0 };
    bool goes_round = false;
    mry_query row = mry_query_start(check->library->store, tables[number].sql);
    while (!checked && mry_query_next(&row)) {
        uint64_t key = 0;
        for (int i = 0; i < tables[number].keys; i++) {
            const char *text = mry_column_text(&row, i);
            key = mry_hash64(text, strlen(text), key);
        }
        goes_round = mry_goes_round(&list, key);
        if (goes_round) break;
        mry_arena tmp = mry_arena_make(check->library->ctx);
        checked = tables[number].check(check, &row, &tmp, error);
        mry_arena_free(&tmp);
    }
    marey_status ended = mry_query_end(&row, &why);
    if (checked || (ended == MAREY_OK && !goes_round)) return checked;
    if (ended && marey_status_group(ended) != MAREY_ERR_INPUT) {
        if (error) *error = why;
        return ended;
    }
    char problem[80];
    snprintf(problem, sizeof problem, "the table of %s %s", tables[number].name,
             goes_round ? "has no end" : "ends early");
    report_problem(check, problem);
    return MAREY_OK;
}

marey_status marey_library_verify(marey_ctx *ctx, const char *path,
                                  void (*found)(void *user, const char *problem), void *user,
                                  int64_t *problems, marey_error *error)
{
    checking check = { .found = found, .user = user };
    mry_verify_def def = { .found = report_problem, .user = &check };
    marey_error why = { 0 };
    int64_t count = 0;
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &check.library, &why);
    if (marey_status_group(status) == MAREY_ERR_INPUT) {
        /* A file that does not open as a library: say why, and look at its pages all the same. The
           message may say "run marey verify", which is what is going on. */
        status = mry_store_verify_pages(ctx, path, &def, &count, error);
        bool already = count > 0 && why.status == MAREY_ERR_DAMAGED;
        if (!status)
            report_problem(&check, already ? "it does not open as a library" : why.message);
    } else if (status) {
        if (error) *error = why;
    } else {
        def.name_blob = name_blob;
        status = mry_store_verify(check.library->store, &def, &count, error);
        for (int i = 0; i < (int)(sizeof tables / sizeof *tables) && !status; i++)
            status = check_table(&check, i, error);
        if (!status) status = mry_check_index(check.library, report_problem, &check, error);
        marey_library_close(check.library);
    }
    if (!status && problems) *problems = check.problems;
    return status;
}
