/* live_pose.c - from two frames of a graph, which has perhaps 30 of them a second, to the pose that
   a screen shows between them. Joints turn the shorter way; bones keep their lengths, since it is
   local turns that are mixed. */
#include "live_pose.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { PLACE = 3, TURN = 4 };

size_t play_pose_bytes(const play_pose *pose)
{
    return PLAY_HEADER_BYTES + (size_t)pose->skeleton->joint_count * STREAM_FLOATS * sizeof(float);
}

bool play_pose_open(play_pose *pose, heap *memory, const marey_skeleton *skeleton)
{
    size_t joints = (size_t)skeleton->joint_count;
    size_t places = joints * PLACE * sizeof(double), turns = joints * TURN * sizeof(float);
    *pose = (play_pose){ .memory = memory, .skeleton = skeleton };
    pose->room_bytes = 3 * places + 3 * turns + play_pose_bytes(pose);
    pose->room = heap_resize(memory, NULL, 0, pose->room_bytes);
    if (!pose->room) return false;
    uint8_t *at = pose->room;
    double **doubles[] = { &pose->places[0], &pose->places[1], &pose->global };
    float **floats[] = { &pose->turns[0], &pose->turns[1], &pose->turned };
    for (int i = 0; i < 3; i++, at += places) *doubles[i] = (double *)(void *)at;
    for (int i = 0; i < 3; i++, at += turns) *floats[i] = (float *)(void *)at;
    pose->message = at;
    return true;
}

void play_pose_free(play_pose *pose)
{
    if (pose->room) heap_resize(pose->memory, pose->room, pose->room_bytes, 0);
    pose->room = NULL;
}

void play_pose_add(play_pose *pose, const marey_controller_frame *frame)
{
    size_t joints = (size_t)pose->skeleton->joint_count;
    double *places = pose->places[0];
    float *turns = pose->turns[0];
    pose->places[0] = pose->places[1];
    pose->turns[0] = pose->turns[1];
    pose->places[1] = places;
    pose->turns[1] = turns;
    memcpy(places, frame->places, joints * PLACE * sizeof *places);
    memcpy(turns, frame->turns, joints * TURN * sizeof *turns);
    pose->frames[0] = pose->frames[1];
    pose->frames[1] = *frame;
    pose->frames[1].places = NULL; /* borrowed until the next step only */
    pose->frames[1].turns = NULL;
}

uint8_t *pose_put_uint32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++) *out++ = (uint8_t)(value >> (8 * i));
    return out;
}

uint8_t *pose_put_float(uint8_t *out, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return pose_put_uint32(out, bits);
}

void pose_multiply(const float *a, const float *b, float *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* A parent comes before its children, so one pass does. */
uint8_t *play_pose_joints(play_pose *pose, double share, uint8_t *out)
{
    for (int j = 0; j < pose->skeleton->joint_count; j++) {
        int parent = pose->skeleton->joints[j].parent;
        double v[PLACE], *place = pose->global + PLACE * j;
        for (int i = 0; i < PLACE; i++) {
            double a = pose->places[0][PLACE * j + i], b = pose->places[1][PLACE * j + i];
            v[i] = a + share * (b - a);
        }
        const float *a = pose->turns[0] + TURN * j, *b = pose->turns[1] + TURN * j;
        double dot = 0, length = 0, mixed[TURN];
        for (int i = 0; i < TURN; i++) dot += (double)a[i] * (double)b[i];
        for (int i = 0; i < TURN; i++) {
            mixed[i] = (1 - share) * (double)a[i] + (dot < 0 ? -share : share) * (double)b[i];
            length += mixed[i] * mixed[i];
        }
        length = sqrt(length);
        if (!(length > 0)) length = 1;
        float turn[TURN], *turned = pose->turned + TURN * j;
        for (int i = 0; i < TURN; i++) turn[i] = (float)(mixed[i] / length);
        if (parent < 0) {
            memcpy(place, v, sizeof v);
            memcpy(turned, turn, sizeof turn);
        } else {
            /* v + 2 w (u x v) + 2 u x (u x v), for the parent's turn (w, u) */
            const float *q = pose->turned + TURN * parent;
            const double *origin = pose->global + PLACE * parent;
            double w = (double)q[0], x = (double)q[1], y = (double)q[2], z = (double)q[3];
            double c[3] = { y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0] };
            place[0] = v[0] + 2 * (w * c[0] + y * c[2] - z * c[1]);
            place[1] = v[1] + 2 * (w * c[1] + z * c[0] - x * c[2]);
            place[2] = v[2] + 2 * (w * c[2] + x * c[1] - y * c[0]);
            for (int i = 0; i < PLACE; i++) place[i] += origin[i];
            pose_multiply(q, turn, turned);
        }
        for (int i = 0; i < PLACE; i++) out = pose_put_float(out, place[i]);
        for (int i = 0; i < TURN; i++) out = pose_put_float(out, (double)turned[i]);
    }
    return out;
}

const uint8_t *play_pose_write(play_pose *pose, const play_header *header, double share)
{
    const marey_controller_frame *a = &pose->frames[0], *b = &pose->frames[1];
    double way_round = remainder(b->direction_rad - a->direction_rad, 2 * PI);
    uint8_t *out = pose_put_uint32(pose->message, (uint32_t)(PLAY_POSES + header->play));
    out = pose_put_uint32(out, (uint32_t)header->tick);
    out = pose_put_uint32(out, (uint32_t)a->node);
    out = pose_put_uint32(out, (uint32_t)header->score.transitions);
    out = pose_put_float(out, a->x_cm + share * (b->x_cm - a->x_cm));
    out = pose_put_float(out, a->z_cm + share * (b->z_cm - a->z_cm));
    out = pose_put_float(out, remainder(a->direction_rad + share * way_round, 2 * PI));
    out = pose_put_float(out, a->speed_cm_s + share * (b->speed_cm_s - a->speed_cm_s));
    out = pose_put_float(out, header->input.direction_rad);
    out = pose_put_float(out, header->input.speed_cm_s);
    out = pose_put_float(out, header->score.control);
    out = pose_put_float(out, header->score.total);
    play_pose_joints(pose, share, out);
    return pose->message;
}
