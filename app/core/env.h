/* env.h - where an operation runs: the context, the library, and the memory that ends with it.
   Read after buffer.h; every operation takes one. */
#ifndef MAREY_APP_ENV_H
#define MAREY_APP_ENV_H

#include "buffer.h"

/* ---- scopes: memory and objects that end together -------------------------------------------- */

/* A scope owns what an operation allocates and opens, so that an early return is the whole
   clean-up. */
typedef struct app_scope {
    const marey_ctx_def *memory; /* whose resize hook is used */
    struct app_block *blocks;    /* the latest first */
} app_scope;

/* Never fails; app_scope_close must follow. `memory` is borrowed until then. */
static inline app_scope app_scope_open(const marey_ctx_def *memory)
{
    return (app_scope){ .memory = memory };
}

/* Frees everything, the latest first. The scope is empty then and can be used again. */
void app_scope_close(app_scope *scope);

/* Frees what came after `mark`, which was scope->blocks at some time. */
void app_scope_rewind(app_scope *scope, struct app_block *mark);

/* Zeroed memory for `count` things of `size` bytes, until the scope closes; NULL if it is
   refused. */
void *app_alloc(app_scope *scope, size_t count, size_t size);
#define APP_NEW(scope, type, count) ((type *)app_alloc(scope, (size_t)(count), sizeof(type)))

/* Room for one more behind `count` items of a list that only grows: the list itself, or from
   power of two to power of two a copy of it, the one before staying in the scope. NULL if memory
   is refused. */
void *app_grow(app_scope *scope, const void *items, int count, size_t size);

/* A copy of a text; NULL if memory is refused. */
const char *app_copy(app_scope *scope, const char *text);

/* Has the scope free an object when it closes. MEMORY: it was freed at once. NULL is allowed. */
marey_status app_own(app_scope *scope, void *object, void (*release)(void *object),
                     marey_error *error);

/* ---- environments ---------------------------------------------------------------------------- */

struct app_made;

/* A clip that the caller has in memory, with what a library would keep about it. */
typedef struct app_lent {
    const char *name;
    marey_clip *clip; /* not changed */
    /* Its plants; contact_count negative: they are found. */
    const marey_contact *contacts;
    int contact_count;
    const char *licence; /* "" if none is known */
    /* Where it came from, if it is (a part of) a clip of a library: its file and name, and the frame
       that is the first one here. NULL: it is none. */
    const char *library, *from;
    int first;
} app_lent;

/* What a program lends that has functions of its own: metrics by their names, none twice. */
typedef struct app_own_metrics {
    const marey_own_metric *metrics;
    int metric_count;
} app_own_metrics;

typedef struct app_env {
    /* ---- what it works with ---- */
    marey_ctx *ctx;
    /* NULL for an operation that needs none, or works on files. */
    marey_library *library;
    /* The library's file, which need not be open; NULL: there is none. */
    const char *library_path;
    app_scope *scope;
    /* Names may be those of files; the studio's are its library's. */
    bool reads_files;
    /* Clips by names that go before those of a library and of files. */
    const app_lent *lent;
    int lent_count;
    /* Borrowed as long as results are used; NULL: nothing is lent. */
    const app_own_metrics *own_metrics;

    /* ---- what stays open from call to call; NULL: nothing ---- */
    struct app_cache *cache;
    /* Of searches and queries by example (find_motion.h). */
    const struct app_finder *finder;
    /* Lends a library beside this one, until the scope closes, by how requests name it; NULL: names are
       those of files, if it reads files. */
    marey_status (*other)(void *user, app_scope *scope, const char *name, marey_library **out,
                          marey_error *error);
    void *other_user;
    /* How requests name this one; NULL: by its file. */
    const char *library_name;
    /* While app_saved_open opens: what the name is short for; NULL: it says it all. */
    const void *wanted;

    /* ---- work that several machines share; NULL: all is worked out here ---- */
    const marey_tiles *tiles;

    /* ---- how much it may take on; 0: any number ---- */
    /* Frames of all clips, pairs of frames that are compared, samples of puppets. */
    int64_t most_frames, most_pairs, most_samples;
    /* Steps that a search for a way may take, and centimetres that the way may be long. */
    int64_t most_steps;

    /* ---- where a generated clip goes ---- */
    /* What can be made is to be made, not only listed. */
    bool wants_clip;
    /* It is saved under a name, which the caller adds to the answer as "id" and "name". */
    bool saves_clip;
    /* The file that it goes to, whose format may change what is written; NULL: none, or not
       known. */
    const char *output;
    /* Takes clips that an operation makes one after the other, each under a file's name without
       ending; the name that the file got goes to `file`. NULL: there is no place for them. */
    marey_status (*take)(void *user, const char *stem, const struct app_made *made, char *file,
                         size_t room, marey_error *error);
    void *take_user;

    /* ---- what is reported beside the answer; NULL: dropped ---- */
    /* For people. */
    void (*warn)(void *user, const char *message);
    /* One of many went wrong, the others go on. */
    void (*failed)(void *user, const marey_error *error);
    void *warn_user; /* of both */
    /* How far it is, where the operation knows better than its context. `text` lives forever,
       seconds_left is negative if it is not known. */
    void (*progress)(void *user, const char *text, int64_t done, int64_t total,
                     double seconds_left);
    void *progress_user;
    /* Makes room for an answer of this many bytes, so that what was changed can be said; false:
       refused. NULL: not needed. */
    bool (*reserve)(void *user, size_t bytes);
    void *reserve_user;
} app_env;

/* app_own for the library's objects, by their names: app_own_clip(env, clip, error). */
#define APP_OWNED(OWNED)                                                                           \
    OWNED(clip)                                                                                    \
    OWNED(listing)                                                                                 \
    OWNED(kept)                                                                                    \
    OWNED(parts)                                                                                   \
    OWNED(graph)                                                                                   \
    OWNED(policy)                                                                                  \
    OWNED(family)                                                                                  \
    OWNED(puppet)                                                                                  \
    OWNED(clusters)                                                                                \
    OWNED(registration)                                                                            \
    OWNED(history)                                                                                 \
    OWNED(conditions)                                                                              \
    OWNED(searcher)                                                                                \
    OWNED(finding)                                                                                 \
    OWNED(motifs)                                                                                  \
    OWNED(examples)                                                                                \
    OWNED(layout)                                                                                  \
    OWNED(features)                                                                                \
    OWNED(grid)                                                                                    \
    OWNED(example_found)
#define APP_DECLARE_OWNED(name)                                                                    \
    marey_status app_own_##name(const app_env *env, marey_##name *object, marey_error *error);
APP_OWNED(APP_DECLARE_OWNED)
#undef APP_DECLARE_OWNED

/* Says something that people should know, such as a doubtful rate. Never fails. */
void app_warn(const app_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
void app_progress(const app_env *env, const char *text, int64_t done, int64_t total,
                  double seconds_left);

/* Before an operation changes the library in its run: MEMORY if there is no room for an answer
   of this many bytes. */
marey_status app_reserve(const app_env *env, size_t bytes, marey_error *error);

/* LIMIT: more pairs of frames would be compared than env->most_pairs. */
marey_status app_pairs_check(const app_env *env, double pairs, marey_error *error);

/* The clip that the caller lends under this name; NULL: it lends none. */
const app_lent *app_lent_find(const app_env *env, const char *name);

/* ---- failures -------------------------------------------------------------------------------- */

/* Fills the error and returns `status`. `path` may be NULL. */
marey_status app_fail(marey_error *error, marey_status status, const char *path, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
marey_status app_fail_memory(marey_error *error);

/* MEMORY if `failed` is set, as that of a buffer. */
marey_status app_check(bool failed, marey_error *error);

/* A call was stopped since the time of its context was over (marey_ctx_limit_time): its error becomes
   a LIMIT that says so. Any other stays as it is. `ctx` may be NULL. */
void app_time_out(const marey_ctx *ctx, marey_error *error);

/* Seconds of a clock that never goes back. */
double app_seconds(void);

#endif
