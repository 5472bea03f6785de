/* bench_hostile.c - how fast files that ask for too much are refused, and with how little
   memory. */
#include "bench.h"

#include <marey/marey.h>

#include <string.h>

static char *nested_joints(int depth, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fputs("HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", out);
    for (int i = 0; i < depth; i++) {
        fputs("JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", out);
    }
    for (int i = 0; i <= depth; i++) fputs("}\n", out);
    fputs("MOTION\nFrames: 1\nFrame Time: 0.01\n0\n", out);
    fclose(out);
    return text;
}

/* The text itself is not counted as the reader's memory when it comes from a file. */
static void refuse(const char *what, const char *text, size_t size, double seconds_asked)
{
    marey_ctx *ctx;
    marey_clip *clip = NULL;
    marey_error error = { 0 };
    char label[64], path[] = "/tmp/marey-bench-XXXXXX";
    int handle = mkstemp(path);
    FILE *file = handle < 0 ? NULL : fdopen(handle, "wb");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0) exit(3);
    if (marey_ctx_open(&(marey_ctx_def){ .threads = 1 }, &ctx)) exit(3);
    double start = bench_cpu_s();
    marey_status status = marey_clip_load(ctx, path, NULL, &clip, &error);
    double seconds = bench_cpu_s() - start;
    remove(path);
    snprintf(label, sizeof label, "%s refused in", what);
    bench_figure(label, status == MAREY_ERR_LIMIT ? 1e3 * seconds : 1e9, "ms", 1e3 * seconds_asked,
                 false);
    bench_figure("  with", (double)marey_ctx_bytes_peak(ctx) / 1e6, "MB", 32, false);
    printf("  \"%s\"\n", error.message);
    marey_clip_free(clip);
    marey_ctx_close(ctx);
}

int main(void)
{
    static const char many[] =
        "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation "
        "Yrotation\n}\nMOTION\nFrames: 4000000000\nFrame Time: 0.01\n1 2 3\n";
    size_t size;
    char *nested = nested_joints(1000000, &size);
    refuse("1,000,000 nested joints", nested, size, 1);
    free(nested);
    refuse("Frames: 4000000000", many, strlen(many), 0.05);
    return 0;
}
