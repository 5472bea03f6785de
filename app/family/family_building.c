/* family_building.c - `param build`: a family of motions from examples in a library, saved there
   under a name (webs, 6.3.1 and 6.3.2). */
#include "chosen_clips.h"
#include "families.h"
#include "operations.h"
#include "pins.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- parameters ------------------------------------------------------------------------------ */

#define AT(member) offsetof(app_family_recipe, member)

static const app_param build_params[] = {
    { .name = "name",
      .type = APP_TEXT,
      .at = AT(name),
      .place = 1,
      .needed = true,
      .help = "what it is saved as, in place of one of that name" },
    { .name = "files",
      .type = APP_TEXTS,
      .at = AT(files),
      .of_file = true,
      .place = APP_REST,
      .repeats = true,
      .value = "FILE",
      .help = "files, or folders of them, that are put into the library first" },
    { .name = "feature",
      .type = APP_TEXTS,
      .at = AT(feature),
      .needed = true,
      .repeats = true,
      .note = true,
      .most_count = MAREY_MOST_PARAMS,
      .value = "F",
      .help = "what the motions differ in, as in 'position(right_wrist, apex, start)'; may be "
              "given several times; marey param features lists all" },
    { .name = "clips",
      .type = APP_SEGMENTS,
      .at = AT(clips),
      .note = true,
      .most_count = APP_MOST_EXAMPLES,
      .value = "A#A-B,...",
      .help = "the examples, by name: clips of the library or frames of them; may be given "
              "several times. The others are aligned with the first" },
    APP_ONTO_PARAM(app_family_recipe, onto),
    { .name = "query",
      .type = APP_SEGMENT,
      .at = AT(query),
      .value = "CLIP[#A-B]",
      .help = "the examples are this and everything in the library that is like it" },
    { .name = "label",
      .type = APP_TEXT,
      .at = AT(searching.label),
      .help = "the examples are all clips and stretches with this label; with --query, only in "
              "these is "
              "searched" },
    APP_SEARCHING_PARAMS(app_family_recipe, "query"),
    { .name = "limit",
      .type = APP_WHOLE,
      .at = AT(searching.limit),
      .least = 1,
      .most = APP_MOST_EXAMPLES - 1,
      .value = "N",
      .only_if = "query",
      .help = "at most this many matches, by default 255" },
    { .name = "matches",
      .type = APP_NUMBERS,
      .at = AT(matches),
      .least = 0,
      .most = 1000000,
      .most_count = APP_MOST_EXAMPLES,
      .value = "N,N,...",
      .help = "only these of the matches, by their numbers; 0 is the query itself" },
    { .name = "search",
      .type = APP_WHOLE,
      .at = AT(search),
      .place = APP_FIELD,
      .least = 1,
      .most = INT32_MAX,
      .help = "the examples are matches of the search that is remembered by this number" },
    APP_THROUGH_PARAM_AT(AT(through)),
    { .name = "samples",
      .type = APP_WHOLE,
      .at = AT(samples),
      .least = 0,
      .most = 100000,
      .value = "N",
      .help = "how many blends are tried, 0 for the examples alone, by default 1000" },
    { .name = "delta",
      .type = APP_NUMBER,
      .at = AT(delta),
      .least = 0,
      .most = 1,
      .value = "D",
      .help = "weights may be this much less than 0 or more than 1, by default 0.1" },
    { .name = "grow",
      .type = APP_NUMBER,
      .at = AT(grow),
      .least = 0.001,
      .most = 10,
      .value = "G",
      .help = "blends are tried in a box larger than that of the examples by this share, by "
              "default 0.2" },
    { .name = "apart",
      .type = APP_NUMBER,
      .at = AT(apart),
      .least = 0,
      .most = 1e6,
      .value = "A",
      .help = "no two samples are closer than this, by default 1.27, half an inch" },
    { .name = "neighbours",
      .type = APP_WHOLE,
      .at = AT(nearest),
      .least = 2,
      .most = 16,
      .value = "K",
      .help = "how many samples an answer is made of, by default 12" },
    { .name = "seed",
      .type = APP_WHOLE,
      .at = AT(seed),
      .least = 1,
      .most = INT32_MAX,
      .value = "N",
      .help = "tries other blends (default: 1)" },
    { .name = "prune",
      .type = APP_NUMBER,
      .at = AT(prune),
      .least = 1e-6,
      .most = 1e6,
      .value = "TOL",
      .help = "leave out examples that the others reproduce within this, as param prune does" },
    { .name = "drop-faulty",
      .type = APP_SWITCH,
      .at = AT(drop_faulty),
      .help = "leave out examples most of whose blends with their neighbours are faulty, as param "
              "examine finds them, and those that do not belong to the others, however they were "
              "chosen" },
    { .name = "keep",
      .type = APP_SEGMENTS,
      .at = AT(keep),
      .most_count = APP_MOST_EXAMPLES,
      .value = "CLIP[#A-B]",
      .help = "take this anyway, although it would be left out; may be given several times" },
    { .name = "keep-all",
      .type = APP_SWITCH,
      .at = AT(keep_all),
      .help = "take everything that is found" },
    { 0 },
};

static marey_status check_build(const void *params, app_dialect dialect, marey_error *error)
{
    const app_family_recipe *recipe = params;
    const char *dashes = dialect == APP_COMMAND_LINE ? "--" : "";
    marey_param features[MAREY_MOST_PARAMS];
    const app_numbers *matches = &recipe->matches;
    int ways = (recipe->clips.count > 0) + (recipe->query.clip != NULL) + (recipe->search > 0);
    for (int i = 0; i < recipe->feature.count; i++) {
        marey_error wrong;
        const char *text = recipe->feature.values[i];
        /* Compared byte by byte below. */
        memset(&features[i], 0, sizeof features[i]);
        if (marey_param_parse(text, &features[i], &wrong) != MAREY_OK)
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sfeature %s", dashes, wrong.message);
        for (int k = 0; k < i; k++) {
            if (memcmp(&features[k], &features[i], sizeof *features) == 0)
                return app_fail(error, MAREY_ERR_REQUEST, NULL, "%sfeature %s is there twice",
                                dashes, text);
        }
    }
    if (recipe->files.count > 0 && dialect == APP_BODY)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "files are put in by POST /api/do/add");
    if (ways > 1 || (recipe->clips.count > 0 && recipe->searching.label)) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%sclips names all examples: not with %squery or %slabel", dashes, dashes,
                        dashes);
    }
    if (ways == 0 && !recipe->searching.label) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "which examples? %sclips A#0-90,B#10-95,... or %squery CLIP#0-90 or "
                        "%slabel LABEL",
                        dashes, dashes, dashes);
    }
    if (matches->count > 0 && !recipe->query.clip && !recipe->search) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "%smatches is only for %squery", dashes,
                        dashes);
    }
    for (int i = 0; i < matches->count; i++) {
        if (matches->count >= 2 && matches->values[i] == floor(matches->values[i])) continue;
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "%smatches must be 2 to %d whole numbers, got %d%s", dashes,
                        (int)APP_MOST_EXAMPLES, matches->count,
                        matches->count >= 2 ? " with parts" : "");
    }
    return app_searching_check(build_params, &recipe->given, &recipe->searching, dialect, error);
}

/* ---- build ----------------------------------------------------------------------------------- */

/* A search that was remembered is noted by its query and threshold. */
static marey_status note_search(const app_env *env, const app_examples *examples,
                                app_family_recipe *noted, marey_error *error)
{
    char digits[40];
    buffer text = buffer_fixed(digits, sizeof digits - 1);
    json number = json_make(&text);
    marey_status status = MAREY_OK;
    json_put_number(&number, NULL, examples->threshold);
    digits[text.used] = 0;
    for (const app_param *row = build_params; row->name && status == MAREY_OK; row++) {
        bool query = strcmp(row->name, "query") == 0;
        if (!query && strcmp(row->name, "threshold") != 0) continue;
        status = app_params_text(env->scope, build_params, row, query ? examples->query : digits,
                                 NULL, &noted->given, error);
    }
    return status;
}

/* One command leads from files to a family: they are put in. That stays, whatever fails later. */
static marey_status put_in(const app_env *env, const app_family_recipe *recipe,
                           app_family_built *out, marey_error *error)
{
    if (recipe->files.count == 0) return MAREY_OK;
    out->adding.files = recipe->files;
    return app_add.run(env, &out->adding, &out->added, error);
}

static bool takes_files(const void *params)
{
    return ((const app_family_recipe *)params)->files.count > 0;
}

/* Zero means the default in a definition, and zero in the recipe. */
static marey_status run_build(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_family_recipe *recipe = params;
    app_family_built *out = result;
    const marey_listing *listing;
    marey_param features[MAREY_MOST_PARAMS];
    bool sampled = app_given(build_params, &recipe->given, "samples");
    bool bounded = app_given(build_params, &recipe->given, "delta");
    bool spaced = app_given(build_params, &recipe->given, "apart");
    marey_family_def def = { .params = features,
                             .param_count = recipe->feature.count,
                             .samples = sampled && recipe->samples == 0 ? -1 : recipe->samples,
                             .delta = bounded && recipe->delta == 0 ? -1 : recipe->delta,
                             .apart = spaced && recipe->apart == 0 ? -1 : recipe->apart,
                             .grow = recipe->grow,
                             .nearest = recipe->nearest,
                             .seed = (uint64_t)recipe->seed };
    out->noted = *recipe;
    app_examples *examples = out->examples = APP_NEW(env->scope, app_examples, 1);
    marey_status status = app_check(!examples, error);
    for (int i = 0; i < recipe->feature.count && status == MAREY_OK; i++)
        status = marey_param_parse(recipe->feature.values[i], &features[i], error);
    if (status == MAREY_OK) status = put_in(env, recipe, out, error);
    if (status == MAREY_OK) status = app_listing(env, &listing, error);
    if (status == MAREY_OK)
        status =
            app_examples_choose(env, build_params, recipe, &out->added, listing, examples, error);
    if (status == MAREY_OK && recipe->search)
        status = note_search(env, examples, &out->noted, error);
    double start = app_seconds();
    if (status == MAREY_OK) status = app_examples_judge(env, recipe, examples, error);
    if (status == MAREY_OK)
        status = app_examples_labels(env, listing, examples, features, def.param_count,
                                     &def.label_values, error);
    if (status != MAREY_OK) return status;
    status = app_family_assemble(env, examples, &def, &out->made, error);
    out->seconds = app_seconds() - start;
    if (status == MAREY_OK && recipe->drop_faulty)
        status = app_family_drop_faulty(env, examples, &out->made, error);
    if (status == MAREY_OK && recipe->prune > 0)
        status = app_family_prune(env, recipe->prune, examples, &out->made, &out->pruned, error);
    if (status == MAREY_OK)
        status =
            app_family_examine(env, out->made.family, out->made.parts, &out->examination, error);
    return status == MAREY_OK ? app_family_bytes(env, out->made.family, &out->bytes, error)
                              : status;
}

static marey_status save_built(const app_env *env, const void *params, void *result,
                               marey_error *error)
{
    const app_family_recipe *recipe = params;
    const app_family_built *built = result;
    return app_family_save(env, "param build", recipe->name, built->made.family, built->made.parts,
                           build_params, &built->noted.given, error);
}

static void write_built(const void *params, const void *result, json *out)
{
    const app_family_recipe *recipe = params;
    const app_family_built *built = result;
    const marey_parts *parts = built->made.parts;
    const marey_family *family = built->made.family;
    int samples, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &samples);
    json_put_string(out, "name", recipe->name);
    app_family_write_features(out, family);
    app_family_write_axes(out, family);
    json_open(out, "examples", '[');
    for (int i = 0; i < parts->count; i++) {
        json_open(out, NULL, '{');
        app_part_write(out, parts->names[i].name, &parts->parts[i]);
        json_put_numbers(out, "values", values + i * dims, dims);
        json_put_number(out, "blamed", built->examination.blamed[i]);
        marey_odd_kind odd = built->examples->items[i].odd.kind;
        json_put_string(out, "odd", odd ? marey_odd_name(odd, NULL) : NULL);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_fits_write(out, parts);
    json_put_integer(out, "samples", samples);
    json_put_number(out, "seconds", built->seconds);
    json_put_integer(out, "faults", built->examination.count);
    json_put_integer(out, "pruned", built->pruned);
    json_put_integer(out, "bytes", (int64_t)built->bytes);
    app_faults_write(out, "fault_list", &built->examination, parts);
    json_open(out, "left_out", '[');
    for (int i = 0; i < built->examples->left_out_count; i++) {
        const app_left_out *gone = &built->examples->left_out[i];
        const char *about, *reason = app_out_name(gone->reason, &about);
        json_open(out, NULL, '{');
        app_part_write(out, gone->name, &gone->part);
        json_put_number(out, "match", gone->match < 0 ? (double)NAN : gone->match);
        json_put_string(out, "reason", reason);
        json_put_string(out, "about", about);
        json_put_number(out, "value", gone->value);
        json_put_number(out, "limit", gone->limit);
        json_close(out, '}');
    }
    json_close(out, ']');
    if (recipe->files.count > 0) app_add.write(&built->adding, &built->added, out);
}

const app_operation app_param_build = {
    .name = "param build",
    .summary = "make a family of motions from examples, and keep it",
    .description = { "The examples are the same motion done to several ends: named by --clips, "
                     "found by --query, or all clips with a --label. They are laid over each "
                     "other in time and on the floor, and blends of neighbours are tried to learn "
                     "what they do. The family is kept in the library under NAME, in place of one "
                     "of that name.",
                     "FILEs, or folders of them, are put into the library first, which is made "
                     "if it is not there; those that are in it are not put in twice. --query "
                     "and --clips may name their clips by the same paths, as in "
                     "kicks.bvh#120-250.",
                     "With --query the query and everything that is like it become the examples, "
                     "each aligned with the one that led to it. Where that goes wrong --through "
                     "pins a frame of the first example and frames of others that belong "
                     "to it, as in kicks#180,kicks#430; these are aligned with the first.",
                     "label(NAME) as a feature takes numbers that people gave: the examples, "
                     "frames or whole clips, have labels such as mood=0.7.",
                     "What a query finds and does not belong to it is left out, and the answer "
                     "says "
                     "which and why: what moves otherwise, is in the air at other times, "
                     "goes up or down. --keep takes one anyway. Examples that are named "
                     "stay, and the answer says which of them are odd. It also says how many "
                     "faults blends of neighbours have; param examine says which." },
    .params = build_params,
    .params_size = sizeof(app_family_recipe),
    .result_size = sizeof(app_family_built),
    .library = APP_CREATES,
    .creates = takes_files,
    .takes_long = true,
    .check = check_build,
    .run = run_build,
    .write = write_built,
    .pictures = app_family_built_pictures,
    .commit = save_built,
};
