/* several.h - libraries that an operation searches as one: the environment's own and those of `also`.
   Read after operation.h and clip_reading.h. */
#ifndef MAREY_APP_SEVERAL_H
#define MAREY_APP_SEVERAL_H

#include "operation.h"

typedef struct app_library {
    marey_library *library;
    const char *name; /* as it was given, and as answers have it */
    const marey_listing *listing;
} app_library;

typedef struct app_libraries {
    const app_library *all; /* the environment's first */
    int count;
} app_libraries;

/* A row for a member of type app_texts. */
#define APP_ALSO_PARAM(struct_type, member)                                                        \
    {                                                                                              \
        .name = "also", .type = APP_TEXTS, .at = offsetof(struct_type, member), .repeats = true,   \
        .value = "LIB", .most_count = MAREY_MOST_LIBRARIES - 1,                                    \
        .help = "search this library too, as if one file had the clips of all, these behind the "  \
                "first one's; may be given several times. A command line may also have them in a " \
                "row before CLIP"                                                                  \
    }

/* Opens those of `also` until env->scope closes. REQUEST: there is no library to begin with, or one
   is given twice. */
marey_status app_libraries_open(const app_env *env, const app_texts *also, app_libraries *out,
                                marey_error *error);

/* The environment's alone, whose listing is `listing`. `one` is the room for it. */
app_libraries app_libraries_of(const app_env *env, const marey_listing *listing, app_library *one);

/* Which library a clip's name means, and what it is called there. A name that a library has is
   that clip, of the first library that has it; otherwise "LIB:NAME" is one of the library LIB, by the
   name it was given, its file's name, or that without its ending. What neither says is the first
   library's. */
int app_libraries_find(const app_libraries *of, const char *name, const char **clip);

/* A clip as app_libraries_find reads it: with its library where there are several. */
void app_libraries_show(const app_libraries *of, int library, const char *clip, buffer *out);

#endif
