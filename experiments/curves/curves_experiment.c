/* curves_experiment.c - what run.sh cannot get from the program itself: measures and drawings of
   clips. usage: curves_experiment measure MADE INPUT[:WEIGHT]...
              cells of a table: the fastest knee and the fastest bending of a knee, over the fastest in the inputs; the way of
              the root in cm and, with weights, against their mean; the largest turn of the body in degrees a frame of
              1/60 s, in brackets the inputs' largest
          curves_experiment describe CLIP=LABEL...
              lines of a table: seconds, cm a second, degrees that the body turns, how far the right hand gets from the
              shoulder, how often it goes out, in which direction from where the hips face then, how high the right ankle gets
          curves_experiment paths OUT.png ROLE CLIP=LABEL...
              the way of a joint from above
          curves_experiment limbs OUT.png LIMB EVERY CLIP=LABEL...
              right-leg or right-arm from the side, every so many frames */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(marey_status status, const marey_error *error)
{
    char said[1600];
    if (status == MAREY_OK) return;
    marey_error_text(error, said, sizeof said);
    fprintf(stderr, "%s\n", said);
    exit(1);
}

/* What stands behind the last `mark` of a name, which ends there from now on; NULL without one. */
static const char *take_tail(char *name, char mark)
{
    char *at = strrchr(name, mark);
    if (!at) return NULL;
    *at = 0;
    return at + 1;
}

actor actor_load(marey_ctx *ctx, char *name, const actor *like)
{
    actor new = { .label = take_tail(name, '=') };
    const char *weight = take_tail(name, ':');
    marey_error error;
    marey_clip *read;
    new.weight = weight ? strtod(weight, NULL) : 1;
    if (!new.label) new.label = name;
    must(marey_clip_load(ctx, name, NULL, &read, &error), &error);
    new.clip = read;
    if (like) {
        must(marey_clip_refit(read, like->clip, &new.clip, &error), &error);
        marey_clip_free(read);
    }
    new.skeleton = marey_clip_skeleton(new.clip);
    new.frames = marey_clip_frames(new.clip);
    new.fps = marey_clip_fps(new.clip);
    new.places =
        malloc((size_t) new.frames *(size_t) new.skeleton->joint_count * 3 * sizeof *new.places);
    if (!new.places) exit(1);
    marey_clip_positions(new.clip, 0, new.frames, new.places);
    return new;
}

void actor_free(actor *gone)
{
    marey_clip_free(gone->clip);
    free(gone->places);
}

const double *actor_place(const actor *of, int frame, marey_role role)
{
    int joint = of->skeleton->roles[role];
    if (joint < 0) {
        fprintf(stderr, "%s has no %s\n", of->label, marey_role_name(role));
        exit(1);
    }
    return of->places + ((size_t)frame * (size_t)of->skeleton->joint_count + (size_t)joint) * 3;
}

typedef struct command {
    const char *name;
    int first; /* argument that is a clip */
} command;

static const command commands[] = {
    { "measure", 2 }, { "describe", 2 }, { "paths", 4 }, { "limbs", 5 }, { NULL, 0 }
};

static void do_command(const command *which, char **arguments, const actor *actors, int count,
                       bool weighted)
{
    if (which == &commands[0]) print_measures(&actors[0], actors + 1, count - 1, weighted);
    if (which == &commands[1]) print_descriptions(actors, count);
    if (which == &commands[2]) draw_paths(arguments[2], arguments[3], actors, count);
    if (which == &commands[3]) {
        draw_limbs(arguments[2], arguments[3], atoi(arguments[4]), actors, count);
    }
}

int main(int count, char **arguments)
{
    actor actors[STAGE_CLIPS];
    marey_ctx *ctx;
    const command *which = commands;
    while (which->name && (count < 2 || strcmp(which->name, arguments[1]) != 0)) which++;
    int many = count - which->first;
    bool measure = which == &commands[0];
    if (!which->name || many < (measure ? 2 : 1) || many > STAGE_CLIPS) return 2;
    bool weighted = measure && strchr(arguments[3], ':');
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 1;
    for (int n = 0; n < many; n++) {
        actors[n] =
            actor_load(ctx, arguments[which->first + n], measure && n > 0 ? &actors[0] : NULL);
    }
    do_command(which, arguments, actors, many, weighted);
    for (int n = 0; n < many; n++) actor_free(&actors[n]);
    marey_ctx_close(ctx);
    return 0;
}
