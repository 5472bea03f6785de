/* make_retarget.c - `retarget`: the motion of clips on another body. */
#include "make.h"
#include "operations.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_retarget_params, clips),
      .place = APP_REST,
      .value = "CLIP",
      .help = "the clips whose motion it is" },
    { .name = "onto",
      .type = APP_SEGMENT,
      .at = offsetof(app_retarget_params, onto),
      .value = "CLIP",
      .help = "whose body they get: a clip, or a file with a skeleton" },
    { .name = "map",
      .type = APP_DOCUMENT,
      .at = offsetof(app_retarget_params, map),
      .value = "FILE",
      .help = "which joints belong together, as --map-of writes it (default: found by roles and "
              "names, or the one that the library keeps)" },
    { .name = "map-of",
      .type = APP_SEGMENTS,
      .at = offsetof(app_retarget_params, map_of),
      .pair = true,
      .value = "A B",
      .help = "only say which joints of A and B belong together, as JSON that --map reads" },
    { .name = "keep",
      .type = APP_TEXTS,
      .at = offsetof(app_retarget_params, keep),
      .value = "WHAT",
      .help = "what stays where it is in the world, and is not in proportion to the bodies: hands, "
              "feet, heights, path" },
    { .name = "in-place",
      .type = APP_SWITCH,
      .at = offsetof(app_retarget_params, in_place),
      .help = "keep the body over the spot where it starts" },
    { .name = "to",
      .type = APP_WORD,
      .at = offsetof(app_retarget_params, to),
      .value = "FORMAT",
      .word = app_written_word,
      .standard = "bvh",
      .help = "the format of the files in a folder" },
    APP_FOUND_PARAM(app_retarget_params),
    APP_READING_PARAMS(app_retarget_params, app_units_word),
    { 0 },
};

/* Bit i of marey_retarget_keep. */
static const char *const keep_words[] = { "hands", "feet", "heights", "path" };
enum { KEEP_WORDS = sizeof keep_words / sizeof *keep_words };

static int keep_bit(const char *word)
{
    int bit = 0;
    while (bit < KEEP_WORDS && strcmp(word, keep_words[bit]) != 0) bit++;
    return bit;
}

static bool is_many(const app_retarget_params *request)
{
    return request->clips.count > 1 || app_given(params_rows, &request->given, "to");
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_retarget_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "", *wrong = NULL;
    const char *map_of = dialect == APP_COMMAND_LINE ? "--map-of" : "map_of";
    for (int i = 0; i < request->keep.count && !wrong; i++)
        if (keep_bit(request->keep.values[i]) == KEEP_WORDS) wrong = request->keep.values[i];
    if (wrong)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%skeep must be of hands, feet, heights, path, got %s", dashes, wrong);
    if (request->map_of.count > 0) {
        if (request->map_of.count != 2 || request->clips.count > 0 || request->onto.clip)
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%s needs two clips and nothing else",
                            map_of);
        return MAREY_OK;
    }
    if (request->clips.count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "name a clip, or say %s", map_of);
    if (!request->onto.clip)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sonto CLIP is needed", dashes);
    return MAREY_OK;
}

/* ---- one clip -------------------------------------------------------------------------------- */

/* Are the points that can be planted the same ones by a map? NULL: by the clip's own roles. */
static bool has_same_plants(const marey_clip *clip, const marey_body_map *map)
{
    static const marey_role planted[] = { MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_LEFT_TOE,
                                          MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
                                          MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_RIGHT_WRIST };
    const int *roles = marey_clip_skeleton(clip)->roles;
    for (int i = 0; map && i < map->count; i++)
        for (size_t k = 0; k < sizeof planted / sizeof *planted; k++)
            if (map->pairs[i].role == planted[k] && map->pairs[i].source != roles[planted[k]])
                return false;
    return true;
}

/* Fills all but what belongs to several. */
static marey_status retarget(const app_env *env, const app_retarget_params *request,
                             const app_segment *segment, const marey_clip *onto,
                             app_retarget_result *out, marey_error *error)
{
    static const marey_contact none = { 0 }; /* an empty list is not one that is to be found */
    app_made *made = &out->made;
    app_retargeted *one = &out->one;
    app_material_def how = { .reading = &request->reading, .found = request->found };
    marey_retarget_def def = { .in_place = request->in_place };
    for (int i = 0; i < request->keep.count; i++)
        def.keep |= 1u << keep_bit(request->keep.values[i]);
    marey_status status = app_materials_load(env, &how, segment, 1, &out->all, error);
    if (status != MAREY_OK) return status;
    const marey_clip *clip = out->all.clips[0];
    app_plants feet = { out->all.contacts[0].items, out->all.contacts[0].count, false };
    const marey_contact *items = feet.count > 0 ? feet.items : &none;
    status = app_map_open(env, &request->map, clip, onto, &out->map, error);
    if (status != MAREY_OK) return status;
    def.map = app_map_used(&out->map);
    /* Plants that were found by other roles are not those of the map. */
    bool same_plants = has_same_plants(clip, def.map);
    status = marey_clip_retarget(clip, same_plants ? items : NULL, feet.count, onto, &def,
                                 &made->made.clip, &one->report, error);
    if (status == MAREY_OK) status = app_own_clip(env, made->made.clip, error);
    if (status == MAREY_OK && !same_plants)
        status = app_plants_find(env, made->made.clip, &feet, error);
    if (status == MAREY_OK) {
        items = feet.count > 0 ? feet.items : &none;
        marey_quality own = { .penetration_cm = NAN };
        status = marey_clip_quality(made->made.clip, items, feet.count, &one->quality);
        if (status == MAREY_OK && same_plants)
            status = marey_clip_quality(clip, items, feet.count, &own);
        one->source_sinks_cm = one->report.leg_ratio * own.penetration_cm;
        if (status != MAREY_OK) app_fail(error, status, NULL, "%s", marey_status_name(status));
    }
    if (status == MAREY_OK) status = app_materials_speeds(&out->all, &made->inputs, error);
    if (status != MAREY_OK) return status;
    /* Under a body that stays in place the floor moves. */
    if (request->in_place) one->quality.slide_cm = one->quality.slide_max_cm = NAN;
    one->text = out->all.items[0].text;
    one->frames = marey_clip_frames(made->made.clip);
    made->in_place = request->in_place;
    /* In proportion: a body twice as large is twice as fast. */
    made->jump_known = true;
    made->jump_ratio = one->report.speed_ratio;
    made->made.contacts =
        (marey_contacts){ .items = feet.items, .count = feet.count }; /* borrowed */
    made->made.clean = one->report.clean;
    made->end = one->frames;
    app_provenance_source(&made->from, env->scope, &out->all.items[0].source);
    return app_made_finish(env, &app_retarget, &request->given, made, error);
}

/* ---- several --------------------------------------------------------------------------------- */

typedef struct warner {
    const app_env *env;
    const char *text;
} warner;

/* Warnings of what was made say of which clip, where there are several. */
static void warn_of(void *user, const char *message)
{
    const warner *of = user;
    if (strncmp(message, "warning", 7) == 0)
        app_warn(of->env, "%s: %s", of->text, message);
    else
        app_warn(of->env, "%s", message);
}

static marey_status add_one(const app_env *env, const app_retarget_params *request,
                            const app_segment *segment, app_retarget_result *out,
                            marey_error *error)
{
    app_scope scope = app_scope_open(env->scope->memory);
    app_retarget_result got = { 0 };
    marey_clip *own = NULL;
    const char *text = app_segment_text(env->scope, segment);
    warner warns = { env, text };
    app_env inner = *env;
    inner.scope = &scope;
    inner.warn = warn_of;
    inner.warn_user = &warns;
    inner.output = NULL;
    marey_status status = app_check(!text, error);
    if (status == MAREY_OK) status = retarget(&inner, request, segment, out->onto, &got, error);
    /* The scope frees the one that was made, the batch the other. */
    if (status == MAREY_OK)
        status = marey_clip_trim(got.made.made.clip, 0, got.one.frames, &own, error);
    if (status == MAREY_OK) {
        out->items[out->count] = got.one;
        out->items[out->count++].text = text;
        status = app_batch_clip(&out->many, marey_clip_name(got.all.clips[0]), own, got.made.origin,
                                error);
    } else if (!app_failure_ends_all(error)) {
        app_batch_fail(&out->many, text, error);
        status = app_check(out->many.failed, error);
    }
    app_scope_close(&scope);
    return status;
}

static marey_status run_many(const app_env *env, const app_retarget_params *request,
                             app_retarget_result *out, marey_error *error)
{
    static const app_changes nothing = { 0 };
    int count = request->clips.count;
    if (!env->reads_files)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "files are written into folders by the program, not by the studio");
    out->items = APP_NEW(env->scope, app_retargeted, count);
    if (!out->items) return app_fail_memory(error);
    out->many = (app_batch){ .env = env,
                             .changes = &nothing,
                             .folder = env->output,
                             .format = app_written_word(request->to),
                             .total = count };
    marey_status status = app_batch_open(&out->many, error);
    for (int i = 0; i <= count && status == MAREY_OK && !env->library; i++)
        status =
            app_batch_expect(&out->many, NULL,
                             i < count ? request->clips.values[i].clip : request->onto.clip, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        app_progress(env, "retargeting", i, count, -1);
        status = marey_ctx_cancelled(env->ctx)
                     ? app_fail(error, MAREY_ERR_CANCELLED, NULL, "cancelled")
                     : add_one(env, request, &request->clips.values[i], out, error);
    }
    return app_batch_close(&out->many, status, error);
}

/* ---- the operation --------------------------------------------------------------------------- */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_retarget_params *request = params;
    const app_segment *pair = request->map_of.values;
    app_retarget_result *out = result;
    marey_clip *clip = NULL, *onto = NULL;
    marey_status status = app_body_read(env, pair ? &pair[1] : &request->onto, &onto, error);
    out->onto = onto;
    if (status != MAREY_OK) return status;
    if (!pair && is_many(request)) return run_many(env, request, out, error);
    if (!pair) return retarget(env, request, &request->clips.values[0], onto, out, error);
    status = app_body_read(env, pair, &clip, error);
    if (status == MAREY_OK) status = app_map_open(env, &request->map, clip, onto, &out->map, error);
    if (status != MAREY_OK) return status;
    return app_map_text(env, clip, onto, &out->map.map, &out->map_text, error);
}

static void write_one(const app_retargeted *one, json *out)
{
    json_put_boolean(out, "same_body", one->report.same_body);
    json_put_number(out, "leg_ratio", one->report.leg_ratio);
    json_put_number(out, "slide_cm", one->quality.slide_cm);
    json_put_number(out, "penetration_cm", one->quality.penetration_cm);
    json_put_number(out, "source_penetration_cm", one->source_sinks_cm);
    json_put_number(out, "reach_percent", one->report.reach_percent);
    json_put_number(out, "speed_ratio", one->report.speed_ratio);
    json_put_integer(out, "straight_frames", one->report.straight_frames);
}

static void write(const void *params, const void *result, json *out)
{
    const app_retarget_result *of = result;
    (void)params;
    if (of->map_text) {
        app_map_write(of->map_text, out);
        return;
    }
    if (of->items) {
        json_open(out, "clips", '[');
        for (int i = 0; i < of->count; i++) {
            json_open(out, NULL, '{');
            json_put_string(out, "name", of->items[i].text);
            json_put_integer(out, "frames", of->items[i].frames);
            write_one(&of->items[i], out);
            json_close(out, '}');
        }
        json_close(out, ']');
        app_batch_write(&of->many, out);
        return;
    }
    const marey_skeleton *from = marey_clip_skeleton(of->all.clips[0]);
    const marey_skeleton *to = marey_clip_skeleton(of->onto);
    write_one(&of->one, out);
    json_put_string(out, "map_from", app_map_from_word(of->map.from));
    json_open(out, "map", '{');
    for (int i = 0; i < of->map.map.count; i++) {
        const marey_joint_pair *pair = &of->map.map.pairs[i];
        if (pair->role == MAREY_ROLE_COUNT) continue;
        json_open(out, marey_role_name(pair->role), '{');
        json_put_string(out, "from", from->joints[pair->source].name);
        json_put_string(out, "to", to->joints[pair->target].name);
        json_close(out, '}');
    }
    json_close(out, '}');
    app_made_write(&of->made, out);
}

APP_MADE_OF(app_retarget_result, made)

const app_operation app_retarget = {
    .name = "retarget",
    .summary = "put the motion of clips on another body",
    .description = { "Joints of the same role are turned alike, whatever axes and rest pose the "
                     "two bodies have; both follow from where joints are in the two clips. The "
                     "path is scaled by the ratio of leg lengths, planted feet stay planted in the "
                     "same frames, and joints without a counterpart keep what they have on average "
                     "in the other clip.",
                     "What is written has the joints, bones, channels, units and axes of the other "
                     "body, and the rate of the clip. Frames that are no captured motion are left "
                     "out.",
                     "Several clips, or one with --to, become files in the folder of -o, each with "
                     "a report of its own; one that fails does not stop the others.",
                     "--map-of A B prints which joints belong together, a line for each pair; "
                     "change that file where it is wrong, and give it to --map.",
                     "With -L clips are names in a library; --onto may also be a file. A map that "
                     "the library keeps for the two skeletons (marey map) is used." },
    .params = params_rows,
    .params_size = sizeof(app_retarget_params),
    .result_size = sizeof(app_retarget_result),
    .library = APP_MAY_READ,
    .check = check,
    .run = run,
    .write = write,
    .made = made_of,
    .made_as = "retarget of",
};
