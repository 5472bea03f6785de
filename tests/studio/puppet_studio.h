/* puppet_studio.h - what tests of puppets in the studio share: a studio on a small library, puppets
   that are trained over HTTP, and the same puppets opened by the library, which is the judge. */
#ifndef MAREY_TEST_PUPPET_STUDIO_H
#define MAREY_TEST_PUPPET_STUDIO_H

#include "live_wire.h"

#include <inttypes.h>
#include <math.h>

static inline json_t *list_puppets(const studio_bench *b)
{
    return studio_post(b, 200, "/api/do/puppet-ls", "{}");
}

static inline const json_t *puppet_named(const json_t *list, const char *name)
{
    for (size_t i = 0; i < size_of(list, "puppets"); i++) {
        const json_t *one = item(list, "puppets", i);
        if (strcmp(word(one, "name"), name) == 0) return one;
    }
    return NULL;
}

/* Trains a puppet on demonstrations; `more` is what the body has beside them. */
__attribute__((format(printf, 4, 5))) static inline json_t *
train_puppet(const studio_bench *b, const char *name, const char *more, const char *format, ...)
{
    FREED char *text = NULL;
    va_list values;
    va_start(values, format);
    assert_true(vasprintf(&text, format, values) > 0);
    va_end(values);
    return studio_done(b, "/api/do/puppet-train", "{'name': '%s'%s, 'demonstrations': [%s]}", name,
                       more, text);
}

static inline void train_ready(const studio_bench *b, const char *name, const char *ready)
{
    train_puppet(b, name, "", "{'ready': '%s'}", ready);
}

/* Bodies that are refused at once with the status 400, or by their jobs. */
typedef struct puppet_refusal {
    const char *text, *says, *status; /* NULL: no job is made of it */
} puppet_refusal;

static inline void refused_rows(const studio_bench *b, const char *target,
                                const puppet_refusal *rows, size_t count)
{
    for (; count > 0; count--, rows++) {
        if (rows->status)
            job_refused(b, target, rows->text, rows->status, rows->says);
        else
            post_refused(b, target, rows->text, 400, rows->says);
    }
}

/* ---- the judge ------------------------------------------------------------------------------- */

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
    test_ctx_close(of->ctx);
}
OWNED_VALUE(puppet_judge, judge_close)

static inline int open_puppet_bench(void **state)
{
    static studio_bench bench;
    studio_bench_open(&bench, NULL);
    train_ready(&bench, "shy", "shy");
    *state = &bench;
    return 0;
}

#endif
