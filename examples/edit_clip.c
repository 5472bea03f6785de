/* edit_clip.c - cuts a piece out of a take, mirrors it, changes its rate and saves it.

       edit_clip walk.bvh 120 300 30 turned.bvh     frames 120 to 299, mirrored, at 30 a second

   Shows: edits. Each makes a new clip and leaves the old one alone, so a chain needs no undo.
   An error that says what was wrong comes out of whichever step failed. */
#include <marey/marey.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct request {
    const char *from, *to;
    int start, end; /* frames, end exclusive */
    double fps;
} request;

/* Every clip is NULL until its step has worked, so all can be freed wherever the chain ends. */
static marey_status edit(marey_ctx *ctx, const request *wish, marey_error *error)
{
    marey_clip *take = NULL, *piece = NULL, *mirrored = NULL, *out = NULL;
    marey_status status = marey_clip_load(ctx, wish->from, NULL, &take, error);
    if (status == MAREY_OK) status = marey_clip_trim(take, wish->start, wish->end, &piece, error);
    if (status == MAREY_OK) status = marey_clip_mirror(piece, &mirrored, error);
    if (status == MAREY_OK) status = marey_clip_resample(mirrored, wish->fps, &out, error);
    /* The file appears when it is whole; if saving fails, an older one is as it was. */
    if (status == MAREY_OK) status = marey_clip_save(out, wish->to, error);
    if (status == MAREY_OK) printf("%s: %d frames\n", wish->to, marey_clip_frames(out));
    marey_clip_free(out);
    marey_clip_free(mirrored);
    marey_clip_free(piece);
    marey_clip_free(take);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: edit_clip IN START END FPS OUT\n");
        return 2;
    }
    request wish = { .from = argv[1], .to = argv[5] };
    int numbers = sscanf(argv[2], "%d", &wish.start) + sscanf(argv[3], "%d", &wish.end) +
                  sscanf(argv[4], "%lf", &wish.fps);
    if (numbers != 3) return 2; /* numbers that make no sense are refused by the library itself */

    marey_ctx *ctx;
    if (marey_ctx_open(NULL, &ctx) != MAREY_OK) return 3;
    marey_error error;
    marey_status status = edit(ctx, &wish, &error);
    if (status != MAREY_OK) {
        char text[2048];
        marey_error_text(&error, text, sizeof text);
        fprintf(stderr, "edit_clip: %s\n", text);
    }
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
