/* contact_rows.c - foot contacts in a library. */
#include "library/library_data.h"

#include "base/fail.h"

/* Saved pictures go: strips show contacts. A count of -1 leaves none, as if none had ever been set.
   */
marey_status mry_set_contacts(marey_library *library, int64_t clip, int frames,
                              const marey_contact *contacts, int count, marey_error *error)
{
    const char *const sql[] = { "DELETE FROM contact WHERE clip = ?",
                                "DELETE FROM picture WHERE clip = ?",
                                count < 0 ? "UPDATE clip SET contacts_set = 0 WHERE id = ?"
                                          : "UPDATE clip SET contacts_set = 1 WHERE id = ?" };
    for (int i = 0; i < count; i++) {
        const marey_contact *c = &contacts[i];
        if (c->joint < 0 || c->joint >= MAREY_CONTACT_JOINT_COUNT || c->start < 0 ||
            c->start >= c->end || c->end > frames) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "contact %d (frames %d-%d) is not inside the clip's 0-%d", i, c->start,
                            c->end, frames);
        }
    }
    marey_status status = MAREY_OK;
    for (int i = 0; i < 3 && !status; i++) status = mry_run_for(library, sql[i], clip, NULL, error);
    for (int i = 0; i < count && !status; i++) {
        /* One that begins before the new one ends and ends behind its start overlaps it. */
        const marey_contact *c = &contacts[i];
        status =
            mry_store_run_with(library->store, error, NULL,
                               "INSERT INTO contact(clip, joint, start, stop) SELECT ?1, ?2, ?3, ?4"
                               " WHERE NOT EXISTS (SELECT 1 FROM contact WHERE clip = ?1 AND"
                               " joint = ?2 AND start < ?4 AND stop > ?3)",
                               mry_integer(clip), mry_integer((int64_t)c->joint),
                               mry_integer(c->start), mry_integer(c->end));
        if (!status && mry_store_changes(library->store) != 1) {
            status = mry_fail(error, MAREY_ERR_REQUEST, NULL,
                              "two contacts of %s overlap at frames %d-%d",
                              marey_contact_name(c->joint), c->start, c->end);
        }
    }
    return status;
}

/* How many frames a clip has, and whether its contacts were ever set. */
static marey_status read_clip(marey_library *library, int64_t clip, int64_t *frames, bool *set,
                              marey_error *error)
{
    mry_query query = mry_query_with(
        library->store, "SELECT frames, contacts_set FROM clip WHERE id = ?", mry_integer(clip));
    if (mry_query_next(&query)) {
        *frames = mry_column_integer(&query, 0);
        *set = mry_column_integer(&query, 1) != 0;
    }
    return mry_query_end(&query, error);
}

marey_status marey_library_set_contacts(marey_library *library, const char *name,
                                        const marey_contact *contacts, int count,
                                        marey_error *error)
{
    marey_status status = mry_library_begin(library, error);
    if (status) return status;
    int64_t id = 0, frames = 0;
    bool set = false;
    status = mry_clip_id(library, name, false, &id, error);
    if (!status) status = read_clip(library, id, &frames, &set, error);
    if (!status) status = mry_set_contacts(library, id, (int)frames, contacts, count, error);
    mry_title_clips(library, "set the contacts of", id, 1);
    return mry_library_end(library, status, error);
}

marey_status mry_read_contacts(marey_library *library, int64_t clip, marey_contact *contacts,
                               int room, int *count, marey_error *error)
{
    int64_t frames = 0;
    int found = 0;
    bool set = false, sound = true;
    marey_status status = read_clip(library, clip, &frames, &set, error);
    if (status) return status;
    mry_query query = mry_query_with(library->store,
                                     "SELECT joint, start, stop FROM contact WHERE"
                                     " clip = ? ORDER BY joint, start",
                                     mry_integer(clip));
    for (; sound && found < INT32_MAX && mry_query_next(&query); found++) {
        int64_t joint = mry_column_integer(&query, 0), start = mry_column_integer(&query, 1);
        int64_t stop = mry_column_integer(&query, 2);
        /* The file may come from anywhere: invalid rows are refused, not handed on. */
        sound = joint >= 0 && joint < MAREY_CONTACT_JOINT_COUNT && start >= 0 && start < stop &&
                stop <= frames;
        if (sound && found < room) {
            contacts[found] = (marey_contact){ (marey_contact_joint)joint, (int)start, (int)stop };
        }
    }
    status = mry_query_end(&query, error);
    if (!status && !sound) {
        return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                        "a stored foot contact is damaged");
    }
    if (!status) *count = set || found ? found : -1;
    return status;
}

marey_status marey_library_contacts(marey_library *library, const char *name,
                                    marey_contact *contacts, int room, int *count,
                                    marey_error *error)
{
    int64_t id = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_clip_id(library, name, false, &id, error);
    if (!status) status = mry_read_contacts(library, id, contacts, room, count, error);
    mry_store_rollback(library->store);
    return status;
}
