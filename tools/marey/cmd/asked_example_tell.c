/* asked_example_tell.c - what query by example found, for people and programs. */
#include "asked_example.h"

#include <math.h>
#include <stdio.h>

/* Frames of the query's clip; of a drawn curve the numbers of its samples. */
static double frame_of(const asked_example *of, double sample)
{
    return (of->clip ? of->start : 0) + of->first_sample + sample;
}

static double time_of(const asked_example *of, double sample)
{
    return (of->clip ? 0 : of->drawn.start_s) + frame_of(of, sample) / of->fps;
}

/* ---- as JSON --------------------------------------------------------------------------------------- */

static void write_dofs(const asked_example *of, json *to)
{
    char text[DOF_TEXT_ROOM];
    json_open(to, "dofs", '[');
    for (int d = 0; d < of->dof_count; d++) {
        dof_text(&of->dofs[d], text, sizeof text);
        json_put_string(to, NULL, text);
    }
    json_close(to, ']');
}

static void write_query(const asked_example *of, json *to)
{
    json_open(to, "query", '{');
    if (of->clip) {
        json_put_string(to, of->entry ? "clip" : "file", of->entry ? of->entry->name : of->at.path);
        if (of->entry) json_put_integer(to, "id", of->entry->id);
        json_put_integer(to, "start", of->start);
        json_put_integer(to, "end", of->end);
    } else {
        json_put_string(to, "curve", of->text);
        json_put_integer(to, "samples", of->samples);
    }
    json_put_number(to, "fps", of->fps);
    json_close(to, '}');
}

static void write_fragments(const asked_example *of, json *to)
{
    int count;
    const marey_fragment *fragments = marey_example_fragments(of->found, &count);
    json_open(to, "fragments", '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        json_put_number(to, "start", frame_of(of, fragments[i].start));
        json_put_number(to, "end", frame_of(of, fragments[i].end));
        json_put_number(to, "start_s", time_of(of, fragments[i].start));
        json_put_number(to, "end_s", time_of(of, fragments[i].end));
        json_put_boolean(to, "rising", fragments[i].rising);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_path(const asked_example *of, const marey_example_path *path, json *to)
{
    int count;
    marey_example_fragments(of->found, &count);
    json_put_number(to, "error", path->error);
    json_put_integer(to, "jumps", path->jumps);
    json_open(to, "parts", '[');
    for (int i = 0; i < count; i++) {
        const marey_example_part *part = &path->parts[i];
        const marey_entry *entry = asked_example_entry(of, part->clip);
        json_open(to, NULL, '{');
        json_put_string(to, "clip", entry->name);
        json_put_integer(to, "id", entry->id);
        json_put_number(to, "start", part->at.start);
        json_put_number(to, "end", part->at.end);
        json_put_integer(to, "fragment", part->fragment);
        json_put_integer(to, "next", part->next);
        json_put_number(to, "error", part->error);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_paths(const asked_example *of, json *to)
{
    int count;
    const marey_example_path *paths = marey_example_paths(of->found, &count);
    json_open(to, "paths", '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        write_path(of, &paths[i], to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_clips(const asked_example *of, json *to)
{
    int count;
    const marey_example_clip *clips = marey_example_clips(of->found, &count);
    json_open(to, "clips", '[');
    for (int i = 0; i < count; i++) {
        const marey_entry *entry = asked_example_entry(of, clips[i].clip);
        json_open(to, NULL, '{');
        json_put_string(to, "clip", entry->name);
        json_put_integer(to, "id", entry->id);
        write_path(of, &clips[i].path, to);
        json_close(to, '}');
    }
    json_close(to, ']');
}

void asked_example_json(const asked_example *of, json *to)
{
    write_query(of, to);
    write_dofs(of, to);
    json_put_integer(to, "k", of->find.k ? of->find.k : 3);
    json_put_number(to, "noise", of->def.noise == 0 ? MAREY_EXAMPLE_NOISE : fmax(of->def.noise, 0));
    json_put_boolean(to, "shape", of->def.shape);
    json_put_boolean(to, "plain", of->def.plain);
    json_put_boolean(to, "whole", request_has(of->asked, OPTION_WHOLE));
    write_fragments(of, to);
    write_paths(of, to);
    write_clips(of, to);
    json_open(to, "searched", '{');
    json_put_integer(to, "clips", of->clip_count - marey_examples_left_out(of->examples));
    json_put_integer(to, "left_out", marey_examples_left_out(of->examples));
    json_put_integer(to, "fragments", marey_examples_fragments(of->examples));
    json_put_integer(to, "bytes", (int64_t)marey_examples_bytes(of->examples));
    json_put_number(to, "opening_s", of->opening_s);
    json_close(to, '}');
    json_put_number(to, "seconds", of->seconds);
}

/* ---- for people ------------------------------------------------------------------------------------ */

static void buffer_error(const asked_example *of, const marey_example_path *path, buffer *out)
{
    int count;
    marey_example_fragments(of->found, &count);
    buffer_print(out, "%8.3f  %5d", path->error / count, path->jumps);
}

/* "walk#12-57 -> run#3-20": parts that follow each other are one. */
static void show_parts(const asked_example *of, const marey_example_path *path, buffer *out)
{
    enum { SHOWN = 5 };
    int count, shown = 0;
    marey_example_fragments(of->found, &count);
    for (int i = 0; i < count;) {
        const marey_example_part *first = &path->parts[i], *last = first;
        int end = i + 1;
        while (end < count && path->parts[end].clip == first->clip &&
               path->parts[end].fragment == last->next)
            last = &path->parts[end++];
        if (shown == SHOWN) {
            buffer_print(out, ", and %d more", path->jumps + 1 - SHOWN);
            return;
        }
        if (shown++) buffer_text(out, ", ");
        buffer_shown(out, asked_example_entry(of, first->clip)->name);
        buffer_print(out, "#%.0f-%.0f", floor(first->at.start), ceil(last->at.end) + 1);
        i = end;
    }
}

static void show_query(const asked_example *of, buffer *out)
{
    int count;
    char text[DOF_TEXT_ROOM];
    marey_example_fragments(of->found, &count);
    buffer_shown(out, of->text);
    buffer_print(out, ": %d fragment%s of ", count, count == 1 ? "" : "s");
    for (int d = 0; d < of->dof_count; d++) {
        dof_text(&of->dofs[d], text, sizeof text);
        if (d) buffer_text(out, ", ");
        buffer_shown(out, text);
    }
    buffer_print(out, ", %.2f s\n", of->used / of->fps);
    int left_out = marey_examples_left_out(of->examples);
    buffer_print(out, "looked at %d fragments of ", marey_examples_fragments(of->examples));
    buffer_clips(out, of->clip_count - left_out);
    if (left_out) buffer_print(out, " (%d have no such signal)", left_out);
    buffer_print(out, " in %.1f ms\n", 1e3 * of->seconds);
}

void asked_example_text(const asked_example *of, buffer *out)
{
    enum { SHOWN = 10 };
    int path_count, clip_count;
    const marey_example_path *paths = marey_example_paths(of->found, &path_count);
    const marey_example_clip *clips = marey_example_clips(of->found, &clip_count);
    show_query(of, out);
    if (path_count == 0) buffer_text(out, "nothing was found\n");
    if (path_count > 0) buffer_text(out, "   error  jumps  the best ways through all clips\n");
    for (int i = 0; i < path_count; i++) {
        buffer_error(of, &paths[i], out);
        buffer_text(out, "  ");
        show_parts(of, &paths[i], out);
        buffer_byte(out, '\n');
    }
    if (clip_count > 0) buffer_text(out, "   error  jumps  the best clips, each alone\n");
    for (int i = 0; i < clip_count && i < SHOWN; i++) {
        buffer_error(of, &clips[i].path, out);
        buffer_text(out, "  ");
        show_parts(of, &clips[i].path, out);
        buffer_byte(out, '\n');
    }
    if (clip_count > SHOWN)
        buffer_print(out, "                 and %d more; --json has them all\n",
                     clip_count - SHOWN);
    if (path_count > 0)
        buffer_text(out, "errors are the mean over the fragments, in degrees or cm\n");
}
