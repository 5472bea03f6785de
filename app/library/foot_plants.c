/* foot_plants.c - `contacts` and `quality`. What the numbers of a quality mean is said in
   motion.h. */
#include "foot_plants.h"

#include "address.h"
#include "json_reader.h"
#include "operations.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- kept and found -------------------------------------------------------------------------- */

/* Those of a whole clip, cut to the frames [start, end) and counted from `start`. */
static void cut_plants(marey_contact *items, int count, int start, int end, app_plants *out)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        marey_contact one = items[i];
        if (one.start < start) one.start = start;
        if (one.end > end) one.end = end;
        if (one.start >= one.end) continue;
        one.start -= start;
        one.end -= start;
        items[kept++] = one;
    }
    out->items = items;
    out->count = kept;
}

marey_status app_plants_stored(const app_env *env, const char *name, int start, int end,
                               app_plants *out, marey_error *error)
{
    int room = 0, count = 0;
    marey_status status = marey_library_contacts(env->library, name, NULL, 0, &room, error);
    *out = (app_plants){ .stored = status == MAREY_OK && room >= 0 }; /* an empty set is one too */
    if (status != MAREY_OK || room <= 0) return status;
    marey_contact *items = APP_NEW(env->scope, marey_contact, room);
    if (!items) return app_fail_memory(error);
    status = marey_library_contacts(env->library, name, items, room, &count, error);
    if (status != MAREY_OK) return status;
    if (count > room) count = room; /* they may have been changed meanwhile */
    cut_plants(items, count, start, end, out);
    return MAREY_OK;
}

/* What the caller who lends a clip says of it. */
static marey_status lent_plants(const app_env *env, const app_source *source, app_plants *out,
                                marey_error *error)
{
    int count = source->lent->contact_count;
    marey_contact *items = APP_NEW(env->scope, marey_contact, count);
    *out = (app_plants){ .stored = true };
    if (!items) return app_fail_memory(error);
    if (count > 0) memcpy(items, source->lent->contacts, (size_t)count * sizeof *items);
    cut_plants(items, count, source->start, source->end, out);
    return MAREY_OK;
}

static void release_contacts(void *object)
{
    marey_contacts_free(object);
}

marey_status app_plants_find(const app_env *env, const marey_clip *clip, app_plants *out,
                             marey_error *error)
{
    marey_contacts *found = APP_NEW(env->scope, marey_contacts, 1);
    if (!found) return app_fail_memory(error);
    marey_status status = marey_contacts_find(clip, NULL, found);
    if (status != MAREY_OK) return app_fail(error, status, NULL, "%s", marey_status_name(status));
    *out = (app_plants){ .items = found->items, .count = found->count };
    return app_own(env->scope, found, release_contacts, error);
}

marey_status app_plants_read(const app_env *env, const app_source *source, const marey_clip *clip,
                             bool found, app_plants *out, marey_error *error)
{
    marey_status status = MAREY_OK;
    *out = (app_plants){ 0 };
    if (source->lent && source->lent->contact_count >= 0 && !found)
        status = lent_plants(env, source, out, error);
    else if (env->library && !source->lent && !found)
        status = app_plants_stored(env, source->name, source->start, source->end, out, error);
    return status != MAREY_OK || out->stored ? status : app_plants_find(env, clip, out, error);
}

typedef struct clip_read {
    const char *text; /* its address: "walk#120-300" */
    marey_clip *clip;
    app_source source;
} clip_read;

/* A clip and its plants; with `found`, whatever the library keeps. `plants` may be NULL. */
static marey_status read_clip(const app_env *env, const app_segment *segment,
                              const app_reading *reading, bool found, clip_read *out,
                              app_plants *plants, marey_error *error)
{
    app_source *source = &out->source;
    out->text = app_segment_text(env->scope, segment);
    if (!out->text) return app_fail_memory(error);
    marey_status status = app_clip_read(env, reading, segment, &out->clip, source, error);
    if (status != MAREY_OK || !plants) return status;
    return app_plants_read(env, source, out->clip, found, plants, error);
}

void app_contacts_write(json *out, const char *key, const marey_contact *items, int count,
                        int first)
{
    json_open(out, key, '[');
    for (int i = 0; i < count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "joint", marey_contact_name(items[i].joint));
        json_put_integer(out, "start", first + items[i].start);
        json_put_integer(out, "end", first + items[i].end);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void app_plants_write(const app_plants *plants, int first, json *out)
{
    app_contacts_write(out, "contacts", plants->items, plants->count, first);
    json_put_boolean(out, "contacts_set", plants->stored);
}

/* ---- {"contacts": [{"joint": "left_heel", "start": 0, "end": 12}, ...]} ---------------------- */

typedef struct plant_row {
    marey_contact contact;
    bool has_joint, has_start, has_end;
} plant_row;

static bool read_field(json_reader *r, const char *key, void *user)
{
    plant_row *one = user;
    if (strcmp(key, "start") == 0) {
        one->has_start = true;
        return json_read_frame(r, &one->contact.start);
    }
    if (strcmp(key, "end") == 0) {
        one->has_end = true;
        return json_read_frame(r, &one->contact.end);
    }
    if (strcmp(key, "joint") != 0) return json_skip(r);
    char word[JSON_WORD];
    json_reader before = *r;
    if (!json_read_word(r, word)) return false;
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        if (strcmp(word, marey_contact_name((marey_contact_joint)joint)) != 0) continue;
        one->contact.joint = (marey_contact_joint)joint;
        one->has_joint = true;
        return true;
    }
    return json_wrong(&before,
                      "expected left_heel, left_toe, right_heel, right_toe, left_hand or "
                      "right_hand, found \"%s\"",
                      word);
}

typedef struct plant_list {
    app_scope *scope;
    marey_contact *items;
    int count;
    bool seen, failed;
} plant_list;

static bool read_plant(json_reader *r, const char *key, void *user)
{
    plant_list *list = user;
    plant_row one = { .has_joint = false };
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
        return json_wrong(&before, "end frame must come after start frame, got %d-%d",
                          one.contact.start, one.contact.end);
    }
    marey_contact *items = app_grow(list->scope, list->items, list->count, sizeof *items);
    list->failed = !items;
    if (!items) return false;
    list->items = items;
    items[list->count++] = one.contact;
    return true;
}

static bool read_top(json_reader *r, const char *key, void *user)
{
    plant_list *list = user;
    if (strcmp(key, "contacts") != 0) return json_skip(r);
    if (list->seen) return json_wrong(r, "a second list of contacts");
    list->seen = true;
    return *r->at == '[' ? json_each(r, read_plant, list)
                         : json_expected(r, "a list of plants: [...]");
}

static int by_joint_and_start(const void *a, const void *b)
{
    const marey_contact *first = a, *second = b;
    if (first->joint != second->joint) return first->joint < second->joint ? -1 : 1;
    return (first->start > second->start) - (first->start < second->start);
}

/* What `contacts --json` prints; other keys are passed over. INPUT, with line and column: not
   this. */
static marey_status read_plants(const app_env *env, const app_document *document, app_plants *out,
                                marey_error *error)
{
    buffer text = buffer_fixed((char *)(uintptr_t)document->text, strlen(document->text) + 1);
    plant_list list = { .scope = env->scope };
    text.used = text.room;
    json_reader r = json_reader_make(&text, document->name, error, &list), start = r;
    bool right = json_read_all(&r, &text, "an object: {\"contacts\": [...]}", read_top);
    if (list.failed) return app_fail_memory(error);
    if (right && !list.seen) right = json_wrong(&start, "there is no \"contacts\" in it");
    if (!right) return MAREY_ERR_INPUT;
    if (list.count > 1)
        qsort(list.items, (size_t)list.count, sizeof *list.items, by_joint_and_start);
    *out = (app_plants){ list.items, list.count, true };
    return MAREY_OK;
}

/* ---- contacts -------------------------------------------------------------------------------- */

static const app_param contacts_params[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_contacts_params, clip),
      .place = 1,
      .needed = true,
      .help = "which clip" },
    { .name = "found",
      .type = APP_SWITCH,
      .at = offsetof(app_contacts_params, found),
      .help = "find the plants in the motion, whatever the library keeps" },
    { .name = "set",
      .type = APP_DOCUMENT,
      .at = offsetof(app_contacts_params, set),
      .value = "FILE",
      .help = "replace the plants that the library keeps by those of a JSON file" },
    { .name = "forget",
      .type = APP_SWITCH,
      .at = offsetof(app_contacts_params, forget),
      .help = "forget the plants that the library keeps: they are found in the motion again" },
    APP_READING_PARAMS(app_contacts_params, app_units_word),
    { 0 },
};

static bool contacts_change(const void *params)
{
    const app_contacts_params *request = params;
    return request->set.name || request->forget;
}

static marey_status check_contacts(const void *params, app_dialect dialect, marey_error *error)
{
    const app_contacts_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    const char *name = request->forget ? "forget" : "set";
    if (!contacts_change(params)) return MAREY_OK;
    if (request->forget && request->set.name) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sset keeps plants, %sforget keeps none",
                        dashes, dashes);
    }
    if (request->found) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s changes the library, %sfound only looks at the motion", dashes, name,
                        dashes);
    }
    if (request->clip.range.given) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%s%s is for all plants of a clip, not for those of some frames", dashes,
                        name);
    }
    return MAREY_OK;
}

/* After a change the answer is what holds from then on. */
static marey_status run_contacts(const app_env *env, const void *params, void *result,
                                 marey_error *error)
{
    const app_contacts_params *request = params;
    app_contacts_result *done = result;
    clip_read clip;
    marey_status status = MAREY_OK;
    if (request->set.name) status = read_plants(env, &request->set, &done->plants, error);
    if (status != MAREY_OK) return status;
    status = read_clip(env, &request->clip, &request->reading, request->found || request->forget,
                       &clip, request->set.name ? NULL : &done->plants, error);
    if (status != MAREY_OK) return status;
    done->clip = clip.text;
    done->fps = marey_clip_fps(clip.clip);
    done->first = clip.source.start;
    return MAREY_OK;
}

static void write_contacts(const void *params, const void *result, json *out)
{
    const app_contacts_result *done = result;
    (void)params;
    json_put_string(out, "clip", done->clip);
    json_put_number(out, "fps", done->fps);
    json_put_string(out, "from", done->plants.stored ? "library" : "found");
    app_plants_write(&done->plants, done->first, out);
}

static marey_status commit_contacts(const app_env *env, const void *params, void *result,
                                    marey_error *error)
{
    const app_contacts_params *request = params;
    const app_contacts_result *done = result;
    if (!contacts_change(params)) return MAREY_OK;
    return marey_library_set_contacts(env->library, request->clip.clip,
                                      request->forget ? NULL : done->plants.items,
                                      request->forget ? -1 : done->plants.count, error);
}

const app_operation app_contacts = {
    .name = "contacts",
    .summary = "say when feet and hands are planted on the floor",
    .description = { "Plants are found in the motion: where a heel or the ball of a foot is "
                     "slow and low, judged by the clip's own noise and each plant's own floor; "
                     "and where a hand is slow and near the floor that the feet stand on. "
                     "With -L those that the library keeps are given, if it keeps any.",
                     "CLIP may name some of its frames, as in walk.bvh#120-300; the frames of "
                     "the answer are always those of the whole clip.",
                     "--set FILE replaces what the library keeps by what is in a file such as "
                     "contacts --json writes. An empty list means no plants; "
                     "--forget lets them be found again." },
    .params = contacts_params,
    .params_size = sizeof(app_contacts_params),
    .result_size = sizeof(app_contacts_result),
    .library = APP_MAY_READ,
    .writes = contacts_change,
    .check = check_contacts,
    .run = run_contacts,
    .write = write_contacts,
    .commit = commit_contacts,
};

/* ---- quality --------------------------------------------------------------------------------- */

static const app_param quality_params[] = {
    { .name = "clip",
      .type = APP_SEGMENT,
      .at = offsetof(app_quality_params, clip),
      .place = 1,
      .needed = true,
      .help = "which clip" },
    { .name = "found",
      .type = APP_SWITCH,
      .at = offsetof(app_quality_params, found),
      .help = "find the plants in the motion, whatever the library keeps" },
    APP_READING_PARAMS(app_quality_params, app_units_word),
    { 0 },
};

static marey_status run_quality(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_quality_params *request = params;
    app_quality_result *done = result;
    clip_read clip;
    app_plants plants;
    marey_status status =
        read_clip(env, &request->clip, &request->reading, request->found, &clip, &plants, error);
    if (status != MAREY_OK) return status;
    done->clip = clip.text;
    done->frames = marey_clip_frames(clip.clip);
    done->seconds = marey_clip_seconds(clip.clip);
    done->stored = plants.stored;
    status = marey_clip_quality(clip.clip, plants.items, plants.count, &done->quality);
    if (status == MAREY_OK) return status;
    return app_fail(error, status, NULL, "%s", marey_status_name(status));
}

void app_quality_write(const marey_quality *quality, bool stored, json *out)
{
    json_put_integer(out, "plants", quality->plants);
    json_put_string(out, "from", stored ? "library" : "found");
    json_put_number(out, "slide_cm", quality->slide_cm);
    json_put_number(out, "slide_max_cm", quality->slide_max_cm);
    json_put_number(out, "slide_cm_per_s", quality->slide_cm_per_s);
    json_put_number(out, "penetration_cm", quality->penetration_cm);
    json_put_number(out, "jump_ratio", quality->jump_ratio);
    json_put_number(out, "jerk_ratio", quality->jerk_ratio);
}

static void write_quality(const void *params, const void *result, json *out)
{
    const app_quality_result *done = result;
    (void)params;
    json_put_string(out, "clip", done->clip);
    json_put_integer(out, "frames", done->frames);
    json_put_number(out, "seconds", done->seconds);
    app_quality_write(&done->quality, done->stored, out);
}

const app_operation app_quality = {
    .name = "quality",
    .summary = "measure how sound a motion is",
    .description = { "How far planted feet and hands slide, how deep feet go into the floor, and "
                     "how much "
                     "the largest step and the sharpest change of acceleration of any joint "
                     "exceed the clip's own median.",
                     "The plants are those that the library keeps, or found.",
                     "CLIP may name some of its frames, as in walk.bvh#120-300." },
    .params = quality_params,
    .params_size = sizeof(app_quality_params),
    .result_size = sizeof(app_quality_result),
    .library = APP_MAY_READ,
    .run = run_quality,
    .write = write_quality,
};
