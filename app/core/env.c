/* env.c - scopes and failures of operations. */
#include "env.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A block is memory, or stands for an object; both hang in one list, so that they end in one
   order. */
typedef struct app_block {
    struct app_block *before;
    size_t size; /* of the whole block */
    void *object;
    void (*release)(void *object); /* NULL: memory */
    _Alignas(max_align_t) unsigned char bytes[];
} app_block;

static app_block *add_block(app_scope *scope, size_t bytes)
{
    if (bytes > SIZE_MAX - sizeof(app_block)) return NULL;
    size_t size = sizeof(app_block) + bytes;
    app_block *block = scope->memory->resize(scope->memory->resize_user, NULL, 0, size);
    if (!block) return NULL;
    memset(block, 0, size);
    block->before = scope->blocks;
    block->size = size;
    scope->blocks = block;
    return block;
}

void app_scope_close(app_scope *scope)
{
    app_scope_rewind(scope, NULL);
}

void app_scope_rewind(app_scope *scope, app_block *mark)
{
    while (scope->blocks != mark) {
        app_block *block = scope->blocks;
        scope->blocks = block->before;
        if (block->release) block->release(block->object);
        scope->memory->resize(scope->memory->resize_user, block, block->size, 0);
    }
}

void *app_alloc(app_scope *scope, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    app_block *block = add_block(scope, count * size);
    return block ? block->bytes : NULL;
}

void *app_grow(app_scope *scope, const void *items, int count, size_t size)
{
    if (count & (count - 1)) return (void *)(uintptr_t)items;
    void *fresh = app_alloc(scope, count ? 2 * (size_t)count : 1, size);
    if (fresh && count) memcpy(fresh, items, (size_t)count * size);
    return fresh;
}

const char *app_copy(app_scope *scope, const char *text)
{
    char *copy = APP_NEW(scope, char, strlen(text) + 1);
    if (copy) memcpy(copy, text, strlen(text) + 1);
    return copy;
}

marey_status app_own(app_scope *scope, void *object, void (*release)(void *object),
                     marey_error *error)
{
    if (!object) return MAREY_OK;
    app_block *block = add_block(scope, 0);
    if (!block) {
        release(object);
        return app_fail_memory(error);
    }
    block->object = object;
    block->release = release;
    return MAREY_OK;
}

#define APP_DEFINE_OWNED(name)                                                                     \
    static void release_##name(void *object)                                                       \
    {                                                                                              \
        marey_##name##_free(object);                                                               \
    }                                                                                              \
    marey_status app_own_##name(const app_env *env, marey_##name *object, marey_error *error)      \
    {                                                                                              \
        return app_own(env->scope, object, release_##name, error);                                 \
    }
APP_OWNED(APP_DEFINE_OWNED)

const app_lent *app_lent_find(const app_env *env, const char *name)
{
    for (int i = 0; i < env->lent_count; i++)
        if (strcmp(env->lent[i].name, name) == 0) return &env->lent[i];
    return NULL;
}

void app_warn(const app_env *env, const char *format, ...)
{
    char message[1024];
    va_list args;
    if (!env->warn) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    env->warn(env->warn_user, message);
}

void app_progress(const app_env *env, const char *text, int64_t done, int64_t total,
                  double seconds_left)
{
    if (env->progress) env->progress(env->progress_user, text, done, total, seconds_left);
}

marey_status app_fail(marey_error *error, marey_status status, const char *path, const char *format,
                      ...)
{
    if (!error) return status;
    va_list args;
    *error = (marey_error){ .status = status };
    if (path) snprintf(error->path, sizeof error->path, "%.1000s", path);
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

marey_status app_fail_memory(marey_error *error)
{
    return app_fail(error, MAREY_ERR_MEMORY, NULL, "out of memory");
}

marey_status app_check(bool failed, marey_error *error)
{
    return failed ? app_fail_memory(error) : MAREY_OK;
}

void app_time_out(const marey_ctx *ctx, marey_error *error)
{
    if (error->status != MAREY_ERR_CANCELLED || !ctx || !marey_ctx_timed_out(ctx)) return;
    app_fail(error, MAREY_ERR_LIMIT, NULL, "not done within %g s, the most that it may take",
             marey_ctx_seconds(ctx));
}

double app_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

marey_status app_pairs_check(const app_env *env, double pairs, marey_error *error)
{
    if (!env->most_pairs || pairs <= (double)env->most_pairs) return MAREY_OK;
    return app_fail(error, MAREY_ERR_LIMIT, NULL,
                    "%.0f million pairs of frames would be compared, and %lld is the most here: "
                    "cut the clips, or use the command line",
                    pairs / (1 << 20), (long long)(env->most_pairs >> 20));
}

marey_status app_reserve(const app_env *env, size_t bytes, marey_error *error)
{
    return app_check(env->reserve && !env->reserve(env->reserve_user, bytes), error);
}
