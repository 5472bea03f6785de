/* api_index.c - the index that searches go by: what there is of it, and making it, which is a job. What `marey index`
   does. */
#include "job_start.h"
#include "json_search.h"

/* ---- what there is ------------------------------------------------------------------------------ */

/* Whether made or found there, its size is told by the same names. */
static void put_size(json_t **to, const marey_index_report *size, const char *metric)
{
    describe_put(to, "fps", describe_number(size->fps));
    describe_put(to, "metric", json_string(metric));
    describe_put(to, "clips", json_integer(size->clips));
    describe_put(to, "pairs", json_integer(size->pairs));
    describe_put(to, "cells", json_integer(size->cells));
    describe_put(to, "chains", json_integer(size->chains));
    describe_put(to, "bridges", json_integer(size->bridges));
    describe_put(to, "bytes", json_integer(size->bytes));
    describe_put(to, "ceiling", describe_number(size->ceiling));
}

/* What the slider needs to know of the metric. */
static void put_metric(json_t **to, const char *name)
{
    const marey_metric *metric = marey_metric_named(name);
    double usual = metric ? metric->thresholds.find : 0;
    describe_put(to, "unit", json_string(metric ? metric->unit : ""));
    describe_put(to, "threshold", usual > 0 ? json_real(usual) : json_null());
}

/* One of another version, or a damaged one, is as good as none: making it replaces it. */
static json_t *describe_unreadable(heap *memory, const marey_error *error)
{
    json_t *value = json_object();
    describe_put(&value, "exists", json_false());
    describe_put(&value, "pairs_missing", json_integer(0));
    describe_put(&value, "why", describe_text(memory, error->message));
    return value;
}

void api_index(studio_worker *worker, studio_request *request, studio_response *response)
{
    marey_index_state state;
    marey_error error;
    (void)request;
    marey_status status = marey_library_index_state(worker->library, &state, &error);
    if (marey_status_group(status) == MAREY_ERR_INPUT) {
        answer_json(response, 200, describe_unreadable(&worker->of->memory, &error));
        return;
    }
    if (status != MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    json_t *value = json_object();
    describe_put(&value, "exists", json_boolean(state.exists));
    describe_put(&value, "pairs_missing", json_integer(state.pairs_missing));
    if (state.exists) {
        put_size(&value, &state.size, state.metric);
        put_metric(&value, state.metric);
        describe_put(&value, "about", describe_provenance(state.about));
    }
    answer_json(response, 200, value);
}

/* ---- making it ---------------------------------------------------------------------------------- */

static const char telling[] = "comparing clips";

static bool tell_progress(void *user, const marey_index_progress *progress)
{
    studio_worker *by = user;
    jobs_tell(by, telling, progress->cells_done, progress->cells, progress->seconds_left);
    return !marey_ctx_cancelled(by->ctx);
}

static marey_status write_result(studio_worker *worker, const marey_index_report *report,
                                 studio_bytes *result, marey_error *error)
{
    marey_index_state state;
    marey_status status = marey_library_index_state(worker->library, &state, error);
    if (status != MAREY_OK) return status;
    json_t *value = json_object();
    put_size(&value, report, state.metric);
    describe_put(&value, "seconds", describe_number(report->seconds));
    describe_put(&value, "pairs_built", json_integer(report->pairs_built));
    describe_put(&value, "pairs_dropped", json_integer(report->pairs_dropped));
    describe_put(&value, "pairs_missing", json_integer(state.pairs_missing));
    describe_put(&value, "rebuilt",
                 *report->rebuilt ? describe_text(&worker->of->memory, report->rebuilt)
                                  : json_null());
    if (!bytes_add_json(result, value)) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        status = MAREY_ERR_MEMORY;
    }
    json_decref(value);
    return status;
}

static marey_status run_index(studio_worker *worker, void *user, studio_bytes *result,
                              marey_error *error)
{
    const index_body *wish = job_planned(user);
    marey_metric_def metric = { .metric = wish->metric };
    marey_index_report report;
    marey_index_def def = { .fps = wish->fps,
                            .metric = wish->metric ? &metric : NULL,
                            .rebuild = wish->rebuild,
                            .progress = tell_progress,
                            .user = worker };
    jobs_tell(worker, telling, 0, 0, -1); /* before the context tells of its first pair */
    marey_status status = marey_library_index(worker->library, &def, &report, error);
    return status == MAREY_OK ? write_result(worker, &report, result, error) : status;
}

void api_index_make(studio_worker *worker, studio_request *request, studio_response *response)
{
    index_body wish;
    marey_error error;
    if (index_body_read(&wish, request->body, request->body_count, &error) == MAREY_OK) {
        job_start_copy(worker, "index", run_index, &wish, sizeof wish, response);
    } else {
        answer_fail(response, &error);
    }
}
