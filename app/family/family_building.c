/* family_building.c - `param build`: a family of motions from examples in a library, saved there
   under a name (webs, 6.3.1 and 6.3.2); and `param prune`: one without the examples that the others
   can do without (6.3.4). */
#include "families.h"
#include "operations.h"

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
    { .name = "query",
      .type = APP_SEGMENT,
      .at = AT(query),
      .value = "CLIP[#A-B]",
      .help = "the examples are this and everything in the library that is like it" },
    { .name = "label",
      .type = APP_TEXT,
      .at = AT(searching.label),
      .help = "the examples are all clips with this label; with --query, only in these is "
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
    { .name = "nearest",
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
              "examine finds them" },
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

/* ---- assembling ------------------------------------------------------------------------------ */

marey_status app_family_assemble(const app_env *env, const marey_part *parts, int count,
                                 const int *parents, const marey_family_def *def,
                                 app_assembled *out, marey_error *error)
{
    app_assembled made = { NULL, NULL };
    marey_registration_def tree = { .parents = parents };
    marey_family_def whole = *def;
    whole.registration = &tree;
    marey_status status = marey_library_parts(env->library, parts, count, &made.parts, error);
    if (status == MAREY_OK) status = app_own_parts(env, made.parts, error);
    if (status == MAREY_OK) {
        status = marey_family_build(env->ctx, made.parts->clips, count, made.parts->contacts,
                                    &whole, &made.family, error);
    }
    if (status == MAREY_OK) status = app_own_family(env, made.family, error);
    if (status == MAREY_OK) *out = made;
    return status;
}

/* Builds it again with the same settings from the examples that have a byte in `keep`; the first
   one must. Those whose parent goes are aligned with the nearest of its own parents that stays. */
static marey_status reduce(const app_env *env, const uint8_t *keep, app_assembled *made,
                           marey_error *error)
{
    const marey_registration *tree = marey_family_registration(made->family);
    marey_family_def def = *marey_family_settings(made->family);
    int numbers[APP_MOST_EXAMPLES], parents[APP_MOST_EXAMPLES];
    marey_part parts[APP_MOST_EXAMPLES];
    int count = 0, labels = 0, values = 0, before = made->parts->count;
    for (int i = 0; i < before; i++) {
        numbers[i] = keep[i] ? count : -1;
        if (keep[i]) parts[count++] = made->parts->parts[i];
    }
    for (int i = 0; i < before; i++) {
        int parent = marey_registration_parent(tree, i);
        while (parent >= 0 && !keep[parent]) parent = marey_registration_parent(tree, parent);
        if (keep[i]) parents[numbers[i]] = parent >= 0 ? numbers[parent] : -1;
    }
    /* The ways up lead to the first: its own is turned around, and those that lead nowhere now lead
       to it. */
    for (int i = 0, parent = -1; i >= 0;) {
        int next = parents[i];
        parents[i] = parent;
        parent = i;
        i = next;
    }
    for (int i = 1; i < count; i++)
        if (parents[i] < 0) parents[i] = 0;

    /* What stands for "none" among settings is 0 once they are resolved, and 0 stands for the
       default before. */
    if (def.samples == 0) def.samples = -1;
    if (def.delta == 0) def.delta = -1;
    if (def.apart == 0) def.apart = -1;
    for (int i = 0; i < def.param_count; i++) labels += *def.params[i].label != 0;
    double *label_values = APP_NEW(env->scope, double, count *labels);
    if (!label_values) return app_fail_memory(error);
    for (int i = 0; i < before * labels; i++)
        if (keep[i / labels]) label_values[values++] = def.label_values[i];
    def.label_values = label_values;
    return app_family_assemble(env, parts, count, parents, &def, made, error);
}

static marey_status prune(const app_env *env, double tolerance, app_assembled *made, int *gone,
                          marey_error *error)
{
    uint8_t keep[APP_MOST_EXAMPLES];
    int kept = 0, before = made->parts->count;
    marey_status status = marey_family_prune(env->ctx, made->family, tolerance, keep, &kept, error);
    /* Two are the fewest that can be mixed. */
    for (int i = 1; status == MAREY_OK && kept < 2 && i < before; i++) {
        kept += !keep[i];
        keep[i] = 1;
    }
    if (status == MAREY_OK && kept < before) status = reduce(env, keep, made, error);
    if (status == MAREY_OK) *gone = before - kept;
    return status;
}

/* The examples of whose blends more than half are faulty go: from there on it is their own fault,
   not their neighbours'. Without the worst ones the others look better or worse, so those that stay
   are looked at again. */
static marey_status drop_faulty(const app_env *env, app_family_built *out, marey_error *error)
{
    enum { ROUNDS = 3 };
    const double most_blame = 0.5;
    for (int round = 0; round < ROUNDS; round++) {
        const marey_parts *parts = out->made.parts;
        double blamed[APP_MOST_EXAMPLES];
        uint8_t keep[APP_MOST_EXAMPLES];
        int faults, kept = 1;
        marey_status status = marey_family_examine(env->ctx, out->made.family, parts->contacts,
                                                   NULL, 0, &faults, blamed, error);
        if (status != MAREY_OK) return status;
        keep[0] = 1;
        for (int i = 1; i < parts->count; i++) kept += keep[i] = blamed[i] <= most_blame;
        if (kept < 2 || kept == parts->count) return MAREY_OK;
        for (int i = 0; i < parts->count; i++) {
            if (keep[i]) continue;
            out->dropped[out->dropped_count++] =
                (app_dropped){ parts->names[i].name, parts->parts[i], blamed[i] };
        }
        status = reduce(env, keep, &out->made, error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

/* How much it takes in a library. */
static marey_status measure_bytes(const app_env *env, const marey_family *family, size_t *bytes,
                                  marey_error *error)
{
    uint8_t *written = NULL;
    marey_status status = marey_family_write(family, &written, bytes, NULL, error);
    if (status == MAREY_OK) marey_family_bytes_free(env->ctx, written, *bytes);
    return status;
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
    if (status == MAREY_OK)
        status = app_examples_labels(env, listing, examples, features, def.param_count,
                                     &def.label_values, error);
    if (status != MAREY_OK) return status;
    double start = app_seconds();
    status = app_family_assemble(env, examples->parts, examples->count, examples->parents, &def,
                                 &out->made, error);
    out->seconds = app_seconds() - start;
    if (status == MAREY_OK && recipe->drop_faulty) status = drop_faulty(env, out, error);
    if (status == MAREY_OK && recipe->prune > 0)
        status = prune(env, recipe->prune, &out->made, &out->pruned, error);
    if (status == MAREY_OK)
        status =
            app_family_examine(env, out->made.family, out->made.parts, &out->examination, error);
    return status == MAREY_OK ? measure_bytes(env, out->made.family, &out->bytes, error) : status;
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
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "samples", samples);
    json_put_number(out, "seconds", built->seconds);
    json_put_integer(out, "faults", built->examination.count);
    json_open(out, "dropped", '[');
    for (int i = 0; i < built->dropped_count; i++) {
        const app_dropped *gone = &built->dropped[i];
        json_open(out, NULL, '{');
        app_part_write(out, gone->name, &gone->part);
        json_put_number(out, "share", gone->share);
        json_close(out, '}');
    }
    json_close(out, ']');
    json_put_integer(out, "pruned", built->pruned);
    json_put_integer(out, "bytes", (int64_t)built->bytes);
    app_faults_write(out, "fault_list", &built->examination, parts);
    json_open(out, "left_out", '[');
    for (int i = 0; i < built->examples->left_out_count; i++)
        json_put_integer(out, NULL, built->examples->left_out[i]);
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
                     "each aligned with the one that led to it. The library must have been "
                     "indexed; where FILEs are named what the index lacks is made.",
                     "label(NAME) as a feature takes numbers that people gave: the examples' "
                     "clips have labels such as mood=0.7.",
                     "The answer says how many faults blends of neighbours have; param examine "
                     "says which." },
    .params = build_params,
    .params_size = sizeof(app_family_recipe),
    .result_size = sizeof(app_family_built),
    .library = APP_CREATES,
    .creates = takes_files,
    .takes_long = true,
    .check = check_build,
    .run = run_build,
    .write = write_built,
    .commit = save_built,
};

/* ---- prune ----------------------------------------------------------------------------------- */

static const app_param prune_params[] = {
    APP_FAMILY_PARAM(app_prune_params),
    { .name = "tolerance",
      .type = APP_NUMBER,
      .at = offsetof(app_prune_params, tolerance),
      .needed = true,
      .least = 1e-6,
      .most = 1e6,
      .value = "CM",
      .help = "examples go that the others reproduce within this, in the unit of the features" },
    { .name = "as",
      .type = APP_TEXT,
      .at = offsetof(app_prune_params, as),
      .value = "NAME",
      .help = "keep the smaller family under this name (default: in place of the other)" },
    { 0 },
};

static marey_status run_prune(const app_env *env, const void *params, void *result,
                              marey_error *error)
{
    const app_prune_params *request = params;
    app_pruned *out = result;
    app_saved_family *from = NULL;
    marey_status status = app_family_open(env, request->name, &from, error);
    if (status == MAREY_OK) status = measure_bytes(env, from->family, &out->before, error);
    if (status != MAREY_OK) return status;
    out->name = request->as ? request->as : request->name;
    out->made = (app_assembled){ from->parts, from->family };
    status = prune(env, request->tolerance, &out->made, &out->pruned, error);
    return status == MAREY_OK ? measure_bytes(env, out->made.family, &out->after, error) : status;
}

static marey_status save_pruned(const app_env *env, const void *params, void *result,
                                marey_error *error)
{
    const app_prune_params *request = params;
    const app_pruned *pruned = result;
    return app_family_save(env, "param prune", pruned->name, pruned->made.family,
                           pruned->made.parts, prune_params, &request->given, error);
}

static void write_pruned(const void *params, const void *result, json *out)
{
    const app_pruned *pruned = result;
    const marey_parts *parts = pruned->made.parts;
    (void)params;
    json_put_string(out, "name", pruned->name);
    app_parts_write(out, "examples", parts);
    json_put_integer(out, "pruned", pruned->pruned);
    json_put_integer(out, "bytes_before", (int64_t)pruned->before);
    json_put_integer(out, "bytes", (int64_t)pruned->after);
}

const app_operation app_param_prune = {
    .name = "param prune",
    .summary = "leave out examples of a family that the others can do without",
    .description = { "An example goes if the rest can do what it does within the tolerance. The "
                     "family is built again from those that stay; the first always does." },
    .params = prune_params,
    .params_size = sizeof(app_prune_params),
    .result_size = sizeof(app_pruned),
    .library = APP_WRITES,
    .takes_long = true,
    .run = run_prune,
    .write = write_pruned,
    .commit = save_pruned,
};
