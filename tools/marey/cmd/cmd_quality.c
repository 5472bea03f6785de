/* cmd_quality.c - `marey quality`: how sound a motion is. What each number means is said in motion.h. */
#include "commands.h"
#include "plants.h"

#include <stdio.h>

static void write_json(session *run, const char *name, const marey_clip *clip, const plants *from,
                       const marey_quality *of)
{
    json to = json_make(&run->out);
    json_open(&to, NULL, '{');
    json_put_string(&to, "clip", name);
    json_put_integer(&to, "frames", marey_clip_frames(clip));
    json_put_number(&to, "seconds", marey_clip_seconds(clip));
    json_put_integer(&to, "plants", of->plants);
    json_put_string(&to, "from", plants_from(from));
    json_put_number(&to, "slide_cm", of->slide_cm);
    json_put_number(&to, "slide_max_cm", of->slide_max_cm);
    json_put_number(&to, "slide_cm_per_s", of->slide_cm_per_s);
    json_put_number(&to, "penetration_cm", of->penetration_cm);
    json_put_number(&to, "jump_ratio", of->jump_ratio);
    json_put_number(&to, "jerk_ratio", of->jerk_ratio);
    json_close(&to, '}');
    buffer_byte(&run->out, '\n');
}

/* Less than half of the last digit that is shown is called none. */
static void write_feet(buffer *out, const marey_quality *of)
{
    if (of->plants == 0) {
        buffer_text(out, "  feet         no foot is ever planted, so there is nothing to slide\n");
        return;
    }
    buffer_print(out,
                 "  slide        a planted foot drifts by %.2f cm on average, by %.2f cm at worst\n"
                 "               and creeps at %.2f cm a second\n",
                 of->slide_cm, of->slide_max_cm, of->slide_cm_per_s);
    if (of->penetration_cm >= 0.005) {
        buffer_print(out, "  penetration  a foot goes %.2f cm below its floor at worst\n",
                     of->penetration_cm);
    } else {
        buffer_text(out, "  penetration  no foot goes below its floor\n");
    }
}

static void write_text(session *run, const char *name, const marey_clip *clip, const plants *from,
                       const marey_quality *of)
{
    buffer *out = &run->out;
    int frames = marey_clip_frames(clip);
    buffer_shown(out, name);
    buffer_print(out, "  (%d frame%s, %.2f s, %d plant%s %s)\n", frames, frames == 1 ? "" : "s",
                 marey_clip_seconds(clip), of->plants, of->plants == 1 ? "" : "s",
                 from->stored ? "kept in the library" : "found");
    write_feet(out, of);
    buffer_print(out,
                 "  jump         the largest step of a joint between two frames is %.1f times the "
                 "median\n"
                 "  jerk         the sharpest change of acceleration is %.1f times the median\n",
                 of->jump_ratio, of->jerk_ratio);
}

static marey_status measure(input *from, const request *asked, marey_error *error)
{
    session *run = from->run;
    const char *name = asked->operands[0];
    input_source source;
    marey_clip *clip = NULL;
    plants all;
    marey_quality of;
    marey_status status = input_load(from, name, &(frame_range){ 0 }, &clip, &source, error);
    if (status != MAREY_OK) return status;
    status = plants_get(from, &source, clip, request_has(asked, OPTION_FOUND), &all, error);
    if (status == MAREY_OK) {
        status = marey_clip_quality(clip, all.items, all.count, &of);
        if (status != MAREY_OK) {
            *error = (marey_error){ .status = status };
            snprintf(error->message, sizeof error->message, "%s", marey_status_name(status));
        } else if (run->json) {
            write_json(run, name, clip, &all, &of);
        } else {
            write_text(run, name, clip, &all, &of);
        }
        plants_free(&all);
    }
    marey_clip_free(clip);
    return status;
}

int command_quality(session *run, const request *asked)
{
    input from;
    marey_error error;
    int status = input_open(run, asked, &from);
    if (status != PROGRAM_DONE) return status;
    marey_status done = measure(&from, asked, &error);
    input_close(&from);
    return done == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
}
