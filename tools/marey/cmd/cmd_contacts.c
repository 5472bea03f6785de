/* cmd_contacts.c - `marey contacts`: when which part of which foot stands still. */
#include "commands.h"
#include "plants.h"
#include "shelf.h"

#include <stdio.h>

typedef struct contacting {
    session *run;
    const char *name; /* of the clip, as it was asked for */
    const marey_clip *clip;
    plants all;
    int first; /* the clip's first frame in its file or library */
} contacting;

/* ---- the answer -------------------------------------------------------------------------------- */

static void write_json(const contacting *of)
{
    buffer *out = &of->run->out;
    json to = json_make(out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "clip", of->name);
    json_put_number(&to, "fps", marey_clip_fps(of->clip));
    json_put_string(&to, "from", plants_from(&of->all));
    json_open(&to, "contacts", '[');
    for (int i = 0; i < of->all.count; i++) {
        const marey_contact *one = &of->all.items[i];
        json_open(&to, NULL, '{');
        json_put_string(&to, "joint", marey_contact_name(one->joint));
        json_put_integer(&to, "start", of->first + one->start);
        json_put_integer(&to, "end", of->first + one->end);
        json_close(&to, '}');
    }
    json_close(&to, ']');
    json_close(&to, '}');
    buffer_byte(out, '\n');
}

static void write_table(const contacting *of)
{
    buffer *out = &of->run->out;
    double fps = marey_clip_fps(of->clip);
    if (of->all.count > 0) buffer_text(out, "joint          start       end   seconds\n");
    for (int i = 0; i < of->all.count; i++) {
        const marey_contact *one = &of->all.items[i];
        buffer_print(out, "%-10s %9d %9d %9.2f\n", marey_contact_name(one->joint),
                     of->first + one->start, of->first + one->end, (one->end - one->start) / fps);
    }
    if (of->run->quiet) return;
    buffer_print(out, "%d plant%s, %s\n", of->all.count, of->all.count == 1 ? "" : "s",
                 of->all.stored ? "kept in the library" : "found in the motion");
}

static void describe(const contacting *of)
{
    if (of->run->json) {
        write_json(of);
    } else {
        write_table(of);
    }
}

/* ---- asking ------------------------------------------------------------------------------------ */

static marey_status find_and_tell(input *from, const request *asked, marey_error *error)
{
    input_source source;
    marey_clip *clip = NULL;
    contacting of = { .run = from->run, .name = asked->operands[0] };
    marey_status status = input_load(from, of.name, &(frame_range){ 0 }, &clip, &source, error);
    if (status != MAREY_OK) return status;
    status = plants_get(from, &source, clip, request_has(asked, OPTION_FOUND), &of.all, error);
    if (status == MAREY_OK) {
        of.clip = clip;
        of.first = source.start;
        describe(&of);
        plants_free(&of.all);
    }
    marey_clip_free(clip);
    return status;
}

static int tell(session *run, const request *asked)
{
    input from;
    marey_error error;
    int status = input_open(run, asked, &from);
    if (status != PROGRAM_DONE) return status;
    marey_status found = find_and_tell(&from, asked, &error);
    input_close(&from);
    return found == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
}

/* ---- changing ---------------------------------------------------------------------------------- */

/* The clip is loaded for its rate, which the answer gives; and a name that is wrong is noticed. */
static marey_status replace(shelf *at, contacting *of, marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = marey_library_load(at->library, of->name, &clip, error);
    if (status != MAREY_OK) return status;
    of->clip = clip;
    describe(of);
    status = shelf_ready(at->run, error);
    if (status == MAREY_OK) {
        status =
            marey_library_set_contacts(at->library, of->name, of->all.items, of->all.count, error);
    }
    marey_clip_free(clip);
    return status;
}

static int check_change(session *run, const request *asked)
{
    bool forgets = request_has(asked, OPTION_FORGET);
    const char *option = forgets ? "--forget" : "--set";
    address at;
    if (!asked->values[OPTION_LIBRARY]) {
        return session_usage(run, "%s is for a clip of a library: -L FILE", option);
    }
    if (forgets && request_has(asked, OPTION_SET)) {
        return session_usage(run, "--set keeps plants, --forget keeps none");
    }
    if (request_has(asked, OPTION_FOUND)) {
        return session_usage(run, "%s changes the library, --found only looks at the motion",
                             option);
    }
    if (address_parse(asked->operands[0], &at) && at.range.given) {
        return session_usage(run, "%s is for all plants of a clip, not for those of some frames",
                             option);
    }
    return PROGRAM_DONE;
}

static int set(session *run, const request *asked)
{
    contacting of = { .run = run, .name = asked->operands[0] };
    marey_error error;
    shelf at;
    int exit = check_change(run, asked);
    if (exit != PROGRAM_DONE) return exit;
    if (plants_read(run, asked->values[OPTION_SET], &of.all, &error) != MAREY_OK) {
        return session_fail(run, &error);
    }
    marey_status status =
        shelf_open(run, asked->values[OPTION_LIBRARY], MAREY_LIBRARY_WRITE, &at, &error);
    if (status == MAREY_OK) {
        status = replace(&at, &of, &error);
        exit = shelf_end(&at, status, &error);
    } else {
        exit = session_fail(run, &error);
    }
    plants_free(&of.all);
    return exit;
}

/* The answer is what is found from now on. */
static marey_status forget_and_find(shelf *at, contacting *of, marey_error *error)
{
    marey_clip *clip = NULL;
    marey_status status = marey_library_load(at->library, of->name, &clip, error);
    if (status != MAREY_OK) return status;
    of->clip = clip;
    status = plants_find(at->run, clip, &of->all, error);
    if (status == MAREY_OK) describe(of);
    if (status == MAREY_OK) status = shelf_ready(at->run, error);
    if (status == MAREY_OK) {
        status = marey_library_set_contacts(at->library, of->name, NULL, -1, error);
    }
    plants_free(&of->all);
    marey_clip_free(clip);
    return status;
}

static int forget(session *run, const request *asked)
{
    contacting of = { .run = run, .name = asked->operands[0] };
    marey_error error;
    shelf at;
    int exit = check_change(run, asked);
    if (exit != PROGRAM_DONE) return exit;
    marey_status status =
        shelf_open(run, asked->values[OPTION_LIBRARY], MAREY_LIBRARY_WRITE, &at, &error);
    if (status != MAREY_OK) return session_fail(run, &error);
    return shelf_end(&at, forget_and_find(&at, &of, &error), &error);
}

int command_contacts(session *run, const request *asked)
{
    if (request_has(asked, OPTION_FORGET)) return forget(run, asked);
    return request_has(asked, OPTION_SET) ? set(run, asked) : tell(run, asked);
}
