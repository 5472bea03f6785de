/* steer.c - a game's loop: keys steer a character through a motion graph.

       marey demo demo
       echo "wwwwwwwwddddddddssssssss....aaaaaaaa" | steer demo/demo.marey standard

   w a s d walk up, left, down and right on the plan, a capital letter runs, anything else stands;
   each key is held for a third of a second. Shows: a graph that a library keeps, a policy, and the
   step that a game calls at every frame. */
#include <marey/marey.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What a key wishes for; speeds are those that the policy was trained for. */
static marey_control_input wish_of(int key, const marey_policy *policy)
{
    static const char keys[] = "dwas"; /* a quarter of a turn each, to the left */
    const marey_policy_def *trained = marey_policy_settings(policy);
    const char *found = strchr(keys, tolower(key));
    if (!found || !*found) return (marey_control_input){ 0 };
    int speed = isupper(key) ? trained->speed_count - 1 : trained->speed_count / 2;
    return (marey_control_input){ 1.5707963267948966 * (double)(found - keys),
                                  trained->speeds[speed] };
}

static void play(marey_controller *character, const marey_policy *policy, double fps)
{
    marey_controller_frame now = { 0 };
    for (int key = getchar(); key != EOF; key = getchar()) {
        if (key == '\n') continue;
        marey_control_input wish = wish_of(key, policy);
        for (int frame = 0; frame < fps / 3; frame++) {
            marey_controller_step(character, &wish, &now);
            /* A game would draw now.places and now.turns here. */
        }
        printf("%c  at %7.1f %7.1f cm, moves %4.0f degrees, %3.0f cm/s\n", key, now.x_cm, now.z_cm,
               now.direction_rad * 57.29577951, now.speed_cm_s);
    }
    marey_control_score score = marey_controller_score(character);
    printf("control %.2f, transition %.2f, total %.2f\n", score.control, score.transition,
           score.total);
}

static marey_status steer(marey_ctx *ctx, const char *path, const char *name, marey_error *error)
{
    marey_library *library = NULL;
    marey_parts *parts = NULL;
    marey_graph *graph = NULL;
    marey_policy *policy = NULL;
    marey_controller *character = NULL;
    marey_status status = marey_library_open(ctx, path, MAREY_LIBRARY_READ, &library, error);
    if (status == MAREY_OK) status = marey_library_graph(library, name, &parts, &graph, error);
    /* None is kept: one is trained in a moment. */
    if (status == MAREY_OK && marey_library_policy(library, name, graph, &policy, NULL))
        status = marey_policy_train(ctx, graph, NULL, &policy, error);
    if (status == MAREY_OK)
        status = marey_controller_open(ctx, graph, policy, NULL, &character, error);
    if (status == MAREY_OK) play(character, policy, marey_graph_fps(graph));
    marey_controller_free(character);
    marey_policy_free(policy);
    marey_graph_free(graph); /* before its clips */
    marey_parts_free(parts);
    marey_library_close(library);
    return status;
}

int main(int argc, char **argv)
{
    marey_ctx *ctx;
    marey_error error;
    if (argc != 3 || marey_ctx_open(NULL, &ctx)) return 2;
    marey_status status = steer(ctx, argv[1], argv[2], &error);
    if (status != MAREY_OK) fprintf(stderr, "steer: %s\n", error.message);
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
