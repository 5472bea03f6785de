/* param_query.c - examples that a search finds: the query and its matches, each aligned with the one before it on the
   cheapest way from the query through the match graph (webs, 6.3.1). */
#include "find_motion.h"
#include "param_examples.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- asking ---------------------------------------------------------------------------------------- */

/* Zero means the default there; here it means zero. */
static int read_search(session *run, const request *asked, marey_find_def *def)
{
    marey_search_def *search = &def->search;
    int64_t tiers = 0, limit = MOST_EXAMPLES - 1;
    int status = options_threshold(run, asked, &search->threshold);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_SAME, 1e-6, 1, &search->same);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_DISTINCT, 0, 1, &search->distinct);
    if (status == PROGRAM_DONE)
        status = options_number(run, asked, OPTION_LOOSE, 0, 0.5, &search->loose);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_TIERS, 1, INT32_MAX, &tiers);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_LIMIT, 1, MOST_EXAMPLES - 1, &limit);
    if (request_has(asked, OPTION_DISTINCT) && search->distinct == 0) search->distinct = DBL_MIN;
    if (request_has(asked, OPTION_LOOSE) && search->loose == 0) search->loose = -1;
    search->tiers = (int)tiers;
    search->limit = (int)limit;
    def->label = asked->values[OPTION_LABEL];
    return status;
}

int examples_check_query(session *run, const request *asked)
{
    return read_search(run, asked, &(marey_find_def){ 0 });
}

/* Which clips --in names. */
static marey_status read_clips(examples *out, const request *asked, int64_t *clips,
                               marey_find_def *def, marey_error *error)
{
    const char *name;
    int at = 0;
    while ((name = request_next(asked, OPTION_IN, &at))) {
        marey_status status = examples_clip(out, name, &clips[def->clip_count], error);
        if (status != MAREY_OK) return status;
        def->clip_count++;
    }
    def->clips = clips;
    return MAREY_OK;
}

static void say_warning(void *user, const char *message)
{
    session *run = user;
    if (!run->quiet) session_say(run, "%s", message);
}

/* ---- searching ------------------------------------------------------------------------------------- */

static const marey_entry *entry_of(const examples *out, int64_t id)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)id);
    return listing_find(out->listing, number);
}

static double seconds_of(const marey_match *match, const marey_entry *entry)
{
    return (match->end - match->start) / entry->fps;
}

/* Clips with other joints cannot be mixed with the query, nor can what is much longer or shorter be aligned with it. */
static bool fits(const marey_match *query, const marey_entry *of_query, const marey_match *match,
                 const marey_entry *of_match)
{
    const double most = 2;
    double ratio = seconds_of(match, of_match) / seconds_of(query, of_query);
    return strcmp(of_match->skeleton, of_query->skeleton) == 0 && ratio <= most &&
           ratio >= 1 / most;
}

/* `numbers`: of the matches that are examples, in their order. */
static void choose(examples *out, const marey_match *matches, int count, int *numbers)
{
    const marey_entry *query = entry_of(out, matches[0].clip);
    int others = 0;
    out->count = 0;
    for (int i = 0; i < count && out->count < MOST_EXAMPLES; i++) {
        const marey_entry *entry = entry_of(out, matches[i].clip);
        if (!entry || !fits(&matches[0], query, &matches[i], entry)) {
            others++;
            continue;
        }
        out->parts[out->count] = (marey_part){ matches[i].clip, matches[i].start, matches[i].end };
        numbers[out->count++] = i;
    }
    if (others && !out->run->quiet) {
        session_say(out->run,
                    "%d match%s left out: other joints than the query has, or more than twice as "
                    "long or short",
                    others, others == 1 ? " was" : "es were");
    }
}

/* How far was looked, in the index's unit, and what to try; above its ceiling the index has nothing. `matched`: those that
   cannot be examples. */
static marey_status fail_nothing(const examples *out, const marey_finding *finding, int matched,
                                 marey_error *error)
{
    marey_finding_report report = marey_finding_report_of(finding);
    marey_index_state state;
    char far[96], advice[96] = "";
    marey_status status = marey_library_index_state(out->library, &state, error);
    if (status != MAREY_OK) return status;
    const char *unit = marey_metric_named(state.metric)->unit;
    double more = fmin(2 * report.threshold, report.ceiling);
    snprintf(far, sizeof far, "%.6g%s%s", report.threshold, *unit ? " " : "", unit);
    if (strcmp(unit, "cm2") == 0)
        snprintf(far, sizeof far, "%.6g cm2 (%.3g cm)", report.threshold, sqrt(report.threshold));
    if (more > report.threshold)
        snprintf(advice, sizeof advice, "; --threshold %.4g may find more", more);
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    snprintf(error->message, sizeof error->message, "nothing %sis like the query within %s%s",
             matched > 0 ? "that fits " : "", far, advice);
    return MAREY_ERR_REQUEST;
}

static marey_status take(examples *out, const marey_finding *finding, marey_error *error)
{
    int count, numbers[MOST_EXAMPLES];
    const marey_match *matches = marey_finding_matches(finding, &count);
    choose(out, matches, count, numbers);
    if (out->count < 2) return fail_nothing(out, finding, count - 1, error);
    marey_status status = marey_finding_parents(finding, numbers, out->count, out->parents, error);
    if (status != MAREY_OK) return status;
    if (marey_finding_report_of(finding).limited && !out->run->quiet)
        session_say(out->run, "there were more matches; the nearest %d are the examples",
                    out->count);
    return MAREY_OK;
}

marey_status examples_found(examples *out, const request *asked, marey_error *error)
{
    marey_find_def def = { .label = NULL };
    marey_searcher *searcher = NULL;
    marey_finding *finding = NULL;
    int64_t clips[MOST_REPEATED];
    char number[24];
    if (read_search(out->run, asked, &def) != PROGRAM_DONE) return MAREY_ERR_REQUEST;
    /* The query's frames are found as those of any example. */
    marey_status status = examples_add(out, asked->values[OPTION_QUERY], -1, error);
    if (status == MAREY_OK) status = read_clips(out, asked, clips, &def, error);
    if (status != MAREY_OK) return status;
    snprintf(number, sizeof number, "#%lld", (long long)out->parts[0].clip);
    app_query_warn(&(app_env){ .warn = say_warning, .warn_user = out->run },
                   out->parts[0].end - out->parts[0].start, entry_of(out, out->parts[0].clip)->fps);
    marey_query query = { .clip = number, .start = out->parts[0].start, .end = out->parts[0].end };
    status = marey_searcher_open(out->library, &searcher, error);
    if (status == MAREY_OK) status = marey_searcher_find(searcher, &query, &def, &finding, error);
    if (status == MAREY_OK) status = take(out, finding, error);
    marey_finding_free(finding);
    marey_searcher_free(searcher);
    return status;
}
