/* played_clip.c - clips out of pieces of clips. */
#include "played_clip.h"

#include <math.h>
#include <stdio.h>

int played_clip_open(played_clip *of, session *run, const request *asked)
{
    *of = (played_clip){ .run = run, .asked = asked };
    of->def = (marey_pieces_def){ .rough = request_has(asked, OPTION_ROUGH),
                                  .leave_feet = request_has(asked, OPTION_NO_CLEAN),
                                  .clean = &of->clean };
    clip_out_make(&of->out, run, asked->values[OPTION_OUTPUT],
                  request_has(asked, OPTION_PROVENANCE));
    if (of->out.target && !*of->out.target)
        return session_usage(run, "-o takes a file, or LIB.marey:NAME");
    int status = read_stretch(run, asked, &of->clean);
    return status == PROGRAM_DONE ? input_rate(run, asked, &of->def.fps) : status;
}

void played_clip_close(played_clip *of)
{
    marey_made_free(&of->made);
    clip_out_free(&of->out);
}

/* ---- making ---------------------------------------------------------------------------------------- */

void played_clip_note(played_clip *of, const marey_parts *parts, const marey_listing *listing,
                      const char *library, int part, int start, int end)
{
    const marey_entry *entry = listing_find(listing, parts->names[part].name);
    input_source source = { .library = library,
                            .licence = entry ? entry->licence : "",
                            .start = parts->parts[part].start + start,
                            .end = parts->parts[part].start + end };
    snprintf(source.name, sizeof source.name, "%s", parts->names[part].name);
    provenance_note(&of->out.made_of, &source);
}

/* Once for every clip, however many pieces of it there are. */
static void say_licences(const played_clip *of, const marey_listing *listing)
{
    for (int i = 0; i < of->piece_count; i++) {
        int64_t id = of->parts->parts[of->pieces[i].clip].clip;
        bool said = false;
        for (int j = 0; j < i && !said; j++) said = of->parts->parts[of->pieces[j].clip].clip == id;
        const marey_entry *entry = listing_find(listing, of->parts->names[of->pieces[i].clip].name);
        if (!said && entry) licence_say(of->run, entry->name, entry->licence);
    }
}

marey_status played_clip_make(played_clip *of, const marey_parts *parts,
                              const marey_listing *listing, const char *library,
                              const marey_piece *pieces, int count, marey_error *error)
{
    of->parts = parts;
    of->pieces = pieces;
    of->piece_count = count;
    marey_status status =
        marey_pieces_make(of->run->ctx, parts->clips, parts->count, parts->contacts, pieces, count,
                          &of->def, &of->made, &of->about, error);
    if (status == MAREY_OK) {
        status = made_figures_told(of->run, of->about.jump_ratio, &of->made, 0,
                                   marey_clip_frames(of->made.clip),
                                   !of->def.leave_feet && !of->def.rough, &of->figures, error);
    }
    if (status != MAREY_OK) return status;
    for (int i = 0; i < count; i++) {
        played_clip_note(of, parts, listing, library, pieces[i].clip, (int)floor(pieces[i].start),
                         (int)ceil(pieces[i].end));
    }
    say_licences(of, listing);
    return clip_out_note(&of->out, of->asked, error);
}

/* An empty set of plants is one too, and says so by not being NULL. */
int played_clip_save(played_clip *of)
{
    static const marey_contact none = { 0 };
    const marey_contacts *feet = &of->made.contacts;
    of->out.clip = of->made.clip;
    of->out.contacts = feet->count > 0 ? feet->items : &none;
    of->out.contact_count = feet->count;
    return clip_out_save(&of->out, clip_out_describe, NULL);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static double seconds_of(const played_clip *of, const marey_piece *piece)
{
    if (piece->seconds > 0) return piece->seconds;
    return (piece->end - piece->start) / marey_clip_fps(of->parts->clips[piece->clip]);
}

void played_clip_json(const played_clip *of, json *to)
{
    const marey_contacts *feet = &of->made.contacts;
    double at = 0, fps = marey_clip_fps(of->made.clip);
    json_put_integer(to, "transitions", of->about.transitions);
    json_put_number(to, "mean_quality", of->about.mean_quality);
    json_open(to, "pieces", '[');
    for (int i = 0; i < of->piece_count; i++) {
        const marey_piece *piece = &of->pieces[i];
        const marey_part *part = &of->parts->parts[piece->clip];
        json_open(to, NULL, '{');
        json_put_integer(to, "at", lround(at * fps));
        json_put_string(to, "clip", of->parts->names[piece->clip].name);
        json_put_integer(to, "id", part->clip);
        json_put_number(to, "start", part->start + piece->start);
        json_put_number(to, "end", part->start + piece->end);
        json_put_number(to, "seconds", seconds_of(of, piece));
        json_close(to, '}');
        at += seconds_of(of, piece);
    }
    json_close(to, ']');
    json_plants(to, "constraints", feet->items, feet->count, 0);
    made_figures_json(&of->figures, to);
}

void played_clip_text(const played_clip *of, buffer *out)
{
    enum { SHOWN = 8 };
    buffer_print(out, "  pieces    %d, with %d transition%s\n", of->piece_count,
                 of->about.transitions, of->about.transitions == 1 ? "" : "s");
    for (int i = 0; i < of->piece_count && i < SHOWN; i++) {
        const marey_piece *piece = &of->pieces[i];
        const marey_part *part = &of->parts->parts[piece->clip];
        buffer_text(out, "            ");
        buffer_shown(out, of->parts->names[piece->clip].name);
        buffer_print(out, "#%.0f-%.0f", floor(part->start + piece->start),
                     ceil(part->start + piece->end));
        if (piece->seconds > 0) buffer_print(out, " in %.2f s", piece->seconds);
        buffer_byte(out, '\n');
    }
    if (of->piece_count > SHOWN)
        buffer_print(out, "            and %d more\n", of->piece_count - SHOWN);
    made_figures_text(&of->figures, out);
}
