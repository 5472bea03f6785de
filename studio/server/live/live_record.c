/* live_record.c - what a character was given. The page knows when it said something, but not which
   frame of the graph was the first that followed it; a clip of the same steps needs that. */
#include "live_record.h"
#include "requests.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { MOST_INPUTS = 32768 }; /* some 15 minutes of a stick that never rests, 1 MiB */

typedef struct input_row {
    int64_t frame;
    marey_control_input input;
} input_row;

typedef struct ask_row {
    int64_t frame;
    char text[APP_REQUEST_ROOM];
} ask_row;

void record_free(play_record *record)
{
    bytes_free(&record->inputs);
    bytes_free(&record->asks);
}

/* A record that misses something of the middle would be of another motion, so it ends there. */
static void put(play_record *record, studio_bytes *bytes, const void *row, size_t size, size_t most)
{
    if (record->full || bytes->count >= most * size) {
        record->full = true;
        return;
    }
    bytes_add(bytes, row, size);
    if (!bytes->failed) return;
    bytes->failed = 0;
    record->full = true;
}

void record_step(play_record *record, const marey_control_input *input)
{
    const input_row *rows = (const input_row *)(const void *)record->inputs.data;
    size_t count = record->inputs.count / sizeof *rows;
    const marey_control_input *last = count > 0 ? &rows[count - 1].input : NULL;
    bool same = last && last->direction_rad == input->direction_rad &&
                last->speed_cm_s == input->speed_cm_s;
    input_row row = { record->frames, *input };
    if (record->frames >= LIMIT_BLEND_FRAMES) record->full = true;
    if (!same) put(record, &record->inputs, &row, sizeof row, MOST_INPUTS);
    if (!record->full) record->frames++;
}

void record_ask(play_record *record, const char *text)
{
    ask_row row = { .frame = record->frames };
    memcpy(row.text, text, strlen(text) + 1);
    put(record, &record->asks, &row, sizeof row, APP_MOST_REQUESTS);
    if (!record->full) record->asked++;
}

void record_begun(play_record *record)
{
    if (!record->full) record->begun++;
}

/* Rounded down to milliseconds, which is behind the frame before. */
static double time_of(int64_t frame, double fps)
{
    return floor((double)frame / fps * 1000 + 1e-6) / 1000;
}

json_t *record_json(const play_record *record, double graph_fps, double clip_fps)
{
    const input_row *rows = (const input_row *)(const void *)record->inputs.data;
    const ask_row *asks = (const ask_row *)(const void *)record->asks.data;
    if (record->frames < 2) return NULL;
    json_t *script = json_array(), *requests = json_array();
    for (size_t i = 0; i < record->inputs.count / sizeof *rows; i++)
        json_array_append_new(script, json_pack("[f, f, f]", time_of(rows[i].frame, graph_fps),
                                                rows[i].input.direction_rad - record->direction_rad,
                                                rows[i].input.speed_cm_s));
    for (size_t i = 0; i < record->asks.count / sizeof *asks; i++) {
        char text[APP_REQUEST_ROOM + 32];
        if (asks[i].frame >= record->frames) continue; /* nothing followed */
        snprintf(text, sizeof text, "%s@%.3fs", asks[i].text, time_of(asks[i].frame, graph_fps));
        json_array_append_new(requests, json_string(text));
    }
    /* As many frames as need all steps, and none more. */
    double frames = floor((double)(record->frames - 1) * clip_fps / graph_fps + 1e-6) + 1;
    char length[32];
    snprintf(length, sizeof length, "%.0f", frames);
    json_t *body = json_pack("{s:o, s:s}", "script", script, "length", length);
    if (body && json_array_size(requests) > 0) {
        json_object_set(body, "do", requests);
        if (record->begun < record->asked) json_object_set_new(body, "replace", json_true());
    }
    json_decref(requests);
    return body;
}
