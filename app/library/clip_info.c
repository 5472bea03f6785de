/* clip_info.c - what a clip is, as JSON. */
#include "clip_info.h"

void app_marks_write(const marey_clip *clip, json *out)
{
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    json_open(out, "marks", '[');
    for (int i = 0; i < count; i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "kind", marey_mark_name(marks[i].kind));
        json_put_integer(out, "start", marks[i].start);
        json_put_integer(out, "end", marks[i].end);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void app_info_write(const marey_clip *clip, const char *path, json *out)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const marey_report *report = marey_clip_report(clip);
    json_put_string(out, "name", marey_clip_name(clip));
    if (path) json_put_string(out, "path", path);
    json_put_string(out, "format", report->format);
    json_put_integer(out, "frames", marey_clip_frames(clip));
    json_put_number(out, "fps", marey_clip_fps(clip));
    json_put_number(out, "seconds", marey_clip_seconds(clip));
    json_put_integer(out, "joints", skeleton->joint_count);
    json_put_integer(out, "channels", skeleton->channel_count);
    json_put_string(out, "units", marey_units_name(marey_clip_units(clip)));
    json_put_string(out, "up", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y");
    json_put_number(out, "height_cm", report->height_cm);
    json_open(out, "roles", '{');
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint < 0) continue;
        json_put_string(out, marey_role_name((marey_role)role), skeleton->joints[joint].name);
    }
    json_close(out, '}');
    json_put_string(out, "roles_from", skeleton->roles_from);
    app_marks_write(clip, out);
    json_put_string(out, "units_why", report->units_why);
    json_put_string(out, "up_why", report->up_why);
    json_put_number(out, "claimed_fps", report->claimed_fps);
    if (report->flight_fps > 0) {
        json_put_number(out, "flight_fps", report->flight_fps);
    } else {
        json_put_null(out, "flight_fps");
    }
    json_put_integer(out, "flights", report->flight_count);
    json_put_texts(out, "warnings", (const char *const *)report->warnings, report->warning_count);
    if (report->take_count > 0) {
        json_put_texts(out, "takes", report->takes, report->take_count);
        json_put_integer(out, "take", report->take + 1);
    }
}

void app_joints_write(const marey_skeleton *skeleton, json *out)
{
    json_open(out, "joints", '[');
    for (int i = 0; i < skeleton->joint_count; i++) {
        const marey_joint *joint = &skeleton->joints[i];
        json_open(out, NULL, '{');
        json_put_string(out, "name", joint->name);
        json_put_integer(out, "parent", joint->parent);
        json_put_numbers(out, "offset_cm", joint->offset_cm, 3);
        if (joint->has_end) {
            json_put_numbers(out, "end_cm", joint->end_cm, 3);
        } else {
            json_put_null(out, "end_cm");
        }
        json_open(out, "channels", '[');
        for (int k = 0; k < joint->channel_count; k++)
            json_put_string(out, NULL, marey_channel_name(joint->channels[k]));
        json_close(out, ']');
        json_close(out, '}');
    }
    json_close(out, ']');
    json_open(out, "roles", '{');
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint >= 0) json_put_integer(out, marey_role_name((marey_role)role), joint);
    }
    json_close(out, '}');
}
