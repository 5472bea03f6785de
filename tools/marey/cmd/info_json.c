/* info_json.c - a clip as one JSON object. */
#include "info.h"

static void number_or_null(json *to, const char *key, double value)
{
    if (value > 0) {
        json_put_number(to, key, value);
    } else {
        json_put_null(to, key);
    }
}

static void write_roles(json *to, const marey_skeleton *skeleton)
{
    json_open(to, "roles", '{');
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint < 0) continue;
        json_put_string(to, marey_role_name((marey_role)role), skeleton->joints[joint].name);
    }
    json_close(to, '}');
    json_put_string(to, "roles_from", skeleton->roles_from);
}

void info_marks(json *to, const marey_clip *clip)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    json_open(to, "marks", '[');
    for (int i = 0; i < count; i++) {
        json_open(to, NULL, '{');
        json_put_string(to, "kind", marey_mark_name(marks[i].kind));
        json_put_integer(to, "start", marks[i].start);
        json_put_integer(to, "end", marks[i].end);
        json_close(to, '}');
    }
    json_close(to, ']');
}

static void write_report(json *to, const marey_report *report)
{
    json_put_string(to, "units_why", report->units_why);
    json_put_string(to, "up_why", report->up_why);
    json_put_number(to, "claimed_fps", report->claimed_fps);
    number_or_null(to, "flight_fps", report->flight_fps);
    json_put_integer(to, "flights", report->flight_count);
    json_open(to, "warnings", '[');
    for (int i = 0; i < report->warning_count; i++) json_put_string(to, NULL, report->warnings[i]);
    json_close(to, ']');
}

void info_json(json *to, const char *path, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const marey_report *report = marey_clip_report(clip);
    json_open(to, NULL, '{');
    json_put_string(to, "name", marey_clip_name(clip));
    json_put_string(to, "path", path);
    json_put_string(to, "format", report->format);
    json_put_integer(to, "frames", marey_clip_frames(clip));
    json_put_number(to, "fps", marey_clip_fps(clip));
    json_put_number(to, "seconds", marey_clip_seconds(clip));
    json_put_integer(to, "joints", skeleton->joint_count);
    json_put_integer(to, "channels", skeleton->channel_count);
    json_put_string(to, "units", marey_units_name(marey_clip_units(clip)));
    json_put_string(to, "up", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y");
    json_put_number(to, "height_cm", report->height_cm);
    write_roles(to, skeleton);
    info_marks(to, clip);
    write_report(to, report);
    json_close(to, '}');
}
