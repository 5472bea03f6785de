/* measure.c - how large the body is, and which way is up.

   Bones keep their length whatever the pose, so the height a person would stand at is a sum of bone
   lengths, and the unit follows from it: known units are at least a factor of two apart, people are
   not. Bones say nothing about the up axis (a file with z up may well draw its rest pose along y);
   for that the frames are asked where the head is, seen from the ankles, and along which axis the
   body keeps to a floor. */
#include "math/quat.h"
#include "motion/axes.h"
#include "motion/clip_data.h"

#include <assert.h>

/* ---- the table of known units of length ------------------------------------------------------ */

/* Only these are ever guessed: a free scale would make any skeleton human-sized and hide that a
   file is odd. */

typedef struct unit {
    const char *name;
    const char *phrase; /* as in "assuming inches" */
    double cm;
} unit;

static const unit table[MAREY_UNITS_COUNT] = {
    [MAREY_UNITS_GUESS] = { "", "no unit", 1 },
    [MAREY_UNITS_MM] = { "mm", "millimetres", 0.1 },
    [MAREY_UNITS_CM] = { "cm", "centimetres", 1 },
    [MAREY_UNITS_M] = { "m", "metres", 100 },
    [MAREY_UNITS_INCH] = { "inch", "inches", 2.54 },
    [MAREY_UNITS_FOOT] = { "foot", "feet", 30.48 },
    [MAREY_UNITS_CMU] = { "cmu", "CMU units (1/0.45 inch)", 2.54 / 0.45 },
    [MAREY_UNITS_RAW] = { "raw", "units as they are", 1 },
};

static const unit *row(marey_units units)
{
    assert(units >= 0 && units < MAREY_UNITS_COUNT);
    return &table[units];
}

const char *marey_units_name(marey_units units)
{
    return row(units)->name;
}

double marey_units_cm(marey_units units)
{
    return row(units)->cm;
}

static const double TYPICAL_CM = 170; /* the middle of the guess, not a claim about one actor */
static const double LEAST_CM = 80, MOST_CM = 220;
/* Shares of the height that bones do not show. */
static const double HEAD_SHARE = 0.08;   /* head joint to crown, where the file has no tip */
static const double ANKLE_SHARE = 0.039; /* ankle above the sole; Winter, after Drillis & Contini */

enum { SAMPLES = 32 };

/* ---- height ---------------------------------------------------------------------------------- */

/* The bone from the parent to joint j. Position channels replace the offset, and a file that has
   them often leaves the offsets empty; the middle frame is as good as any other. */
static const double *bone(const marey_clip *clip, int j)
{
    int slot = clip->slot[j];
    if (slot <= 0) return clip->joints[j].offset_cm;
    return mry_place(clip, clip->frames / 2) + 3 * slot;
}

/* Sum of the bones from `joint` up to its ancestor `top`; 0 if that is not one. */
static double path_length(const marey_clip *clip, int joint, int top)
{
    double sum = 0;
    while (joint > top) {
        sum += mry_length3(bone(clip, joint));
        joint = clip->joints[joint].parent;
    }
    return joint == top ? sum : 0;
}

static bool has_body(const marey_clip *clip)
{
    static const marey_role needed[] = { MAREY_ROLE_HEAD, MAREY_ROLE_LEFT_HIP, MAREY_ROLE_RIGHT_HIP,
                                         MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_RIGHT_ANKLE };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (clip->skeleton.roles[needed[i]] < 0) return false;
    }
    return true;
}

/* In the file's units; 0 where no body is known. Legs are straight bones. The spine is not (its
   joints zigzag, and some lie behind it), so the trunk is what the survey saw at its longest. */
static double standing_height(const marey_clip *clip, double trunk)
{
    if (!has_body(clip)) return 0;
    const int *role = clip->skeleton.roles;
    double legs = path_length(clip, role[MAREY_ROLE_LEFT_ANKLE], role[MAREY_ROLE_LEFT_HIP]) +
                  path_length(clip, role[MAREY_ROLE_RIGHT_ANKLE], role[MAREY_ROLE_RIGHT_HIP]);
    /* From the head joint to the top of the head: its End Site, else its longest bone onwards; 0 if
       neither. */
    int head = role[MAREY_ROLE_HEAD];
    bool has_end = clip->joints[head].has_end;
    double tip = has_end ? mry_length3(clip->joints[head].end_cm) : 0;
    for (int j = head + 1; j < clip->skeleton.joint_count && !has_end; j++) {
        if (clip->joints[j].parent == head) tip = fmax(tip, mry_length3(bone(clip, j)));
    }
    double known = 1 - ANKLE_SHARE - (tip > 0 ? 0 : HEAD_SHARE);
    return legs > 0 && trunk > 0 ? (legs / 2 + trunk + tip) / known : 0;
}

/* ---- a look at some frames ------------------------------------------------------------------- */

/* Which axis leads from the ankles to the head: 1 for y, 2 for z, 0 if none clearly does. Only
   upwards counts: in a handstand nothing can be told. */
static int standing_axis(const marey_clip *clip, const double *at)
{
    const int *role = clip->skeleton.roles;
    const double *head = at + 3 * role[MAREY_ROLE_HEAD];
    const double *left = at + 3 * role[MAREY_ROLE_LEFT_ANKLE];
    const double *right = at + 3 * role[MAREY_ROLE_RIGHT_ANKLE];
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = head[i] - (left[i] + right[i]) / 2;
    if (d[1] > 1.5 * fmax(fabs(d[0]), fabs(d[2]))) return 1;
    if (d[2] > 1.5 * fmax(fabs(d[0]), fabs(d[1]))) return 2;
    return 0;
}

typedef struct survey {
    int frames;               /* looked at */
    int y, z;                 /* of these: the body stands along this axis */
    int floors;               /* of the z ones: the lowest joint is near z = 0, where floors are */
    double least[3], most[3]; /* where the lowest joint was along each axis */
    double trunk;             /* the longest way from between the hips to the head */
} survey;

/* `at` has room for every joint's place. */
static survey look(const marey_clip *clip, double *at)
{
    survey s = { 0 };
    const int *role = clip->skeleton.roles;
    int stride = clip->frames / SAMPLES + 1;
    /* The first frame may be invented, so it is left out where there are others. */
    int first = clip->frames > 1 ? (stride + 1) / 2 : 0;
    for (int f = first; f < clip->frames && has_body(clip); f += stride) {
        double low[3], middle[3];
        marey_clip_positions(clip, f, 1, at);
        int axis = standing_axis(clip, at);
        const double *left = at + 3 * role[MAREY_ROLE_LEFT_HIP];
        const double *right = at + 3 * role[MAREY_ROLE_RIGHT_HIP];
        for (int i = 0; i < 3; i++) middle[i] = (left[i] + right[i]) / 2;
        double trunk = mry_distance3(middle, at + 3 * role[MAREY_ROLE_HEAD]);
        for (int i = 1; i < 3; i++) {
            low[i] = at[i];
            for (int j = 1; j < clip->skeleton.joint_count; j++)
                low[i] = fmin(low[i], at[3 * j + i]);
            s.least[i] = s.frames ? fmin(s.least[i], low[i]) : low[i];
            s.most[i] = s.frames ? fmax(s.most[i], low[i]) : low[i];
        }
        s.trunk = fmax(s.trunk, trunk);
        s.frames++;
        s.y += axis == 1;
        s.z += axis == 2;
        s.floors += axis == 2 && fabs(low[2]) < 0.6 * trunk;
    }
    return s;
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool is_human(double height_cm)
{
    return height_cm >= LEAST_CM && height_cm <= MOST_CM;
}

/* On a logarithmic scale. */
marey_units mry_units_of_body(double height)
{
    marey_units best = MAREY_UNITS_CM;
    double best_off = HUGE_VAL;
    for (marey_units u = MAREY_UNITS_MM; u <= MAREY_UNITS_CMU; u++) {
        double off = fabs(log(height * marey_units_cm(u) / TYPICAL_CM));
        if (off >= best_off) continue;
        best_off = off;
        best = u;
    }
    return is_human(height * marey_units_cm(best)) ? best : MAREY_UNITS_GUESS;
}

/* Height 0: no body is known. False: out of memory. */
static bool guess_units(marey_clip *clip, double height, double *at)
{
    /* Something that is no person may have any size, so only the metric units are tried. Inches
       would make a person of nearly every small thing. */
    static const marey_units metric[] = { MAREY_UNITS_CM, MAREY_UNITS_M, MAREY_UNITS_MM };
    mry_arena *mem = &clip->mem;
    marey_report *report = &clip->report;
    clip->units = MAREY_UNITS_CM;
    if (!(height > 0)) {
        /* The longest side of the box around the joints in the middle frame. */
        double longest = 0;
        marey_clip_positions(clip, clip->frames / 2, 1, at);
        for (int i = 0; i < 3; i++) {
            double low = at[i], high = at[i];
            for (int j = 1; j < clip->skeleton.joint_count; j++) {
                low = fmin(low, at[3 * j + i]);
                high = fmax(high, at[3 * j + i]);
            }
            longest = fmax(longest, high - low);
        }
        report->units_why = "no body was recognised to measure, so centimetres were taken";
        for (int i = 0; i < 3; i++) {
            double size_cm = longest * marey_units_cm(metric[i]);
            if (!is_human(size_cm)) continue;
            clip->units = metric[i];
            report->units_why = mry_arena_print(
                mem,
                "no body was recognised; assuming %s, the skeleton is %.1f cm from end "
                "to end",
                row(metric[i])->phrase, size_cm);
            break;
        }
        return report->units_why != NULL;
    }
    marey_units best = mry_units_of_body(height);
    if (best != MAREY_UNITS_GUESS) {
        clip->units = best;
        report->units_why = mry_arena_print(mem, "assuming %s, the actor is %.1f cm tall",
                                            row(best)->phrase, height * marey_units_cm(best));
        return report->units_why != NULL;
    }
    report->units_why = mry_arena_print(
        mem,
        "no known unit makes a body of %.4g units as tall as a person, so centimetres "
        "were taken",
        height);
    return report->units_why &&
           mry_clip_warn(clip,
                         "a body of %.4g units is the size of a person in no known unit; "
                         "--units says what they are",
                         height);
}

static void guess_up(marey_clip *clip, const survey *s, double *at)
{
    /* The rest pose. */
    for (int j = 0; j < clip->skeleton.joint_count; j++) {
        int parent = clip->joints[j].parent;
        for (int i = 0; i < 3; i++)
            at[3 * j + i] = parent < 0 ? 0 : at[3 * parent + i] + bone(clip, j)[i];
    }
    int rest = standing_axis(clip, at);
    bool some_y = s->y * 10 >= s->frames, some_z = s->z * 10 >= s->frames;
    /* Bodies that stand along z, and perhaps along y at other times: one that lies along z in a
       file with y up looks the same as one that stands in a file with z up, so the floor decides
       or, where both axes have one, the rest pose. Standing, sitting or lying, a body stays on its
       floor: its lowest point comes and goes little. */
    double margin = 0.15 * s->trunk;
    double calmer = (s->most[1] - s->least[1]) - (s->most[2] - s->least[2]);
    bool is_z_up = some_y ? calmer > margin || (calmer > -margin && rest == 2)
                          : rest == 2 || (calmer > -margin && s->floors * 5 >= s->z * 4);
    clip->up = MAREY_UP_Y;
    if (some_z && is_z_up) {
        clip->up = MAREY_UP_Z;
        clip->report.up_why = some_y ? "the body stands along z and lies along y"
                                     : "the body stands along z in most frames";
    } else if (some_y) {
        clip->report.up_why = some_z ? "the body stands along y and lies along z"
                                     : "the body stands along y in most frames";
    } else if (some_z) {
        clip->report.up_why = "the body lies along z, keeps to no floor there, and rests along y";
    } else if (rest == 2) {
        clip->up = MAREY_UP_Z;
        clip->report.up_why = "the body stands in hardly any frame, and its rest pose is along z";
    } else if (rest == 1) {
        clip->report.up_why = "the body stands in hardly any frame, and its rest pose is along y";
    } else {
        clip->report.up_why = "nothing in the file tells, so y was taken";
    }
}

static void convert_vector(double *v, double scale, marey_up up)
{
    mry_vector_from_file(up, v, v);
    for (int i = 0; i < 3; i++) v[i] *= scale;
}

bool mry_clip_settle_units(marey_clip *clip, marey_units units, marey_up up)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    double *at = MRY_NEW_RAW(&tmp, double, 3 * (size_t)clip->skeleton.joint_count);
    if (!at) return false;
    survey seen = look(clip, at);
    double height = standing_height(clip, seen.trunk);
    bool ok = true;
    clip->units = units;
    clip->up = up;
    if (units == MAREY_UNITS_GUESS) {
        ok = guess_units(clip, height, at);
    } else if (units == MAREY_UNITS_RAW) {
        clip->report.units_why = "raw was asked for: numbers are as in the file";
    } else {
        clip->report.units_why = mry_arena_print(&clip->mem, "%s were given", row(units)->phrase);
        ok = clip->report.units_why != NULL;
    }
    if (units == MAREY_UNITS_RAW) {
        clip->up = MAREY_UP_Y;
        clip->report.up_why = "raw was asked for: axes are as in the file";
    } else if (up != MAREY_UP_GUESS) {
        clip->report.up_why =
            up == MAREY_UP_Z ? "it was said that z is up" : "it was said that y is up";
    } else if (seen.frames > 0) {
        guess_up(clip, &seen, at);
    } else {
        clip->up = MAREY_UP_Y;
        clip->report.up_why = "no body was recognised that could stand, so y was taken";
    }
    clip->report.height_cm = height * marey_units_cm(clip->units);
    /* Every length to centimetres, every axis to y up. */
    double scale = marey_units_cm(clip->units);
    size_t joints = (size_t)clip->skeleton.joint_count, frames = (size_t)clip->frames;
    size_t places = frames * (size_t)clip->mover_count;
    bool same = scale == 1 && clip->up == MAREY_UP_Y;
    for (size_t j = 0; j < joints && !same; j++) {
        convert_vector(clip->joints[j].offset_cm, scale, clip->up);
        convert_vector(clip->joints[j].end_cm, scale, clip->up);
    }
    for (size_t i = 0; i < places && !same; i++)
        convert_vector(clip->place + 3 * i, scale, clip->up);
    for (size_t i = 0; clip->up != MAREY_UP_Y && i < frames * joints; i++)
        mry_turn_from_file(clip->up, clip->turn + 4 * i, clip->turn + 4 * i);
    mry_arena_free(&tmp);
    return ok;
}
