/* puppet_body.c - bodies for puppets. */
#include "puppet_body.h"

#include "graph_pieces.h"
#include "param_family.h"
#include "puppet_open.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- options ------------------------------------------------------------------------------------------- */

/* What does nothing is refused. */
static int check_use(session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } of_body[] = { { OPTION_GRAPH, "graph" },
                    { OPTION_FPS, "fps" },
                    { OPTION_NO_CLEAN, "leave-feet" },
                    { OPTION_STRETCH, "stretch" },
                    { OPTION_PROVENANCE, "provenance" } };
    for (size_t i = 0; i < sizeof of_body / sizeof *of_body && !request_has(asked, OPTION_BODY);
         i++) {
        if (!request_has(asked, of_body[i].key)) continue;
        return session_usage(run, "--%s is for --body OUT, a body that goes where the puppet goes",
                             of_body[i].name);
    }
    if (!request_has(asked, OPTION_BODY)) return PROGRAM_DONE;
    if (!asked->values[OPTION_BODY][0])
        return session_usage(run, "--body takes a file, or LIB.marey:NAME");
    if (!request_has(asked, OPTION_GRAPH) || !request_has(asked, OPTION_LIBRARY)) {
        return session_usage(run, "--body needs a motion graph to walk with: -L LIB --graph NAME");
    }
    return PROGRAM_DONE;
}

/* Before anything is made: a name that no clip can be saved as. */
static int check_target(session *run, const char *target)
{
    char path[4096];
    const marey_format *row;
    if (shelf_target(target, path, sizeof path)) return PROGRAM_DONE;
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (row->writes && path_ends_in(target, row->ending)) return PROGRAM_DONE;
    }
    return session_usage(run,
                         "--body takes a clip's file, as in body.bvh or body.glb, or "
                         "LIB.marey:NAME, not \"%.300s\"",
                         target);
}

int puppet_body_open(puppet_body *of, session *run, const request *asked)
{
    marey_error error;
    int status = check_use(run, asked);
    *of = (puppet_body){ .run = run, .asked = asked };
    if (status != PROGRAM_DONE || !request_has(asked, OPTION_BODY)) return status;
    of->def = (marey_walk_make_def){ .leave_feet = request_has(asked, OPTION_NO_CLEAN),
                                     .clean = &of->clean };
    clip_out_make(&of->out, run, asked->values[OPTION_BODY], request_has(asked, OPTION_PROVENANCE));
    status = check_target(run, of->out.target);
    if (status == PROGRAM_DONE)
        status = refuse_overwriting(run, "--body", of->out.target, asked->operands, 2);
    if (status == PROGRAM_DONE) status = read_stretch(run, asked, &of->clean);
    if (status == PROGRAM_DONE) status = input_rate(run, asked, &of->def.fps);
    if (status != PROGRAM_DONE) return status;
    if (kept_graph_find(run, asked->values[OPTION_LIBRARY], asked->values[OPTION_GRAPH],
                        MAREY_LIBRARY_READ, &of->of, &error) != MAREY_OK ||
        kept_graph_policy(&of->of, &of->policy, &error) != MAREY_OK ||
        marey_library_list(of->of.at.library, NULL, &of->listing, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    return PROGRAM_DONE;
}

static void close_graph(puppet_body *of)
{
    marey_policy_free(of->policy);
    marey_listing_free(of->listing);
    of->policy = NULL;
    of->listing = NULL;
    kept_graph_close(&of->of);
}

void puppet_body_close(puppet_body *of)
{
    marey_made_free(&of->made);
    close_graph(of);
    clip_out_free(&of->out);
}

/* ---- making ---------------------------------------------------------------------------------------------- */

static marey_status note_sources(puppet_body *of, const marey_walk *walked, marey_error *error)
{
    graph_pieces pieces = { 0 };
    marey_status status = graph_pieces_find(of->run, of->of.graph, walked, &pieces, error);
    if (status == MAREY_OK) graph_pieces_note(&pieces, &of->of, of->listing, &of->out.made_of);
    graph_pieces_free(of->run, &pieces);
    return status;
}

/* Bodies are steered at the rate of their graph, whatever that of the table is. */
marey_status puppet_body_make(puppet_body *of, const marey_puppet_sample *samples, int count,
                              const char *puppet, const char *main, const puppet_origin *origin,
                              marey_error *error)
{
    places path = { 0 };
    marey_walk walked = { 0 };
    marey_body_def body = { .walked = &walked };
    double rate = marey_graph_fps(of->of.graph);
    marey_status status = places_make(of->run, samples, count, rate, false, &path, error);
    if (status == MAREY_OK) {
        status = marey_body_make(of->run->ctx, of->of.graph, of->policy, path.items, path.count,
                                 rate, &body, &of->def, &of->made, &of->about, error);
    }
    places_free(of->run, &path);
    if (status == MAREY_OK) status = note_sources(of, &walked, error);
    marey_walk_free(&walked);
    if (status != MAREY_OK) return status;
    of->frames = marey_clip_frames(of->made.clip);
    of->fps = marey_clip_fps(of->made.clip);
    status = made_figures_told(of->run, of->about.walk.jump_ratio, &of->made, 0, of->frames,
                               !of->def.leave_feet, &of->figures, error);
    if (status != MAREY_OK) return status;
    of->out.made_of.graph = of->of.name;
    of->out.made_of.puppet = puppet;
    of->out.made_of.main = main;
    size_t at = 0;
    for (const char *name, *licence; (name = puppet_origin_next(origin, &at, &licence));)
        provenance_taught(&of->out.made_of, name, licence);
    return clip_out_note(&of->out, of->asked, error);
}

marey_status puppet_body_places(const puppet_body *of, places *out, marey_error *error)
{
    const marey_clip *clip = of->made.clip;
    int count = marey_clip_pair_samples(clip, clip);
    size_t bytes = (size_t)count * sizeof(marey_puppet_sample);
    marey_puppet_sample *samples = session_resize(of->run, NULL, 0, bytes);
    if (!samples) return fail_for_memory(error);
    marey_status status = marey_clip_pair(clip, clip, samples, &count, error);
    if (status == MAREY_OK)
        status = places_make(of->run, samples, count, of->fps, true, out, error);
    session_resize(of->run, samples, bytes, 0);
    return status;
}

/* ---- the answer -------------------------------------------------------------------------------------------- */

void puppet_body_json(const puppet_body *of, json *to)
{
    json_put_string(to, "graph", of->of.name);
    json_put_number(to, "away_cm", of->about.away_cm);
    json_put_number(to, "away_most_cm", of->about.away_most_cm);
    json_put_number(to, "turned_rad", of->about.turned_rad);
    json_put_integer(to, "transitions", of->about.walk.transitions);
    json_put_number(to, "mean_quality", of->about.walk.mean_quality);
    made_figures_json(&of->figures, to);
}

void puppet_body_text(const puppet_body *of, buffer *out)
{
    buffer_print(out,
                 "  body      %.0f cm away from the puppet on average, at most %.0f; faces %.0f "
                 "degrees off while it moves\n",
                 of->about.away_cm, of->about.away_most_cm, of->about.turned_rad * 180 / acos(-1));
    buffer_print(out, "  pieces    %d transition%s", of->about.walk.transitions,
                 of->about.walk.transitions == 1 ? "" : "s");
    if (of->about.walk.transitions > 0)
        buffer_print(out, " of quality %.3f on average", of->about.walk.mean_quality);
    buffer_byte(out, '\n');
    made_figures_text(&of->figures, out);
}

static void tell(void *user, const clip_out *out, const char *path)
{
    const puppet_body *of = user;
    json to = { .out = &out->run->out, .comma = true };
    if (out->run->json) {
        json_open(&to, "body", '{');
        json_put_string(&to, "path", path);
        json_put_integer(&to, "frames", of->frames);
        json_put_number(&to, "fps", of->fps);
        json_put_number(&to, "seconds", marey_clip_seconds(out->clip));
        json_close(&to, '}');
        json_close(&to, '}');
        buffer_byte(to.out, '\n');
    } else {
        clip_out_describe(NULL, out, path);
    }
}

/* An empty set of plants is one too, and says so by not being NULL. */
int puppet_body_save(puppet_body *of)
{
    static const marey_contact none = { 0 };
    const marey_contacts *feet = &of->made.contacts;
    of->out.clip = of->made.clip;
    of->out.contacts = feet->count > 0 ? feet->items : &none;
    of->out.contact_count = feet->count;
    close_graph(of); /* the library that was read may be the one that is written */
    return clip_out_save(&of->out, tell, of);
}
