/* provenance_note.h - what a clip was made of, as the library and files keep it: the operation,
   the sources with their frames and licences, and the settings. Read after clip_reading.h and
   operation.h. */
#ifndef MAREY_APP_PROVENANCE_NOTE_H
#define MAREY_APP_PROVENANCE_NOTE_H

#include "clip_reading.h"
#include "operation.h"

/* A clip that a puppet was trained on: its frames are not in what is made, its licence is. */
typedef struct app_lesson {
    const char *clip, *licence;
} app_lesson;

/* {0} is the provenance of nothing. All texts are borrowed. */
typedef struct app_provenance {
    /* Of which family it is a member, through which graph it goes, which puppet it follows
       behind which main character; NULL: none. */
    const char *family, *graph, *puppet, *main;
    app_source *sources;
    app_lesson *lessons;
    int source_count, lesson_count;
    /* Set when an allocation was refused; app_provenance_write reports it. */
    bool failed;
} app_provenance;

void app_provenance_source(app_provenance *note, app_scope *scope, const app_source *source);
void app_provenance_lesson(app_provenance *note, app_scope *scope, const char *clip,
                           const char *licence);

/* The same for a part of a library's clip, by its number. NOT_FOUND: it is gone. */
marey_status app_provenance_part(app_provenance *note, const app_env *env,
                                 const marey_listing *listing, const marey_part *part,
                                 double weight, marey_error *error);

/* One more of "CC BY 4.0; CC BY-NC 4.0", with an ending zero, unless it is there. */
void app_licence_add(buffer *joined, const char *licence);

/* {"made_by", "version", ..., "sources", "settings"} with an ending zero, and the licences of
   all sources, each once: "CC BY 4.0; CC BY-NC 4.0". The settings are the parameters that were
   given. Both live in the scope. MEMORY. */
marey_status app_provenance_write(const app_provenance *note, const app_env *env,
                                  const app_operation *operation, const app_params *params,
                                  const char **text, const char **licences, marey_error *error);

#endif
