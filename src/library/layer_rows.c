/* layer_rows.c - the tables of layers and of flaws. Layers are what people decided, a row each that
   any program can read; flaws follow from the clip and its layers and are kept as bytes, to be found
   again when they are missing, damaged or of other checks. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

marey_repair marey_flaw_repair(const marey_flaw *flaw)
{
    return (marey_repair){ .layer = flaw->repair,
                           .joint = "",
                           .flaw = marey_flaw_name(flaw->kind),
                           .size = flaw->size,
                           .certainty = flaw->certainty,
                           .unit = marey_flaw_unit(flaw->kind) };
}

static bool find_layer_kind(const char *name, marey_layer_kind *kind)
{
    for (int i = 0; i < MAREY_LAYER_COUNT; i++) {
        if (strcmp(name, marey_layer_name((marey_layer_kind)i)) != 0) continue;
        *kind = (marey_layer_kind)i;
        return true;
    }
    return false;
}

/* ---- layers ---------------------------------------------------------------------------------- */

static void put_layer(mry_bytes_writer *out, const marey_layer *layer)
{
    mry_put_text(out, marey_layer_name(layer->kind));
    mry_put_integer(out, layer->joint);
    mry_put_integer(out, layer->start);
    mry_put_integer(out, layer->end);
    for (int i = 0; i < MAREY_LAYER_VALUES; i++) mry_put_number(out, layer->value[i]);
}

/* Above 0, and 0 without layers: what a clip is depends on them and their order alone. False: out of
   memory. */
static bool sum_layers(marey_ctx *ctx, const marey_repair *repairs, int count, int64_t *sum)
{
    mry_arena tmp = mry_arena_make(ctx);
    mry_bytes_writer out = { .mem = &tmp };
    for (int i = 0; i < count; i++) put_layer(&out, &repairs[i].layer);
    *sum = count == 0 ? 0 : (int64_t)(mry_hash64(out.bytes, out.used, 0) >> 1 | 1);
    mry_arena_free(&tmp);
    return !out.failed;
}

marey_status mry_read_repairs(marey_library *library, int64_t clip, mry_arena *mem,
                              marey_repair **out, int *count, marey_error *error)
{
    marey_repair *items = NULL;
    int found = 0, room = 0;
    bool fits = true, sound = true;
    char kind[64] = "";
    mry_query row =
        mry_query_with(library->store,
                       "SELECT kind, joint, start, stop, numbers, joint_name, flaw,"
                       " size, unit, certainty FROM layer WHERE clip = ? ORDER BY place",
                       mry_integer(clip));
    while (fits && sound && mry_query_next(&row)) {
        fits = mry_grow_in(mem, &items, &room, found + 1, sizeof *items);
        if (!fits) break;
        marey_repair *one = &items[found++];
        int64_t numbers[] = { mry_column_integer(&row, 1), mry_column_integer(&row, 2),
                              mry_column_integer(&row, 3) };
        snprintf(kind, sizeof kind, "%s", mry_column_text(&row, 0));
        *one = (marey_repair){
            .layer = { .joint = (int)numbers[0], .start = (int)numbers[1], .end = (int)numbers[2] },
            .joint = mry_column_copy(&row, 5, mem),
            .flaw = mry_column_copy(&row, 6, mem),
            .size = mry_column_number(&row, 7),
            .unit = mry_column_copy(&row, 8, mem),
            .certainty = mry_column_number(&row, 9)
        };
        fits = one->joint && one->flaw && one->unit;
        size_t size;
        const uint8_t *bytes = mry_column_bytes(&row, 4, &size);
        mry_bytes_reader in = { .p = bytes, .end = bytes + size };
        for (int i = 0; i < MAREY_LAYER_VALUES; i++) one->layer.value[i] = mry_get_number(&in);
        sound = find_layer_kind(kind, &one->layer.kind) && !in.failed && in.p == in.end &&
                found <= MAREY_MOST_LAYERS;
        for (int i = 0; i < 3; i++) sound &= numbers[i] >= -1 && numbers[i] <= INT32_MAX;
    }
    marey_status status = mry_query_end(&row, error);
    if (!status && !fits) status = mry_fail_memory(error, mry_store_path(library->store));
    if (!status && !sound) {
        char name[MAREY_NAME_ROOM] = "";
        mry_clip_name(library, clip, name, sizeof name, NULL, NULL);
        status = mry_fail(error, MAREY_ERR_INPUT, name,
                          "its repair %d (%.40s) is damaged, or of a newer marey", found - 1, kind);
    }
    if (status) return status;
    *out = items;
    *count = found;
    return MAREY_OK;
}

marey_status mry_put_repairs(marey_library *library, int64_t clip, const marey_clip *shape,
                             const marey_repair *repairs, int count, marey_error *error)
{
    int64_t sum = 0;
    if (!sum_layers(library->ctx, repairs, count, &sum)) return mry_fail_memory(error, NULL);
    marey_status status =
        mry_run_for(library, "DELETE FROM layer WHERE clip = ?", clip, NULL, error);
    for (int i = 0; i < count && !status; i++) {
        const marey_repair *one = &repairs[i];
        const marey_layer *layer = &one->layer;
        mry_arena tmp = mry_arena_make(library->ctx);
        mry_bytes_writer numbers = { .mem = &tmp };
        for (int k = 0; k < MAREY_LAYER_VALUES; k++) mry_put_number(&numbers, layer->value[k]);
        if (numbers.failed) {
            status = mry_fail_memory(error, NULL);
        } else {
            status = mry_store_run_with(
                library->store, error, NULL,
                "INSERT INTO layer(clip, place, kind, joint, joint_name, start, stop, numbers, "
                "flaw,"
                " size, unit, certainty) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                mry_integer(clip), mry_integer(i), mry_text(marey_layer_name(layer->kind)),
                mry_integer(layer->joint),
                mry_text(layer->joint < 0 ? "" : shape->joints[layer->joint].name),
                mry_integer(layer->start), mry_integer(layer->end),
                mry_bytes(numbers.bytes, numbers.used), mry_text(one->flaw ? one->flaw : ""),
                mry_real(one->size), mry_text(one->unit ? one->unit : ""),
                mry_real(one->certainty));
        }
        mry_arena_free(&tmp);
    }
    if (status) return status;
    return mry_store_run_with(library->store, error, NULL,
                              "UPDATE clip SET layer_sum = ?2 WHERE id = ?1", mry_integer(clip),
                              mry_integer(sum));
}

marey_status mry_clip_layers(marey_library *library, int64_t clip, int64_t *layers,
                             marey_error *error)
{
    return mry_store_run_with(library->store, error, layers,
                              "SELECT CASE layer_sum WHEN 0 THEN -1 ELSE layer_sum END FROM clip"
                              " WHERE id = ?",
                              mry_integer(clip));
}

marey_status marey_library_layers(marey_library *library, int64_t id, int64_t *layers,
                                  marey_error *error)
{
    int64_t found = 0;
    marey_status status = mry_clip_layers(library, id, &found, error);
    if (!status && found == 0)
        status = mry_fail(error, MAREY_ERR_NOT_FOUND, mry_store_path(library->store),
                          "there is no clip number %" PRId64, id);
    if (!status) *layers = found < 0 ? 0 : found;
    return status;
}

marey_status mry_check_seen(marey_library *library, int64_t clip, const char *name,
                            marey_error *error)
{
    int64_t seen = clip >= 0 && clip < library->seen_room ? library->seen[clip] : 0, now = 0;
    marey_status status = seen ? mry_clip_layers(library, clip, &now, error) : MAREY_OK;
    if (status || seen == now) return status;
    return mry_fail(error, MAREY_ERR_STALE, name,
                    "its repairs were changed while something was made of it; make it again");
}

marey_status mry_repair_clip(const marey_clip *clip, const marey_repair *repairs, int count,
                             marey_clip **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    marey_layer *layers = MRY_NEW(&tmp, marey_layer, count);
    marey_clip *made = NULL;
    if (!layers) return mry_fail_memory(error, clip->name);
    for (int i = 0; i < count; i++) layers[i] = repairs[i].layer;
    marey_status status = marey_clip_repair(clip, layers, count, &made, error);
    mry_arena_free(&tmp);
    if (status) return status;
    marey_error why;
    status = mry_clip_check(made, clip->name, &why);
    if (status) {
        marey_clip_free(made);
        return mry_fail(error, MAREY_ERR_REQUEST, clip->name, "with these repairs: %.300s",
                        why.message);
    }
    *out = made;
    return MAREY_OK;
}

marey_status mry_check_repairs(marey_library *library, int64_t id, const marey_clip *captured,
                               marey_error *error)
{
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_repair *repairs = NULL;
    marey_clip *made = NULL;
    int count = 0;
    int64_t sum = 0, stored = 0;
    double fps = 0;
    marey_status status = mry_read_repairs(library, id, &tmp, &repairs, &count, error);
    if (!status && !sum_layers(library->ctx, repairs, count, &sum))
        status = mry_fail_memory(error, NULL);
    if (!status) {
        mry_query row = mry_query_with(
            library->store, "SELECT layer_sum, fps FROM clip WHERE id = ?", mry_integer(id));
        if (mry_query_next(&row)) {
            stored = mry_column_integer(&row, 0);
            fps = mry_column_number(&row, 1);
        }
        status = mry_query_end(&row, error);
    }
    if (!status && count > 0) {
        status = mry_repair_clip(captured, repairs, count, &made, error);
        if (status == MAREY_ERR_REQUEST) status = MAREY_ERR_INPUT;
    }
    if (!status && (sum != stored || fps != (made ? made : captured)->fps))
        status = mry_fail(error, MAREY_ERR_INPUT, NULL, "its repairs are not those that were made");
    marey_clip_free(made);
    mry_arena_free(&tmp);
    return status;
}

/* ---- flaws ----------------------------------------------------------------------------------- */

int mry_flaws_counted(const marey_flaw *flaws, int count)
{
    int counted = 0;
    for (int i = 0; i < count; i++) counted += flaws[i].kind != MAREY_FLAW_FIRST_FRAME;
    return counted;
}

bool mry_flaw_bytes(const marey_clip *clip, mry_arena *mem, const uint8_t **bytes, size_t *size,
                    int *count)
{
    marey_flaws found = { 0 };
    mry_bytes_writer out = { .mem = mem };
    if (marey_flaws_find(clip, &found)) return false;
    const marey_rate_evidence *rate = &found.rate;
    for (int i = 0; i < MAREY_RATE_STEPS; i++) {
        mry_put_number(&out, rate->out_cm[i]);
        mry_put_number(&out, rate->moments[i]);
    }
    mry_put_number(&out, rate->lean);
    mry_put_number(&out, rate->fall);
    mry_put_number(&out, rate->both);
    mry_put_number(&out, rate->flight_fps);
    mry_put_integer(&out, rate->stances);
    mry_put_integer(&out, rate->flights);
    mry_put_integer(&out, found.count);
    for (int i = 0; i < found.count; i++) {
        const marey_flaw *flaw = &found.items[i];
        mry_put_text(&out, marey_flaw_name(flaw->kind));
        mry_put_integer(&out, flaw->joint);
        mry_put_text(&out, flaw->joint < 0 ? "" : clip->joints[flaw->joint].name);
        mry_put_integer(&out, flaw->start);
        mry_put_integer(&out, flaw->end);
        mry_put_number(&out, flaw->size);
        mry_put_number(&out, flaw->certainty);
        mry_put_integer(&out, flaw->mendable);
        if (flaw->mendable) put_layer(&out, &flaw->repair);
    }
    mry_put_integer(&out, found.landmark_count);
    for (int i = 0; i < found.landmark_count; i++) {
        const marey_landmark *mark = &found.landmarks[i];
        mry_put_number(&out, mark->time_s);
        mry_put_integer(&out, mark->moment);
        for (int k = 0; k < MAREY_LANDMARK_WAYS; k++) mry_put_integer(&out, mark->way[k]);
    }
    *bytes = out.bytes;
    *size = out.used;
    *count = mry_flaws_counted(found.items, found.count);
    marey_flaws_free(&found);
    return !out.failed;
}

marey_status mry_flaw_items(const void *bytes, size_t size, mry_arena *mem, marey_condition *out)
{
    enum { LEAST_BYTES = 20 }; /* of a flaw, and of a landmark */
    const uint8_t *from = bytes;
    mry_bytes_reader in = { .p = from, .end = from + size };
    marey_rate_evidence *rate = &out->rate;
    for (int i = 0; i < MAREY_RATE_STEPS; i++) {
        rate->out_cm[i] = mry_get_number(&in);
        rate->moments[i] = mry_get_number(&in);
    }
    rate->lean = mry_get_number(&in);
    rate->fall = mry_get_number(&in);
    rate->both = mry_get_number(&in);
    rate->flight_fps = mry_get_number(&in);
    rate->stances = (int)mry_get_integer(&in, 0, MRY_MOST_FRAMES);
    rate->flights = (int)mry_get_integer(&in, 0, MRY_MOST_FRAMES);
    int count = (int)mry_get_integer(&in, 0, (int64_t)(size / LEAST_BYTES));
    marey_flaw *flaws = MRY_NEW(mem, marey_flaw, count);
    const char **joints = MRY_NEW(mem, const char *, count);
    bool known = flaws && joints;
    for (int i = 0; i < count && known && !in.failed; i++) {
        marey_flaw *flaw = &flaws[i];
        const char *kind = mry_get_text(&in, mem);
        known = kind && marey_flaw_named(kind, &flaw->kind);
        flaw->joint = (int)mry_get_integer(&in, -1, MRY_MOST_JOINTS);
        joints[i] = mry_get_text(&in, mem);
        flaw->start = (int)mry_get_integer(&in, 0, MRY_MOST_FRAMES);
        flaw->end = (int)mry_get_integer(&in, flaw->start, MRY_MOST_FRAMES);
        flaw->size = mry_get_number(&in);
        flaw->certainty = mry_get_number(&in);
        flaw->mendable = mry_get_integer(&in, 0, 1);
        if (!flaw->mendable || in.failed) continue;
        marey_layer *layer = &flaw->repair;
        kind = mry_get_text(&in, mem);
        known = known && kind && find_layer_kind(kind, &layer->kind);
        layer->joint = (int)mry_get_integer(&in, -1, MRY_MOST_JOINTS);
        layer->start = (int)mry_get_integer(&in, 0, MRY_MOST_FRAMES);
        layer->end = (int)mry_get_integer(&in, 0, MRY_MOST_FRAMES);
        for (int k = 0; k < MAREY_LAYER_VALUES; k++) layer->value[k] = mry_get_number(&in);
    }
    int mark_count = in.failed ? 0 : (int)mry_get_integer(&in, 0, (int64_t)(size / LEAST_BYTES));
    marey_landmark *marks = MRY_NEW(mem, marey_landmark, mark_count);
    for (int i = 0; i < mark_count && marks && !in.failed; i++) {
        marks[i].time_s = mry_get_number(&in);
        marks[i].moment = (int)mry_get_integer(&in, 0, MAREY_LANDMARK_MOMENTS - 1);
        for (int k = 0; k < MAREY_LANDMARK_WAYS; k++)
            marks[i].way[k] = (uint16_t)mry_get_integer(&in, 0, UINT16_MAX);
    }
    if (!flaws || !joints || !marks || in.no_memory) return MAREY_ERR_MEMORY;
    if (!known || in.failed || in.p != in.end) return MAREY_ERR_DAMAGED;
    out->landmarks = marks;
    out->landmark_count = mark_count;
    out->flaws = flaws;
    out->flaw_joints = joints;
    out->flaw_count = count;
    return MAREY_OK;
}

marey_status mry_flaw_row_put(marey_library *library, int64_t clip, int64_t layer_sum,
                              const uint8_t *bytes, size_t size, int count, marey_error *error)
{
    return mry_store_run_with(
        library->store, error, NULL,
        "INSERT OR REPLACE INTO flaw(clip, edition, count, sum, bytes)"
        " SELECT ?1, ?2, ?3, ?4, ?5 FROM clip WHERE id = ?1 AND layer_sum = ?6",
        mry_integer(clip), mry_integer(MRY_FLAW_EDITION), mry_integer(count),
        mry_integer((int64_t)mry_hash64(bytes, size, 0)), mry_bytes(bytes, size),
        mry_integer(layer_sum));
}

marey_status mry_flaw_row_read(marey_library *library, int64_t clip, mry_arena *mem,
                               marey_condition *out, bool *known, marey_error *error)
{
    *known = false;
    mry_query row =
        mry_query_with(library->store, "SELECT sum, bytes FROM flaw WHERE clip = ? AND edition = ?",
                       mry_integer(clip), mry_integer(MRY_FLAW_EDITION));
    if (mry_query_next(&row)) {
        size_t size;
        uint64_t sum = (uint64_t)mry_column_integer(&row, 0);
        const void *bytes = mry_column_bytes(&row, 1, &size);
        *known = mry_hash64(bytes, size, 0) == sum && !mry_flaw_items(bytes, size, mem, out);
    }
    return mry_query_end(&row, error);
}
