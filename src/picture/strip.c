/* strip.c - one film strip: the camera, the layout, the poses that tell the motion, the plants, and
   where the figures stand.

   Under them runs the axis of time, so each belongs over its own time; but motion turns in bursts,
   and figures must not cover each other. Of all places in a row with enough room between them,
   those with the least sum of squared ways from where the figures belong are taken: with the room
   that the figures before one need subtracted, places only have to rise, which makes it an isotonic
   regression, and that is solved by pooling neighbours that stand in each other's way (Barlow &
   Brunk 1972). */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POSES = 32, MOST_PLACED = 64, ENOUGH = 9 };

static const double GAP = 0.06; /* between figures, share of the body's height */
static const double FAR = 0.2;  /* so far from its time a figure says the wrong one, same share */
static const double FULLEST = 0.8; /* of the width: what figures take where all are asked for */

/* A row of figures that stand shoulder to shoulder, at a mean place. */
typedef struct pool {
    double sum;
    int count;
} pool;

double mry_strip_x(const mry_strip *strip, double frame)
{
    int frames = marey_clip_frames(strip->clip);
    double share = frames > 1 ? frame / (frames - 1) : 0.5;
    return strip->layout.left + share * (strip->layout.right - strip->layout.left);
}

static int by_frame(const void *a, const void *b)
{
    return ((const mry_strip_pose *)a)->frame - ((const mry_strip_pose *)b)->frame;
}

static double width_of(const mry_strip *strip, const mry_strip_pose *pose)
{
    return pose->box[2] - pose->box[0] + GAP * strip->body.height_cm;
}

/* What the height of the picture allows. */
static double tallest_scale(const mry_strip *strip, const mry_strip_pose *poses, int count)
{
    double above = 0.3 * strip->body.height_cm, below = 0.03 * strip->body.height_cm;
    for (int i = 0; i < count; i++) {
        above = fmax(above, -poses[i].box[1]);
        below = fmax(below, poses[i].box[3]);
    }
    return (strip->layout.bottom - strip->layout.top) / (above + below);
}

/* The scale at which the poses side by side are as wide as that. */
static double scale_for(const mry_strip *strip, const mry_strip_pose *poses, int count,
                        double width)
{
    double wide = 0;
    for (int i = 0; i < count; i++) wide += width_of(strip, &poses[i]);
    return width / wide;
}

/* Over its time, but for figures that would stand out of the picture there. */
static double wanted(const mry_strip *strip, const mry_strip_pose *pose, double scale)
{
    const mry_strip_layout *l = &strip->layout;
    double least = l->left - scale * pose->box[0], most = l->right - scale * pose->box[2];
    return mry_clamp(mry_strip_x(strip, pose->frame), least, fmax(least, most));
}

/* Places poses that are in the order of time and fit at this scale; how far the worst one is from
   where it belongs. */
static double place(const mry_strip *strip, mry_strip_pose *poses, int count, double scale)
{
    const mry_strip_layout *l = &strip->layout;
    double before[MOST_PLACED], used = 0, worst = 0;
    pool pools[MOST_PLACED];
    int open = 0;
    for (int i = 0; i < count; i++) {
        before[i] = used - scale * poses[i].box[0];
        used += scale * width_of(strip, &poses[i]);
        pools[open++] = (pool){ wanted(strip, &poses[i], scale) - before[i], 1 };
        while (open > 1 && pools[open - 1].sum * pools[open - 2].count <
                               pools[open - 2].sum * pools[open - 1].count) {
            pools[open - 2].sum += pools[open - 1].sum;
            pools[open - 2].count += pools[open - 1].count;
            open--;
        }
    }
    double last = l->right - used + scale * GAP * strip->body.height_cm;
    for (int p = 0, i = 0; p < open; p++) {
        double at = mry_clamp(pools[p].sum / pools[p].count, l->left, fmax(last, l->left));
        for (int k = 0; k < pools[p].count; k++, i++) {
            poses[i].x = at + before[i];
            worst = fmax(worst, fabs(poses[i].x - wanted(strip, &poses[i], scale)));
        }
    }
    return worst;
}

static void finish(mry_strip *strip, double scale)
{
    double below = 0.03 * strip->body.height_cm;
    for (int i = 0; i < strip->pose_count; i++) below = fmax(below, strip->poses[i].box[3]);
    strip->scale = scale;
    strip->layout.floor_y = strip->layout.bottom - scale * below;
    place(strip, strip->poses, strip->pose_count, scale);
}

void mry_strip_place_all(mry_strip *strip)
{
    double width = strip->layout.right - strip->layout.left;
    int count = strip->pose_count;
    double scale = fmin(tallest_scale(strip, strip->poses, count),
                        scale_for(strip, strip->poses, count, FULLEST * width));
    qsort(strip->poses, (size_t)count, sizeof *strip->poses, by_frame);
    finish(strip, scale);
}

/* At full height; where only few fit, somewhat smaller. */
void mry_strip_place_some(mry_strip *strip)
{
    static const double shrinks[] = { 1.0, 0.9, 0.8, 0.7 };
    mry_strip_pose taken[MOST_PLACED], tried[MOST_PLACED];
    int count = strip->pose_count, kept = 0;
    double tallest = tallest_scale(strip, strip->poses, count), scale = tallest;
    double width = strip->layout.right - strip->layout.left;
    for (size_t s = 0; s < sizeof shrinks / sizeof *shrinks && kept < ENOUGH && kept < count; s++) {
        scale = shrinks[s] * tallest;
        double far = FAR * strip->body.height_cm * scale;
        kept = 0;
        /* Takes the best poses one by one, but for those that would push figures too far from their
           times. The first and the last frame are the first two, and always shown. */
        for (int i = 0; i < count; i++) {
            memcpy(tried, taken, (size_t)kept * sizeof *tried);
            tried[kept] = strip->poses[i];
            qsort(tried, (size_t)kept + 1, sizeof *tried, by_frame);
            if (i > 1 && scale_for(strip, tried, kept + 1, width) < scale) continue;
            if (i > 1 && place(strip, tried, kept + 1, scale) > far) continue;
            memcpy(taken, tried, ((size_t)kept + 1) * sizeof *tried);
            kept++;
        }
    }
    memcpy(strip->poses, taken, (size_t)kept * sizeof *taken);
    strip->pose_count = kept;
    finish(strip, fmin(scale, scale_for(strip, strip->poses, kept, width)));
}

static void lay_out(mry_strip *strip, bool titled)
{
    mry_strip_layout *l = &strip->layout;
    double w = strip->width, h = strip->height, pad = mry_clamp(0.03 * h, 2, 12);
    l->small = h < 180 || w < 500;
    l->title_size = !titled    ? 0
                    : l->small ? mry_clamp(0.11 * h, 8, 13)
                               : mry_clamp(0.044 * h, 12, 22);
    l->title_y = titled ? pad + 0.85 * l->title_size : 0;
    double letters = l->small ? 0 : mry_clamp(0.034 * h, 10, 16);
    l->bar_height = l->small ? mry_clamp(0.016 * h, 1, 2) : mry_clamp(0.013 * h, 3, 7);
    l->bar_step = l->bar_height + (l->small ? 0.5 : 1.5);
    l->axis_y = h - pad - 2.6 * letters;
    /* Rows of hands only if there are any: contacts are sorted by joint. */
    int last = strip->contact_count - 1, rows = MAREY_CONTACT_LEFT_HAND;
    if (last >= 0 && strip->contacts[last].joint >= MAREY_CONTACT_LEFT_HAND)
        rows = MAREY_CONTACT_JOINT_COUNT;
    l->bars_y = l->axis_y - (l->small ? 1 : 4) - rows * l->bar_step;
    l->left = pad + (l->small ? 0 : 26);
    l->right = w - pad;
    l->top = pad + 1.25 * l->title_size;
    l->bottom = l->bars_y - (l->small ? 3 : mry_clamp(0.05 * h, 8, 24));
    double way[2];
    bool travels = mry_track_way(&strip->track, way) > 0.4 * strip->body.height_cm;
    l->plan_size = 0;
    if (travels && !l->small && w > 2.5 * h) {
        l->plan_size = fmin(l->bottom - l->top, 0.16 * w);
        l->plan_left = l->right - l->plan_size;
        l->right = l->plan_left - 2 * pad;
    }
}

/* The joint that stands for a point that can be planted. */
static const marey_role contact_roles[] = { MAREY_ROLE_LEFT_ANKLE,  MAREY_ROLE_LEFT_TOE,
                                            MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE,
                                            MAREY_ROLE_LEFT_WRIST,  MAREY_ROLE_RIGHT_WRIST };

/* The poses that show the motion, and where they stand. `number`: how many; 0: as many as fit.
   False when out of memory. */
static bool choose_poses(mry_strip *strip, mry_arena *mem, int number)
{
    int ranked[MOST_POSES];
    bool ok;
    double seconds = marey_clip_seconds(strip->clip);
    int most = number ? number : (int)mry_clamp(4 + 12 * seconds, 2, MOST_POSES);
    if (most > MOST_POSES) most = MOST_POSES;
    int count = mry_track_rank(&strip->track, mem, most, ranked, &ok);
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)strip->body.skeleton->joint_count);
    strip->poses = MRY_NEW(mem, mry_strip_pose, MOST_POSES);
    if (!ok || !positions || !strip->poses) return false;
    for (int i = 0; i < count; i++) {
        mry_strip_pose *pose = &strip->poses[i];
        const double *root = strip->track.roots + 3 * (size_t)ranked[i];
        pose->frame = strip->track.frames[ranked[i]];
        marey_clip_positions(strip->clip, pose->frame, 1, positions);
        pose->parts = MRY_NEW_RAW(mem, mry_part, strip->body.most_parts);
        pose->points = MRY_NEW(mem, double, 3 * MAREY_CONTACT_JOINT_COUNT);
        if (!pose->parts || !pose->points) return false;
        pose->part_count = mry_body_parts(
            &strip->body, positions, marey_clip_rotations(strip->clip, pose->frame), pose->parts);
        pose->origin[0] = root[0];
        pose->origin[1] = strip->track.floor_cm;
        pose->origin[2] = root[2];
        mry_figure_extent(&strip->view, pose->origin, pose->parts, pose->part_count, pose->box);
        for (int c = 0; c < MAREY_CONTACT_JOINT_COUNT; c++) {
            int joint = strip->body.skeleton->roles[contact_roles[c]];
            if (joint < 0) continue;
            memcpy(pose->points + 3 * c, positions + 3 * (size_t)joint, 3 * sizeof *positions);
        }
    }
    strip->pose_count = count;
    if (number) {
        mry_strip_place_all(strip);
    } else {
        mry_strip_place_some(strip);
    }
    return true;
}

marey_status mry_strip_find(mry_strip *strip, mry_arena *mem, const marey_clip *clip,
                            const marey_strip_def *def, int side, int width, int height,
                            bool titled)
{
    *strip = (mry_strip){ .clip = clip, .width = width, .height = height };
    strip->title = def && def->title ? def->title : marey_clip_name(clip);
    if (!mry_track_find(&strip->track, &strip->body, mem, clip)) return MAREY_ERR_MEMORY;
    bool turned = def && def->yaw_rad != 0;
    double yaw = turned ? def->yaw_rad : mry_track_yaw(&strip->track, &strip->body, side);
    strip->view = mry_view_make(yaw, MRY_PITCH_RAD);
    if (def && def->contacts) {
        strip->contacts = def->contacts;
        strip->contact_count = def->contact_count;
    } else {
        marey_contacts found;
        marey_status status = marey_contacts_find(clip, NULL, &found);
        if (status) return status;
        marey_contact *copy = MRY_NEW_RAW(mem, marey_contact, found.count);
        if (copy && found.count) memcpy(copy, found.items, (size_t)found.count * sizeof *copy);
        strip->contacts = copy;
        strip->contact_count = found.count;
        marey_contacts_free(&found);
        if (!copy) return MAREY_ERR_MEMORY;
    }
    lay_out(strip, titled);
    if (!choose_poses(strip, mem, def ? def->poses : 0)) return MAREY_ERR_MEMORY;
    if (strip->layout.plan_size <= 0) return MAREY_OK;
    /* Where each plant is on the floor, for the plan: in the middle of its time. */
    const marey_skeleton *skeleton = strip->body.skeleton;
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)skeleton->joint_count);
    strip->print_at = MRY_NEW_RAW(mem, double, 2 * (size_t)strip->contact_count);
    strip->print_right = MRY_NEW_RAW(mem, uint8_t, strip->contact_count);
    if (!positions || !strip->print_at || !strip->print_right) return MAREY_ERR_MEMORY;
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        int joint = skeleton->roles[contact_roles[contact->joint]];
        int middle = contact->start + (contact->end - contact->start) / 2;
        if (joint < 0 || middle < 0 || middle >= marey_clip_frames(clip)) continue;
        marey_clip_positions(clip, middle, 1, positions);
        strip->print_at[2 * strip->prints] = positions[3 * (size_t)joint];
        strip->print_at[2 * strip->prints + 1] = positions[3 * (size_t)joint + 2];
        strip->print_right[strip->prints++] = mry_contact_is_right(contact->joint);
    }
    return MAREY_OK;
}
