/* demo_takes.c - what is known of a take, written down. */
#include "demo_takes.h"

#include <string.h>

bool made_by_demo(const char *about)
{
    static const char start[] = "{\"made_by\":\"demo\"";
    return strncmp(about, start, sizeof start - 1) == 0;
}

void take_describe(const marey_demo_take *take, buffer *out)
{
    char text[1024];
    marey_demo_describe(take, text, sizeof text);
    buffer_text(out, text);
}

/* ---- the truth --------------------------------------------------------------------------------- */

static void write_segment(const marey_demo_segment *segment, json *to)
{
    json_open(to, NULL, '{');
    json_put_string(to, "label", segment->label);
    json_put_string(to, "side", segment->side);
    json_put_integer(to, "start", segment->start);
    json_put_integer(to, "end", segment->end);
    json_open(to, "params", '{');
    for (int i = 0; i < segment->param_count; i++) {
        json_put_number(to, segment->param_names[i], segment->param_values[i]);
    }
    json_close(to, '}');
    json_close(to, '}');
}

void take_write_truth(const marey_demo_take *take, const char *name, json *to)
{
    int segment_count, contact_count;
    const marey_demo_segment *segments = marey_demo_segments(take, &segment_count);
    const marey_contact *contacts = marey_demo_contacts(take, &contact_count);
    json_open(to, NULL, '{');
    json_put_string(to, "clip", name);
    json_put_number(to, "fps", marey_clip_fps(marey_demo_clip(take)));
    json_open(to, "segments", '[');
    for (int i = 0; i < segment_count; i++) write_segment(&segments[i], to);
    json_close(to, ']');
    json_open(to, "contacts", '[');
    for (int i = 0; i < contact_count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "joint", marey_contact_name(contacts[i].joint));
        json_put_integer(to, "start", contacts[i].start);
        json_put_integer(to, "end", contacts[i].end);
        json_close(to, '}');
    }
    json_close(to, ']');
    json_close(to, '}');
}
