/* insert.c - records into the tables. Skeletons and motion are stored once, however many clips use
   them. */
#include "library/pose_rows.h"

#include "base/fail.h"
#include "base/json_text.h"

#include <stdio.h>
#include <string.h>

/* Skeleton, motion and row of a clip. */
static marey_status insert_row(marey_library *library, const mry_record *record,
                               const mry_card *card, const char *name, int64_t *id,
                               marey_error *error)
{
    int64_t skeleton = 0, motion = 0;
    /* Is the skeleton there? The hash finds candidates, the bytes decide. */
    int64_t hash = (int64_t)(mry_hash64(record->skeleton, record->skeleton_size, 0) >> 1);
    mry_query query = mry_query_with(library->store, "SELECT id, pack FROM skeleton WHERE hash = ?",
                                     mry_integer(hash));
    while (!skeleton && mry_query_next(&query)) {
        size_t count;
        const void *bytes = mry_column_bytes(&query, 1, &count);
        if (count == record->skeleton_size && memcmp(bytes, record->skeleton, count) == 0)
            skeleton = mry_column_integer(&query, 0);
    }
    marey_status status = mry_query_end(&query, error);
    if (!status && !skeleton) {
        status = mry_store_run_with(library->store, error, NULL,
                                    "INSERT INTO skeleton(hash, name, pack) VALUES(?, ?, ?)",
                                    mry_integer(hash), mry_text(record->skeleton_name),
                                    mry_bytes(record->skeleton, record->skeleton_size));
        skeleton = mry_store_last_id(library->store);
    }
    if (!status)
        status = mry_blob_find(library->store, "motion", record->motion_name, &motion, error);
    if (!status && !motion) {
        status = mry_blob_put(library->store, "motion", record->motion_name, &record->motion,
                              &motion, error);
    }
    if (status) return status;
    status = mry_store_run_with(
        library->store, error, NULL,
        "INSERT INTO clip(name, skeleton, frames, fps, hash, motion, about, source,"
        " description, licence, provenance, id) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
        " 1 + max(coalesce((SELECT max(id) FROM clip), 0),"
        " coalesce((SELECT last_clip FROM edition), 0)))",
        mry_text(name), mry_integer(skeleton), mry_integer(record->frames), mry_real(record->fps),
        mry_bytes(record->hash, sizeof record->hash), mry_integer(motion),
        mry_bytes(record->about, record->about_size), mry_text(card->source),
        mry_text(card->description), mry_text(card->licence), mry_text(card->provenance));
    *id = mry_store_last_id(library->store);
    if (!status && record->blocks)
        status = mry_pose_row_put(library, *id, record->blocks, record->blocks_size, error);
    int64_t layers = 0;
    if (!status && card->repair_count > 0) {
        status =
            mry_put_repairs(library, *id, card->repaired, card->repairs, card->repair_count, error);
        if (!status)
            status =
                mry_store_run_with(library->store, error, &layers,
                                   "UPDATE clip SET fps = ?2 WHERE id = ?1 RETURNING layer_sum",
                                   mry_integer(*id), mry_real(marey_clip_fps(card->repaired)));
    }
    if (!status && record->flaws)
        status = mry_flaw_row_put(library, *id, layers, record->flaws, record->flaws_size,
                                  record->flaw_count, error);
    return status;
}

marey_status mry_insert_clip(marey_library *library, const mry_record *record, const mry_card *card,
                             marey_named *got, marey_error *error)
{
    int64_t id = 0;
    marey_status status = mry_record_check(record, card->name, error);
    if (status) return status;
    status = mry_free_name(library, card->name, got->name, sizeof got->name, error);
    if (!status) status = insert_row(library, record, card, got->name, &id, error);
    for (int i = 0; i < card->label_count && !status; i++) {
        status = mry_check_label(card->labels[i], error);
        if (!status) status = mry_add_label(library, id, card->labels[i], error);
    }
    for (int i = 0; i < card->stretch_count && !status; i++) {
        const marey_stretch *one = &card->stretches[i];
        status = mry_check_label(one->label, error);
        if (!status)
            status = mry_label_frames(library, id, one->start, one->end, one->label, true, error);
    }
    if (!status) status = mry_update_words(library, id, error);
    if (!status && card->contacts_set) {
        status = mry_set_contacts(library, id, record->frames, card->contacts, card->contact_count,
                                  error);
    }
    got->id = id;
    return status;
}

void mry_copy_name(const marey_named *got, char *got_name, size_t room)
{
    if (got_name) snprintf(got_name, room, "%s", got->name);
}

marey_status mry_store_record(marey_library *library, const mry_record *record,
                              const mry_card *card, bool *duplicate, marey_named *got,
                              marey_error *error)
{
    mry_query query =
        mry_query_with(library->store, "SELECT id, name FROM clip WHERE hash = ? AND removed = 0",
                       mry_bytes(record->hash, sizeof record->hash));
    *duplicate = mry_query_next(&query);
    if (*duplicate) {
        got->id = mry_column_integer(&query, 0);
        snprintf(got->name, sizeof got->name, "%s", mry_column_text(&query, 1));
    }
    marey_status status = mry_query_end(&query, error);
    if (status || *duplicate) return status;
    return mry_insert_clip(library, record, card, got, error);
}

marey_status marey_library_put(marey_library *library, const marey_clip *clip, const char *name,
                               const marey_put_def *def, char *got_name, size_t room,
                               marey_error *error)
{
    static const marey_put_def nothing = { 0 };
    mry_arena mem = mry_arena_make(library->ctx);
    mry_record record;
    marey_named got;
    if (!def) def = &nothing;
    mry_card card = { .name = name,
                      .source = "",
                      .description = def->description ? def->description : "",
                      .licence = def->licence ? def->licence : "",
                      .provenance = def->provenance ? def->provenance : "",
                      .labels = def->labels,
                      .label_count = def->label_count,
                      .contacts = def->contacts,
                      .contact_count = def->contact_count,
                      .contacts_set = def->contacts_set,
                      .stretches = def->stretches,
                      .stretch_count = def->stretch_count };
    marey_status status = mry_check_name(name, error);
    if (!status) status = mry_clip_check(clip, name, error);
    if (!status && *card.provenance) {
        status = mry_json_rewrite(&mem, card.provenance, &card.provenance);
        if (status == MAREY_ERR_MEMORY) mry_fail_memory(error, name);
        if (status == MAREY_ERR_INPUT) {
            status =
                mry_fail(error, MAREY_ERR_REQUEST, name, "its provenance must be a JSON object");
        }
    }
    if (!status && !mry_record_make(clip, &mem, &record)) status = mry_fail_memory(error, name);
    if (!status) status = mry_library_begin(library, error);
    if (!status) {
        status = mry_insert_clip(library, &record, &card, &got, error);
        if (!status) mry_title(library, "save clip %s", got.name);
        status = mry_library_end(library, status, error);
    }
    if (!status) mry_copy_name(&got, got_name, room);
    if (!status && def->id) *def->id = got.id;
    mry_arena_free(&mem);
    return status;
}
