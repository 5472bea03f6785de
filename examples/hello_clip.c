/* hello_clip.c - reads one motion file and tells what is in it.

       hello_clip walk.bvh

   Shows: a context, loading, the error that says where a file is wrong, and the import report. */
#include <marey/marey.h>

#include <stdio.h>

static void print_report(const marey_clip *clip)
{
    const marey_report *report = marey_clip_report(clip);

    /* Lengths are centimetres with y up, whatever the file had. The report says how that was found,
       because a guess may be wrong; marey_load_def overrides it. */
    printf("units: %s (%s)\n", marey_units_name(marey_clip_units(clip)), report->units_why);
    printf("up: %s (%s)\n", marey_clip_up(clip) == MAREY_UP_Z ? "z" : "y", report->up_why);
    printf("height: %.1f cm\n", report->height_cm);
    for (int i = 0; i < report->warning_count; i++) printf("warning: %s\n", report->warnings[i]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: hello_clip FILE\n");
        return 2;
    }

    /* Memory, files and threads hang on a context; NULL asks for the defaults. */
    marey_ctx *ctx;
    marey_status status = marey_ctx_open(NULL, &ctx);
    if (status != MAREY_OK) {
        fprintf(stderr, "hello_clip: %s\n", marey_status_name(status));
        return 3;
    }

    marey_clip *clip = NULL; /* untouched if loading fails, and free(NULL) is fine */
    marey_error error;
    status = marey_clip_load(ctx, argv[1], NULL, &clip, &error);
    if (status == MAREY_OK) {
        printf("name: %s\n", marey_clip_name(clip));
        printf("frames: %d at %g a second\n", marey_clip_frames(clip), marey_clip_fps(clip));
        printf("joints: %d\n", marey_clip_skeleton(clip)->joint_count);
        print_report(clip);
    } else {
        char text[2048]; /* "walk.bvh:214:7: expected a number ..." */
        marey_error_text(&error, text, sizeof text);
        fprintf(stderr, "hello_clip: %s\n", text);
    }

    marey_clip_free(clip); /* before its context */
    marey_ctx_close(ctx);
    return status == MAREY_OK ? 0 : 1;
}
