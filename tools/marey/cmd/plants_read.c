/* plants_read.c - foot plants from a JSON file. */
#include "plants.h"

#include "json_reader.h"
#include "text_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE_MIB = 64 };

/* ---- plants ------------------------------------------------------------------------------------ */

typedef struct row {
    marey_contact contact;
    bool has_joint, has_start, has_end;
} row;

static bool read_joint(json_reader *r, marey_contact_joint *out)
{
    char word[JSON_WORD];
    json_reader before = *r;
    if (!json_read_word(r, word)) return false;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        if (strcmp(word, marey_contact_name((marey_contact_joint)joint)) != 0) continue;
        *out = (marey_contact_joint)joint;
        return true;
    }
    return json_wrong(&before,
                      "expected left_heel, left_toe, right_heel or right_toe, found \"%s\"", word);
}

static bool read_field(json_reader *r, const char *key, void *user)
{
    row *one = user;
    if (strcmp(key, "joint") == 0) {
        one->has_joint = true;
        return read_joint(r, &one->contact.joint);
    }
    if (strcmp(key, "start") == 0) {
        one->has_start = true;
        return json_read_frame(r, &one->contact.start);
    }
    if (strcmp(key, "end") == 0) {
        one->has_end = true;
        return json_read_frame(r, &one->contact.end);
    }
    return json_skip(r);
}

static bool read_row(json_reader *r, const char *key, void *user)
{
    row one = { .has_joint = false };
    json_reader before = *r;
    (void)key;
    if (*r->at != '{')
        return json_expected(r, "a plant: {\"joint\": ..., \"start\": ..., \"end\": ...}");
    if (!json_each(r, read_field, &one)) return false;
    if (!one.has_joint || !one.has_start || !one.has_end) {
        return json_wrong(&before,
                          "a plant needs \"joint\", \"start\" and \"end\"; this one has no %s",
                          !one.has_joint   ? "joint"
                          : !one.has_start ? "start"
                                           : "end");
    }
    if (one.contact.end <= one.contact.start) {
        return json_wrong(&before, "frames %d-%d are none: the end must be behind the start",
                          one.contact.start, one.contact.end);
    }
    buffer_bytes(user, (const char *)&one.contact, sizeof one.contact);
    return true;
}

typedef struct list {
    buffer *rows; /* of marey_contact */
    bool seen;
} list;

static bool read_top(json_reader *r, const char *key, void *user)
{
    list *of = user;
    if (strcmp(key, "contacts") != 0) return json_skip(r);
    if (of->seen) return json_wrong(r, "a second list of contacts");
    of->seen = true;
    return *r->at == '[' ? json_each(r, read_row, of->rows)
                         : json_expected(r, "a list of plants: [...]");
}

/* ---- the file ---------------------------------------------------------------------------------- */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

static int by_joint_and_start(const void *a, const void *b)
{
    const marey_contact *first = a, *second = b;
    if (first->joint != second->joint) return first->joint < second->joint ? -1 : 1;
    return (first->start > second->start) - (first->start < second->start);
}

/* Into `rows`, as marey_contact one behind the other. */
static marey_status read_rows(const buffer *text, const char *path, buffer *rows,
                              marey_error *error)
{
    list of = { .rows = rows };
    json_reader r = json_reader_make(text, path, error, &of), start = r;
    if (!json_read_all(&r, text, "an object: {\"contacts\": [...]}", read_top))
        return MAREY_ERR_INPUT;
    if (!of.seen) {
        json_wrong(&start, "there is no \"contacts\" in it");
        return MAREY_ERR_INPUT;
    }
    return rows->failed ? fail_memory(error) : MAREY_OK;
}

marey_status plants_read(session *run, const char *path, plants *out, marey_error *error)
{
    buffer text = buffer_make(&run->host->def), rows = buffer_make(&run->host->def);
    marey_status status =
        text_file_read(run, path, LARGEST_FILE_MIB, "a list of plants", &text, error);
    if (status == MAREY_OK) status = read_rows(&text, path, &rows, error);
    buffer_free(&text);
    if (status != MAREY_OK) {
        buffer_free(&rows);
        return status;
    }
    plants all = { .run = run, .bytes = rows.room, .stored = true };
    all.items = (marey_contact *)(void *)rows.bytes;
    all.count = (int)(rows.used / sizeof *all.items);
    if (all.count > 1) qsort(all.items, (size_t)all.count, sizeof *all.items, by_joint_and_start);
    *out = all;
    return MAREY_OK;
}
