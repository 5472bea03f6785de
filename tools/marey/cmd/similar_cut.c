/* similar_cut.c - cut and smooth (Guan & Yang, 4.3) on the command line. */
#include "similar_cut.h"

#include <string.h>

enum { MOST_SMOOTH = 100000 };

int cutting_options(cutting_out *out, session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } extras[] = { { OPTION_SMOOTH, "smooth" },
                   { OPTION_FULL, "full" },
                   { OPTION_PROVENANCE, "provenance" } };
    const char *units = asked->values[OPTION_UNITS];
    int64_t smooth = 0;
    *out = (cutting_out){ .target = asked->values[OPTION_CUT],
                          .provenance = request_has(asked, OPTION_PROVENANCE) };
    for (size_t i = 0; i < sizeof extras / sizeof *extras; i++) {
        if (out->target || !request_has(asked, extras[i].key)) continue;
        return session_usage(run, "--%s is for a cut: --cut OUT", extras[i].name);
    }
    if (out->target && units && strcmp(units, marey_units_name(MAREY_UNITS_RAW)) == 0) {
        return session_usage(run, "--units raw cannot be cut: nothing says how long anything is");
    }
    int status = options_whole(run, asked, OPTION_SMOOTH, 0, MOST_SMOOTH, &smooth);
    out->def = (marey_stitch_def){ (int)smooth, request_has(asked, OPTION_FULL) };
    return status;
}

/* ---- making ---------------------------------------------------------------------------------------- */

/* Made clips leave marked frames out. */
static marey_status leave_marked_out(marey_clip **clip, int *seam, marey_error *error)
{
    marey_clip *fresh = NULL;
    marey_status status = marey_clip_unmarked(*clip, seam, &fresh, error);
    marey_clip_free(*clip);
    *clip = fresh;
    return status;
}

/* Which frames of which clip, and by which options. */
static marey_status note_sources(cutting_out *out, marey_error *error)
{
    const comparison *all = out->all;
    request settings = *all->asked;
    input_source first = all->sources[0], second = all->sources[1];
    first.end = out->frames[0];
    second.start = out->frames[1];
    settings.values[OPTION_CUT] = NULL; /* where it is written says nothing about how it is made */
    clip_out_make(&out->out, all->run, out->target, out->provenance);
    out->out.clip = out->clip;
    if (first.end > first.start) provenance_add(&out->out.made_of, &first);
    provenance_add(&out->out.made_of, &second);
    return clip_out_note(&out->out, &settings, error);
}

marey_status cutting_make(cutting_out *out, const comparison *all, int i, int j, marey_error *error)
{
    int at[2];
    out->all = all;
    out->frames[0] = i;
    out->frames[1] = j;
    for (int side = 0; side < 2; side++) at[side] = out->frames[side] - all->sources[side].start;
    out->seam = at[0];
    marey_status status = marey_clip_stitch(comparison_own(all, 0), at[0], comparison_own(all, 1),
                                            at[1], &out->def, &out->clip, error);
    if (status == MAREY_OK) status = leave_marked_out(&out->clip, &out->seam, error);
    return status == MAREY_OK ? note_sources(out, error) : status;
}

void cutting_free(cutting_out *out)
{
    marey_clip_free(out->clip);
    clip_out_free(&out->out);
}
