/* set_clips.c - `set`: what a file got wrong about itself is set right after it was added. What is
   set is a repair like those of `doctor`: the captured frames stay, and it can be taken back. */
#include "set_clips.h"

#include "clip_reading.h"
#include "operations.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RANGES = 1000 };

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_CLIPS,
      .at = offsetof(app_set_params, clips),
      .place = APP_REST,
      .needed = true,
      .value = "CLIP",
      .help = "which clips" },
    { .name = "source-fps",
      .type = APP_NUMBER,
      .at = offsetof(app_set_params, source_fps),
      .value = "N",
      .least = 0.1,
      .most = 10000,
      .help = "frames a second that were captured" },
    { .name = "units",
      .type = APP_WORD,
      .at = offsetof(app_set_params, units),
      .word = app_units_word,
      .help = "the unit of length in the file" },
    { .name = "up",
      .type = APP_WORD,
      .at = offsetof(app_set_params, up),
      .value = "AXIS",
      .word = app_up_word,
      .help = "the axis that points up in the file" },
    { .name = "roles",
      .type = APP_TEXTS,
      .at = offsetof(app_set_params, roles),
      .most_count = MAREY_ROLE_COUNT,
      .value = "ROLE=JOINT",
      .help = "which joint has a role, as marey info lists them; ROLE= leaves it to none" },
    { .name = "mark",
      .type = APP_TEXTS,
      .at = offsetof(app_set_params, mark),
      .most_count = MOST_RANGES,
      .value = "A-B",
      .help = "frames that are no captured motion, the end not included; also 1.5s-3s" },
    { .name = "unmark",
      .type = APP_TEXTS,
      .at = offsetof(app_set_params, unmark),
      .most_count = MOST_RANGES,
      .value = "A-B",
      .help = "marked frames that are captured motion" },
    { .name = "reset",
      .type = APP_SWITCH,
      .at = offsetof(app_set_params, reset),
      .help = "take back what was set before" },
    { 0 },
};

static bool role_named(const char *text, size_t length, int *role)
{
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) {
        const char *name = marey_role_name((marey_role)i);
        if (strlen(name) != length || strncmp(name, text, length) != 0) continue;
        *role = i;
        return true;
    }
    return false;
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_set_params *request = params;
    const app_texts *ranges[] = { &request->mark, &request->unmark };
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    bool units = app_given(params_rows, &request->given, "units");
    bool up = app_given(params_rows, &request->given, "up");
    if ((units && !request->units) || (up && !request->up))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s%s must be said, not guessed", dashes,
                        units && !request->units ? "units" : "up");
    for (int i = 0; i < request->roles.count; i++) {
        const char *text = request->roles.values[i], *equals = strchr(text, '=');
        int role;
        if (!equals || !role_named(text, (size_t)(equals - text), &role))
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%sroles must be ROLE=JOINT with a role that marey info lists, got %s",
                            dashes, text);
    }
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < ranges[way]->count; i++) {
            frame_range range;
            if (!range_parse(ranges[way]->values[i], &range))
                return app_fail(error, MAREY_ERR_REQUEST, NULL,
                                "%s%s must be frames A-B or times, got %s", dashes,
                                way ? "unmark" : "mark", ranges[way]->values[i]);
        }
    }
    if (request->source_fps > 0 || units || up || request->roles.count || request->mark.count ||
        request->unmark.count || request->reset)
        return MAREY_OK;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "one of %ssource-fps, %sunits, %sup, %sroles, %smark, %sunmark, %sreset is "
                    "needed",
                    dashes, dashes, dashes, dashes, dashes, dashes, dashes);
}

/* ---- what is set ----------------------------------------------------------------------------- */

typedef struct setting {
    const app_env *env;
    const app_set_params *request;
    const marey_condition *clip;
    marey_repair *list; /* there is room */
    int *places;        /* of what it takes the place of */
    marey_repair_def def;
} setting;

/* In place of what was set before of the same kind, and of the same role. */
static void put(setting *to, marey_layer layer)
{
    const marey_condition *clip = to->clip;
    for (int i = 0; i < clip->repair_count; i++) {
        const marey_repair *old = &clip->repairs[i];
        bool once = layer.kind == MAREY_LAYER_RATE || layer.kind == MAREY_LAYER_UNITS ||
                    layer.kind == MAREY_LAYER_UP || layer.kind == MAREY_LAYER_ROLE;
        if (!once || *old->flaw || old->layer.kind != layer.kind) continue;
        if (layer.kind == MAREY_LAYER_ROLE && old->layer.value[0] != layer.value[0]) continue;
        to->places[to->def.drop_place_count++] = i;
    }
    to->list[to->def.add_count++] = (marey_repair){ .layer = layer, .flaw = "", .unit = "" };
}

/* Joints are known by the clip. */
static marey_status put_roles(setting *to, marey_error *error)
{
    const app_texts *roles = &to->request->roles;
    marey_clip *clip = NULL;
    if (roles->count == 0) return MAREY_OK;
    marey_status status = marey_library_load(to->env->library, to->def.clip, &clip, error);
    if (status != MAREY_OK) return status;
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    for (int i = 0; i < roles->count && status == MAREY_OK; i++) {
        const char *text = roles->values[i], *joint = strchr(text, '=') + 1;
        int role = 0, number = -1;
        role_named(text, (size_t)(joint - 1 - text), &role);
        for (int k = 0; k < skeleton->joint_count && *joint && number < 0; k++)
            if (strcmp(skeleton->joints[k].name, joint) == 0) number = k;
        if (*joint && number < 0)
            status = app_fail(error, MAREY_ERR_REQUEST, to->clip->clip.name,
                              "no joint is called %.100s; marey info lists them", joint);
        else
            put(to, (marey_layer){ .kind = MAREY_LAYER_ROLE, .joint = number, .value = { role } });
    }
    marey_clip_free(clip);
    return status;
}

/* Times go by the rate that the clip will have. */
static marey_status put_marks(setting *to, const marey_entry *entry, marey_error *error)
{
    const app_set_params *request = to->request;
    double fps = request->source_fps > 0 ? request->source_fps : entry->fps;
    for (int way = 0; way < 2; way++) {
        const app_texts *texts = way ? &request->unmark : &request->mark;
        for (int i = 0; i < texts->count; i++) {
            frame_range range;
            marey_layer layer = { .kind = way ? MAREY_LAYER_UNMARK : MAREY_LAYER_MARK,
                                  .joint = -1,
                                  .value = { way ? 0 : MAREY_MARK_BY_HAND } };
            range_parse(texts->values[i], &range);
            marey_status status =
                range_find_among(&range, entry->frames, fps, 0, &layer.start, &layer.end, error);
            if (status != MAREY_OK) {
                snprintf(error->path, sizeof error->path, "%.1000s", entry->name);
                return status;
            }
            put(to, layer);
        }
    }
    return MAREY_OK;
}

static marey_status set_one(setting *to, const marey_entry *entry, marey_error *error)
{
    const app_set_params *request = to->request;
    if (request->source_fps > 0)
        put(to, (marey_layer){
                    .kind = MAREY_LAYER_RATE, .joint = -1, .value = { request->source_fps } });
    if (request->units)
        put(to,
            (marey_layer){ .kind = MAREY_LAYER_UNITS, .joint = -1, .value = { request->units } });
    if (request->up)
        put(to, (marey_layer){ .kind = MAREY_LAYER_UP, .joint = -1, .value = { request->up } });
    to->def.drop_set = request->reset;
    marey_status status = put_roles(to, error);
    return status == MAREY_OK ? put_marks(to, entry, error) : status;
}

/* ---- what depends on a clip ------------------------------------------------------------------ */

marey_status app_stale_find(const app_env *env, const int64_t *ids, int count, app_stale_list *out,
                            marey_error *error)
{
    marey_kept *kept = NULL;
    marey_index_state index = { 0 };
    int things = 0, found = 0;
    if (count == 0) return MAREY_OK;
    marey_status status = marey_library_kept_list(env->library, NULL, &kept, error);
    if (status == MAREY_OK) status = app_own_kept(env, kept, error);
    if (status == MAREY_OK) status = marey_library_index_state(env->library, &index, error);
    if (status != MAREY_OK) return status;
    const marey_kept_entry *entries = marey_kept_entries(kept, &things);
    app_stale *items = APP_NEW(env->scope, app_stale, things + 1);
    if (!items) return app_fail_memory(error);
    for (int i = 0; i < things; i++) {
        const marey_kept_entry *one = &entries[i];
        bool of = false;
        /* A path once learned is the puppet's own. */
        if (strcmp(one->kind, MAREY_KEPT_PUPPET) == 0) continue;
        for (int k = 0; k < one->part_count && !of; k++)
            for (int c = 0; c < count && !of; c++) of = one->parts[k].clip == ids[c];
        if (of) items[found++] = (app_stale){ one->kind, one->name };
    }
    if (index.exists) items[found++] = (app_stale){ "index", NULL };
    *out = (app_stale_list){ items, found };
    return MAREY_OK;
}

void app_stale_settle(const app_env *env, int webs, app_stale_list *list)
{
    marey_kept *kept = NULL;
    int things = 0, left = 0;
    /* What has no answer any more is said as it was expected. */
    if (list->count == 0 || marey_library_kept_list(env->library, NULL, &kept, NULL) != MAREY_OK)
        return;
    const marey_kept_entry *entries = marey_kept_entries(kept, &things);
    for (int i = 0; i < list->count; i++) {
        const app_stale one = list->items[i];
        bool stale = !one.name && webs > 0;
        for (int k = 0; k < things && one.name && !stale; k++)
            stale = entries[k].stale && strcmp(entries[k].kind, one.kind) == 0 &&
                    strcmp(entries[k].name, one.name) == 0;
        if (stale) list->items[left++] = one;
    }
    list->count = left;
    marey_kept_free(kept);
}

void app_stale_write(const app_stale_list *list, json *out)
{
    json_open(out, "stale", '[');
    for (int i = 0; i < list->count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "kind", list->items[i].kind);
        json_put_string(out, "name", list->items[i].name);
        json_close(out, '}');
    }
    json_close(out, ']');
}

/* ---- the operation --------------------------------------------------------------------------- */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_set_params *request = params;
    app_set_result *done = result;
    const marey_listing *listing = NULL;
    marey_conditions *all = NULL;
    int room = 3 + request->roles.count + request->mark.count + request->unmark.count;
    marey_status status = app_listing(env, &listing, error);
    if (status == MAREY_OK)
        status = marey_library_examine(env->library, request->clips.values, request->clips.count,
                                       &all, error);
    if (status == MAREY_OK) status = app_own_conditions(env, all, error);
    if (status != MAREY_OK) return status;
    marey_repair_def *changes = APP_NEW(env->scope, marey_repair_def, all->count);
    int64_t *ids = APP_NEW(env->scope, int64_t, all->count);
    if (!changes || !ids) return app_fail_memory(error);
    for (int i = 0; i < all->count && status == MAREY_OK; i++) {
        const marey_condition *clip = &all->items[i];
        const marey_entry *entry = app_listing_find(listing, request->clips.values[i]);
        char *number = APP_NEW(env->scope, char, 24);
        setting to = { .env = env,
                       .request = request,
                       .clip = clip,
                       .list = APP_NEW(env->scope, marey_repair, room),
                       .places = APP_NEW(env->scope, int, room *(clip->repair_count + 1)) };
        if (!number || !to.list || !to.places) return app_fail_memory(error);
        if (!entry) return app_clip_missing(env, request->clips.values[i], error);
        snprintf(number, 24, "#%lld", (long long)clip->clip.id);
        to.def = (marey_repair_def){ .clip = number, .add = to.list, .drop_places = to.places };
        ids[i] = clip->clip.id;
        status = set_one(&to, entry, error);
        changes[i] = to.def;
    }
    if (status == MAREY_OK) status = app_stale_find(env, ids, all->count, &done->stale, error);
    done->clips = all->items;
    done->count = all->count;
    done->changes = changes;
    done->library = marey_library_path(env->library);
    return status;
}

static void write(const void *params, const void *result, json *out)
{
    const app_set_result *done = result;
    (void)params;
    json_open(out, "changed", '[');
    for (int i = 0; i < done->count; i++) json_put_string(out, NULL, done->clips[i].clip.name);
    json_close(out, ']');
    app_stale_write(&done->stale, out);
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_set_result *done = result;
    int webs = 0;
    (void)params;
    marey_status status =
        marey_library_repair(env->library, done->changes, done->count, &webs, error);
    if (status == MAREY_OK) app_stale_settle(env, webs, &done->stale);
    return status;
}

const app_operation app_set = {
    .name = "set",
    .summary = "set rate, units, up axis, roles or marks of clips right",
    .description = { "For what a file got wrong about itself, or marey guessed wrong, after it was "
                     "added. Frames keep their numbers, and nothing captured is lost: what is set "
                     "is a repair like those of marey doctor, which --reset, or marey doctor "
                     "--undo "
                     "set, takes back.",
                     "What depends on a clip is listed: saved families, graphs and cluster graphs "
                     "must be built again, and its match webs are gone until marey index --web. "
                     "What searches go by is made at once.",
                     "Marked frames are no captured motion: search, blends, loops and graphs "
                     "ignore them." },
    .params = params_rows,
    .params_size = sizeof(app_set_params),
    .result_size = sizeof(app_set_result),
    .library = APP_WRITES,
    .check = check,
    .run = run,
    .write = write,
    .commit = commit,
    .names_follow = true,
};
