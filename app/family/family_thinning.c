/* family_thinning.c - which examples of a family go: those that do not belong to the others, those
   whose blends are faulty (webs, 6.4.2), and those that the others can do without, as `param prune`
   finds them (6.3.4). */
#include "families.h"
#include "operations.h"
#include "pins.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *app_out_name(int reason, const char **about)
{
    static const struct {
        const char *name, *about;
    } own[APP_OUT_COUNT - MAREY_ODD_COUNT] = {
        { "gone", "is no longer in the library" },
        { "joints", "has a body that does not fit" },
        { "length", "is much longer or shorter" },
        { "blends", "fails in most blends with its neighbours" },
    };
    if (reason < MAREY_ODD_COUNT) return marey_odd_name((marey_odd_kind)reason, about);
    *about = own[reason - MAREY_ODD_COUNT].about;
    return own[reason - MAREY_ODD_COUNT].name;
}

/* ---- assembling ------------------------------------------------------------------------------ */

marey_status app_family_assemble(const app_env *env, app_examples *examples,
                                 const marey_family_def *def, app_assembled *out,
                                 marey_error *error)
{
    app_assembled made = { examples->loaded, NULL };
    marey_registration_def tree = { .parents = examples->parents, .paths = examples->paths };
    marey_family_def whole = *def;
    marey_part parts[APP_MOST_EXAMPLES];
    marey_status status = MAREY_OK;
    whole.registration = &tree;
    for (int i = 0; i < examples->count; i++) parts[i] = examples->items[i].part;
    if (!made.parts) {
        status = marey_library_parts(env->library, parts, examples->count, examples->onto,
                                     &made.parts, error);
        if (status == MAREY_OK) status = app_own_parts(env, made.parts, error);
    }
    if (status == MAREY_OK) {
        status = marey_family_build(env->ctx, made.parts->clips, examples->count,
                                    made.parts->contacts, &whole, &made.family, error);
    }
    if (status == MAREY_OK) status = app_own_family(env, made.family, error);
    if (status == MAREY_OK) *out = made;
    return status;
}

/* Who is aligned with whom, and how. */
static void note_tree(const marey_registration *tree, app_examples *out)
{
    for (int i = 0; i < out->count; i++) {
        const marey_path *path = marey_registration_path(tree, i);
        out->parents[i] = marey_registration_parent(tree, i);
        out->paths[i] = path ? *path : (marey_path){ 0 };
    }
}

/* Those without a byte in `keep` go; the first one must have one. Those whose parent goes are
   aligned anew, with the nearest of its own parents that stays. */
static void thin(app_examples *of, const uint8_t *keep)
{
    int numbers[APP_MOST_EXAMPLES], up[APP_MOST_EXAMPLES], count = 0;
    for (int i = 0; i < of->count; i++) {
        int parent = of->parents[i];
        while (parent >= 0 && !keep[parent]) parent = of->parents[parent];
        if (parent != of->parents[i]) of->paths[i] = (marey_path){ 0 };
        up[i] = parent;
        numbers[i] = count;
        count += keep[i];
    }
    for (int i = 0; i < of->count; i++) {
        if (!keep[i]) continue;
        of->items[numbers[i]] = of->items[i];
        of->paths[numbers[i]] = of->paths[i];
        of->parents[numbers[i]] = up[i] >= 0 ? numbers[up[i]] : -1;
    }
    /* The ways up lead to the first: its own is turned around, and those that lead nowhere now lead
       to it. */
    for (int i = 0, parent = -1; i >= 0;) {
        int next = of->parents[i];
        if (parent >= 0 || next >= 0) of->paths[i] = (marey_path){ 0 };
        of->parents[i] = parent;
        parent = i;
        i = next;
    }
    for (int i = 1; i < count; i++) {
        if (of->parents[i] >= 0) continue;
        of->parents[i] = 0;
        of->paths[i] = (marey_path){ 0 };
    }
    of->count = count;
    of->loaded = NULL;
}

/* Builds it again with the same settings from the examples that have a byte in `keep`. */
static marey_status reduce(const app_env *env, const uint8_t *keep, app_examples *examples,
                           app_assembled *made, marey_error *error)
{
    marey_family_def def = *marey_family_settings(made->family);
    int labels = 0, values = 0, before = examples->count;
    note_tree(marey_family_registration(made->family), examples);
    thin(examples, keep);
    /* What stands for "none" among settings is 0 once they are resolved, and 0 stands for the
       default before. */
    if (def.samples == 0) def.samples = -1;
    if (def.delta == 0) def.delta = -1;
    if (def.apart == 0) def.apart = -1;
    for (int i = 0; i < def.param_count; i++) labels += *def.params[i].label != 0;
    double *label_values = APP_NEW(env->scope, double, examples->count *labels);
    if (!label_values) return app_fail_memory(error);
    for (int i = 0; i < before * labels; i++)
        if (keep[i / labels]) label_values[values++] = def.label_values[i];
    def.label_values = label_values;
    return app_family_assemble(env, examples, &def, made, error);
}

/* How much it takes in a library. */
marey_status app_family_bytes(const app_env *env, const marey_family *family, size_t *bytes,
                              marey_error *error)
{
    uint8_t *written = NULL;
    marey_status status = marey_family_write(family, &written, bytes, NULL, error);
    if (status == MAREY_OK) marey_family_bytes_free(env->ctx, written, *bytes);
    return status;
}

/* ---- what does not belong -------------------------------------------------------------------- */

static void leave_out(app_examples *of, int example, const char *name, int reason, double value,
                      double limit)
{
    const app_family_example *one = &of->items[example];
    of->left_out[of->left_out_count++] =
        (app_left_out){ reason, value, limit, name, one->part, one->match };
}

static marey_status fail_alone(const app_examples *of, const marey_parts *parts, marey_error *error)
{
    char room[256];
    buffer why = buffer_fixed(room, sizeof room - 1);
    for (int reason = 0; reason < APP_OUT_COUNT; reason++) {
        const char *about;
        int count = 0;
        for (int i = 0; i < of->left_out_count; i++) count += of->left_out[i].reason == reason;
        if (count == 0) continue;
        app_out_name(reason, &about);
        buffer_print(&why, "%s%d %s", why.used ? ", " : "", count, about);
    }
    room[why.used] = 0;
    return app_fail(error, MAREY_ERR_REQUEST, NULL,
                    "nothing belongs to %.100s#%d-%d: %s; keep takes one of them anyway, keep-all "
                    "all",
                    parts->names[0].name, parts->parts[0].start, parts->parts[0].end, room);
}

/* What is pinned is aligned with the first. */
static marey_status find_pins(const app_env *env, const app_texts *through,
                              const marey_parts *parts, app_examples *examples,
                              marey_registration_def *def, marey_error *error)
{
    if (through->count == 0) return MAREY_OK;
    app_pinned *clips = APP_NEW(env->scope, app_pinned, parts->count);
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        clips[i] = (app_pinned){
            .name = parts->names[i].name, .id = part->clip, .start = part->start, .end = part->end
        };
    }
    def->pin_count = through->count;
    marey_status status =
        app_pins_read(env, through, clips, parts->count, false, &def->pins, error);
    for (int k = 0; k < through->count * parts->count && status == MAREY_OK; k++) {
        int i = k % parts->count;
        if (i == 0 || def->pins[k] < 0) continue;
        examples->parents[i] = 0;
        examples->items[i].kept = true; /* a person said that it belongs */
    }
    return status;
}

marey_status app_examples_judge(const app_env *env, const app_family_recipe *recipe,
                                app_examples *examples, marey_error *error)
{
    marey_registration_def tree = { .parents = examples->parents };
    marey_registration *registration = NULL;
    marey_oddity odd[APP_MOST_EXAMPLES] = { { MAREY_ODD_NONE, 0, 0 } };
    marey_part list[APP_MOST_EXAMPLES];
    uint8_t keep[APP_MOST_EXAMPLES];
    marey_parts *parts = NULL;
    int count = examples->count, kept = 0;
    for (int i = 0; i < count; i++) list[i] = examples->items[i].part;
    marey_status status =
        marey_library_parts(env->library, list, count, examples->onto, &parts, error);
    if (status == MAREY_OK) status = app_own_parts(env, parts, error);
    if (status == MAREY_OK)
        status = find_pins(env, &recipe->through, parts, examples, &tree, error);
    if (status == MAREY_OK)
        status = marey_registration_build(env->ctx, parts->clips, count, parts->contacts, &tree,
                                          &registration, error);
    if (status == MAREY_OK) status = app_own_registration(env, registration, error);
    if (status == MAREY_OK && !recipe->keep_all)
        status = marey_family_judge(env->ctx, registration, parts->contacts, !examples->found, odd,
                                    error);
    if (status != MAREY_OK) return status;
    examples->loaded = parts;
    note_tree(registration, examples);
    bool drops = examples->found || recipe->drop_faulty;
    for (int i = 0; i < count; i++) {
        app_family_example *one = &examples->items[i];
        one->odd = odd[i];
        keep[i] = i == 0 || !drops || one->kept || !odd[i].kind;
        kept += keep[i];
        if (!keep[i])
            leave_out(examples, i, parts->names[i].name, odd[i].kind, odd[i].value, odd[i].limit);
    }
    if (kept < 2) return fail_alone(examples, parts, error);
    if (kept < count) thin(examples, keep);
    return MAREY_OK;
}

/* The examples of whose blends more than half are faulty go: from there on it is their own fault,
   not their neighbours'. Without the worst ones the others look better or worse, so those that stay
   are looked at again. */
marey_status app_family_drop_faulty(const app_env *env, app_examples *examples, app_assembled *made,
                                    marey_error *error)
{
    enum { ROUNDS = 3 };
    const double most_blame = 0.5;
    for (int round = 0; round < ROUNDS; round++) {
        const marey_parts *parts = made->parts;
        double blamed[APP_MOST_EXAMPLES];
        uint8_t keep[APP_MOST_EXAMPLES];
        int faults, kept = 0;
        marey_status status = marey_family_examine(env->ctx, made->family, parts->contacts, NULL, 0,
                                                   &faults, blamed, error);
        if (status != MAREY_OK) return status;
        for (int i = 0; i < parts->count; i++) {
            keep[i] = i == 0 || examples->items[i].kept || blamed[i] <= most_blame;
            kept += keep[i];
        }
        if (kept < 2 || kept == parts->count) return MAREY_OK;
        for (int i = 0; i < parts->count; i++) {
            if (!keep[i])
                leave_out(examples, i, parts->names[i].name, APP_OUT_BLENDS, blamed[i], most_blame);
        }
        status = reduce(env, keep, examples, made, error);
        if (status != MAREY_OK) return status;
    }
    return MAREY_OK;
}

/* ---- what the others can do without ---------------------------------------------------------- */

marey_status app_family_prune(const app_env *env, double tolerance, app_examples *examples,
                              app_assembled *made, int *gone, marey_error *error)
{
    uint8_t keep[APP_MOST_EXAMPLES];
    int kept = 0, before = made->parts->count;
    marey_status status = marey_family_prune(env->ctx, made->family, tolerance, keep, &kept, error);
    /* Two are the fewest that can be mixed. */
    for (int i = 1; status == MAREY_OK && kept < 2 && i < before; i++) {
        kept += !keep[i];
        keep[i] = 1;
    }
    if (status == MAREY_OK && kept < before) status = reduce(env, keep, examples, made, error);
    if (status == MAREY_OK) *gone = before - kept;
    return status;
}

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
    app_examples *examples = APP_NEW(env->scope, app_examples, 1);
    marey_status status = app_check(!examples, error);
    if (status == MAREY_OK) status = app_family_open(env, request->name, &from, error);
    if (status == MAREY_OK) status = app_family_bytes(env, from->family, &out->before, error);
    if (status != MAREY_OK) return status;
    out->name = request->as ? request->as : request->name;
    out->made = (app_assembled){ from->parts, from->family };
    examples->onto = from->parts->onto;
    examples->count = from->parts->count;
    for (int i = 0; i < examples->count; i++) examples->items[i].part = from->parts->parts[i];
    status = app_family_prune(env, request->tolerance, examples, &out->made, &out->pruned, error);
    return status == MAREY_OK ? app_family_bytes(env, out->made.family, &out->after, error)
                              : status;
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
    .pictures = app_family_pruned_pictures,
    .commit = save_pruned,
};
