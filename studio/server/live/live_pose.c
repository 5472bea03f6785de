/* live_pose.c - from two frames of a graph, which has perhaps 30 of them a second, to the pose that a screen shows between
   them. Joints turn the shorter way; bones keep their lengths, since it is local turns that are mixed. */
#include "live_pose.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { PLACE = 3, TURN = 4 };

size_t play_pose_bytes(const play_pose *of)
{
    return PLAY_HEADER_BYTES + (size_t)of->skeleton->joint_count * STREAM_FLOATS * sizeof(float);
}

bool play_pose_open(play_pose *of, heap *memory, const marey_skeleton *skeleton)
{
    size_t joints = (size_t)skeleton->joint_count;
    size_t places = joints * PLACE * sizeof(double), turns = joints * TURN * sizeof(float);
    *of = (play_pose){ .memory = memory, .skeleton = skeleton };
    of->room_bytes = 3 * places + 3 * turns + play_pose_bytes(of);
    of->room = heap_resize(memory, NULL, 0, of->room_bytes);
    if (!of->room) return false;
    uint8_t *at = of->room;
    double **doubles[] = { &of->places[0], &of->places[1], &of->global };
    float **floats[] = { &of->turns[0], &of->turns[1], &of->turned };
    for (int i = 0; i < 3; i++, at += places) *doubles[i] = (double *)(void *)at;
    for (int i = 0; i < 3; i++, at += turns) *floats[i] = (float *)(void *)at;
    of->message = at;
    return true;
}

void play_pose_free(play_pose *of)
{
    if (of->room) heap_resize(of->memory, of->room, of->room_bytes, 0);
    of->room = NULL;
}

void play_pose_add(play_pose *of, const marey_controller_frame *frame)
{
    size_t joints = (size_t)of->skeleton->joint_count;
    double *places = of->places[0];
    float *turns = of->turns[0];
    of->places[0] = of->places[1];
    of->turns[0] = of->turns[1];
    of->places[1] = places;
    of->turns[1] = turns;
    memcpy(places, frame->places, joints * PLACE * sizeof *places);
    memcpy(turns, frame->turns, joints * TURN * sizeof *turns);
    of->frames[0] = of->frames[1];
    of->frames[1] = *frame;
    of->frames[1].places = NULL; /* borrowed until the next step only */
    of->frames[1].turns = NULL;
}

/* ---- between two frames ------------------------------------------------------------------------- */

static void mix_turns(const float *a, const float *b, double share, float *out)
{
    double dot = 0, length = 0, mixed[TURN];
    for (int i = 0; i < TURN; i++) dot += (double)a[i] * (double)b[i];
    for (int i = 0; i < TURN; i++) {
        mixed[i] = (1 - share) * (double)a[i] + (dot < 0 ? -share : share) * (double)b[i];
        length += mixed[i] * mixed[i];
    }
    length = sqrt(length);
    if (!(length > 0)) length = 1;
    for (int i = 0; i < TURN; i++) out[i] = (float)(mixed[i] / length);
}

static void multiply(const float *a, const float *b, float *out)
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* v + 2 w (u x v) + 2 u x (u x v), for the turn (w, u) */
static void turn_by(const float *turn, const double *v, double *out)
{
    double w = (double)turn[0], x = (double)turn[1], y = (double)turn[2], z = (double)turn[3];
    double c[3] = { y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0] };
    out[0] = v[0] + 2 * (w * c[0] + y * c[2] - z * c[1]);
    out[1] = v[1] + 2 * (w * c[1] + z * c[0] - x * c[2]);
    out[2] = v[2] + 2 * (w * c[2] + x * c[1] - y * c[0]);
}

/* A parent comes before its children, so one pass does. */
static void compute(play_pose *of, double share)
{
    for (int j = 0; j < of->skeleton->joint_count; j++) {
        int parent = of->skeleton->joints[j].parent;
        double local[PLACE], *out = of->global + PLACE * j;
        float turn[TURN];
        for (int i = 0; i < PLACE; i++) {
            double a = of->places[0][PLACE * j + i], b = of->places[1][PLACE * j + i];
            local[i] = a + share * (b - a);
        }
        mix_turns(of->turns[0] + TURN * j, of->turns[1] + TURN * j, share, turn);
        if (parent < 0) {
            memcpy(out, local, sizeof local);
            memcpy(of->turned + TURN * j, turn, sizeof turn);
            continue;
        }
        turn_by(of->turned + TURN * parent, local, out);
        for (int i = 0; i < PLACE; i++) out[i] += of->global[PLACE * parent + i];
        multiply(of->turned + TURN * parent, turn, of->turned + TURN * j);
    }
}

static double mix_angles(double a, double b, double share)
{
    return remainder(a + share * remainder(b - a, 2 * PI), 2 * PI);
}

/* ---- as bytes ----------------------------------------------------------------------------------- */

uint8_t *play_put_uint32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) *to++ = (uint8_t)(value >> (8 * i));
    return to;
}

uint8_t *play_put_float(uint8_t *to, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return play_put_uint32(to, bits);
}

static uint8_t *put_header(const play_pose *of, const play_header *header, double share,
                           uint8_t *to)
{
    const marey_controller_frame *a = &of->frames[0], *b = &of->frames[1];
    to = play_put_uint32(to, (uint32_t)(PLAY_POSES + header->play));
    to = play_put_uint32(to, (uint32_t)header->tick);
    to = play_put_uint32(to, (uint32_t)a->node);
    to = play_put_uint32(to, a->transition);
    to = play_put_float(to, a->x_cm + share * (b->x_cm - a->x_cm));
    to = play_put_float(to, a->z_cm + share * (b->z_cm - a->z_cm));
    to = play_put_float(to, mix_angles(a->direction_rad, b->direction_rad, share));
    to = play_put_float(to, a->speed_cm_s + share * (b->speed_cm_s - a->speed_cm_s));
    to = play_put_float(to, header->wish.direction_rad);
    to = play_put_float(to, header->wish.speed_cm_s);
    to = play_put_float(to, header->score.control);
    return play_put_float(to, header->score.total);
}

uint8_t *play_pose_joints(play_pose *of, double share, uint8_t *to)
{
    compute(of, share);
    for (int j = 0; j < of->skeleton->joint_count; j++) {
        for (int i = 0; i < PLACE; i++) to = play_put_float(to, of->global[PLACE * j + i]);
        for (int i = 0; i < TURN; i++) to = play_put_float(to, (double)of->turned[TURN * j + i]);
    }
    return to;
}

const uint8_t *play_pose_write(play_pose *of, const play_header *header, double share)
{
    play_pose_joints(of, share, put_header(of, header, share, of->message));
    return of->message;
}
