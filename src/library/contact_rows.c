/* contact_rows.c - foot contacts kept in a library. */
#include "library/library_data.h"

#include "base/fail.h"

static marey_status check_contacts(const marey_contact *contacts, int count, int frames,
                                   marey_error *error)
{
    for (int i = 0; i < count; i++) {
        const marey_contact *c = &contacts[i];
        if (c->joint < 0 || c->joint >= MAREY_CONTACT_JOINT_COUNT || c->start < 0 ||
            c->start >= c->end || c->end > frames) {
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "contact %d (frames %d-%d) is not inside the clip's 0-%d", i, c->start,
                            c->end, frames);
        }
    }
    return MAREY_OK;
}

static marey_status insert_contact(marey_library *library, int64_t clip,
                                   const marey_contact *contact, marey_error *error)
{
    /* One that begins before the new one ends and ends behind its start overlaps it. */
    mry_query query = mry_query_start(
        library->store, "INSERT INTO contact(clip, joint, start, stop) SELECT ?1, ?2, ?3, ?4"
                        " WHERE NOT EXISTS (SELECT 1 FROM contact WHERE clip = ?1 AND"
                        " joint = ?2 AND start < ?4 AND stop > ?3)");
    mry_bind_integer(&query, 1, clip);
    mry_bind_integer(&query, 2, (int64_t)contact->joint);
    mry_bind_integer(&query, 3, contact->start);
    mry_bind_integer(&query, 4, contact->end);
    mry_query_next(&query);
    marey_status status = mry_query_end(&query, error);
    if (status || mry_store_changes(library->store) == 1) return status;
    return mry_fail(error, MAREY_ERR_REQUEST, NULL, "two contacts of %s overlap at frames %d-%d",
                    marey_contact_name(contact->joint), contact->start, contact->end);
}

static marey_status replace(marey_library *library, const char *name, const marey_contact *contacts,
                            int count, marey_error *error)
{
    int64_t id = 0;
    int frames = 0;
    marey_status status = mry_clip_id(library, name, false, &id, error);
    if (status) return status;
    mry_query query = mry_query_start(library->store, "SELECT frames FROM clip WHERE id = ?");
    mry_bind_integer(&query, 1, id);
    if (mry_query_next(&query)) frames = (int)mry_column_integer(&query, 0);
    status = mry_query_end(&query, error);
    if (!status) status = check_contacts(contacts, count, frames, error);
    if (status) return status;
    query = mry_query_start(library->store, "DELETE FROM contact WHERE clip = ?");
    mry_bind_integer(&query, 1, id);
    mry_query_next(&query);
    status = mry_query_end(&query, error);
    for (int i = 0; i < count && !status; i++) {
        status = insert_contact(library, id, &contacts[i], error);
    }
    return status;
}

marey_status marey_library_set_contacts(marey_library *library, const char *name,
                                        const marey_contact *contacts, int count,
                                        marey_error *error)
{
    marey_status status = mry_store_begin(library->store, error);
    if (status) return status;
    status = replace(library, name, contacts, count, error);
    if (!status) return mry_store_commit(library->store, error);
    mry_store_rollback(library->store);
    return status;
}

marey_status marey_library_contacts(marey_library *library, const char *name,
                                    marey_contact *contacts, int room, int *count,
                                    marey_error *error)
{
    int64_t id = 0;
    int found = 0;
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_clip_id(library, name, false, &id, error);
    if (!status) {
        mry_query query =
            mry_query_start(library->store, "SELECT joint, start, stop FROM contact WHERE"
                                            " clip = ? ORDER BY joint, start");
        mry_bind_integer(&query, 1, id);
        for (; mry_query_next(&query); found++) {
            if (found >= room) continue;
            contacts[found] = (marey_contact){ (marey_contact_joint)mry_column_integer(&query, 0),
                                               (int)mry_column_integer(&query, 1),
                                               (int)mry_column_integer(&query, 2) };
        }
        status = mry_query_end(&query, error);
    }
    mry_store_rollback(library->store);
    if (!status) *count = found;
    return status;
}
