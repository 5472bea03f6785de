/* doctor.c - `doctor`: what is wrong with clips, and what mends it. A library's clips get repairs,
   which can be taken off again; a file's clip is written to another file. */
#include "doctor.h"

#include "clip_reading.h"
#include "folder.h"
#include "operations.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const app_param params_rows[] = {
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = offsetof(app_doctor_params, clips),
      .place = APP_REST,
      .value = "CLIP[#A-B]",
      .help = "clips of the library (default: all), or files and folders of files; with frames, "
              "only what lies within them, with one frame, CLIP#A, only what it is in" },
    { .name = "label",
      .type = APP_TEXT,
      .at = offsetof(app_doctor_params, label),
      .help = "every clip of the library with this label, or with frames that have it" },
    { .name = "fix",
      .type = APP_TEXTS,
      .at = offsetof(app_doctor_params, fix),
      .repeats = true,
      .value = "KIND",
      .help = "repair findings of this kind, or all that are certain; several with commas, or "
              "given again" },
    { .name = "undo",
      .type = APP_TEXTS,
      .at = offsetof(app_doctor_params, undo),
      .repeats = true,
      .value = "KIND",
      .help = "take repairs of this kind back, all, or set: those that marey set made" },
    { .name = "joint",
      .type = APP_TEXT,
      .at = offsetof(app_doctor_params, joint),
      .value = "NAME",
      .help = "only findings and repairs of this joint, or - for those of the whole body" },
    { .name = "place",
      .type = APP_WHOLE,
      .at = offsetof(app_doctor_params, place),
      .most = MAREY_MOST_LAYERS,
      .value = "N",
      .help = "only the finding, or with undo the repair, at this place of the clip's list, as "
              "--json numbers them from 0 on" },
    { .name = "dry-run",
      .type = APP_SWITCH,
      .at = offsetof(app_doctor_params, dry_run),
      .help = "say what would be repaired or taken back, and change nothing" },
    { .name = "output",
      .type = APP_TEXT,
      .at = offsetof(app_doctor_params, output),
      .of_file = true,
      .letter = 'o',
      .note = true,
      .value = "OUT",
      .help = "with --fix of files: the file to write, or a folder for several" },
    APP_READING_PARAMS(app_doctor_params, app_units_word),
    { .name = "long",
      .type = APP_SWITCH,
      .at = offsetof(app_doctor_params, each),
      .note = true,
      .help = "every finding, and the repairs that clips have" },
    APP_SHARD_PARAMS(app_doctor_params, share),
    { 0 },
};

marey_status app_flaw_kinds(const app_texts *names, uint64_t *kinds, bool *set, marey_error *error)
{
    *kinds = 0;
    if (set) *set = false;
    for (int i = 0; i < names->count; i++) {
        for (const char *at = names->values[i]; *at; at += *at == ',') {
            char name[64];
            marey_flaw_kind kind;
            size_t length = strcspn(at, ",");
            snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), at);
            at += length;
            if (strcmp(name, "all") == 0) {
                *kinds = UINT64_MAX;
                if (set) *set = true;
            } else if (set && strcmp(name, "set") == 0) {
                *set = true;
            } else if (marey_flaw_named(name, &kind)) {
                *kinds |= (uint64_t)1 << kind;
            } else {
                char known[400] = "";
                for (int k = 0; k < MAREY_FLAW_COUNT; k++) {
                    size_t used = strlen(known);
                    snprintf(known + used, sizeof known - used, ", %s",
                             marey_flaw_name((marey_flaw_kind)k));
                }
                return app_fail(error, MAREY_ERR_REQUEST, NULL,
                                "a kind of findings must be all%s%s, got \"%s\"",
                                set ? ", set" : "", known, name);
            }
        }
    }
    return MAREY_OK;
}

double app_flaw_severity(const marey_flaw *flaw, int frames)
{
    return flaw->certainty * (flaw->end - flaw->start) / (frames > 0 ? frames : 1);
}

void app_flaws_sum(app_flaw_sum sums[MAREY_FLAW_COUNT], const marey_flaw *flaws, int count,
                   int frames)
{
    for (int i = 0; i < count; i++) {
        app_flaw_sum *sum = &sums[flaws[i].kind];
        bool again = false;
        for (int k = 0; k < i && !again; k++) again = flaws[k].kind == flaws[i].kind;
        sum->findings++;
        sum->clips += !again;
        sum->mendable += flaws[i].mendable;
        sum->severity += app_flaw_severity(&flaws[i], frames);
    }
}

static int compare_sums(const void *a, const void *b)
{
    const app_flaw_sum *x = a, *y = b;
    if ((x->findings > 0) != (y->findings > 0)) return x->findings > 0 ? -1 : 1;
    if ((x->mendable > 0) != (y->mendable > 0)) return x->mendable > 0 ? -1 : 1;
    if (x->severity != y->severity) return x->severity > y->severity ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

int app_flaw_sums_sort(app_flaw_sum sums[MAREY_FLAW_COUNT])
{
    int count = 0;
    for (int i = 0; i < MAREY_FLAW_COUNT; i++) {
        sums[i].kind = (marey_flaw_kind)i;
        count += sums[i].findings > 0;
    }
    qsort(sums, MAREY_FLAW_COUNT, sizeof *sums, compare_sums);
    return count;
}

void app_flaw_sums_write(const app_flaw_sum *sums, int count, json *out)
{
    json_open(out, "kinds", '[');
    for (int i = 0; i < count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "kind", marey_flaw_name(sums[i].kind));
        json_put_string(out, "about", marey_flaw_about(sums[i].kind));
        json_put_integer(out, "findings", sums[i].findings);
        json_put_integer(out, "clips", sums[i].clips);
        json_put_integer(out, "fixable", sums[i].mendable);
        json_close(out, '}');
    }
    json_close(out, ']');
}

static marey_status check(const void *params, app_dialect dialect, marey_error *error)
{
    const app_doctor_params *request = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    uint64_t kinds;
    bool set;
    marey_status status = app_flaw_kinds(&request->fix, &kinds, NULL, error);
    if (status == MAREY_OK) status = app_flaw_kinds(&request->undo, &kinds, &set, error);
    if (status != MAREY_OK) return status;
    if (request->fix.count > 0 && request->undo.count > 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sfix or %sundo: one at a time", dashes,
                        dashes);
    if (request->dry_run && request->fix.count + request->undo.count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sdry-run is for %sfix and %sundo", dashes,
                        dashes, dashes);
    if (app_given(params_rows, &request->given, "place") && request->clips.count != 1)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%splace is for one clip", dashes);
    if (request->label && request->clips.count > 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "name clips, or say %slabel", dashes);
    if (request->share.shard && (request->clips.count > 0 || request->label))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sshard is for all clips of a library",
                        dashes);
    return MAREY_OK;
}

static bool writes(const void *params)
{
    const app_doctor_params *request = params;
    return !request->dry_run && request->fix.count + request->undo.count > 0;
}

static bool keeps(const void *params)
{
    return !((const app_doctor_params *)params)->dry_run;
}

/* Which of its flaws are mended now, and their repairs in `list`. */
static int choose_repairs(app_patient *one, uint64_t kinds, marey_repair *list)
{
    int count = 0;
    for (int i = 0; i < one->flaw_count; i++) {
        const marey_flaw *flaw = &one->flaws[i];
        one->fixed[i] = marey_flaw_wanted(flaw, kinds);
        if (one->fixed[i]) list[count++] = marey_flaw_repair(flaw);
    }
    return count;
}

static void sum_up(app_doctor_result *out)
{
    for (int i = 0; i < out->count; i++) {
        const app_patient *one = &out->items[i];
        app_flaws_sum(out->kinds, one->flaws, one->flaw_count, one->frames);
        out->flaws += one->flaw_count;
        out->repairs += one->repair_count;
        for (int k = 0; k < one->flaw_count; k++) {
            out->mendable += marey_flaw_wanted(&one->flaws[k], UINT64_MAX);
            out->fixed += one->fixed[k];
        }
        for (int k = 0; k < one->repair_count; k++) out->undone += one->undone[k];
    }
    out->kind_count = app_flaw_sums_sort(out->kinds);
}

/* ---- clips of a library ---------------------------------------------------------------------- */

/* The names to examine; none: all. */
static marey_status choose_clips(const app_env *env, const app_doctor_params *request,
                                 app_texts *out, marey_error *error)
{
    const char **given = APP_NEW(env->scope, const char *, request->clips.count + 1);
    if (!given) return app_fail_memory(error);
    for (int i = 0; i < request->clips.count; i++) given[i] = request->clips.values[i].clip;
    *out = (app_texts){ given, request->clips.count };
    if (!request->label) return MAREY_OK;
    marey_list_def which = { .label = request->label };
    marey_listing *listing = NULL;
    int count = 0;
    marey_status status = marey_library_list(env->library, &which, &listing, error);
    if (status == MAREY_OK) status = app_own_listing(env, listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    const char **names = APP_NEW(env->scope, const char *, count + 1);
    if (!names) return app_fail_memory(error);
    if (count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, marey_library_path(env->library),
                        "no clip has the label %.200s; marey ls shows the labels there are",
                        request->label);
    for (int i = 0; i < count; i++) names[i] = entries[i].name;
    *out = (app_texts){ names, count };
    return MAREY_OK;
}

/* A clip's own flaws, behind them what its subject's clips say, and its repairs, as far as they are
   asked for. */
static marey_status list_patient(const app_env *env, const marey_condition *of,
                                 const marey_flaw *rate, const app_choice *choice, int first,
                                 app_patient *one, marey_error *error)
{
    int all = of->flaw_count + (rate->certainty > 0), flaw_count = 0, repair_count = 0;
    marey_flaw *flaws = APP_NEW(env->scope, marey_flaw, all);
    const char **joints = APP_NEW(env->scope, const char *, all);
    marey_repair *repairs = APP_NEW(env->scope, marey_repair, of->repair_count);
    int *places = APP_NEW(env->scope, int, all),
        *spots = APP_NEW(env->scope, int, of->repair_count);
    bool *fixed = APP_NEW(env->scope, bool, all);
    bool *undone = APP_NEW(env->scope, bool, of->repair_count);
    if (!flaws || !joints || !repairs || !places || !spots || !fixed || !undone)
        return app_fail_memory(error);
    for (int i = 0; i < all; i++) {
        const marey_flaw *flaw = i < of->flaw_count ? &of->flaws[i] : rate;
        const char *joint = i < of->flaw_count ? of->flaw_joints[i] : "";
        if (!app_choice_has(choice, first, i, joint, flaw->start, flaw->end)) continue;
        flaws[flaw_count] = *flaw;
        joints[flaw_count] = joint;
        places[flaw_count++] = i;
    }
    for (int i = 0; i < of->repair_count; i++) {
        const marey_repair *repair = &of->repairs[i];
        int start = repair->layer.start, end = repair->layer.end;
        /* A leap of a joint is marked for the whole body, from before it to behind it: what means the
           finding means this too. */
        bool marked = *repair->flaw && repair->layer.kind == MAREY_LAYER_MARK;
        if (end == 0) end = of->frames;
        if (!app_choice_has(choice, first, i, marked ? NULL : repair->joint, start, end)) continue;
        repairs[repair_count] = *repair;
        spots[repair_count++] = i;
    }
    *one = (app_patient){ .name = of->clip.name,
                          .id = of->clip.id,
                          .frames = of->frames,
                          .first = first,
                          .places = all,
                          .flaws = flaws,
                          .joints = joints,
                          .flaw_count = flaw_count,
                          .repairs = repairs,
                          .repair_count = repair_count,
                          .flaw_places = places,
                          .repair_places = spots,
                          .fixed = fixed,
                          .undone = undone };
    return MAREY_OK;
}

/* What is put on a clip and taken off it; nothing: *changes is false. */
static marey_status plan_changes(const app_env *env, const app_doctor_params *request,
                                 const marey_condition *of, app_patient *one, marey_repair_def *out,
                                 bool *changes, marey_error *error)
{
    uint64_t fix = 0, undo = 0;
    bool set = false;
    marey_status status = app_flaw_kinds(&request->fix, &fix, NULL, error);
    if (status == MAREY_OK) status = app_flaw_kinds(&request->undo, &undo, &set, error);
    if (status != MAREY_OK) return status;
    marey_repair *list = APP_NEW(env->scope, marey_repair, one->flaw_count);
    int *places = APP_NEW(env->scope, int, one->repair_count);
    char *number = APP_NEW(env->scope, char, 24);
    if (!list || !places || !number) return app_fail_memory(error);
    snprintf(number, 24, "#%lld", (long long)one->id);
    *out = (marey_repair_def){
        .clip = number, .drop_places = places, .add = list, .layers = &of->layers
    };
    out->add_count = choose_repairs(one, fix, list);
    for (int i = 0; i < one->repair_count; i++) {
        marey_flaw_kind kind;
        bool known = marey_flaw_named(one->repairs[i].flaw, &kind);
        one->undone[i] = known                        ? undo >> kind & 1
                         : *one->repairs[i].flaw == 0 ? set
                                                      : undo == UINT64_MAX;
        if (one->undone[i]) places[out->drop_place_count++] = one->repair_places[i];
    }
    /* Also those of kinds that this marey does not know. */
    out->drop_all = undo == UINT64_MAX && one->repair_count == of->repair_count;
    *changes = out->add_count + out->drop_place_count > 0;
    return MAREY_OK;
}

/* Are findings about pairs of clips asked for? */
static bool wants_copies(const app_doctor_params *request)
{
    return request->undo.count == 0 && !request->joint &&
           !app_given(params_rows, &request->given, "place");
}

/* Among all clips of the library, for those that are examined. */
static marey_status find_copies(const app_env *env, const app_choice *choice,
                                const marey_conditions *examined, app_doctor_result *out,
                                marey_error *error)
{
    const app_doctor_params *request = choice->request;
    marey_conditions *known = NULL;
    app_suspect *list = NULL;
    app_duplicate *copies = NULL;
    int count = 0;
    int64_t *ids = APP_NEW(env->scope, int64_t, out->count);
    if (!ids) return app_fail_memory(error);
    if (!wants_copies(request)) return MAREY_OK;
    marey_status status = MAREY_OK;
    if (out->count < examined->count || request->clips.count > 0 || request->label) {
        status = marey_library_known(env->library, &known, error);
        if (status == MAREY_OK) status = app_own_conditions(env, known, error);
        examined = known;
    }
    for (int i = 0; i < out->count; i++) ids[i] = out->items[i].id;
    if (status == MAREY_OK)
        status = app_suspects_list(env, examined, ids, out->count, &list, error);
    if (status == MAREY_OK)
        status = app_duplicates_find(env, list, examined->count, NULL, &copies, &count, error);
    for (int i = 0; i < count && status == MAREY_OK; i++)
        status = app_duplicate_put(env, choice, &out->items[list[copies[i].suspect].patient],
                                   &copies[i], error);
    return status;
}

static marey_status examine_library(const app_env *env, const app_doctor_params *request,
                                    app_doctor_result *out, marey_error *error)
{
    marey_conditions *all = NULL;
    app_texts names;
    app_choice choice;
    const app_reading *reading = &request->reading;
    if (request->output || reading->units || reading->up || reading->source_fps > 0 ||
        reading->skip_first || reading->skeleton || reading->take)
        return app_fail(
            error, MAREY_ERR_REQUEST, NULL,
            "output, units, up, source-fps, skip-first, skeleton and take are for files; "
            "marey set corrects a library's clips");
    if (env->tiles) {
        marey_status shared = marey_library_examine_tiles(env->library, env->tiles, error);
        if (shared != MAREY_OK || marey_tiles_made(env->tiles)) return shared;
    }
    marey_status status = app_choice_make(env, request, &choice, error);
    if (status == MAREY_OK) status = choose_clips(env, request, &names, error);
    int named = status == MAREY_OK ? names.count : 0;
    if (status == MAREY_OK && named > 0) status = app_subjects_join(env, &names, error);
    /* What no shard looked at yet waits for its own. */
    if (status == MAREY_OK && env->tiles)
        status = marey_library_known(env->library, &all, error);
    else if (status == MAREY_OK)
        status = marey_library_examine(env->library, names.values, names.count, &all, error);
    if (status == MAREY_OK) status = app_own_conditions(env, all, error);
    if (status != MAREY_OK) return status;
    if (named == 0) named = all->count;
    marey_repair_def *changes = APP_NEW(env->scope, marey_repair_def, named);
    int64_t *ids = APP_NEW(env->scope, int64_t, named);
    marey_flaw *rates = APP_NEW(env->scope, marey_flaw, all->count);
    out->library = marey_library_path(env->library);
    out->items = APP_NEW(env->scope, app_patient, named);
    if (!out->items || !changes || !ids || !rates) return app_fail_memory(error);
    status = app_subjects_judge(env, all, rates, error);
    out->changes = changes;
    for (int i = 0; i < request->clips.count; i++)
        while (all->items[choice.same[i]].clip.id != all->items[i].clip.id) choice.same[i]++;
    for (int i = 0; i < named && status == MAREY_OK; i++) {
        const marey_condition *of = &all->items[i];
        bool changed = false;
        int first = i < request->clips.count ? choice.same[i] : -1;
        if (first >= 0 && first < i) continue; /* it was named before */
        app_patient *one = &out->items[out->count++];
        status = app_choice_frames(&choice, first, of->clip.name, of->frames, of->fps, error);
        if (status == MAREY_OK)
            status = list_patient(env, of, &rates[i], &choice, first, one, error);
        if (status == MAREY_OK)
            status =
                plan_changes(env, request, of, one, &changes[out->change_count], &changed, error);
        ids[out->change_count] = one->id;
        out->change_count += changed;
    }
    if (status == MAREY_OK) status = find_copies(env, &choice, all, out, error);
    if (status != MAREY_OK) return status;
    sum_up(out);
    status = app_choice_joint(env, request, out, error);
    if (status != MAREY_OK) return status;
    return app_stale_find(env, ids, out->change_count, &out->stale, error);
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct examined {
    found file;
    int operand; /* that it is, or is in */
    marey_clip *clip;
    marey_flaws flaws;
    marey_status status;
    marey_error error;
} examined;

typedef struct examining {
    const app_env *env;
    marey_load_def reading;
    examined *items;
} examining;

static void examine_file(void *user, int64_t number)
{
    examining *job = user;
    examined *one = &job->items[number];
    one->status =
        marey_motion_load(job->env->ctx, one->file.path, &job->reading, &one->clip, &one->error);
    const marey_format *row;
    for (int i = 0; one->status == MAREY_OK && (row = marey_format_find(i)); i++)
        if (strcmp(row->name, marey_clip_report(one->clip)->format) == 0 && row->skeleton_only)
            one->status = app_fail(&one->error, MAREY_ERR_UNKNOWN_FORMAT, one->file.path,
                                   "a skeleton has no motion of its own");
    if (one->status == MAREY_OK && marey_flaws_find(one->clip, &one->flaws) != MAREY_OK)
        one->status = app_fail_memory(&one->error);
}

/* The file that a repaired clip becomes; never the one that it was read from. */
static marey_status find_output(const app_doctor_params *request, const char *from, bool folder,
                                char *path, size_t room, marey_error *error)
{
    const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from;
    const char *dot = strrchr(name, '.'), *ending = ".bvh";
    struct stat a, b;
    const marey_format *row;
    for (int i = 0; dot && (row = marey_format_find(i)); i++)
        if (row->writes && path_ends_in(name, row->ending)) ending = row->ending;
    char stem[256];
    snprintf(stem, sizeof stem, "%.*s", (int)(dot && dot > name ? dot - name : 200), name);
    marey_status status = MAREY_OK;
    if (folder) {
        status = folder_path(request->output, stem, ending, path, room, error);
    } else {
        snprintf(path, room, "%s", request->output);
    }
    if (status == MAREY_OK && stat(from, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
        a.st_ino == b.st_ino)
        return app_fail(error, MAREY_ERR_REQUEST, path,
                        "this is the file that is repaired; write to another one");
    return status;
}

/* One file's findings for the answer; its clip is repaired and written. */
static marey_status settle_file(const app_env *env, app_choice *choice, bool folder, uint64_t fix,
                                examined *one, app_doctor_result *out, marey_error *error)
{
    const app_doctor_params *request = choice->request;
    int count = one->flaws.count, kept = 0;
    const marey_skeleton *skeleton = marey_clip_skeleton(one->clip);
    app_patient *items = app_grow(env->scope, out->items, out->count, sizeof *items);
    marey_flaw *flaws = APP_NEW(env->scope, marey_flaw, count);
    marey_repair *list = APP_NEW(env->scope, marey_repair, count);
    marey_layer *layers = APP_NEW(env->scope, marey_layer, count);
    const char **joints = APP_NEW(env->scope, const char *, count);
    int *places = APP_NEW(env->scope, int, count);
    if (!items || !flaws || !list || !layers || !joints || !places) return app_fail_memory(error);
    out->items = items;
    app_patient *patient = &items[out->count];
    *patient = (app_patient){ .name = app_copy(env->scope, marey_clip_name(one->clip)),
                              .path = one->file.path,
                              .frames = marey_clip_frames(one->clip),
                              .first = one->operand,
                              .places = count,
                              .flaws = flaws,
                              .joints = joints,
                              .flaw_places = places,
                              .fixed = APP_NEW(env->scope, bool, count) };
    if (!patient->name || !patient->fixed) return app_fail_memory(error);
    marey_status status = app_choice_frames(choice, one->operand, one->file.path, patient->frames,
                                            marey_clip_fps(one->clip), error);
    if (status != MAREY_OK) return status;
    for (int i = 0; i < count; i++) {
        const marey_flaw *flaw = &one->flaws.items[i];
        const char *joint = flaw->joint < 0 ? "" : skeleton->joints[flaw->joint].name;
        if (!app_choice_has(choice, one->operand, i, joint, flaw->start, flaw->end)) continue;
        flaws[kept] = *flaw;
        joints[kept] = app_copy(env->scope, joint);
        places[kept] = i;
        if (!joints[kept++]) return app_fail_memory(error);
    }
    patient->flaw_count = kept;
    out->joint_seen |= request->joint && app_has_joint(one->clip, request->joint);
    app_suspect *suspects = app_grow(env->scope, out->suspects, out->count, sizeof *suspects);
    size_t marks = (size_t)one->flaws.landmark_count;
    marey_landmark *landmarks = APP_NEW(env->scope, marey_landmark, marks + 1);
    if (!suspects || !landmarks) return app_fail_memory(error);
    if (marks > 0) memcpy(landmarks, one->flaws.landmarks, marks * sizeof *landmarks);
    double fps = marey_clip_fps(one->clip);
    out->suspects = suspects;
    suspects[out->count] = (app_suspect){ .of = { patient->frames / fps, (int)marks, landmarks },
                                          .name = patient->name,
                                          .path = patient->path,
                                          .fps = fps,
                                          .patient = out->count };
    out->count++;
    int mended = choose_repairs(patient, fix, list);
    if (mended == 0 || request->dry_run) return MAREY_OK;
    char path[4096];
    marey_clip *repaired = NULL;
    for (int i = 0; i < mended; i++) layers[i] = list[i].layer;
    status = find_output(request, one->file.path, folder, path, sizeof path, error);
    for (int i = 0; i < out->count - 1 && status == MAREY_OK; i++)
        if (items[i].written && strcmp(items[i].written, path) == 0)
            status = app_fail(error, MAREY_ERR_INPUT, one->file.path,
                              "%.200s became %.200s just now; give this one an -o of its own",
                              items[i].path, path);
    if (status == MAREY_OK) status = marey_clip_repair(one->clip, layers, mended, &repaired, error);
    if (status == MAREY_OK) status = marey_clip_save(repaired, path, error);
    marey_clip_free(repaired);
    patient->written = status == MAREY_OK ? app_copy(env->scope, path) : NULL;
    if (status != MAREY_OK) memset(patient->fixed, 0, (size_t)kept * sizeof *patient->fixed);
    return status == MAREY_OK && !patient->written ? app_fail_memory(error) : status;
}

static void release_buffer(void *object)
{
    buffer_free(object);
}

/* What became of some files, one after the other; what they hold is freed. A failure that concerns
   only its file is noted, and the next one is settled. */
static marey_status settle_batch(const app_env *env, app_choice *choice, bool folder, uint64_t fix,
                                 examined *items, int count, const char **skipped,
                                 app_doctor_result *out, marey_error *error)
{
    marey_status status = MAREY_OK;
    for (int i = 0; i < count; i++) {
        examined *one = &items[i];
        if (status == MAREY_OK && one->status == MAREY_OK)
            one->status = settle_file(env, choice, folder, fix, one, out, &one->error);
        bool unknown = one->status == MAREY_ERR_UNKNOWN_FORMAT;
        if (status == MAREY_OK && unknown && one->file.kind == FOUND_IN_FOLDER) {
            skipped[out->skipped.count++] = one->file.path;
        } else if (status == MAREY_OK && one->status != MAREY_OK) {
            if (app_failure_ends_all(&one->error) || one->status == MAREY_ERR_REQUEST) {
                *error = one->error;
                status = one->status;
            } else {
                app_failures_add(env, &out->failures, one->file.path, &one->error);
            }
        }
        marey_flaws_free(&one->flaws);
        marey_clip_free(one->clip);
    }
    return status;
}

static marey_status examine_files(const app_env *env, const app_doctor_params *request,
                                  app_doctor_result *out, marey_error *error)
{
    uint64_t fix = 0;
    app_choice choice;
    int count = request->clips.count, operand = 0;
    found_list *list = APP_NEW(env->scope, found_list, 1);
    int64_t *ends = APP_NEW(env->scope, int64_t, count + 1);
    if (!list || !ends) return app_fail_memory(error);
    if (request->label || request->undo.count > 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "label and undo are for the clips of a library");
    if (request->fix.count > 0 && !request->output && !request->dry_run)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "say where repaired files go: -o FILE, or -o DIR for several");
    list->records = buffer_make(env->scope->memory);
    marey_status status = app_own(env->scope, &list->records, release_buffer, error);
    if (status == MAREY_OK) status = app_choice_make(env, request, &choice, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const app_segment *clips = request->clips.values;
        if (app_lent_find(env, clips[i].clip))
            return app_fail(error, MAREY_ERR_REQUEST, clips[i].clip,
                            "this clip is in memory; doctor is for files, and for clips that are "
                            "in a library");
        while (strcmp(clips[choice.same[i]].clip, clips[i].clip) != 0) choice.same[i]++;
        if (choice.same[i] == i) status = folder_walk(env->scope->memory, clips[i].clip, list);
        ends[i] = list->count;
    }
    int batch = 2 * marey_ctx_threads(env->ctx), held = 0;
    examining job = { .env = env, .reading = app_reading_def(&request->reading) };
    job.items = APP_NEW(env->scope, examined, batch);
    const char **skipped = APP_NEW(env->scope, const char *, list->count + 1);
    if (status != MAREY_OK || !job.items || !skipped || list->count >= INT_MAX)
        return app_fail_memory(error);
    out->skipped.values = skipped;
    status = app_flaw_kinds(&request->fix, &fix, NULL, error);
    bool folder = request->output && (list->count > 1 || folder_is(request->output) ||
                                      request->output[strlen(request->output) - 1] == '/');
    if (status == MAREY_OK && folder && !request->dry_run && fix)
        status = folder_make(request->output, error);
    size_t offset = 0;
    found file;
    for (int64_t done = 0; status == MAREY_OK && found_next(list, &offset, &file);) {
        while (ends[operand] <= done) operand++;
        done++;
        if (file.kind == FOUND_SPECIAL) {
            skipped[out->skipped.count++] = file.path;
        } else if (file.kind == FOUND_UNREADABLE) {
            found_error(&file, error);
            app_failures_add(env, &out->failures, file.path, error);
        } else {
            job.items[held++] = (examined){ .file = file, .operand = operand };
        }
        if (held == 0 || (held < batch && done < list->count)) continue;
        app_progress(env, "examining", done - held, list->count, -1);
        marey_ctx_run(env->ctx, held, examine_file, &job);
        status = settle_batch(env, &choice, folder, fix, job.items, held, skipped, out, error);
        held = 0;
    }
    app_duplicate *copies = NULL;
    int copy_count = 0;
    if (status == MAREY_OK && wants_copies(request))
        status = app_duplicates_find(env, out->suspects, out->count, &job.reading, &copies,
                                     &copy_count, error);
    for (int i = 0; i < copy_count && status == MAREY_OK; i++)
        status = app_duplicate_put(env, &choice, &out->items[copies[i].suspect], &copies[i], error);
    sum_up(out);
    if (status == MAREY_OK) status = app_choice_joint(env, request, out, error);
    return out->failures.failed ? app_fail_memory(error) : status;
}

/* ---- the operation --------------------------------------------------------------------------- */

static marey_status run(const app_env *env, const void *params, void *result, marey_error *error)
{
    const app_doctor_params *request = params;
    if (env->library) return examine_library(env, request, result, error);
    if (request->clips.count == 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "name a library, or files");
    return examine_files(env, request, result, error);
}

static const char *layer_to(const marey_layer *layer)
{
    int value = (int)layer->value[0];
    if (layer->kind == MAREY_LAYER_UNITS) return marey_units_name((marey_units)value);
    if (layer->kind == MAREY_LAYER_UP) return value == MAREY_UP_Z ? "z" : "y";
    return layer->kind == MAREY_LAYER_ROLE ? marey_role_name((marey_role)value) : "";
}

const char *app_flaw_to(const marey_flaw *flaw)
{
    return flaw->mendable ? layer_to(&flaw->repair) : "";
}

void app_flaw_write(const marey_flaw *flaw, const char *joint, json *out)
{
    json_put_string(out, "kind", marey_flaw_name(flaw->kind));
    json_put_string(out, "joint", *joint ? joint : NULL);
    json_put_integer(out, "start", flaw->start);
    json_put_integer(out, "end", flaw->end);
    json_put_number(out, "size", flaw->size);
    json_put_string(out, "unit", marey_flaw_unit(flaw->kind));
    json_put_number(out, "certainty", flaw->certainty);
    json_put_string(out, "fix", flaw->mendable ? marey_layer_name(flaw->repair.kind) : NULL);
    if (*app_flaw_to(flaw)) json_put_string(out, "to", app_flaw_to(flaw));
}

static void write_repair(const marey_repair *repair, int place, json *out)
{
    json_put_integer(out, "place", place);
    json_put_string(out, "kind", marey_layer_name(repair->layer.kind));
    json_put_string(out, "joint", *repair->joint ? repair->joint : NULL);
    json_put_integer(out, "start", repair->layer.start);
    json_put_integer(out, "end", repair->layer.end);
    json_put_string(out, "flaw", *repair->flaw ? repair->flaw : NULL);
    char fps[32];
    snprintf(fps, sizeof fps, "%.6g", repair->layer.value[0]);
    const char *to = repair->layer.kind == MAREY_LAYER_RATE ? fps : layer_to(&repair->layer);
    if (*to) json_put_string(out, "to", to);
}

static void write(const void *params, const void *result, json *out)
{
    const app_doctor_result *of = result;
    (void)params;
    json_open(out, "clips", '[');
    for (int i = 0; i < of->count; i++) {
        const app_patient *one = &of->items[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", one->name);
        if (one->path)
            json_put_string(out, "path", one->path);
        else
            json_put_integer(out, "id", one->id);
        json_open(out, "findings", '[');
        for (int k = 0; k < one->flaw_count; k++) {
            json_open(out, NULL, '{');
            json_put_integer(out, "place", one->flaw_places[k]);
            app_flaw_write(&one->flaws[k], one->joints[k], out);
            if (one->copies && one->copies[k]) app_duplicate_write(one->copies[k], out);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_open(out, "repairs", '[');
        for (int k = 0; k < one->repair_count; k++) {
            json_open(out, NULL, '{');
            write_repair(&one->repairs[k], one->repair_places[k], out);
            json_close(out, '}');
        }
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
    app_flaw_sums_write(of->kinds, of->kind_count, out);
    for (int undone = 0; undone < 2; undone++) {
        json_open(out, undone ? "undone" : "fixed", '[');
        for (int i = 0; i < of->count; i++) {
            const app_patient *one = &of->items[i];
            for (int k = 0; k < (undone ? one->repair_count : one->flaw_count); k++) {
                if (!(undone ? one->undone : one->fixed)[k]) continue;
                json_open(out, NULL, '{');
                json_put_string(out, "name", one->name);
                if (undone)
                    write_repair(&one->repairs[k], one->repair_places[k], out);
                else
                    app_flaw_write(&one->flaws[k], one->joints[k], out);
                json_close(out, '}');
            }
        }
        json_close(out, ']');
    }
    app_stale_write(&of->stale, out);
    json_open(out, "files", '[');
    for (int i = 0; i < of->count; i++)
        if (of->items[i].written) json_put_string(out, NULL, of->items[i].written);
    json_close(out, ']');
    json_put_texts(out, "skipped", of->skipped.values, of->skipped.count);
    app_failures_write(&of->failures, out);
}

static marey_status commit(const app_env *env, const void *params, void *result, marey_error *error)
{
    app_doctor_result *of = result;
    int webs = 0;
    if (!writes(params) || of->change_count == 0) return MAREY_OK;
    marey_status status =
        marey_library_repair(env->library, of->changes, of->change_count, &webs, error);
    if (status == MAREY_OK) app_stale_settle(env, webs, &of->stale);
    return status;
}

const app_operation app_doctor = {
    .name = "doctor",
    .summary = "find flaws of capture, and repair them",
    .description = { "Looks for what a body did not do: a T-pose that the exporter added, lost "
                     "tracking, and more. Every finding has its frames, joint, size and certainty, "
                     "and how it can be fixed. Findings are an answer: the exit status is 0.",
                     "With --fix findings of these kinds are repaired. In a library a repair is a "
                     "layer over the captured frames, which stay as they are; everything then "
                     "works with the repaired clip, frames keep their numbers, and --undo takes "
                     "repairs back. Match webs of a repaired clip go, and what was saved of it "
                     "(families, graphs) must be built again.",
                     "CLIP#120-130 is for what lies within these frames, CLIP#120 for what frame "
                     "120 is in, --joint for what one joint does: to look at, mend or take back "
                     "one of several. --fix all then too leaves alone what is not certain.",
                     "The repaired clip of a file is written to -o, never over the file itself." },
    .params = params_rows,
    .params_size = sizeof(app_doctor_params),
    .result_size = sizeof(app_doctor_result),
    .library = APP_OR_FILES,
    .takes_long = true,
    .shards = offsetof(app_doctor_params, share),
    .shards_by_motion = true,
    .shards_one_by_one = true,
    .check = check,
    .writes = writes,
    .keeps = keeps,
    .run = run,
    .write = write,
    .commit = commit,
    .names_follow = true,
};
