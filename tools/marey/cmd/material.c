/* material.c - from addresses to clips that can be mixed. */
#include "material.h"

#include "clip_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

int materials_open(materials *all, session *run, const request *asked)
{
    *all = (materials){ .run = run, .asked = asked, .found = request_has(asked, OPTION_FOUND) };
    return input_open(run, asked, &all->from);
}

void materials_close(materials *all)
{
    for (int i = 0; i < all->count; i++) {
        plants_free(&all->items[i].feet);
        marey_clip_free(all->items[i].own);
        marey_clip_free(all->clips[i]);
    }
    size_t room = (size_t)all->room;
    if (all->items) session_resize(all->run, all->items, room * sizeof *all->items, 0);
    if (all->clips) session_resize(all->run, all->clips, room * sizeof *all->clips, 0);
    if (all->contacts) session_resize(all->run, all->contacts, room * sizeof *all->contacts, 0);
    input_close(&all->from);
}

const marey_clip *const *materials_list(const materials *all)
{
    return (const marey_clip *const *)all->clips;
}

/* ---- frames ---------------------------------------------------------------------------------------- */

int material_frame(const materials *all, int item, int frame)
{
    const material *one = &all->items[item];
    return one->source.start + captured_frame(one->own, frame);
}

marey_status material_find(const materials *all, int item, int64_t frame, const char *from,
                           int *out, marey_error *error)
{
    const material *one = &all->items[item];
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->path, sizeof error->path, "%s", one->text);
    if (frame < one->source.start || frame >= one->source.end) {
        snprintf(error->message, sizeof error->message,
                 "%s%sframe %lld is not among its frames %d-%d", from, *from ? ": " : "",
                 (long long)frame, one->source.start, one->source.end);
        return MAREY_ERR_REQUEST;
    }
    int own = (int)frame - one->source.start;
    if (!is_captured(one->own, own)) {
        snprintf(error->message, sizeof error->message, "%s%sframe %lld is no captured motion",
                 from, *from ? ": " : "", (long long)frame);
        return MAREY_ERR_REQUEST;
    }
    *out = captured_before(one->own, own);
    return MAREY_OK;
}

/* ---- loading --------------------------------------------------------------------------------------- */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* `at` stays untouched unless the address ends with one frame: then the clip is what stands before it. */
static bool takes_centre(const materials *all, const char *text, address *at)
{
    return all->centres && address_parse(text, at) && at->range.given && at->range.one_frame;
}

static marey_status find_centre(const materials *all, int item, const frame_range *range,
                                marey_error *error)
{
    material *one = &all->items[item];
    double fps = marey_clip_fps(one->own);
    double frame = range->in_seconds ? floor(range->start * fps + 0.5) : range->start;
    one->centre_given = true;
    return material_find(all, item, (int64_t)fmin(frame, 1e15), "", &one->centre, error);
}

/* Plants are those of the clip as it was read; frames that are left out close up. */
static void close_up_plants(material *one)
{
    int kept = 0;
    for (int i = 0; i < one->feet.count; i++) {
        marey_contact plant = one->feet.items[i];
        plant.start = captured_before(one->own, plant.start);
        plant.end = captured_before(one->own, plant.end);
        marey_contact *last = kept > 0 ? &one->feet.items[kept - 1] : NULL;
        if (last && last->joint == plant.joint && plant.start < last->end) {
            plant.start = last->end;
        }
        if (plant.start < plant.end) one->feet.items[kept++] = plant;
    }
    one->feet.count = kept;
}

static marey_status make_usable(materials *all, int item, marey_error *error)
{
    material *one = &all->items[item];
    marey_clip *fresh = NULL;
    marey_status status = marey_clip_unmarked(one->own, NULL, &all->clips[item], error);
    if (status == MAREY_OK && item > 0 && have_same_joints(all->clips[0], all->clips[item]) &&
        !have_same_bones(all->clips[0], all->clips[item])) {
        one->refitted = true;
        status = marey_clip_refit(all->clips[item], all->clips[0], &fresh, error);
        status = input_replace(&all->clips[item], fresh, status, one->text, error);
    }
    if (status != MAREY_OK) {
        snprintf(error->path, sizeof error->path, "%s", one->text);
        return status;
    }
    status = plants_get(&all->from, &one->source, one->own, all->found, &one->feet, error);
    if (status != MAREY_OK) return status;
    close_up_plants(one);
    all->contacts[item] = (marey_contacts){ .count = one->feet.count, .items = one->feet.items };
    return MAREY_OK;
}

static marey_status load_one(materials *all, const char *text, marey_error *error)
{
    int item = all->count;
    material *one = &all->items[item];
    address at;
    bool centred = takes_centre(all, text, &at);
    *one = (material){ .text = text, .feet = { .count = 0 } };
    marey_status status = input_load(&all->from, centred ? at.path : text, &(frame_range){ 0 },
                                     &one->own, &one->source, error);
    if (status != MAREY_OK) return status;
    all->clips[item] = NULL;
    all->count++; /* from here on it is freed with the others */
    if (centred) status = find_centre(all, item, &at.range, error);
    return status == MAREY_OK ? make_usable(all, item, error) : status;
}

marey_status materials_load(materials *all, const char *const *texts, int count, marey_error *error)
{
    size_t room = (size_t)count;
    all->room = count;
    all->items = session_resize(all->run, NULL, 0, room * sizeof *all->items);
    all->clips = session_resize(all->run, NULL, 0, room * sizeof *all->clips);
    all->contacts = session_resize(all->run, NULL, 0, room * sizeof *all->contacts);
    if (!all->items || !all->clips || !all->contacts) return fail_memory(error);
    marey_status status = MAREY_OK;
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        status = load_one(all, texts[i], error);
    }
    return status;
}

/* ---- about them ------------------------------------------------------------------------------------ */

void materials_note(const materials *all, clip_out *out)
{
    for (int i = 0; i < all->count; i++) provenance_add(&out->made_of, &all->items[i].source);
}

marey_status materials_fastest(const materials *all, double *cm_per_s, marey_error *error)
{
    marey_status status = MAREY_OK;
    *cm_per_s = 0;
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        app_speeds one = { 0 };
        status =
            app_speeds_measure(&all->run->host->def, all->clips[i], all->items[i].own, &one, error);
        *cm_per_s = fmax(*cm_per_s, one.joint_cm_per_s);
    }
    return status;
}

void materials_say_refits(const materials *all, buffer *out)
{
    for (int i = 0; i < all->count; i++) {
        if (!all->items[i].refitted) continue;
        buffer_shown(out, short_name(all->items[i].text));
        buffer_text(out, " has other bones: it was put on those of ");
        buffer_shown(out, short_name(all->items[0].text));
        buffer_byte(out, '\n');
    }
}
