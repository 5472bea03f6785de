/* passage.c - transitions and plain cuts, and a sheet of them. */
#include "passage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a plain cut ----------------------------------------------------------------------------------- */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* A foot that is planted on both sides of the cut is planted once. */
static void add_plant(buffer *out, const marey_contact *plant, int seam)
{
    marey_contact *all = (marey_contact *)(void *)out->bytes, *last = NULL;
    size_t count = out->used / sizeof *all;
    if (count > 0) last = &all[count - 1];
    if (last && last->joint == plant->joint && last->end == seam && plant->start == seam) {
        last->end = plant->end;
    } else {
        buffer_bytes(out, (const char *)plant, sizeof *plant);
    }
}

/* Plants of the first clip up to the cut, and of the second from there on, at the first one's rate. */
static void carry_plants(const making *of, const marey_cut *cut, int frames, buffer *out)
{
    const marey_contacts *feet = of->all.contacts;
    double rate = marey_clip_fps(of->all.clips[0]) / marey_clip_fps(of->all.clips[1]);
    for (int joint = 0; joint < MAREY_CONTACT_JOINT_COUNT; joint++) {
        for (int i = 0; i < feet[0].count; i++) {
            marey_contact one = feet[0].items[i];
            if (one.end > cut->a) one.end = cut->a;
            if ((int)one.joint != joint || one.start >= one.end) continue;
            add_plant(out, &one, cut->a);
        }
        for (int i = 0; i < feet[1].count; i++) {
            marey_contact one = feet[1].items[i];
            one.start = cut->a + (int)lround((one.start - cut->b) * rate);
            one.end = cut->a + (int)lround((one.end - cut->b) * rate);
            if (one.start < cut->a) one.start = cut->a;
            if (one.end > frames) one.end = frames;
            if ((int)one.joint != joint || one.start >= one.end) continue;
            add_plant(out, &one, cut->a);
        }
    }
}

static marey_status make_cut(const making *of, const marey_cut *cut, passage *out,
                             marey_error *error)
{
    passage got = { .made = { .from_a_end = cut->a, .from_b_start = cut->a },
                    .feet = buffer_make(&of->run->host->def) };
    marey_made *made = &got.made;
    marey_status status = marey_clip_stitch(of->all.clips[0], cut->a, of->all.clips[1], cut->b,
                                            NULL, &made->clip, error);
    if (status != MAREY_OK) return status;
    carry_plants(of, cut, marey_clip_frames(made->clip), &got.feet);
    if (got.feet.failed) {
        passage_free(&got);
        return fail_memory(error);
    }
    made->contacts.count = (int)(got.feet.used / sizeof(marey_contact));
    made->contacts.items = (marey_contact *)(void *)got.feet.bytes;
    *out = got;
    return MAREY_OK;
}

marey_status passage_make(const making *of, const passage_def *def, const marey_cut *cut,
                          passage *out, marey_error *error)
{
    const materials *all = &of->all;
    marey_transition_def how = { .method = def->method,
                                 .metric = &of->metric,
                                 .half = making_half(of),
                                 .slope = of->slope,
                                 .leave_feet = of->leave_feet,
                                 .clean = &of->clean };
    if (def->plain) return make_cut(of, cut, out, error);
    return marey_transition_make(of->run->ctx, all->clips[0], cut->a, all->clips[1], cut->b,
                                 all->contacts, &how, &out->made, error);
}

void passage_free(passage *of)
{
    marey_made_free(&of->made);
    buffer_free(&of->feet);
}

/* ---- the sheet ------------------------------------------------------------------------------------- */

enum { LABEL_ROOM = 96 };

typedef struct sheet {
    marey_clip **clips;
    const char **labels;
    char (*texts)[LABEL_ROOM];
    int count;
} sheet;

/* Half a second on each side of the middle of the transition. */
static marey_status around_seam(const marey_made *made, marey_clip **out, marey_error *error)
{
    int frames = marey_clip_frames(made->clip);
    int middle = (made->from_a_end + made->from_b_start) / 2;
    int half = (int)lround(0.5 * marey_clip_fps(made->clip));
    int start = middle > half ? middle - half : 0;
    int end = middle + half < frames ? middle + half : frames;
    return marey_clip_trim(made->clip, start, end > start ? end : start + 1, out, error);
}

static marey_status add_to_sheet(sheet *s, const making *of, const passage_def *def,
                                 const marey_cut *cut, marey_error *error)
{
    passage one = { 0 };
    marey_status status = passage_make(of, def, cut, &one, error);
    if (status != MAREY_OK) return status;
    status = around_seam(&one.made, &s->clips[s->count], error);
    passage_free(&one);
    if (status != MAREY_OK) return status;
    snprintf(s->texts[s->count], LABEL_ROOM, "frame %d to frame %d, cost %.4g %s",
             material_frame(&of->all, 0, cut->a), material_frame(&of->all, 1, cut->b), cut->cost,
             making_unit(of));
    s->labels[s->count] = s->texts[s->count];
    s->count++;
    return MAREY_OK;
}

static marey_status fill_sheet(sheet *s, const making *of, const passage_def *def,
                               const cut_list *list, const char *path, marey_error *error)
{
    marey_status status = MAREY_OK;
    if (!s->clips || !s->labels || !s->texts) return fail_memory(error);
    for (int i = 0; i < list->count && status == MAREY_OK; i++) {
        session_progress(of->run, "making transitions", i, list->count);
        status = add_to_sheet(s, of, def, &list->cuts[i], error);
    }
    if (status != MAREY_OK) return status;
    return marey_sheet_save((const marey_clip *const *)s->clips, s->labels, s->count, path, error);
}

marey_status passage_sheet(const making *of, const passage_def *def, const cut_list *list,
                           const char *path, marey_error *error)
{
    session *run = of->run;
    size_t room = (size_t)list->count;
    if (room == 0) {
        *error =
            (marey_error){ .status = MAREY_ERR_REQUEST, .message = "there is no cut to be drawn" };
        return MAREY_ERR_REQUEST;
    }
    sheet s = { .clips = session_resize(run, NULL, 0, room * sizeof *s.clips) };
    s.labels = session_resize(run, NULL, 0, room * sizeof *s.labels);
    s.texts = session_resize(run, NULL, 0, room * sizeof *s.texts);
    marey_status status = fill_sheet(&s, of, def, list, path, error);
    for (int i = 0; i < s.count; i++) marey_clip_free(s.clips[i]);
    if (s.clips) session_resize(run, s.clips, room * sizeof *s.clips, 0);
    if (s.labels) session_resize(run, (void *)s.labels, room * sizeof *s.labels, 0);
    if (s.texts) session_resize(run, s.texts, room * sizeof *s.texts, 0);
    return status;
}
