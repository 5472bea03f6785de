/* puppet_live.c - who reacts. A reactor waits for its behaviour, and for the ground that its body stands on; then a worker opens it,
   since that takes time with the samples; then it takes the place of the one before. */
#include "puppet_live.h"

#include "describe.h"

#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void react_refuse(live_socket *on, int number, const char *needs, const char *format, ...)
{
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_t *said = json_object();
    describe_put(&said, "type", json_string("error"));
    describe_put(&said, "react", json_integer(number));
    describe_put(&said, "message", describe_text(&on->all->of->memory, text));
    if (needs) describe_put(&said, "needs", json_string(needs));
    socket_say_json(on, said);
}

/* ---- its life ----------------------------------------------------------------------------------- */

static void reacting_free(reacting *one)
{
    hub *all = one->all;
    marey_body_free(one->body);
    marey_reactor_free(one->reactor);
    play_pose_free(&one->pose);
    if (one->ctx) marey_ctx_close(one->ctx);
    role_leave(one->by);
    if (one->stands) stage_leave(one->stands);
    all->react_count--;
    all->react_samples -= one->samples;
    heap_resize(&all->of->memory, one, sizeof *one, 0);
}

/* What a worker has is freed when it comes back. */
void react_drop(reacting **held_at)
{
    reacting *one = *held_at;
    *held_at = NULL;
    if (!one) return;
    if (one->opens) {
        one->dropped = true;
        one->on = NULL;
        marey_ctx_cancel(one->ctx);
    } else {
        reacting_free(one);
    }
}

void react_end_all(live_socket *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        react_drop(&of->opening[i]);
        react_drop(&of->reacts[i]);
    }
}

/* ---- opening, on a worker's thread -------------------------------------------------------------- */

static marey_status open_body(reacting *one, marey_error *error)
{
    const stage *of = one->stands;
    marey_body_def def = { .ground = of->ground.found };
    marey_entity start = marey_reactor_start(one->reactor);
    const marey_skeleton *skeleton = marey_clip_skeleton(marey_graph_motion(of->graph));
    marey_status status =
        marey_body_open(one->ctx, of->graph, of->policy, &start, &def, &one->body, error);
    if (status != MAREY_OK) return status;
    if (play_pose_open(&one->pose, &one->all->of->memory, skeleton)) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

void react_open(studio_worker *worker, task *self)
{
    reacting *one = (reacting *)self;
    marey_error error = { 0 };
    (void)worker;
    marey_status status = marey_reactor_open(one->ctx, one->by->puppet, &one->last.at, &one->def,
                                             &one->reactor, &error);
    if (status == MAREY_OK && one->stands) status = open_body(one, &error);
    if (status == MAREY_OK) react_begin(one);
    one->error = error;
    one->error.status = status;
    hub_land(one->all, &one->back);
}

/* ---- opening, on the hub's thread --------------------------------------------------------------- */

static json_t *describe_entity(const marey_entity *at)
{
    return json_pack("[f, f, f]", at->x_cm, at->y_cm, at->direction_rad);
}

static json_t *parents_of(const marey_skeleton *skeleton)
{
    json_t *list = json_array();
    for (int j = 0; j < skeleton->joint_count; j++)
        describe_append(&list, json_integer(skeleton->joints[j].parent));
    return list;
}

static void announce(live_socket *on, const reacting *one)
{
    heap *memory = &on->all->of->memory;
    const marey_puppet *puppet = one->by->puppet;
    marey_entity start = marey_reactor_start(one->reactor);
    json_t *said = json_object();
    describe_put(&said, "type", json_string("react"));
    describe_put(&said, "react", json_integer(one->number));
    describe_put(&said, "puppet", describe_text(memory, one->by->name));
    describe_put(&said, "rate", json_real(marey_puppet_settings(puppet)->rate));
    describe_put(&said, "start", describe_entity(&start));
    describe_put(&said, "runs", json_integer(marey_puppet_runs(puppet)));
    if (one->stands) {
        const stage *of = one->stands;
        describe_put(&said, "graph", describe_text(memory, of->name));
        describe_put(&said, "skeleton", json_integer(of->parts->parts[0].clip));
        describe_put(&said, "joints", json_integer(one->pose.skeleton->joint_count));
        describe_put(&said, "parents", parents_of(one->pose.skeleton));
        describe_put(&said, "fps", json_real(marey_graph_fps(of->graph)));
    }
    socket_say_json(on, said);
}

void react_back(landed *self)
{
    reacting *one = (reacting *)(void *)((char *)self - offsetof(reacting, back));
    live_socket *on = one->on;
    one->opens = false;
    if (one->dropped) {
        reacting_free(one);
        return;
    }
    on->opening[one->number] = NULL;
    if (one->error.status != MAREY_OK) {
        react_refuse(on, one->number, NULL, "%s", one->error.message);
        reacting_free(one);
        return;
    }
    react_drop(&on->reacts[one->number]);
    on->reacts[one->number] = one;
    announce(on, one);
}

static void give_up(live_socket *on, int number, const char *needs, const char *message)
{
    react_refuse(on, number, needs, "%s", message);
    react_drop(&on->opening[number]);
}

/* All that it needs is open: the rest is a worker's. */
static void open_now(live_socket *on, reacting *one)
{
    hub *all = on->all;
    marey_ctx_def def = { .resize = heap_resize, .resize_user = &all->of->memory, .threads = 1 };
    int64_t few = all->of->react_samples, most = few > 0 ? few : LIMIT_REACT_SAMPLES;
    if (one->by->samples > most - all->react_samples) {
        give_up(on, one->number, NULL, "those who react now are too much together");
        return;
    }
    if (marey_ctx_open(&def, &one->ctx) != MAREY_OK) {
        one->ctx = NULL;
        give_up(on, one->number, NULL, "out of memory");
        return;
    }
    one->samples = one->by->samples;
    all->react_samples += one->samples;
    one->opens = true;
    pool_add(all->workers, &one->work);
}

void react_try(live_socket *on, int number)
{
    reacting *one = on->opening[number];
    if (one->opens || !one->by->ready) return;
    if (one->stands && !one->stands->ready) return;
    if (one->stands && one->stands->ground.state != GROUND_FOUND)
        ground_want(one->stands); /* this one may be gone behind it */
    else
        open_now(on, one);
}

void react_role_ready(live_socket *on, role *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->by != of || one->opens) continue;
        if (of->error.status == MAREY_OK)
            react_try(on, i);
        else
            give_up(on, i, NULL, of->error.message);
    }
}

void react_stage_ready(live_socket *on, stage *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->stands != of || one->opens) continue;
        if (of->error.status == MAREY_OK)
            react_try(on, i);
        else
            give_up(on, i, of->needs_policy ? "policy" : NULL, of->error.message);
    }
}

void react_ground_ready(live_socket *on, stage *of)
{
    for (int i = 0; i < LIMIT_REACTS; i++) {
        const reacting *one = on->opening[i];
        if (!one || one->stands != of || one->opens) continue;
        if (of->ground.state == GROUND_FOUND)
            react_try(on, i);
        else
            give_up(on, i, NULL, of->ground.error.message);
    }
}
