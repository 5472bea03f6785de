/* puppet_body.h - a body out of a motion graph that goes where a puppet goes, on its way to a clip. Read after graph_open.h and
   puppet_paths.h; run uses it. */
#ifndef MAREY_TOOL_PUPPET_BODY_H
#define MAREY_TOOL_PUPPET_BODY_H

#include "graph_open.h"
#include "made_figures.h"
#include "puppet_origin.h"
#include "puppet_paths.h"

/* Holds pointers into itself: make it in its place and do not copy it. {0} may be closed. */
typedef struct puppet_body {
    session *run;
    const request *asked;
    kept_graph of;
    marey_policy *policy;
    marey_listing *listing;
    marey_clean_def clean;
    marey_walk_make_def def;
    marey_made made;
    marey_body_made about;
    made_figures figures;
    clip_out out;
    int frames; /* of what was made, for the answer; with its rate */
    double fps;
} puppet_body;

/* --graph, --body and what belongs to them. Returns an exit status, the reason being said. Without --body nothing is done; after it,
   whatever it returned, puppet_body_close must follow. */
int puppet_body_open(puppet_body *of, session *run, const request *asked);
void puppet_body_close(puppet_body *of);

/* Makes the clip. */
marey_status puppet_body_make(puppet_body *of, const marey_puppet_sample *samples, int count,
                              const char *puppet, const char *main, const puppet_origin *origin,
                              marey_error *error);

/* Where the body itself is, at its own rate; places_free it. */
marey_status puppet_body_places(const puppet_body *of, places *out, marey_error *error);

/* "away_cm" and so on. */
void puppet_body_json(const puppet_body *of, json *to);
void puppet_body_text(const puppet_body *of, buffer *out);

/* Ends the command: writes the clip and sends what is in run->out, and behind it what it was saved as. */
int puppet_body_save(puppet_body *of);

#endif
