/* play.h - what a controller does when it is asked to: the way to where a family's motion can be
   entered, the motion, and the way out; or the way to an action, and the whole of it. Read by
   controller.c and play*.c. */
#ifndef MRY_PLAY_H
#define MRY_PLAY_H

#include "control/control_data.h"
#include "request/request_data.h"

enum { MRY_PLAY_ITEMS = 16, MRY_PLAY_EXITS = 16, MRY_PLAY_WINDOW = 2 * MRY_LAY_AROUND + 1 };

/* Of mry_play_way, beside a transition's number and -1, the next node. */
enum { MRY_PLAY_ENTER = -3 };

/* A family or an action that a controller may be asked for. */
typedef struct mry_play_item {
    mry_arena mem; /* what it points at lives here */
    int *way;      /* of each free node: what to do next to get into it; -2: there is no way */
    const marey_graph_family *of; /* NULL: an action */
    int exits;                    /* nodes that are most like its ends .. */
    int exit[MRY_PLAY_EXITS];
    float *exit_bodies; /* .. and the joints of the frames around each, x MRY_PLAY_WINDOW */
    /* Of an action, and of each free node: which of its instances the way from there begins; -1: it
       begins none yet. */
    mry_instance *instances;
    int instance_count;
    int *begins;
} mry_play_item;

typedef struct mry_play {
    marey_ctx *ctx;
    const marey_graph *graph;
    mry_arena mem;
    float *weight; /* of the joints, for laying */
    int count;
    mry_play_item items[MRY_PLAY_ITEMS];
    int asked;        /* what it was asked for and goes to; -1: nothing .. */
    marey_clip *next; /* .. and the motion that will be done, if that is a family's */
    marey_answer answer;
    int until, from_frame; /* up to which frame it may be entered, from which it is left .. */
    int like;              /* .. which is like this node */
    mry_floor out;         /* how that is laid on the motion */
    double out_distance;
    float *bodies; /* joints of the first frames; room for `body_frames` */
    int body_frames;
    int acting; /* the action that it does, from these nodes; -1: none */
    mry_instance act;
    int doing; /* the family whose motion it does; -1: none */
    marey_clip *motion;
    /* The frame it shows, the last one, the node that is like that, and the one behind it. */
    int frame, leave, like_now, to;
    mry_floor laid, leave_laid;
    double distance, leave_distance; /* of what was entered or left last; of where it is left */
} mry_play;

/* Nothing joined yet. */
void mry_play_open(mry_play *play, marey_ctx *ctx, const marey_graph *graph);
void mry_play_close(mry_play *play);

marey_status mry_play_join(mry_play *play, const marey_graph_family *family, int *number,
                           marey_error *error);
marey_status mry_play_join_action(mry_play *play, const char *label, int *number,
                                  marey_error *error);
/* Keeps one more of them, which `status` says is whole; else frees it. LIMIT. */
marey_status mry_play_keep(mry_play *play, mry_play_item *item, marey_status status, int *number,
                           marey_error *error);
marey_status mry_play_ask(mry_play *play, int number, const double *wanted, marey_answer *answer,
                          marey_error *error);

/* What to do at a free node: MRY_PLAY_ENTER, or as mry_policy_choose. */
static inline int mry_play_way(const mry_play *play, int node)
{
    return play->items[play->asked].way[node];
}

/* ---- play_ways.c ------------------------------------------------------------------------------ */

/* What a transition of this distance costs beside its time, frames. */
double mry_play_cost(const marey_graph *graph, double distance);

/* Of each free node the first step of the best way to those that have a cost; they keep theirs,
   unless another one's way is better. begins[n] becomes -1 where it is; it may be NULL. false: out
   of memory. */
bool mry_play_ways(const marey_graph *graph, mry_arena *tmp, double *cost, int *way, int *begins);

/* ---- play.c ----------------------------------------------------------------------------------- */

/* The joints of the motion in hand as it is laid, without what fades: for tests. */
void mry_play_look(const marey_controller *controller, double *positions);

/* Enters the motion from a node that is laid so. *like: the frame of it that the node is like. */
void mry_play_enter(mry_play *play, int node, mry_floor laid, int *like);

#endif
