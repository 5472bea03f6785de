/* cmd_positions.c - `marey positions`: where every joint is in every frame, for NumPy. */
#include "clip_info.h"
#include "commands.h"
#include "input.h"
#include "json.h"

#include <string.h>

enum { BLOCK_FRAMES = 1024 };

typedef struct block_work {
    const marey_clip *clip;
    float *values;
} block_work;

static void place_block(void *user, int64_t block)
{
    const block_work *work = user;
    int frames = marey_clip_frames(work->clip), first = (int)block * BLOCK_FRAMES;
    int count = frames - first < BLOCK_FRAMES ? frames - first : BLOCK_FRAMES;
    size_t row = (size_t)marey_clip_skeleton(work->clip)->joint_count * 3;
    marey_clip_positions_float(work->clip, first, count, work->values + (size_t)first * row);
}

static bool ends_in_npy(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

static void describe(session *run, const char *path, const marey_clip *clip)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    json to = json_make(&run->out);
    if (!run->json) {
        if (run->quiet) return;
        bool is_raw = marey_clip_units(clip) == MAREY_UNITS_RAW;
        buffer_text(&run->out, "wrote ");
        buffer_shown(&run->out, path);
        buffer_print(&run->out, ": %d frames x %d joints x 3, float32, %s\n",
                     marey_clip_frames(clip), skeleton->joint_count,
                     is_raw ? "units of the file" : "cm");
        return;
    }
    json_open(&to, NULL, '{');
    json_put_string(&to, "path", path);
    json_open(&to, "shape", '[');
    json_put_integer(&to, NULL, marey_clip_frames(clip));
    json_put_integer(&to, NULL, skeleton->joint_count);
    json_put_integer(&to, NULL, 3);
    json_close(&to, ']');
    json_put_number(&to, "fps", marey_clip_fps(clip));
    json_put_string(&to, "units", marey_clip_units(clip) == MAREY_UNITS_RAW ? "raw" : "cm");
    json_open(&to, "joints", '[');
    for (int i = 0; i < skeleton->joint_count; i++) {
        json_put_string(&to, NULL, skeleton->joints[i].name);
    }
    json_close(&to, ']');
    json_open(&to, "parents", '[');
    for (int i = 0; i < skeleton->joint_count; i++) {
        json_put_integer(&to, NULL, skeleton->joints[i].parent);
    }
    json_close(&to, ']');
    app_marks_write(clip, &to);
    json_close(&to, '}');
    buffer_byte(&run->out, '\n');
}

/* The answer is put together before the file is written: after that only sending it can fail. */
static int write_positions(session *run, const char *path, const marey_clip *clip)
{
    int64_t shape[3] = { marey_clip_frames(clip), marey_clip_skeleton(clip)->joint_count, 3 };
    size_t bytes = (size_t)(shape[0] * shape[1] * shape[2]) * sizeof(float);
    marey_error error;
    block_work work = { clip, session_resize(run, NULL, 0, bytes) };
    if (!work.values) return session_fail_memory(run);
    marey_ctx_run(run->ctx, (shape[0] + BLOCK_FRAMES - 1) / BLOCK_FRAMES, place_block, &work);
    describe(run, path, clip);
    int status = PROGRAM_DONE;
    if (run->out.failed) {
        status = session_fail_memory(run);
    } else if (marey_npy_save(run->ctx, path, work.values, shape, 3, &error) != MAREY_OK) {
        run->out.used = 0;
        status = session_fail(run, &error);
    }
    session_resize(run, work.values, bytes, 0);
    return status == PROGRAM_DONE ? session_finish(run, status) : status;
}

/* Reads, resamples, writes. */
static int make_positions(input *from, const char *text, double fps, const char *path)
{
    marey_error error;
    marey_clip *clip = NULL, *fresh = NULL;
    marey_status read = input_load(from, text, &(frame_range){ 0 }, &clip, NULL, &error);
    if (read == MAREY_OK && fps > 0) {
        read = marey_clip_resample(clip, fps, &fresh, &error);
        read = input_replace(&clip, fresh, read, text, &error);
    }
    if (read != MAREY_OK) return session_fail(from->run, &error);
    int status = write_positions(from->run, path, clip);
    marey_clip_free(clip);
    return status;
}

int command_positions(session *run, const request *asked)
{
    const char *path = asked->values[OPTION_OUTPUT];
    input from;
    double fps = 0;
    int status = input_rate(run, asked, &fps);
    if (status != PROGRAM_DONE) return status;
    if (!path) return session_usage(run, "-o FILE.npy is needed");
    if (!ends_in_npy(path)) return session_usage(run, "-o takes a name that ends in .npy");
    status = input_open(run, asked, &from);
    if (status != PROGRAM_DONE) return status;
    status = make_positions(&from, asked->operands[0], fps, path);
    input_close(&from);
    return status;
}
