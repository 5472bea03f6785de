/* describe.c - entries, reports, skeletons and the like as JSON. */
#include "describe.h"

#include "json_body.h"
#include "studio_limits.h"

#include <math.h>
#include <string.h>

void describe_put(json_t **to, const char *key, json_t *value)
{
    if (*to && json_object_set_new(*to, key, value) == 0) return;
    if (!*to) json_decref(value); /* otherwise jansson let it go */
    json_decref(*to);
    *to = NULL;
}

void describe_append(json_t **to, json_t *value)
{
    if (*to && json_array_append_new(*to, value) == 0) return;
    if (!*to) json_decref(value);
    json_decref(*to);
    *to = NULL;
}

/* ---- texts and numbers -------------------------------------------------------------------------- */

/* RFC 3629, section 4: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t describe_character(const unsigned char *s)
{
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } rows[] = { { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
                 { 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 },
                 { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
                 { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 } };
    if (s[0] < 0x80) return 1;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (s[0] < rows[i].first || s[0] > rows[i].last) continue;
        if (s[1] < rows[i].low || s[1] > rows[i].high) return 0;
        for (size_t k = 2; k < rows[i].length; k++) {
            if ((s[k] & 0xc0) != 0x80) return 0;
        }
        return rows[i].length;
    }
    return 0;
}

static json_t *mended_text(heap *memory, const char *text)
{
    studio_bytes mended = { .memory = memory };
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t length = describe_character(s);
        bytes_add(&mended, length ? (const char *)s : "\xef\xbf\xbd", length ? length : 3);
        s += length ? length : 1;
    }
    json_t *value = mended.failed ? NULL : json_stringn((const char *)mended.data, mended.count);
    bytes_free(&mended);
    return value;
}

json_t *describe_text(heap *memory, const char *text)
{
    json_t *value = json_string(text ? text : "");
    return value ? value : mended_text(memory, text);
}

json_t *describe_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *describe_place(const double *place_cm)
{
    json_t *to = json_array();
    for (int i = 0; i < 3; i++) describe_append(&to, describe_number(place_cm[i]));
    return to;
}

static json_t *describe_texts(heap *memory, const char *const *texts, int count)
{
    json_t *to = json_array();
    for (int i = 0; i < count; i++) describe_append(&to, describe_text(memory, texts[i]));
    return to;
}

/* ---- a clip in the library ---------------------------------------------------------------------- */

json_t *describe_entry(heap *memory, const marey_entry *entry)
{
    json_t *to = json_object();
    describe_put(&to, "id", json_integer(entry->id));
    describe_put(&to, "name", describe_text(memory, entry->name));
    describe_put(&to, "frames", json_integer(entry->frames));
    describe_put(&to, "fps", describe_number(entry->fps));
    describe_put(&to, "seconds", describe_number(entry->frames / entry->fps));
    describe_put(&to, "labels", describe_texts(memory, entry->labels, entry->label_count));
    describe_put(&to, "skeleton", describe_text(memory, entry->skeleton));
    describe_put(&to, "description", describe_text(memory, entry->description));
    describe_put(&to, "licence", describe_text(memory, entry->licence));
    describe_put(&to, "source", describe_text(memory, entry->source));
    describe_put(&to, "made", json_boolean(*entry->provenance));
    describe_put(&to, "removed", json_boolean(entry->removed));
    return to;
}

json_t *describe_provenance(const char *text)
{
    size_t count = strlen(text);
    if (!count || !json_is_shallow(text, count, LIMIT_JSON_DEPTH)) return json_null();
    json_t *value = json_loadb(text, count, 0, NULL);
    if (json_is_object(value)) return value;
    json_decref(value);
    return json_null();
}

/* ---- its motion --------------------------------------------------------------------------------- */

json_t *describe_report(heap *memory, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    json_t *to = json_object();
    describe_put(&to, "format", describe_text(memory, report->format));
    describe_put(&to, "units", json_string(marey_units_name(marey_clip_units(clip))));
    describe_put(&to, "units_why", describe_text(memory, report->units_why));
    describe_put(&to, "up", json_string(marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y"));
    describe_put(&to, "up_why", describe_text(memory, report->up_why));
    describe_put(&to, "height_cm", describe_number(report->height_cm));
    describe_put(&to, "claimed_fps", describe_number(report->claimed_fps));
    describe_put(&to, "warnings", describe_texts(memory, report->warnings, report->warning_count));
    return to;
}

static json_t *describe_joint(heap *memory, const marey_joint *joint)
{
    json_t *to = json_object(), *channels = json_array();
    for (int i = 0; i < joint->channel_count; i++) {
        describe_append(&channels, json_string(marey_channel_name(joint->channels[i])));
    }
    describe_put(&to, "name", describe_text(memory, joint->name));
    describe_put(&to, "parent", json_integer(joint->parent));
    describe_put(&to, "offset_cm", describe_place(joint->offset_cm));
    describe_put(&to, "end_cm", joint->has_end ? describe_place(joint->end_cm) : json_null());
    describe_put(&to, "channels", channels);
    return to;
}

json_t *describe_joints(heap *memory, const marey_skeleton *skeleton)
{
    json_t *to = json_array();
    for (int i = 0; i < skeleton->joint_count; i++) {
        describe_append(&to, describe_joint(memory, &skeleton->joints[i]));
    }
    return to;
}

json_t *describe_roles(const marey_skeleton *skeleton)
{
    json_t *to = json_object();
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint >= 0) describe_put(&to, marey_role_name((marey_role)role), json_integer(joint));
    }
    return to;
}

static json_t *describe_span(const char *key, const char *what, int start, int end)
{
    json_t *to = json_object();
    describe_put(&to, key, json_string(what));
    describe_put(&to, "start", json_integer(start));
    describe_put(&to, "end", json_integer(end));
    return to;
}

json_t *describe_marks(const marey_clip *clip)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    json_t *to = json_array();
    for (int i = 0; i < count; i++) {
        describe_append(&to, describe_span("kind", marey_mark_name(marks[i].kind), marks[i].start,
                                           marks[i].end));
    }
    return to;
}

json_t *describe_contacts(const marey_contact *contacts, int count)
{
    json_t *to = json_array();
    for (int i = 0; i < count; i++) {
        describe_append(&to, describe_span("joint", marey_contact_name(contacts[i].joint),
                                           contacts[i].start, contacts[i].end));
    }
    return to;
}

json_t *describe_quality(const marey_quality *quality, bool kept)
{
    json_t *to = json_object();
    describe_put(&to, "plants", json_integer(quality->plants));
    describe_put(&to, "from", json_string(kept ? "library" : "found"));
    describe_put(&to, "slide_cm", describe_number(quality->slide_cm));
    describe_put(&to, "slide_max_cm", describe_number(quality->slide_max_cm));
    describe_put(&to, "slide_cm_per_s", describe_number(quality->slide_cm_per_s));
    describe_put(&to, "penetration_cm", describe_number(quality->penetration_cm));
    describe_put(&to, "jump_ratio", describe_number(quality->jump_ratio));
    describe_put(&to, "jerk_ratio", describe_number(quality->jerk_ratio));
    return to;
}
