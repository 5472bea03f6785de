/* registering.c - registrations on the command line. */
#include "registering.h"

#include "clip_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = MAREY_NAME_ROOM + 32 };

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

marey_status registering_build(registering *out, making *of, marey_error *error)
{
    materials *all = &of->all;
    marey_registration_def def = { .metric = &of->metric,
                                   .slope = of->slope,
                                   .reference = of->reference };
    marey_status status = materials_load(all, (const char *const *)of->asked->operands,
                                         of->asked->operand_count, error);
    if (status != MAREY_OK) return status;
    return marey_registration_build(of->run->ctx, materials_list(all), all->count, all->contacts,
                                    &def, &out->registration, error);
}

/* ---- kept ones ------------------------------------------------------------------------------------- */

/* "NAME#0-240". A clip's name holds no '#'. */
static marey_status name_parts(registering *out, session *run, marey_error *error)
{
    int count = out->parts->count;
    out->texts = session_resize(run, NULL, 0, (size_t)count * sizeof *out->texts);
    if (!out->texts) return fail_memory(error);
    memset(out->texts, 0, (size_t)count * sizeof *out->texts);
    out->text_count = count;
    for (int i = 0; i < count; i++) {
        const marey_part *part = &out->parts->parts[i];
        if (!(out->texts[i] = session_resize(run, NULL, 0, TEXT_ROOM))) return fail_memory(error);
        snprintf(out->texts[i], TEXT_ROOM, "%s#%d-%d", out->parts->names[i].name, part->start,
                 part->end);
    }
    return MAREY_OK;
}

marey_status registering_open(registering *out, making *of, const char *name, marey_error *error)
{
    marey_status status = marey_library_registration(of->all.from.library, name, &out->parts,
                                                     &out->registration, error);
    if (status == MAREY_OK) status = name_parts(out, of->run, error);
    if (status != MAREY_OK) return status;
    return materials_load(&of->all, (const char *const *)out->texts, out->text_count, error);
}

void registering_free(registering *of, session *run)
{
    marey_registration_free(of->registration);
    marey_parts_free(of->parts);
    for (int i = 0; i < of->text_count; i++) {
        if (of->texts[i]) session_resize(run, of->texts[i], TEXT_ROOM, 0);
    }
    if (of->texts) {
        session_resize(run, of->texts, (size_t)of->text_count * sizeof *of->texts, 0);
    }
}

/* ---- about it -------------------------------------------------------------------------------------- */

double registering_frame(const registering *of, const making *from, int motion, double u)
{
    double rows[MOST_MOTIONS];
    const marey_clip *clip = from->all.clips[motion];
    marey_registration_times(of->registration, u, rows, NULL);
    double frame = rows[motion] * marey_clip_fps(clip) / marey_registration_fps(of->registration);
    double whole = floor(frame);
    return material_frame(&from->all, motion, (int)whole) + frame - whole;
}

void registering_json(const registering *of, const making *from, json *to)
{
    const materials *all = &from->all;
    json_put_string(to, "reference",
                    all->items[marey_registration_reference(of->registration)].text);
    json_open(to, "clips", '[');
    for (int i = 0; i < all->count; i++) {
        const marey_path *path = marey_registration_path(of->registration, i);
        json_open(to, NULL, '{');
        json_put_string(to, "clip", all->items[i].text);
        if (path) {
            json_put_number(to, "mean_distance", path->mean);
        } else {
            json_put_null(to, "mean_distance");
        }
        json_put_boolean(to, "refitted", all->items[i].refitted);
        json_close(to, '}');
    }
    json_close(to, ']');
}

void registering_text(const registering *of, const making *from, buffer *out)
{
    const materials *all = &from->all;
    materials_say_refits(all, out);
    for (int i = 0; i < all->count; i++) {
        const marey_path *path = marey_registration_path(of->registration, i);
        buffer_text(out, "  ");
        buffer_shown(out, short_name(all->items[i].text));
        if (path) {
            int parent = marey_registration_parent(of->registration, i);
            buffer_text(out, ": aligned with ");
            buffer_shown(out, short_name(all->items[parent].text));
            buffer_text(out, ", mean distance ");
            buffer_cost(out, &from->metric, path->mean);
        } else {
            buffer_text(out, ": the reference");
        }
        buffer_byte(out, '\n');
    }
}
