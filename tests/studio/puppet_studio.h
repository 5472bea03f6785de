/* puppet_studio.h - what tests of puppets in the studio share: a studio on a small library, puppets that are trained over HTTP, and the
   same puppets opened by the library, which is the judge. */
#ifndef MAREY_TEST_PUPPET_STUDIO_H
#define MAREY_TEST_PUPPET_STUDIO_H

#include "live_wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline const json_t *item(const json_t *of, const char *key, size_t i)
{
    return json_array_get(json_object_get(of, key), i);
}

static inline json_t *post(const studio_bench *b, const char *target, const char *text, int status)
{
    char *body = quoted(text);
    json_t *got = studio_json(b, target, body, status);
    free(body);
    return got;
}

/* Refused, by words that have `says` in them. */
static inline void post_refused(const studio_bench *b, const char *target, const char *text,
                                int status, const char *says)
{
    char *body = text ? quoted(text) : NULL;
    json_t *got = studio_json(b, target, body, status);
    const char *message = word(json_object_get(got, "error"), "message");
    if (!strstr(message, says)) fail_msg("%s: \"%s\" does not say %s", target, message, says);
    json_decref(got);
    free(body);
}

/* What became of the job that a body starts. json_decref it. */
static inline json_t *post_job(const studio_bench *b, const char *target, const char *text)
{
    json_t *started = post(b, target, text, 202);
    json_t *over = studio_job_wait(b, (int64_t)number(started, "job"));
    json_decref(started);
    return over;
}

/* The result of such a job, which must be done. */
static inline json_t *post_done(const studio_bench *b, const char *target, const char *text)
{
    json_t *over = post_job(b, target, text);
    if (strcmp(word(over, "state"), "done") != 0)
        fail_msg("%s: %s: %s", text, word(over, "state"),
                 word(json_object_get(over, "error"), "message"));
    json_t *result = json_incref(json_object_get(over, "result"));
    json_decref(over);
    return result;
}

/* It ends as one that failed, with this status and such words. */
static inline void job_refused(const studio_bench *b, const char *target, const char *text,
                               const char *status, const char *says)
{
    json_t *over = post_job(b, target, text);
    const json_t *error = json_object_get(over, "error");
    if (strcmp(word(over, "state"), "failed") != 0 || strcmp(word(error, "status"), status) != 0 ||
        !strstr(word(error, "message"), says))
        fail_msg("%s: %s, %s: \"%s\" does not say %s", text, word(over, "state"),
                 word(error, "status"), word(error, "message"), says);
    json_decref(over);
}

static inline json_t *list_puppets(const studio_bench *b)
{
    return post(b, "/api/do/puppet-ls", "{}", 200);
}

/* points 0: without rows. */
static inline json_t *show_puppet_of(const studio_bench *b, const char *name, int points)
{
    char text[160];
    snprintf(text, sizeof text, points ? "{'name': '%s', 'points': %d}" : "{'name': '%s'}", name,
             points);
    return post(b, "/api/do/puppet-show", text, 200);
}

static inline void train_ready(const studio_bench *b, const char *name, const char *ready)
{
    char text[256];
    snprintf(text, sizeof text, "{'name': '%s', 'demonstrations': [{'ready': '%s'}]}", name, ready);
    json_decref(post_done(b, "/api/do/puppet-train", text));
}

/* ---- the judge ---------------------------------------------------------------------------------- */

typedef struct puppet_judge {
    marey_ctx *ctx;
    marey_library *library;
    marey_puppet *puppet;
} puppet_judge;

static inline puppet_judge judge_open(const studio_bench *b, const char *name)
{
    puppet_judge of = { .ctx = test_ctx() };
    marey_error error = { 0 };
    marey_status status =
        marey_library_open(of.ctx, b->path, MAREY_LIBRARY_READ, &of.library, &error);
    if (!status) status = marey_library_puppet(of.library, name, &of.puppet, &error);
    if (status) fail_msg("%s", error.message);
    return of;
}

static inline void judge_close(puppet_judge *of)
{
    marey_puppet_free(of->puppet);
    marey_library_close(of->library);
    marey_ctx_close(of->ctx);
}

static inline int open_puppet_bench(void **state)
{
    static studio_bench bench;
    studio_bench_open(&bench, NULL);
    train_ready(&bench, "shy", "shy");
    *state = &bench;
    return 0;
}

static inline int close_puppet_bench(void **state)
{
    studio_bench_close(*state);
    return 0;
}

#endif
