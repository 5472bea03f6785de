/* play_ground.c - what bodies know of a graph that is open: found by a worker when the first body is asked for, in a context of its
   own, while characters are steered through the same graph; then shared by all bodies. */
#include "play.h"

#include <stddef.h>

/* ---- on a worker's thread ----------------------------------------------------------------------- */

static void seek(studio_worker *worker, task *self)
{
    stage_ground *ground = (stage_ground *)self;
    const stage *of = ground->of;
    marey_error error = { 0 };
    marey_status status =
        marey_body_ground_open(ground->ctx, of->graph, of->policy, &ground->found, &error);
    if (status == MAREY_ERR_MEMORY) {
        worker_make_room(worker);
        status = marey_body_ground_open(ground->ctx, of->graph, of->policy, &ground->found, &error);
    }
    ground->error = error;
    ground->error.status = status;
    hub_land(of->all, &ground->back);
}

/* ---- on the hub's thread ------------------------------------------------------------------------ */

/* One that was not found may be asked for again. */
static void tell(stage *of)
{
    for (int i = 0; i < of->all->count; i++) react_ground_ready(of->all->sockets[i], of);
    if (of->ground.state == GROUND_NONE) ground_free(of);
}

static void take_back(landed *self)
{
    stage_ground *ground = (stage_ground *)(void *)((char *)self - offsetof(stage_ground, back));
    ground->state = ground->error.status == MAREY_OK ? GROUND_FOUND : GROUND_NONE;
    tell(ground->of);
}

void ground_want(stage *of)
{
    stage_ground *ground = &of->ground;
    marey_ctx_def def = { .resize = heap_resize,
                          .resize_user = &of->all->of->memory,
                          .threads = 1 };
    if (ground->state != GROUND_NONE) return;
    ground->work.run = seek;
    ground->back.take = take_back;
    ground->error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    if (marey_ctx_open(&def, &ground->ctx) != MAREY_OK) {
        ground->ctx = NULL;
        tell(of);
        return;
    }
    ground->state = GROUND_SOUGHT;
    pool_add(of->all->workers, &ground->work);
}

void ground_free(stage *of)
{
    marey_body_ground_free(of->ground.found);
    if (of->ground.ctx) marey_ctx_close(of->ground.ctx);
    of->ground.found = NULL;
    of->ground.ctx = NULL;
    of->ground.state = GROUND_NONE;
}
