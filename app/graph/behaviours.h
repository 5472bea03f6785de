/* behaviours.h - what is done in which frames of a motion graph's clips: by the clips' labels,
   or by a document such as the demo's truth.json. Read after params.h. */
#ifndef MAREY_APP_BEHAVIOURS_H
#define MAREY_APP_BEHAVIOURS_H

#include "params.h"

typedef struct app_behaviours {
    const marey_behaviour *items;
    int count;
    int unknown; /* takes of the document that are clips neither of the graph nor of the library */
} app_behaviours;

/* Every label of a clip is for all of it, that of a stretch for its frames. The labels are the listing's. MEMORY. */
marey_status app_behaviours_of_labels(const app_env *env, const marey_listing *listing,
                                      const marey_parts *parts, app_behaviours *out,
                                      marey_error *error);

/* {"takes":[{"clip","segments":[{"label","start","end"}]}]}. INPUT: it reads otherwise. REQUEST:
   none of its takes is a clip of the parts. MEMORY. */
marey_status app_behaviours_read(const app_env *env, const app_document *document,
                                 const marey_listing *listing, const marey_parts *parts,
                                 app_behaviours *out, marey_error *error);

#endif
