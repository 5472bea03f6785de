/* puppet_run_body.c - see puppet_run_body.h. The behaviour reacts to the path, and a body of a motion graph goes where it went. */
#include "puppet_run_body.h"

#include "graph_kept.h"
#include "job_start.h"
#include "json_inside.h"
#include "made_answer.h"
#include "puppet_told.h"
#include "walk_sources.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOB_TIMES = 16 }; /* as much work as a request may be */

typedef struct body_job {
    puppet_asked asked;
    heap *memory;
    marey_puppet *puppet;
    puppet_sourced sources; /* of the puppet */
    marey_policy *policy;
    app_saved_graph *graph;
    marey_entity *path;
    size_t path_bytes;
    int places;
} body_job;

static double path_seconds(const puppet_asked *of)
{
    int count = 0;
    const marey_puppet_sample *samples = puppet_asked_samples(of, &count);
    return samples[count - 1].time_s - samples[0].time_s;
}

marey_status puppet_check_work(const puppet_asked *of, const marey_puppet *puppet, int times,
                               marey_error *error)
{
    double steps = path_seconds(of) * marey_puppet_settings(puppet)->rate;
    if (steps * (double)puppet_all_samples(puppet) <= (double)times * LIMIT_RUN_WORK)
        return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_LIMIT };
    snprintf(error->message, sizeof error->message,
             "%.0f s of a puppet with %d samples is too much at once; send a shorter path, or use "
             "marey puppet run",
             path_seconds(of), marey_puppet_samples(puppet));
    return MAREY_ERR_LIMIT;
}

/* ---- the path ------------------------------------------------------------------------------------- */

/* Where it was, at the rate that bodies are steered at. */
static void resample(const marey_puppet_sample *from, int count, double rate, marey_entity *out,
                     int places)
{
    for (int step = 0, i = 0; step < places; step++) {
        double time = from[0].time_s + step / rate;
        while (i < count - 2 && from[i + 1].time_s <= time) i++;
        double share = (time - from[i].time_s) / (from[i + 1].time_s - from[i].time_s);
        out[step] = puppet_between(&from[i].react, &from[i + 1].react, share);
    }
}

static marey_status find_path(studio_worker *worker, body_job *of, marey_error *error)
{
    int count = 0;
    marey_puppet_sample *samples = puppet_asked_samples(&of->asked, &count);
    double rate = marey_graph_fps(of->graph->graph);
    int steps = (int)floor(path_seconds(&of->asked) * rate + 1e-6) + 1;
    of->places = steps < 2 ? 2 : steps;
    of->path_bytes = (size_t)of->places * sizeof *of->path;
    of->path = heap_resize(of->memory, NULL, 0, of->path_bytes);
    if (!of->path) return json_fail_memory(error);
    marey_status status =
        marey_puppet_play(worker->ctx, of->puppet, samples, count, &of->asked.def, NULL, error);
    if (status == MAREY_OK) resample(samples, count, rate, of->path, of->places);
    return status;
}

/* ---- where it comes from -------------------------------------------------------------------------- */

static void note(const body_job *of, const walk_sources *pieces, made_of *from)
{
    const marey_reactor_def *def = &of->asked.def;
    char number[NUMBER_ROOM];
    from->graph = of->graph->name;
    from->puppet = of->asked.puppet;
    walk_sources_note(pieces, of->graph->parts, from);
    size_t at = 0;
    for (const char *clip, *licence; (clip = puppet_sourced_next(&of->sources, &at, &licence));)
        made_of_taught(from, clip, licence);
    if (def->balance != 0.5) {
        number_text(def->balance, number);
        made_of_text(from, "balance", number);
    }
    if (def->weight > 0) {
        number_text(def->weight, number);
        made_of_text(from, "weight", number);
    }
    if (def->rough) made_of_true(from, "rough");
}

static marey_status keep(const body_job *of, const marey_walk *walked, made_answer *out,
                         const marey_body_made *about, studio_bytes *result, marey_error *error)
{
    walk_sources pieces = { 0 };
    marey_status status = walk_sources_find(of->memory, of->graph->graph, walked, &pieces, error);
    if (status != MAREY_OK) return status;
    json_t *value = json_object();
    describe_put(&value, "frames", json_integer(marey_clip_frames(out->made.clip)));
    describe_put(&value, "fps", describe_number(marey_clip_fps(out->made.clip)));
    describe_put(&value, "away_cm", describe_number(about->away_cm));
    describe_put(&value, "away_most_cm", describe_number(about->away_most_cm));
    note(of, &pieces, &out->from);
    walk_sources_free(of->memory, &pieces);
    status = made_answer_keep(out, value, of->asked.name, result, error);
    json_decref(value);
    return status;
}

/* ---- the job -------------------------------------------------------------------------------------- */

/* The library speaks of policies; whoever asked spoke of a graph. */
static void say_what_makes_one(studio_worker *worker, const char *graph, marey_error *error)
{
    snprintf(error->message, sizeof error->message,
             "the graph %.100s has no policy yet: marey graph train %.200s %.100s makes it", graph,
             marey_library_path(worker->library), graph);
}

static marey_status open_policy(studio_worker *worker, body_job *of, marey_error *error)
{
    marey_status status = marey_library_policy(worker->library, of->asked.graph, of->graph->graph,
                                               &of->policy, error);
    if (status == MAREY_ERR_NOT_FOUND) say_what_makes_one(worker, of->asked.graph, error);
    return status;
}

static marey_status open_all(studio_worker *worker, body_job *of, marey_error *error)
{
    marey_status status = puppet_open_kept(worker, of->asked.puppet, &of->puppet, NULL, error);
    if (status == MAREY_OK)
        status = puppet_sourced_kept(&of->sources, worker, of->asked.puppet, error);
    if (status == MAREY_OK) status = puppet_check_work(&of->asked, of->puppet, JOB_TIMES, error);
    if (status == MAREY_OK) status = graph_open(worker, of->asked.graph, &of->graph, error);
    if (status == MAREY_OK) status = open_policy(worker, of, error);
    return status;
}

static void close_all(studio_worker *worker, body_job *of)
{
    marey_policy_free(of->policy);
    marey_puppet_free(of->puppet);
    puppet_sourced_free(&of->sources);
    if (of->path) heap_resize(of->memory, of->path, of->path_bytes, 0);
    of->policy = NULL;
    of->puppet = NULL;
    of->path = NULL;
    graph_let_go(worker);
}

static marey_status run_job(studio_worker *worker, void *user, studio_bytes *result,
                            marey_error *error)
{
    body_job *of = user;
    made_answer out = made_answer_begin(worker, "puppet run");
    marey_body_made about;
    marey_walk walked = { 0 };
    marey_body_def def = { .walked = &walked };
    marey_status status = open_all(worker, of, error);
    if (status == MAREY_OK) status = find_path(worker, of, error);
    if (status == MAREY_OK)
        status = marey_body_make(worker->ctx, of->graph->graph, of->policy, of->path, of->places,
                                 marey_graph_fps(of->graph->graph), &def, NULL, &out.made, &about,
                                 error);
    if (status == MAREY_OK) status = keep(of, &walked, &out, &about, result, error);
    marey_walk_free(&walked);
    made_answer_free(&out);
    close_all(worker, of);
    worker_forget_saved(worker); /* the jobs' own worker is seldom asked again */
    return status;
}

static void drop_job(void *user)
{
    body_job *of = user;
    puppet_asked_free(&of->asked);
    heap_resize(of->memory, of, sizeof *of, 0);
}

/* What cannot be is refused before a job is made of it. */
static bool check(studio_worker *worker, body_job *of, studio_response *response)
{
    marey_error error;
    if (!worker->of->can_write) {
        answer_refuse(response, 409, "request",
                      "the library can only be read, so no clip can be kept");
        return false;
    }
    if (path_seconds(&of->asked) > LIMIT_BODY_SECONDS) {
        answer_refuse(response, 413, "limit", "a body goes along a path for at most %d s",
                      LIMIT_BODY_SECONDS);
        return false;
    }
    bool fits = open_all(worker, of, &error) == MAREY_OK;
    if (!fits && of->graph && !of->policy && marey_status_group(error.status) == MAREY_ERR_INPUT)
        answer_refuse(response, 409, "input", "%s", error.message);
    else if (!fits)
        answer_fail(response, &error);
    close_all(worker, of);
    of->graph = NULL;
    return fits;
}

void puppet_run_body_start(studio_worker *worker, puppet_asked *body, studio_response *response)
{
    heap *memory = &worker->of->memory;
    body_job *of = heap_resize(memory, NULL, 0, sizeof *of);
    if (!of) {
        puppet_asked_free(body);
        api_fail_memory(response);
        return;
    }
    *of = (body_job){ .asked = *body, .memory = memory, .sources = puppet_sourced_begin(memory) };
    if (check(worker, of, response))
        job_start(worker, &(job_def){ "puppet-body", run_job, drop_job, of }, response);
    else
        drop_job(of);
}
