/* family_examples.c - the examples of a family: parts of clips that are named, clips with a label,
   or matches of a search, each aligned with the one before it on the cheapest way from the query
   through the match graph (webs, 6.3.1). */
#include "families.h"

#include "chosen_clips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct example_choice {
    const app_env *env;
    const app_family_recipe *recipe;
    const app_add_result *added;
    const marey_listing *listing;
    app_examples *out;
    marey_part *keep; /* what is taken anyway */
    bool *met;        /* whether each of these was found */
} example_choice;

static const marey_entry *entry_of(const marey_listing *listing, int64_t id)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)id);
    return app_listing_find(listing, number);
}

/* ---- by name --------------------------------------------------------------------------------- */

/* A file's path counts before a clip's name. */
static const marey_entry *find_entry(const example_choice *choice, const char *name)
{
    for (int i = 0; i < choice->added->count; i++) {
        const app_added *one = &choice->added->items[i];
        if (strcmp(one->path, name) == 0 && *one->name) return entry_of(choice->listing, one->id);
    }
    return app_listing_find(choice->listing, name);
}

/* Is it, or half of the shorter of both, to be taken anyway? */
static bool is_kept(const example_choice *choice, marey_part part)
{
    bool kept = false;
    for (int i = 0; i < choice->recipe->keep.count; i++) {
        marey_part of = choice->keep[i];
        int start = of.start > part.start ? of.start : part.start;
        int end = of.end < part.end ? of.end : part.end, own = part.end - part.start;
        if (of.end - of.start < own) own = of.end - of.start;
        if (of.clip != part.clip || 2 * (end - start) < own) continue;
        kept = choice->met[i] = true;
    }
    return kept;
}

static marey_status add_part(example_choice *choice, marey_part part, marey_error *error)
{
    app_examples *out = choice->out;
    if (out->count == APP_MOST_EXAMPLES) {
        return app_fail(error, MAREY_ERR_REQUEST, marey_library_path(choice->env->library),
                        "examples must be 2 to %d, got more", (int)APP_MOST_EXAMPLES);
    }
    out->parents[out->count] = out->count ? 0 : -1;
    out->items[out->count++] =
        (app_family_example){ .part = part, .match = -1, .kept = is_kept(choice, part) };
    return MAREY_OK;
}

/* Which frames of which clip. */
static marey_status find_part(const example_choice *choice, const app_segment *segment,
                              marey_part *out, marey_error *error)
{
    const char *name = segment->clip;
    const marey_entry *entry = find_entry(choice, name);
    if (!entry) {
        marey_status status = app_clip_missing(choice->env, name, error);
        if (marey_status_group(status) != MAREY_ERR_INPUT) return status;
        address_explain(name, error);
        size_t used = strlen(error->message);
        if (choice->env->reads_files && access(name, F_OK) == 0) {
            snprintf(error->message + used, sizeof error->message - used,
                     "; files are put in first if they are named: marey param build LIB NAME "
                     "%.300s ...",
                     name);
        }
        return status;
    }
    int start = 0, end = entry->frames;
    marey_status status = MAREY_OK;
    if (segment->range.given)
        status =
            range_find_among(&segment->range, entry->frames, entry->fps, 0, &start, &end, error);
    if (status != MAREY_OK) snprintf(error->path, sizeof error->path, "%.1000s", name);
    *out = (marey_part){ .clip = entry->id, .start = start, .end = end };
    return status;
}

static marey_status add_segment(example_choice *choice, const app_segment *segment,
                                marey_error *error)
{
    marey_part part;
    marey_status status = find_part(choice, segment, &part, error);
    return status == MAREY_OK ? add_part(choice, part, error) : status;
}

/* "a#0-90,b#10-95" are two; but a name may hold a comma, so what is a clip's name as a whole is
   that clip. */
static marey_status add_listed(example_choice *choice, const app_segment *segment,
                               marey_error *error)
{
    if (!strchr(segment->clip, ',') || find_entry(choice, segment->clip))
        return add_segment(choice, segment, error);
    char *rest = (char *)(uintptr_t)app_segment_text(choice->env->scope, segment);
    marey_status status = app_check(!rest, error);
    while (rest && status == MAREY_OK) {
        address from;
        char *text = rest;
        rest = strchr(text, ',');
        if (rest) *rest++ = 0;
        if (!*text || !address_parse(text, &from)) {
            return app_fail(error, MAREY_ERR_REQUEST, NULL, "clips must be names, got %s",
                            *text ? "one that is too long" : "a comma without a clip");
        }
        status = add_segment(choice, &(app_segment){ from.path, from.range }, error);
    }
    return status;
}

/* ---- by a search ----------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* How far was looked, in the unit of its distances, and what to try; above their ceiling webs have
   nothing. `matched`: those that are no examples. */
static marey_status fail_nothing(const marey_finding *finding, const char *metric, int matched,
                                 marey_error *error)
{
    marey_finding_report report = marey_finding_report_of(finding);
    const marey_metric *of_webs = marey_metric_named(metric);
    const char *unit = of_webs ? of_webs->unit : "cm2";
    double more = fmin(2 * report.threshold, report.ceiling);
    char far[96], advice[96] = "";
    snprintf(far, sizeof far, "%.6g%s%s", report.threshold, *unit ? " " : "", unit);
    if (strcmp(unit, "cm2") == 0)
        snprintf(far, sizeof far, "%.6g cm2 (%.3g cm)", report.threshold, sqrt(report.threshold));
    if (more > report.threshold)
        snprintf(advice, sizeof advice, "; threshold %.4g may find more", more);
    return app_fail(error, MAREY_ERR_REQUEST, NULL, "nothing %sis like the query within %s%s",
                    matched > 0 ? "that fits " : "", far, advice);
}

/* Does a clip fit the body of the first? Bodies with other joints are tried, each kind once. */
static marey_status try_body(const app_env *env, int64_t onto, const marey_entry *first,
                             const marey_entry *entry, const char **tried, bool *fits, int *count,
                             bool *out, marey_error *error)
{
    *out = true;
    if (!onto && strcmp(entry->skeleton, first->skeleton) == 0) return MAREY_OK;
    int k = 0;
    while (k < *count && strcmp(tried[k], entry->skeleton) != 0) k++;
    if (k == *count) {
        marey_part two[2] = { { first->id, 0, first->frames }, { entry->id, 0, entry->frames } };
        marey_parts *parts = NULL;
        marey_status status = marey_library_parts(env->library, two, 2, onto, &parts, error);
        marey_parts_free(parts);
        if (status != MAREY_OK && status != MAREY_ERR_SHAPE) return status;
        tried[k] = entry->skeleton;
        fits[k] = status == MAREY_OK;
        ++*count;
    }
    *out = fits[k];
    return MAREY_OK;
}

/* Bodies with too few roles to be retargeted onto the first do not mix with it, nor is what is much
   longer or shorter the same, unless it was chosen. The nearest to the query is the first example. Unknown
   numbers stay, and are refused with the tree. */
static marey_status add_matches(example_choice *choice, const marey_finding *finding,
                                const char *metric, marey_error *error)
{
    const double most = 1.75; /* times as long or short */
    const app_numbers *chosen = &choice->recipe->matches;
    app_examples *out = choice->out;
    int found, wanted[APP_MOST_EXAMPLES], count = chosen->count, numbers[APP_MOST_EXAMPLES];
    const marey_match *matches = marey_finding_matches(finding, &found);
    const marey_entry *first = NULL;
    const marey_match *like = NULL;
    const char *tried[APP_MOST_EXAMPLES];
    bool fits[APP_MOST_EXAMPLES], fitting = true;
    int tried_count = 0;
    out->found = count == 0;
    for (int i = 0; i < count; i++) wanted[i] = (int)chosen->values[i];
    qsort(wanted, (size_t)count, sizeof *wanted, by_number);
    if (count == 0 && found > APP_MOST_EXAMPLES) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "examples must be 2 to %d, got %d matches: matches says which",
                        (int)APP_MOST_EXAMPLES, found);
    }
    for (; chosen->count == 0 && count < found; count++) wanted[count] = count;
    for (int i = 0; i < count; i++) {
        const marey_match *match = wanted[i] < found ? &matches[wanted[i]] : NULL;
        const marey_entry *entry = match ? entry_of(choice->listing, match->clip) : NULL;
        app_family_example one = { .match = wanted[i] };
        app_left_out gone = { .value = NAN, .limit = NAN, .match = wanted[i] };
        if (!first && entry) {
            first = entry;
            like = match;
        }
        if (match) {
            one.part = gone.part = (marey_part){ match->clip, match->start, match->end };
            one.kept = choice->recipe->keep_all | is_kept(choice, one.part);
        }
        if (entry) {
            marey_status status = try_body(choice->env, out->onto, first, entry, tried, fits,
                                           &tried_count, &fitting, error);
            if (status != MAREY_OK) return status;
        }
        if (match && !entry) {
            gone.reason = APP_OUT_GONE;
        } else if (match && !fitting) {
            gone.reason = APP_OUT_JOINTS;
        } else if (match && out->found && !one.kept) {
            double ratio =
                (match->end - match->start) / entry->fps / ((like->end - like->start) / first->fps);
            gone.value = fmax(ratio, 1 / ratio);
            gone.limit = most;
            if (gone.value > most) gone.reason = APP_OUT_LENGTH;
        }
        if (gone.reason) {
            gone.name = app_copy(choice->env->scope, entry ? entry->name : match->name);
            if (!gone.name) return app_fail_memory(error);
            out->left_out[out->left_out_count++] = gone;
            continue;
        }
        out->items[out->count] = one;
        numbers[out->count++] = wanted[i];
    }
    if (out->count < 2 && metric) return fail_nothing(finding, metric, found - 1, error);
    if (out->count < 2) {
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a family needs two examples, and of these matches %d can be mixed",
                        out->count);
    }
    marey_status status = marey_finding_parents(finding, numbers, out->count, out->parents, error);
    if (status == MAREY_OK && marey_finding_report_of(finding).limited && chosen->count == 0)
        app_warn(choice->env, "there were more matches; the nearest %d are the examples",
                 out->count);
    if (status != MAREY_OK || metric) return status;
    /* It was remembered: another reader of the family knows nothing of its number. */
    frame_range range = { .given = true, .start = matches[0].start, .end = matches[0].end };
    out->threshold = marey_finding_report_of(finding).threshold;
    out->query = app_segment_text(choice->env->scope, &(app_segment){ matches[0].name, range });
    return app_check(!out->query, error);
}

static marey_status search(example_choice *choice, const app_param *rows, app_scope *scope,
                           marey_error *error)
{
    const app_family_recipe *recipe = choice->recipe;
    app_examples *out = choice->out;
    app_env env = *choice->env;
    const char *metric;
    app_found found;
    char number[24];
    env.scope = scope;
    if (recipe->search) {
        marey_status status =
            env.finder ? env.finder->recall(env.finder->user, scope, recipe->search, &found, error)
                       : app_fail(error, MAREY_ERR_REQUEST, NULL, "no search is remembered here");
        return status == MAREY_OK ? add_matches(choice, found.finding, NULL, error) : status;
    }
    /* The query's frames are found as those of any example. */
    marey_status status = add_segment(choice, &recipe->query, error);
    if (status == MAREY_OK) status = app_search_metric(&env, &recipe->searching, &metric, error);
    if (status != MAREY_OK) return status;
    marey_part part = out->items[0].part;
    snprintf(number, sizeof number, "#%lld", (long long)part.clip);
    app_query_warn(&env, part.end - part.start, entry_of(choice->listing, part.clip)->fps);
    out->count = 0;
    app_searching how = recipe->searching;
    if (how.limit == 0) how.limit = APP_MOST_EXAMPLES - 1;
    marey_query query = { .clip = number, .start = part.start, .end = part.end };
    app_library one;
    const app_libraries libraries = app_libraries_of(&env, choice->listing, &one);
    status = app_search_run(&env, &libraries, rows, &recipe->given, &how, &query, &found, error);
    return status == MAREY_OK ? add_matches(choice, found.finding, metric, error) : status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Each is aligned with its parent, frame by frame at the lowest rate of all. */
static marey_status check_size(const example_choice *choice, marey_error *error)
{
    const app_examples *out = choice->out;
    const app_env *env = choice->env;
    double rows[APP_MOST_EXAMPLES], rate = INFINITY, pairs = 0;
    int64_t frames = 0;
    for (int i = 0; i < out->count; i++)
        rate = fmin(rate, entry_of(choice->listing, out->items[i].part.clip)->fps);
    for (int i = 0; i < out->count; i++) {
        const marey_part *part = &out->items[i].part;
        frames += part->end - part->start;
        rows[i] = (part->end - part->start) * rate / entry_of(choice->listing, part->clip)->fps;
    }
    for (int i = 0; i < out->count; i++)
        if (out->parents[i] >= 0) pairs += rows[i] * rows[out->parents[i]];
    if (env->most_frames && frames > env->most_frames) {
        return app_fail(error, MAREY_ERR_LIMIT, NULL,
                        "the examples have %lld frames, and %lld is the most here: use the command "
                        "line",
                        (long long)frames, (long long)env->most_frames);
    }
    return app_pairs_check(env, pairs, error);
}

marey_status app_examples_choose(const app_env *env, const app_param *rows,
                                 const app_family_recipe *recipe, const app_add_result *added,
                                 const marey_listing *listing, app_examples *out,
                                 marey_error *error)
{
    int keeps = recipe->keep.count;
    example_choice choice = { env, recipe, added, listing, out, NULL, NULL };
    choice.keep = APP_NEW(env->scope, marey_part, keeps);
    choice.met = APP_NEW(env->scope, bool, keeps);
    marey_status status = app_check(!choice.keep || !choice.met, error);
    for (int i = 0; i < keeps && status == MAREY_OK; i++)
        status = find_part(&choice, &recipe->keep.values[i], &choice.keep[i], error);
    if (status == MAREY_OK) status = app_onto_find(env, listing, recipe->onto, &out->onto, error);
    if (status != MAREY_OK) return status;
    if (recipe->search || recipe->query.clip) {
        /* No other request can search before this closes. */
        app_scope scope = app_scope_open(env->scope->memory);
        status = search(&choice, rows, &scope, error);
        app_scope_close(&scope);
    } else if (recipe->clips.count > 0) {
        for (int i = 0; i < recipe->clips.count && status == MAREY_OK; i++)
            status = add_listed(&choice, &recipe->clips.values[i], error);
    } else {
        const char *label = recipe->searching.label;
        int count;
        const marey_entry *entries = marey_listing_entries(listing, &count);
        for (int i = 0; i < count && status == MAREY_OK; i++) {
            marey_part one;
            for (int at = 0;
                 status == MAREY_OK && app_next_labelled(&entries[i], label, &at, &one);)
                status = add_part(&choice, one, error);
        }
        if (status == MAREY_OK && out->count == 0)
            return app_fail(error, MAREY_ERR_REQUEST, marey_library_path(env->library),
                            "no clip has the label %.200s", label);
    }
    if (status == MAREY_OK && out->count < 2) {
        return app_fail(error, MAREY_ERR_REQUEST, marey_library_path(env->library),
                        "examples must be 2 to %d, got %d; parts of one clip will do, as in "
                        "walk#0-90,walk#120-215",
                        (int)APP_MOST_EXAMPLES, out->count);
    }
    for (int i = 0; i < keeps && status == MAREY_OK; i++) {
        if (choice.met[i]) continue;
        return app_fail(error, MAREY_ERR_REQUEST, recipe->keep.values[i].clip,
                        "keep: no example is at frames %d-%d", choice.keep[i].start,
                        choice.keep[i].end);
    }
    return status == MAREY_OK ? check_size(&choice, error) : status;
}

/* ---- labels as parameters -------------------------------------------------------------------- */

/* The number behind "NAME=". strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
static bool label_number(const char *label, const char *name, double *value)
{
    size_t length = strlen(name);
    const char *number = label + length + 1;
    char *end = NULL;
    if (strncmp(label, name, length) != 0 || label[length] != '=') return false;
    *value = strtod(number, &end);
    return *number && !*end && strspn(number, "+-.0123456789eE") == strlen(number) &&
           fabs(*value) <= 1e12;
}

/* Of stretches that most of the example is in, or else of its clip. */
static bool find_number(const marey_entry *entry, const marey_part *part, const char *name,
                        double *value)
{
    for (int i = 0; i < entry->stretch_count; i++) {
        const marey_stretch *one = &entry->stretches[i];
        int start = one->start > part->start ? one->start : part->start;
        int end = one->end < part->end ? one->end : part->end;
        if (2 * (end - start) > part->end - part->start && label_number(one->label, name, value))
            return true;
    }
    for (int i = 0; i < entry->label_count; i++)
        if (label_number(entry->labels[i], name, value)) return true;
    return false;
}

marey_status app_examples_labels(const app_env *env, const marey_listing *listing,
                                 const app_examples *examples, const marey_param *params,
                                 int param_count, const double **out, marey_error *error)
{
    double *values = APP_NEW(env->scope, double, examples->count *param_count);
    int count = 0;
    if (!values) return app_fail_memory(error);
    for (int i = 0; i < examples->count; i++) {
        const marey_entry *entry = entry_of(listing, examples->items[i].part.clip);
        for (int k = 0; k < param_count; k++) {
            const char *label = params[k].label;
            if (!*label || find_number(entry, &examples->items[i].part, label, &values[count++]))
                continue;
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%.120s has no label that says what %.60s is; marey label --add "
                            "%.60s=0.7 gives it one",
                            entry->name, label, label);
        }
    }
    *out = values;
    return MAREY_OK;
}
