/* made_answer.c - measuring, sending and keeping what was made. */
#include "made_answer.h"

#include "frames_binary.h"
#include "provenance_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_BYTES = 16, LAYOUT = 1, ALIGNED = 8 };

/* Of the name that it got and its number, in an answer. */
enum { ANSWER_ROOM = 6 * MAREY_NAME_ROOM + 64 };

made_answer made_answer_begin(studio_worker *worker, const char *verb)
{
    return (made_answer){ .by = worker, .from = made_of_begin(worker, verb) };
}

void made_answer_free(made_answer *all)
{
    marey_made_free(&all->made);
    marey_clip_free(all->own_raw);
    made_of_free(&all->from);
}

/* ---- measures ----------------------------------------------------------------------------------- */

static marey_status fail(marey_status status, marey_error *error)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", marey_status_name(status));
    return status;
}

/* How far each plant of a clip drifts; heap_resize it away. */
static marey_status measure_slides(const made_answer *all, const marey_clip *clip, double **out,
                                   marey_error *error)
{
    const marey_contacts *plants = &all->made.contacts;
    size_t room = (size_t)plants->count * sizeof **out;
    double *cm = heap_resize(&all->by->of->memory, NULL, 0, room);
    marey_status status =
        cm ? marey_clip_drifts(clip, plants->items, plants->count, cm) : MAREY_ERR_MEMORY;
    if (status == MAREY_OK) {
        *out = cm;
        return MAREY_OK;
    }
    heap_resize(&all->by->of->memory, cm, room, 0);
    return fail(status, error);
}

static void describe_slide(const marey_contact *plant, double before, double after, json_t **to)
{
    json_t *one = json_object();
    describe_put(&one, "joint", json_string(marey_contact_name(plant->joint)));
    describe_put(&one, "start", json_integer(plant->start));
    describe_put(&one, "end", json_integer(plant->end));
    describe_put(&one, "before_cm", describe_number(before));
    describe_put(&one, "after_cm", describe_number(after));
    describe_append(to, one);
}

/* *worst: of what was made. `before` NULL: not known. */
static void list_slides(const made_answer *all, const double *before, const double *after,
                        json_t **list, double *worst)
{
    const marey_contacts *plants = &all->made.contacts;
    for (int i = 0; i < plants->count; i++) {
        const marey_contact *one = &plants->items[i];
        if (one->start >= all->end || one->end <= all->first) continue;
        describe_slide(one, before ? before[i] : NAN, after[i], list);
        *worst = fmax(*worst, after[i]);
    }
}

static marey_status describe_slides(const made_answer *all, json_t **list, double *worst,
                                    marey_error *error)
{
    heap *memory = &all->by->of->memory;
    size_t room = (size_t)all->made.contacts.count * sizeof(double);
    double *before = NULL, *after = NULL;
    *worst = 0;
    if (room == 0) return MAREY_OK;
    marey_status status = measure_slides(all, all->made.clip, &after, error);
    if (status == MAREY_OK && all->raw) status = measure_slides(all, all->raw, &before, error);
    /* A family makes its members with their feet held, so there is no other. */
    bool same = !all->raw && !all->cleaned;
    if (status == MAREY_OK) list_slides(all, same ? after : before, after, list, worst);
    heap_resize(memory, before, room, 0);
    heap_resize(memory, after, room, 0);
    return status;
}

static marey_status describe_feet(const made_answer *all, json_t **to, marey_error *error)
{
    const marey_clean_result *clean = &all->made.clean;
    double before = all->cleaned ? clean->slide_before_cm : NAN;
    double after = all->cleaned ? clean->slide_after_cm : NAN;
    json_t *slides = json_array();
    if (!all->in_place) {
        marey_status status = describe_slides(all, &slides, &after, error);
        if (status != MAREY_OK) {
            json_decref(slides);
            return status;
        }
        if (!all->cleaned) before = after;
    }
    describe_put(to, "cleaned", json_boolean(all->cleaned));
    describe_put(to, "slide_before_cm", describe_number(before));
    describe_put(to, "slide_after_cm", describe_number(after));
    describe_put(to, "slides", slides);
    describe_put(to, "root_moved_cm", describe_number(clean->root_moved_cm));
    describe_put(to, "stretched", describe_number(clean->stretched));
    return MAREY_OK;
}

marey_status made_answer_describe(made_answer *all, json_t **out, marey_error *error)
{
    const marey_made *made = &all->made;
    fastest inputs = all->inputs, result;
    double fps = marey_clip_fps(made->clip);
    marey_status status = clip_speeds(&all->by->of->memory, made->clip, &result, error);
    if (status != MAREY_OK) return status;
    json_t *value = json_object();
    describe_put(&value, "frames", json_integer(marey_clip_frames(made->clip)));
    describe_put(&value, "fps", describe_number(fps));
    describe_put(&value, "contacts", describe_contacts(made->contacts.items, made->contacts.count));
    describe_put(
        &value, "jump_ratio",
        describe_number(marey_jump_ratio(result.joint_cm_per_s, inputs.joint_cm_per_s, fps)));
    describe_put(
        &value, "knee_ratio",
        describe_number(marey_jump_ratio(result.knee_cm_per_s, inputs.knee_cm_per_s, fps)));
    status = describe_feet(all, &value, error);
    if (status != MAREY_OK) {
        json_decref(value);
        return status;
    }
    *out = value;
    return MAREY_OK;
}

/* ---- as binary ---------------------------------------------------------------------------------- */

static bool write_binary(const frame_set *frames, const json_t *value, studio_bytes *to)
{
    uint32_t numbers[3] = { LAYOUT, 0, 0 };
    if (!bytes_extend(to, HEADER_BYTES) || !bytes_add_json(to, value)) return false;
    while (to->count % ALIGNED != 0 && !to->failed) bytes_add(to, " ", 1);
    if (to->failed) return false;
    numbers[1] = (uint32_t)(to->count - HEADER_BYTES);
    memcpy(to->data, "MRYM", 4);
    memcpy(to->data + 4, numbers, sizeof numbers);
    return frame_set_write(frames, to);
}

static void send_binary(const made_answer *all, const json_t *value, studio_response *response)
{
    const marey_clip *clip = all->made.clip;
    frame_set frames = frame_set_make(clip, 0, marey_clip_frames(clip), 1);
    if (frames.size > LIMIT_FRAMES_BYTES) {
        answer_refuse(response, 413, "limit",
                      "the %d frames that were made are more than %d MiB: keep them by a name, or "
                      "take shorter clips",
                      frames.count, LIMIT_FRAMES_BYTES >> 20);
        return;
    }
    response->status = 200;
    response->type = "application/octet-stream";
    if (!write_binary(&frames, value, &response->body)) api_fail_memory(response);
}

/* ---- into the library --------------------------------------------------------------------------- */

static marey_status put(const made_answer *all, const char *name, char *got, marey_error *error)
{
    /* An empty set of plants is one too, and says so by not being NULL. */
    static const marey_contact none = { 0 };
    heap *memory = &all->by->of->memory;
    const marey_contacts *feet = &all->made.contacts;
    studio_bytes text = { .memory = memory }, licence = { .memory = memory };
    marey_status status = made_of_write(all->by, &all->from, &text, &licence, error);
    if (status == MAREY_OK) {
        marey_put_def def = { .provenance = (const char *)text.data,
                              .licence = (const char *)licence.data,
                              .contacts = feet->count > 0 ? feet->items : &none,
                              .contact_count = feet->count,
                              .contacts_set = true };
        if (all->in_place) {
            def.contacts = NULL;
            def.contact_count = 0;
            def.contacts_set = false;
        }
        status = marey_library_put(all->by->library, all->made.clip, name, &def, got,
                                   MAREY_NAME_ROOM, error);
    }
    bytes_free(&text);
    bytes_free(&licence);
    return status;
}

/* The text is written before the change, with room for what it will say of it: what was done can be said. */
marey_status made_answer_keep(const made_answer *all, const json_t *value, const char *name,
                              studio_bytes *to, marey_error *error)
{
    char got[MAREY_NAME_ROOM], number[32];
    if (!bytes_add_json(to, value) || !bytes_extend(to, ANSWER_ROOM)) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    to->count -= ANSWER_ROOM + 1; /* the brace as well */
    marey_status status = put(all, name, got, error);
    if (status != MAREY_OK) return status;
    api_changed(all->by);
    snprintf(number, sizeof number, ",\"id\":%" PRId64, api_number_of(all->by, got));
    provenance_text(to, number);
    provenance_string(to, ",\"name\":", got);
    provenance_text(to, "}");
    return MAREY_OK;
}

static void keep(const made_answer *all, const json_t *value, const char *name,
                 studio_response *response)
{
    marey_error error;
    if (made_answer_keep(all, value, name, &response->body, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    response->status = 200;
    response->type = "application/json";
}

void made_answer_send(made_answer *all, json_t *value, const char *name, studio_response *response)
{
    if (!value) {
        api_fail_memory(response);
    } else if (name) {
        keep(all, value, name, response);
    } else {
        send_binary(all, value, response);
    }
    json_decref(value);
}
