/* api_pairs.c - the most similar frames of two clips: the best of all, or the bottoms of the valleys. */
#include "compare_kept.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_PAIRS = 10000 };

/* ---- valleys ------------------------------------------------------------------------------------ */

typedef struct valleys {
    const struct compare_kept *of;
    const marey_clip *clips[2];
    studio_bytes found; /* of marey_pair */
} valleys;

static bool is_captured(const valleys *all, int side, int row)
{
    int count, frame = marey_features_frame(all->of->features[side], row);
    const marey_mark *marks = marey_clip_marks(all->clips[side], &count);
    for (int i = 0; i < count; i++) {
        if (frame >= marks[i].start && frame < marks[i].end) return false;
    }
    return true;
}

static void note_minima(void *user, const marey_minimum *items, int count)
{
    valleys *all = user;
    for (int i = 0; i < count; i++) {
        const marey_minimum *one = &items[i];
        if (one->least != (MAREY_LEAST_IN_ROW | MAREY_LEAST_IN_COLUMN)) continue;
        if (!is_captured(all, 0, one->row) || !is_captured(all, 1, one->col)) continue;
        const marey_pair pair = { one->row, one->col, one->value };
        bytes_add(&all->found, &pair, sizeof pair);
    }
}

/* By value, then row, then column: the order of marey_grid_pairs. */
static int compare_pairs(const void *left, const void *right)
{
    const marey_pair *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->col > b->col) - (a->col < b->col);
}

/* ---- finding ------------------------------------------------------------------------------------ */

static marey_status fail_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

/* At most `count` of them, into `out`. */
static marey_status find_valleys(studio_worker *worker, const struct compare_kept *of, int count,
                                 studio_bytes *out, marey_error *error)
{
    valleys all = { .of = of, .found = { .memory = out->memory } };
    marey_minima_def def = { .found = note_minima, .user = &all };
    marey_status status = worker_two_clips(worker, of->wish.clips, all.clips, error);
    if (status == MAREY_OK) {
        status = marey_grid_minima(worker->ctx, of->features[0], of->features[1], &def, error);
    }
    if (status == MAREY_OK && all.found.failed) status = fail_memory(error);
    size_t found = all.found.count / sizeof(marey_pair);
    if (status == MAREY_OK && found > 0) {
        qsort(all.found.data, found, sizeof(marey_pair), compare_pairs);
        if (found > (size_t)count) all.found.count = (size_t)count * sizeof(marey_pair);
    }
    *out = all.found;
    return status;
}

static marey_status find_best(studio_worker *worker, const struct compare_kept *of, int count,
                              studio_bytes *out, marey_error *error)
{
    int found = 0;
    uint8_t *room = bytes_extend(out, (size_t)count * sizeof(marey_pair));
    if (!room) return fail_memory(error);
    marey_status status = marey_grid_pairs(worker->ctx, of->features[0], of->features[1], count,
                                           (marey_pair *)(void *)room, &found, error);
    out->count = (size_t)found * sizeof(marey_pair);
    return status;
}

/* ---- the answer --------------------------------------------------------------------------------- */

static void describe_pair(const struct compare_kept *of, const marey_pair *pair, json_t **to)
{
    json_t *one = json_object();
    describe_put(&one, "a", json_integer(marey_features_frame(of->features[0], pair->row)));
    describe_put(&one, "b", json_integer(marey_features_frame(of->features[1], pair->col)));
    describe_put(&one, "value", describe_number(pair->value));
    describe_append(to, one);
}

static json_t *describe_pairs(const struct compare_kept *of, const marey_pair *pairs, int count)
{
    marey_judgement judged = marey_judge(of->features[0], of->features[1], pairs, count);
    json_t *value = json_object(), *list = json_array();
    const double none = NAN;
    for (int i = 0; i < count; i++) describe_pair(of, &pairs[i], &list);
    describe_put(&value, "pairs", list);
    describe_put(&value, "Dp", describe_number(count ? judged.position_cm : none));
    describe_put(&value, "Dv", describe_number(count ? judged.velocity : none));
    describe_put(&value, "Da", describe_number(count ? judged.acceleration : none));
    describe_put(&value, "by_roles", json_boolean(marey_layout_by_roles(of->layout)));
    describe_put(&value, "fps", describe_number(marey_layout_fps(of->layout)));
    describe_put(&value, "unit", json_string(marey_layout_def(of->layout)->metric->unit));
    return value;
}

void api_compare_pairs(studio_worker *worker, studio_request *request, studio_response *response)
{
    compare_wish wish;
    struct compare_kept *of = NULL;
    int64_t count = 20, minima = 0;
    studio_bytes pairs = { .memory = &worker->of->memory };
    marey_error error;
    if (!compare_read(request, &wish, response)) return;
    if (!asked_number(request, "count", 1, MOST_PAIRS, &count) ||
        !asked_number(request, "minima", 0, 1, &minima)) {
        answer_refuse(response, 400, "request",
                      "count is a whole number from 1 to %d, and minima is 0 or 1", MOST_PAIRS);
        return;
    }
    if (!compare_measure(worker, &wish, &of, response)) return;
    marey_status status = minima ? find_valleys(worker, of, (int)count, &pairs, &error)
                                 : find_best(worker, of, (int)count, &pairs, &error);
    if (status == MAREY_OK) {
        answer_json(response, 200,
                    describe_pairs(of, (const marey_pair *)(const void *)pairs.data,
                                   (int)(pairs.count / sizeof(marey_pair))));
    } else {
        answer_fail(response, &error);
    }
    bytes_free(&pairs);
}
