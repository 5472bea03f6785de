/* strip_find.c - what a strip shows: the camera, the layout, the poses that tell the motion, the plants. */
#include "picture/strip.h"

#include "picture/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POSES = 32 };

static const double PITCH_RAD =
    0.2; /* the camera looks a little down, so that the floor has depth */

int mry_contact_role(marey_contact_joint joint)
{
    static const marey_role roles[] = { MAREY_ROLE_LEFT_ANKLE, MAREY_ROLE_LEFT_TOE,
                                        MAREY_ROLE_RIGHT_ANKLE, MAREY_ROLE_RIGHT_TOE };
    return roles[joint];
}

/* ---- places ---------------------------------------------------------------------------------- */

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
    l->bars_y = l->axis_y - (l->small ? 1 : 4) - MAREY_CONTACT_JOINT_COUNT * l->bar_step;
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

double mry_strip_x(const mry_strip *strip, double frame)
{
    int frames = marey_clip_frames(strip->clip);
    double share = frames > 1 ? frame / (frames - 1) : 0.5;
    return strip->layout.left + share * (strip->layout.right - strip->layout.left);
}

/* ---- poses ----------------------------------------------------------------------------------- */

static bool fill_pose(mry_strip *strip, mry_arena *mem, double *positions, int sample,
                      mry_strip_pose *pose)
{
    const marey_skeleton *skeleton = strip->body.skeleton;
    const double *root = strip->track.roots + 3 * (size_t)sample;
    pose->frame = strip->track.frames[sample];
    marey_clip_positions(strip->clip, pose->frame, 1, positions);
    pose->parts = MRY_NEW_RAW(mem, mry_part, strip->body.most_parts);
    if (!pose->parts) return false;
    pose->part_count = mry_body_parts(&strip->body, positions,
                                      marey_clip_rotations(strip->clip, pose->frame), pose->parts);
    pose->origin[0] = root[0];
    pose->origin[1] = strip->track.floor_cm;
    pose->origin[2] = root[2];
    mry_figure_extent(&strip->view, pose->origin, pose->parts, pose->part_count, pose->box);
    for (int c = 0; c < MAREY_CONTACT_JOINT_COUNT; c++) {
        int joint = skeleton->roles[mry_contact_role((marey_contact_joint)c)];
        if (joint < 0) continue;
        memcpy(pose->feet[c], positions + 3 * (size_t)joint, sizeof pose->feet[c]);
    }
    return true;
}

static bool choose_poses(mry_strip *strip, mry_arena *mem, int asked)
{
    int ranked[MOST_POSES];
    bool ok;
    double seconds = marey_clip_seconds(strip->clip);
    int most = asked ? asked : (int)mry_clamp(4 + 12 * seconds, 2, MOST_POSES);
    if (most > MOST_POSES) most = MOST_POSES;
    int count = mry_track_rank(&strip->track, mem, most, ranked, &ok);
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)strip->body.skeleton->joint_count);
    strip->poses = MRY_NEW(mem, mry_strip_pose, MOST_POSES);
    if (!ok || !positions || !strip->poses) return false;
    for (int i = 0; i < count; i++) {
        if (!fill_pose(strip, mem, positions, ranked[i], &strip->poses[i])) return false;
    }
    strip->pose_count = count;
    if (asked) {
        mry_strip_place_all(strip);
    } else {
        mry_strip_place_some(strip);
    }
    return true;
}

/* ---- foot plants ----------------------------------------------------------------------------- */

static marey_status take_contacts(mry_strip *strip, mry_arena *mem, const marey_strip_def *def)
{
    if (def && def->contacts) {
        strip->contacts = def->contacts;
        strip->contact_count = def->contact_count;
        return MAREY_OK;
    }
    marey_contacts found;
    marey_status status = marey_contacts_find(strip->clip, NULL, &found);
    if (status) return status;
    marey_contact *copy = MRY_NEW_RAW(mem, marey_contact, found.count);
    if (copy && found.count) memcpy(copy, found.items, (size_t)found.count * sizeof *copy);
    strip->contacts = copy;
    strip->contact_count = found.count;
    marey_contacts_free(&found);
    return copy ? MAREY_OK : MAREY_ERR_MEMORY;
}

/* Where each plant is on the floor, for the plan: in the middle of its time. */
static bool find_prints(mry_strip *strip, mry_arena *mem)
{
    const marey_skeleton *skeleton = strip->body.skeleton;
    double *positions = MRY_NEW_RAW(mem, double, 3 * (size_t)skeleton->joint_count);
    strip->print_at = MRY_NEW_RAW(mem, double, 2 * (size_t)strip->contact_count);
    strip->print_right = MRY_NEW_RAW(mem, uint8_t, strip->contact_count);
    if (!positions || !strip->print_at || !strip->print_right) return false;
    for (int i = 0; i < strip->contact_count; i++) {
        const marey_contact *contact = &strip->contacts[i];
        int joint = skeleton->roles[mry_contact_role(contact->joint)];
        int middle = contact->start + (contact->end - contact->start) / 2;
        if (joint < 0 || middle < 0 || middle >= marey_clip_frames(strip->clip)) continue;
        marey_clip_positions(strip->clip, middle, 1, positions);
        strip->print_at[2 * strip->prints] = positions[3 * (size_t)joint];
        strip->print_at[2 * strip->prints + 1] = positions[3 * (size_t)joint + 2];
        strip->print_right[strip->prints++] = contact->joint >= MAREY_CONTACT_RIGHT_HEEL;
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
    strip->view = mry_view_make(yaw, PITCH_RAD);
    lay_out(strip, titled);
    if (!choose_poses(strip, mem, def ? def->poses : 0)) return MAREY_ERR_MEMORY;
    marey_status status = take_contacts(strip, mem, def);
    if (status) return status;
    if (strip->layout.plan_size > 0 && !find_prints(strip, mem)) return MAREY_ERR_MEMORY;
    return MAREY_OK;
}
