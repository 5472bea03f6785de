/* react.c - a game's loop: a character reacts to the player as was shown.

       marey demo demo
       echo "ddddddwwwwww......aaaaaassssss" | react demo/puppets/shy.csv

   w a s d walk up, left, down and right on the plan, anything else stands; each key is held for a
   third of a second. The table has the paths of both in its lines:
   time,main_x,main_y,main_dir,react_x,react_y,react_dir. Shows: reading a demonstration, learning
   from it, and the step that a game calls at every frame. */
#include <marey/marey.h>

#include <stdio.h>
#include <string.h>

/* A step of the player's, at 130 cm/s. */
static void walk(marey_entity *player, int key, double seconds)
{
    static const char keys[] = "dwas"; /* a quarter of a turn each, to the left */
    static const double x[] = { 1, 0, -1, 0 }, y[] = { 0, 1, 0, -1 };
    const char *found = strchr(keys, key);
    if (!found || !*found) return;
    player->x_cm += x[found - keys] * 130 * seconds;
    player->y_cm += y[found - keys] * 130 * seconds;
    player->direction_rad = 1.5707963267948966 * (double)(found - keys);
}

static void play(marey_reactor *character, marey_entity player, double rate)
{
    marey_puppet_frame now = { 0 };
    for (int key = getchar(); key != EOF; key = getchar()) {
        if (key == '\n') continue;
        for (int frame = 0; frame < rate / 3; frame++) {
            walk(&player, key, 1 / rate);
            marey_puppet_step(character, &player, &now);
            /* A game would draw now.react here, or hand it to marey_body_lead for a whole body. */
        }
        printf("%c  you at %5.0f %5.0f, it at %5.0f %5.0f, looks %4.0f degrees, as at %.1f s\n",
               key, player.x_cm, player.y_cm, now.react.x_cm, now.react.y_cm,
               now.react.direction_rad * 57.29577951, now.time_s);
    }
}

static marey_status react(marey_ctx *ctx, const char *text, size_t size, const char *name,
                          marey_error *error)
{
    marey_paths *paths = NULL;
    marey_puppet *puppet = NULL;
    marey_reactor *character = NULL;
    marey_entity player = { 0 };
    marey_demonstration shown;
    marey_paths_def both = { .needs_react = true };
    marey_status status = marey_paths_read(ctx, text, size, name, &both, &paths, error);
    if (status == MAREY_OK) {
        shown.samples = marey_paths_samples(paths, &shown.count);
        status = marey_puppet_train(ctx, &shown, 1, NULL, &puppet, error);
    }
    if (status == MAREY_OK)
        status = marey_reactor_open(ctx, puppet, &player, NULL, &character, error);
    if (status == MAREY_OK) play(character, player, marey_puppet_settings(puppet)->rate);
    marey_reactor_free(character);
    marey_puppet_free(puppet); /* behind those who react by it */
    marey_paths_free(paths);
    return status;
}

int main(int argc, char **argv)
{
    static char text[1 << 24], why[2000];
    marey_ctx *ctx;
    marey_error error = { 0 };
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: react DEMONSTRATION.csv\n"), 2;
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    if (marey_ctx_open(NULL, &ctx)) return 3;
    marey_status status = react(ctx, text, size, argv[1], &error);
    marey_error_text(&error, why, sizeof why); /* with line and column */
    if (status != MAREY_OK) fprintf(stderr, "react: %s\n", why);
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
