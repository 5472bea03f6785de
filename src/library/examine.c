/* examine.c - the flaws of clips, and their repairs. Clips are read by one thread, opened, repaired
   and examined by all of them, and written by one again, some at a time. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 32 /* clips that are opened together */ };

/* One clip that is opened. */
typedef struct patient {
    int64_t id;
    int at;        /* in the list of conditions */
    mry_arena mem; /* what was made of it */
    const marey_repair *repairs;
    int repair_count;
    const uint8_t *flaws, *blocks;
    size_t flaws_size, blocks_size;
    int flaw_count;
    double fps;
    marey_clip *shape; /* the repaired clip, which knows its joints */
} patient;

typedef struct batch {
    marey_library *library;
    patient items[BATCH];
    int count;
} batch;

static void batch_clear(batch *b)
{
    for (int i = 0; i < b->count; i++) {
        marey_clip_free(b->items[i].shape);
        mry_arena_free(&b->items[i].mem);
    }
    b->count = 0;
}

static marey_status batch_open(batch *b, mry_open_as as, mry_clip_opened_fn *opened,
                               marey_error *error)
{
    int64_t ids[BATCH];
    for (int i = 0; i < b->count; i++) ids[i] = b->items[i].id;
    return mry_load_clips(b->library, ids, b->count, as, opened, b, error);
}

/* ---- examining ------------------------------------------------------------------------------- */

typedef struct conditions {
    marey_conditions view; /* first: what callers have is its address */
    mry_arena mem;         /* this too lives in it */
    marey_condition *items;
    /* What was found just now, to be kept; size 0: it was known. */
    const uint8_t **bytes;
    size_t *sizes;
} conditions;

void marey_conditions_free(marey_conditions *view)
{
    if (!view) return;
    mry_arena mem = ((conditions *)view)->mem;
    mry_arena_free(&mem);
}

static marey_status look(void *user, int i, const marey_clip *clip, marey_error *error)
{
    patient *one = &((batch *)user)->items[i];
    bool fits = mry_flaw_bytes(clip, &one->mem, &one->flaws, &one->flaws_size, &one->flaw_count);
    return fits ? MAREY_OK : mry_fail_memory(error, clip->name);
}

static marey_status examine_batch(conditions *all, batch *b, marey_error *error)
{
    marey_status status = batch_open(b, MRY_OPEN_WHOLE, look, error);
    for (int i = 0; i < b->count && !status; i++) {
        const patient *one = &b->items[i];
        all->sizes[one->at] = one->flaws_size;
        all->bytes[one->at] =
            (const uint8_t *)mry_arena_text(&all->mem, (const char *)one->flaws, one->flaws_size);
        bool fits = all->bytes[one->at] &&
                    !mry_flaw_items(one->flaws, one->flaws_size, &all->mem, &all->items[one->at]);
        if (!fits) status = mry_fail_memory(error, mry_store_path(b->library->store));
    }
    batch_clear(b);
    return status;
}

/* Which clips, and what is known of them. */
static marey_status list_conditions(marey_library *library, const char *const *names, int count,
                                    conditions **out, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    mry_arena mem = mry_arena_make(library->ctx);
    conditions *all = MRY_NEW(&mem, conditions, 1);
    int64_t room = count;
    marey_status status = all ? MAREY_OK : mry_fail_memory(error, path);
    if (!status && count == 0)
        status = mry_query_finish(
            mry_query_start(library->store, "SELECT count(*) FROM clip WHERE removed = 0"), &room,
            error);
    if (!status) {
        all->items = MRY_NEW(&mem, marey_condition, room);
        all->bytes = MRY_NEW(&mem, const uint8_t *, room);
        all->sizes = MRY_NEW(&mem, size_t, room);
        if (!all->items || !all->bytes || !all->sizes) status = mry_fail_memory(error, path);
    }
    if (status) {
        mry_arena_free(&mem);
        return status;
    }
    all->mem = mem;
    all->view = (marey_conditions){ .count = (int)room, .items = all->items };
    for (int i = 0; i < count && !status; i++)
        status = mry_clip_find(library, names[i], false, &all->items[i].clip, error);
    if (count == 0) {
        int found = 0;
        mry_query row = mry_query_start(library->store, "SELECT id, name FROM clip WHERE"
                                                        " removed = 0 ORDER BY name, id");
        while (found < room && mry_query_next(&row)) {
            marey_named *clip = &all->items[found++].clip;
            clip->id = mry_column_integer(&row, 0);
            snprintf(clip->name, sizeof clip->name, "%s", mry_column_text(&row, 1));
        }
        status = mry_query_end(&row, error);
    }
    *out = all;
    return status;
}

/* It is worth nothing to fail for, except where memory does: another program may write, or the disk
   be full. */
static marey_status keep_found(marey_library *library, const conditions *all, marey_error *error)
{
    marey_status status = mry_store_begin_now(library->store, error);
    bool begun = !status;
    for (int i = 0; i < all->view.count && !status; i++) {
        if (all->sizes[i] == 0) continue;
        status = mry_flaw_row_put(library, all->items[i].clip.id, all->items[i].layers,
                                  all->bytes[i], all->sizes[i], all->items[i].flaw_count, error);
    }
    if (begun) status = mry_library_end(library, status, error);
    return marey_status_group(status) == MAREY_ERR_IO ? MAREY_OK : status;
}

/* `looks`: also at clips of which nothing is known. */
static marey_status examine(marey_library *library, const char *const *names, int count, bool looks,
                            marey_conditions **out, marey_error *error)
{
    conditions *all = NULL;
    int found = 0;
    mry_arena tmp = mry_arena_make(library->ctx);
    batch *b = MRY_NEW(&tmp, batch, 1);
    if (!b) return mry_fail_memory(error, mry_store_path(library->store));
    b->library = library;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = list_conditions(library, names, count, &all, error);
    int total = status ? 0 : all->view.count;
    for (int i = 0; i <= total && !status; i++) {
        if (i < total) {
            marey_condition *one = &all->items[i];
            marey_repair *repairs = NULL;
            bool known = false;
            status = mry_read_repairs(library, one->clip.id, &all->mem, &repairs,
                                      &one->repair_count, error);
            one->repairs = repairs;
            if (!status) {
                mry_query row = mry_query_with(
                    library->store, "SELECT layer_sum, frames, fps FROM clip WHERE id = ?",
                    mry_integer(one->clip.id));
                if (mry_query_next(&row)) {
                    one->layers = mry_column_integer(&row, 0);
                    one->frames = (int)mry_column_integer(&row, 1);
                    one->fps = mry_column_number(&row, 2);
                }
                status = mry_query_end(&row, error);
            }
            if (!status)
                status = mry_flaw_row_read(library, one->clip.id, &all->mem, one, &known, error);
            if (!known && !status && looks)
                b->items[b->count++] =
                    (patient){ .id = one->clip.id, .at = i, .mem = mry_arena_make(library->ctx) };
        }
        if (status || b->count == 0 || (b->count < BATCH && i < total)) continue;
        found += b->count;
        status = mry_progress(library->ctx, "examining", i, total) ? examine_batch(all, b, error)
                                                                   : mry_fail_cancelled(error);
    }
    mry_store_rollback(library->store);
    batch_clear(b);
    mry_arena_free(&tmp);
    if (!status && found > 0 && mry_store_can_write(library->store))
        status = keep_found(library, all, error);
    if (status) {
        if (all) marey_conditions_free(&all->view);
        return status;
    }
    *out = &all->view;
    return MAREY_OK;
}

marey_status marey_library_examine(marey_library *library, const char *const *names, int count,
                                   marey_conditions **out, marey_error *error)
{
    return examine(library, names, count, true, out, error);
}

marey_status marey_library_known(marey_library *library, marey_conditions **out, marey_error *error)
{
    return examine(library, NULL, 0, false, out, error);
}

/* ---- shared with other machines -------------------------------------------------------------- */

/* A tile is a clip, by its number. */
typedef struct sharing {
    marey_library *library;
    const marey_tiles *tiles;
    batch *b;
    int64_t *ids, *layers;
    int count;
} sharing;

static marey_status list_tiles(sharing *all, mry_arena *mem, marey_error *error)
{
    int64_t room = 0;
    mry_store *store = all->library->store;
    marey_status status = mry_query_finish(
        mry_query_start(store, "SELECT count(*) FROM clip WHERE removed = 0"), &room, error);
    if (status) return status;
    double *costs = MRY_NEW(mem, double, room + 1);
    all->ids = MRY_NEW(mem, int64_t, room + 1);
    all->layers = MRY_NEW(mem, int64_t, room + 1);
    if (!costs || !all->ids || !all->layers) return mry_fail_memory(error, mry_store_path(store));
    mry_query row = mry_query_start(
        store, "SELECT id, layer_sum, frames FROM clip WHERE removed = 0 ORDER BY id");
    while (all->count < room && mry_query_next(&row)) {
        all->ids[all->count] = mry_column_integer(&row, 0);
        all->layers[all->count] = mry_column_integer(&row, 1);
        costs[all->count++] = (double)mry_column_integer(&row, 2);
    }
    status = mry_query_end(&row, error);
    return status ? status : all->tiles->begin(all->tiles->user, costs, all->count, error);
}

/* What was found in the batch. */
static marey_status put_batch(const sharing *all, marey_error *error)
{
    batch *b = all->b;
    marey_status status = batch_open(b, MRY_OPEN_WHOLE, look, error);
    for (int i = 0; i < b->count && !status; i++) {
        patient *one = &b->items[i];
        mry_bytes_writer out = { .mem = &one->mem };
        mry_put_fixed(&out, (uint64_t)one->flaw_count, 4);
        mry_put_bytes(&out, one->flaws, one->flaws_size);
        status = out.failed
                     ? mry_fail_memory(error, NULL)
                     : all->tiles->put(all->tiles->user, one->at, out.bytes, out.used, error);
    }
    batch_clear(b);
    return status;
}

static marey_status make_tiles(sharing *all, marey_error *error)
{
    marey_ctx *ctx = all->library->ctx;
    batch *b = all->b;
    marey_status status = MAREY_OK;
    for (int i = 0; i < all->count && !status; i++) {
        if (all->tiles->wants(all->tiles->user, i))
            b->items[b->count++] =
                (patient){ .id = all->ids[i], .at = i, .mem = mry_arena_make(ctx) };
        if (b->count == 0 || (b->count < BATCH && i + 1 < all->count)) continue;
        status = mry_progress(ctx, "examining", i, all->count) ? put_batch(all, error)
                                                               : mry_fail_cancelled(error);
    }
    batch_clear(b);
    return status;
}

static marey_status take_tile(void *user, int64_t tile, const uint8_t *bytes, size_t size,
                              marey_error *error)
{
    sharing *all = user;
    mry_arena tmp = mry_arena_make(all->library->ctx);
    marey_condition found = { 0 };
    mry_bytes_reader in = { .p = bytes, .end = bytes + size, .failed = size < 4 };
    int count = (int)mry_get_fixed(&in, 4);
    marey_status status =
        in.failed ? MAREY_ERR_DAMAGED : mry_flaw_items(in.p, size - 4, &tmp, &found);
    bool sound = !status && mry_flaws_counted(found.flaws, found.flaw_count) == count;
    mry_arena_free(&tmp);
    if (status == MAREY_ERR_MEMORY) return mry_fail_memory(error, NULL);
    if (!sound)
        return mry_fail(error, MAREY_ERR_DAMAGED, NULL,
                        "a shard holds what is not of these clips; work it out again");
    return mry_flaw_row_put(all->library, all->ids[tile], all->layers[tile], in.p, size - 4, count,
                            error);
}

marey_status marey_library_examine_tiles(marey_library *library, const marey_tiles *tiles,
                                         marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    sharing all = { .library = library, .tiles = tiles, .b = MRY_NEW(&tmp, batch, 1) };
    marey_status status = all.b ? MAREY_OK : mry_fail_memory(error, mry_store_path(library->store));
    if (!status && tiles->wants) {
        all.b->library = library;
        status = mry_store_snapshot(library->store, error);
        if (!status) status = list_tiles(&all, &tmp, error);
        if (!status) status = make_tiles(&all, error);
        mry_store_rollback(library->store);
    } else if (!status) {
        status = mry_store_begin(library->store, error);
        if (!status) {
            status = list_tiles(&all, &tmp, error);
            if (!status) status = tiles->read(tiles->user, take_tile, &all, error);
            status = mry_library_end(library, status, error);
        }
    }
    mry_arena_free(&tmp);
    return status;
}

/* ---- repairing ------------------------------------------------------------------------------- */

/* The repairs that stay, then the new ones. */
static marey_status list_repairs(marey_library *library, const marey_repair_def *def, patient *one,
                                 bool *changes, marey_error *error)
{
    marey_repair *now = NULL;
    int count = 0, kept = 0;
    int64_t there = 0, layers = 0;
    marey_status status =
        mry_store_run_with(library->store, error, &there,
                           "SELECT count(*) FROM layer WHERE clip = ?", mry_integer(one->id));
    if (!status && def->layers) status = marey_library_layers(library, one->id, &layers, error);
    if (!status && def->layers && layers != *def->layers)
        return mry_fail(error, MAREY_ERR_STALE, def->clip,
                        "another program changed its repairs a moment ago; retry");
    /* All can be taken off whatever they are, also those of a newer marey. */
    if (!status && !def->drop_all)
        status = mry_read_repairs(library, one->id, &one->mem, &now, &count, error);
    if (status) return status;
    marey_repair *list = MRY_NEW(&one->mem, marey_repair, count + def->add_count);
    if (!list) return mry_fail_memory(error, def->clip);
    for (int i = 0; i < count; i++) {
        marey_flaw_kind kind;
        bool drop = (def->drop_set && !*now[i].flaw) ||
                    (marey_flaw_named(now[i].flaw, &kind) && def->drop_flaws >> kind & 1);
        for (int k = 0; k < def->drop_place_count; k++) drop |= def->drop_places[k] == i;
        if (!drop) list[kept++] = now[i];
    }
    *changes = kept < there || def->add_count > 0;
    if (def->add_count > 0) memcpy(list + kept, def->add, (size_t)def->add_count * sizeof *list);
    one->repairs = list;
    one->repair_count = kept + def->add_count;
    if (one->repair_count <= MAREY_MOST_LAYERS) return MAREY_OK;
    return mry_fail(error, MAREY_ERR_LIMIT, def->clip, "repairs of a clip must be at most %d",
                    MAREY_MOST_LAYERS);
}

/* The clip as it will be, and what follows from it. */
static marey_status mend(void *user, int i, const marey_clip *captured, marey_error *error)
{
    patient *one = &((batch *)user)->items[i];
    marey_status status =
        mry_repair_clip(captured, one->repairs, one->repair_count, &one->shape, error);
    if (status) return status;
    one->fps = one->shape->fps;
    bool fits =
        mry_pose_bytes(one->shape, &one->mem, &one->blocks, &one->blocks_size) &&
        mry_flaw_bytes(one->shape, &one->mem, &one->flaws, &one->flaws_size, &one->flaw_count);
    return fits ? MAREY_OK : mry_fail_memory(error, captured->name);
}

static marey_status write_patient(marey_library *library, const patient *one, int *webs,
                                  marey_error *error)
{
    marey_status status =
        mry_put_repairs(library, one->id, one->shape, one->repairs, one->repair_count, error);
    int64_t sum = 0;
    if (!status)
        status = mry_store_run_with(library->store, error, &sum,
                                    "UPDATE clip SET fps = ?2 WHERE id = ?1 RETURNING layer_sum",
                                    mry_integer(one->id), mry_real(one->fps));
    if (!status && one->blocks)
        status = mry_pose_row_put(library, one->id, one->blocks, one->blocks_size, error);
    else if (!status)
        status =
            mry_run_for(library, "DELETE FROM pose_block WHERE clip = ?", one->id, NULL, error);
    if (!status)
        status = mry_flaw_row_put(library, one->id, sum, one->flaws, one->flaws_size,
                                  one->flaw_count, error);
    if (!status)
        status = mry_run_for(library, "DELETE FROM picture WHERE clip = ?", one->id, NULL, error);
    if (!status)
        status =
            mry_run_for(library, "DELETE FROM web WHERE a = ?1 OR b = ?1", one->id, NULL, error);
    *webs += status ? 0 : (int)mry_store_changes(library->store);
    return status;
}

static marey_status repair_batch(batch *b, int *webs, marey_error *error)
{
    marey_status status = batch_open(b, MRY_OPEN_CAPTURED, mend, error);
    for (int i = 0; i < b->count && !status; i++)
        status = write_patient(b->library, &b->items[i], webs, error);
    batch_clear(b);
    return status;
}

marey_status marey_library_repair(marey_library *library, const marey_repair_def *defs, int count,
                                  int *webs, marey_error *error)
{
    int dropped = 0, changed = 0;
    int64_t last = 0; /* clip that was changed */
    mry_arena tmp = mry_arena_make(library->ctx);
    batch *b = MRY_NEW(&tmp, batch, 1);
    if (!b) return mry_fail_memory(error, mry_store_path(library->store));
    b->library = library;
    marey_status status = mry_library_begin(library, error);
    if (status) {
        mry_arena_free(&tmp);
        return status;
    }
    for (int i = 0; i <= count && !status; i++) {
        patient one = { .mem = mry_arena_make(library->ctx) };
        bool changes = false, twice = false;
        if (i < count) status = mry_clip_id(library, defs[i].clip, false, &one.id, error);
        for (int k = 0; k < b->count; k++) twice |= b->items[k].id == one.id;
        /* One that is named again is read again, behind the first change. */
        if (!status && b->count > 0 && (twice || b->count == BATCH || i == count)) {
            status = mry_progress(library->ctx, "repairing", i, count)
                         ? repair_batch(b, &dropped, error)
                         : mry_fail_cancelled(error);
        }
        if (!status && i < count) status = list_repairs(library, &defs[i], &one, &changes, error);
        if (!status && changes) {
            b->items[b->count++] = one;
            changed += one.id != last;
            last = one.id;
        } else {
            mry_arena_free(&one.mem);
        }
    }
    batch_clear(b);
    mry_arena_free(&tmp);
    mry_title_clips(library, "change the repairs of", last, changed);
    status = mry_library_end(library, status, error);
    if (!status && webs) *webs = dropped;
    return status;
}
