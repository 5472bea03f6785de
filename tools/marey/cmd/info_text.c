/* info_text.c - a clip for people to read. */
#include "info.h"

#include <string.h>

enum { COLUMNS = 96, INDENT = 12 };

static void begin_line(buffer *out, const char *label)
{
    buffer_print(out, "  %-*s", INDENT - 2, label);
}

static void write_rate(buffer *out, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    double fps = marey_clip_fps(clip);
    int frames = marey_clip_frames(clip);
    begin_line(out, "frames");
    buffer_print(out, "%d at %.6g a second, %.2f s", frames, fps, marey_clip_seconds(clip));
    if (report->claimed_fps > 0 && report->claimed_fps != fps) {
        buffer_print(out, " (the file claims %.6g)", report->claimed_fps);
    }
    buffer_byte(out, '\n');
    if (report->flight_fps <= 0) return;
    begin_line(out, "flight");
    buffer_print(out, "%d in free fall; gravity speaks for %.4g frames a second\n",
                 report->flight_count, report->flight_fps);
}

static void write_skeleton(buffer *out, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    const marey_report *report = marey_clip_report(clip);
    begin_line(out, "skeleton");
    buffer_print(out, "%d joints, %d channels", skeleton->joint_count, skeleton->channel_count);
    if (report->height_cm > 0) buffer_print(out, ", %.4g cm tall", report->height_cm);
    buffer_byte(out, '\n');
    begin_line(out, "units");
    buffer_print(out, "%s: %s\n", marey_units_name(marey_clip_units(clip)), report->units_why);
    begin_line(out, "up");
    buffer_print(out, "%s: %s\n", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->up_why);
}

/* As many "role=Joint" on a line as fit. */
static void write_roles(buffer *out, const marey_skeleton *skeleton)
{
    int column = COLUMNS, found = 0;
    begin_line(out, "roles");
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) found += skeleton->roles[role] >= 0;
    if (found == 0) {
        buffer_text(out, "none found\n");
        return;
    }
    buffer_print(out, "%d of %d, from %s", found, (int)MAREY_ROLE_COUNT, skeleton->roles_from);
    for (int role = 0; role < MAREY_ROLE_COUNT; role++) {
        int joint = skeleton->roles[role];
        if (joint < 0) continue;
        const char *name = marey_role_name((marey_role)role), *to = skeleton->joints[joint].name;
        int width = (int)(strlen(name) + strlen(to)) + 2;
        if (column + width > COLUMNS) {
            buffer_byte(out, '\n');
            buffer_blanks(out, INDENT);
            column = INDENT;
        } else {
            buffer_byte(out, ' ');
        }
        buffer_print(out, "%s=", name);
        buffer_shown(out, to);
        column += width;
    }
    buffer_byte(out, '\n');
}

static void write_notes(buffer *out, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    int count;
    const marey_mark *marks = marey_clip_marks(clip, &count);
    for (int i = 0; i < count; i++) {
        begin_line(out, i ? "" : "marks");
        buffer_print(out, "%s: frames %d-%d\n", marey_mark_name(marks[i].kind), marks[i].start,
                     marks[i].end);
    }
    for (int i = 0; i < report->warning_count; i++) {
        begin_line(out, i ? "" : "warnings");
        buffer_shown(out, report->warnings[i]);
        buffer_byte(out, '\n');
    }
}

void info_report(buffer *out, const char *path, const marey_clip *clip)
{
    buffer_shown(out, marey_clip_name(clip));
    buffer_text(out, "  (");
    buffer_shown(out, path);
    buffer_print(out, ", %s)\n", marey_clip_report(clip)->format);
    write_rate(out, clip);
    write_skeleton(out, clip);
    write_roles(out, marey_clip_skeleton(clip));
    write_notes(out, clip);
}

void info_table_head(buffer *out)
{
    buffer_text(out,
                "  frames       fps   seconds joints units up height_cm marks warnings  file\n");
}

void info_table_line(buffer *out, const char *path, const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);
    int marks;
    marey_clip_marks(clip, &marks);
    buffer_print(out, "%8d %9.6g %9.2f %6d %5s %2s %9.1f %5d %8d  ", marey_clip_frames(clip),
                 marey_clip_fps(clip), marey_clip_seconds(clip),
                 marey_clip_skeleton(clip)->joint_count, marey_units_name(marey_clip_units(clip)),
                 marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->height_cm, marks,
                 report->warning_count);
    buffer_shown(out, path);
    buffer_byte(out, '\n');
}
