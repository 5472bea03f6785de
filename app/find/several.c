/* several.c - the libraries that are searched as one, and which of them a name means. */
#include "several.h"

#include "address.h"
#include "clip_reading.h"

#include <string.h>
#include <sys/stat.h>

static void release_library(void *library)
{
    marey_library_close(library);
}

/* By whatever names the two were given. */
static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static marey_status open_one(const app_env *env, const char *name, marey_library **out,
                             marey_error *error)
{
    if (env->other) return env->other(env->other_user, env->scope, name, out, error);
    if (!env->reads_files)
        return app_fail(error, MAREY_ERR_REQUEST, name,
                        "there is no library beside the one that is open");
    marey_status status =
        marey_library_open_beside(env->library, name, MAREY_LIBRARY_READ, out, error);
    return status == MAREY_OK ? app_own(env->scope, *out, release_library, error) : status;
}

marey_status app_libraries_open(const app_env *env, const app_texts *also, app_libraries *out,
                                marey_error *error)
{
    app_library *all = APP_NEW(env->scope, app_library, also->count + 1);
    *out = (app_libraries){ .all = all };
    if (!all) return app_fail_memory(error);
    if (!env->library)
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "no library is open to be searched");
    const char *own = env->library_name ? env->library_name : marey_library_path(env->library);
    *all = (app_library){ env->library, own, NULL };
    marey_status status = app_listing(env, &all->listing, error);
    for (out->count = 1; out->count <= also->count && status == MAREY_OK; out->count++) {
        app_library *one = &all[out->count];
        app_env inside = *env;
        one->name = also->values[out->count - 1];
        status = open_one(env, one->name, &one->library, error);
        for (int i = 0; i < out->count && status == MAREY_OK; i++) {
            if (!same_file(marey_library_path(all[i].library), marey_library_path(one->library)))
                continue;
            status = app_fail(error, MAREY_ERR_REQUEST, one->name, "the library is given twice");
        }
        inside.library = one->library;
        if (status == MAREY_OK) status = app_listing(&inside, &one->listing, error);
    }
    return status;
}

app_libraries app_libraries_of(const app_env *env, const marey_listing *listing, app_library *one)
{
    const char *name = env->library ? marey_library_path(env->library) : "";
    *one = (app_library){ env->library, name, listing };
    return (app_libraries){ one, 1 };
}

/* "moves", "moves.marey" and "lab/moves.marey" are all lab/moves.marey. */
static bool is_called(const char *name, const char *said, size_t length)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    size_t whole = strlen(base);
    size_t stem = path_ends_in(base, ".marey") ? whole - strlen(".marey") : whole;
    return (strlen(name) == length && memcmp(name, said, length) == 0) ||
           ((length == whole || length == stem) && memcmp(base, said, length) == 0);
}

int app_libraries_find(const app_libraries *of, const char *name, const char **clip)
{
    *clip = name;
    for (int i = 0; i < of->count; i++)
        if (app_listing_find(of->all[i].listing, name)) return i;
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        for (int i = 0; i < of->count; i++) {
            if (colon[1] == 0 || !is_called(of->all[i].name, name, (size_t)(colon - name)))
                continue;
            *clip = colon + 1;
            return i;
        }
    }
    return 0;
}

void app_libraries_show(const app_libraries *of, int library, const char *clip, buffer *out)
{
    if (of->count > 1) buffer_shown(out, of->all[library].name);
    if (of->count > 1) buffer_byte(out, ':');
    buffer_shown(out, clip);
}
