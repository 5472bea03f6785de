/* foot_height.c - where one part of the body is over time, as CSV on standard output.
       foot_height walk.bvh left_ankle > ankle.csv
   Shows: roles, which find the same joint in any skeleton, and global positions. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The joint that plays a role, or -1: files name their joints as they like, roles do not change. */
static int joint_of_role(const marey_skeleton *skeleton, const char *name)
{
    for (int role = 0; role < MAREY_ROLE_COUNT; role++)
        if (strcmp(marey_role_name((marey_role)role), name) == 0) return skeleton->roles[role];
    return -1;
}

static int print_places(const marey_clip *clip, int joint)
{
    int joints = marey_clip_skeleton(clip)->joint_count;
    double *places = malloc((size_t)joints * 3 * sizeof *places); /* all joints of one frame */
    if (!places) return 3;
    printf("frame,time_s,x_cm,y_cm,z_cm\n");
    for (int frame = 0; frame < marey_clip_frames(clip); frame++) {
        marey_clip_positions(clip, frame, 1, places);
        const double *at = places + 3 * joint;
        printf("%d,%.6f,%.4f,%.4f,%.4f\n", frame, frame / marey_clip_fps(clip), at[0], at[1],
               at[2]);
    }
    free(places);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: foot_height FILE ROLE\n");
        return 2;
    }
    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 3;

    marey_clip *clip = NULL;
    marey_error error;
    int result = 1;
    if (marey_clip_load(ctx, argv[1], NULL, &clip, &error) != MAREY_OK) {
        char text[2048];
        marey_error_text(&error, text, sizeof text);
        fprintf(stderr, "foot_height: %s\n", text);
    } else {
        int joint = joint_of_role(marey_clip_skeleton(clip), argv[2]);
        if (joint < 0)
            fprintf(stderr, "foot_height: this skeleton has no %s\n", argv[2]);
        else
            result = print_places(clip, joint);
    }
    marey_clip_free(clip);
    marey_ctx_close(ctx);
    return result;
}
