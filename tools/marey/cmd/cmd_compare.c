/* cmd_compare.c - `marey compare`: all metrics judged by equally many of their pairs (Guan & Yang, tables 2 and 3). */
#include "commands.h"
#include "metric_options.h"
#include "shelf.h"

#include <math.h>
#include <string.h>

enum { MOST_METRICS = 16, MEASURES = 3 };

typedef struct contestant {
    const marey_metric *metric;
    bool is_judge; /* the metric that D_p itself makes */
    double seconds;
    marey_pair *pairs;
    int found;
    double judged[MEASURES]; /* D_p, D_v, D_a */
    int rank[MEASURES];      /* from 1; 0: none */
} contestant;

typedef struct contest {
    comparison all;
    int64_t asked; /* pairs; 0: 1 % of the cells, at least 10 */
    int pairs;     /* that every metric has */
    size_t bytes;  /* of the pairs of one */
    contestant rows[MOST_METRICS];
    int count;
} contest;

/* ---- pairs ----------------------------------------------------------------------------------------- */

static marey_status take_room(contest *of, marey_error *error)
{
    int64_t cells = (int64_t)marey_features_rows(of->all.features[0]) *
                    marey_features_rows(of->all.features[1]);
    int64_t pairs = of->asked ? of->asked : cells / 100 > 10 ? cells / 100 : 10;
    if (pairs > cells) pairs = cells;
    of->pairs = (int)(pairs < INT32_MAX ? pairs : INT32_MAX);
    of->bytes = (size_t)of->pairs * sizeof(marey_pair);
    for (int i = 0; i < of->count; i++) {
        of->rows[i].pairs = session_resize(of->all.run, NULL, 0, of->bytes);
        if (of->rows[i].pairs) continue;
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    return MAREY_OK;
}

static marey_status find_pairs(contest *of, contestant *one, marey_error *error)
{
    comparison *all = &of->all;
    marey_metric_def def = all->def;
    def.metric = one->metric;
    marey_status status = comparison_measure(all, &def, error);
    if (status == MAREY_OK && of->pairs == 0) status = take_room(of, error);
    if (status != MAREY_OK) return status;
    double start = seconds_now();
    status = marey_grid_pairs(all->run->ctx, all->features[0], all->features[1], of->pairs,
                              one->pairs, &one->found, error);
    one->seconds = all->seconds + seconds_now() - start;
    return status;
}

/* The judge looks at places alone, so the features that are left over from the last metric serve for all. */
static void judge(contest *of)
{
    for (int i = 0; i < of->count; i++) {
        if (of->rows[i].found < of->pairs) of->pairs = of->rows[i].found;
    }
    for (int i = 0; i < of->count; i++) {
        contestant *one = &of->rows[i];
        marey_judgement got =
            marey_judge(of->all.features[0], of->all.features[1], one->pairs, of->pairs);
        one->judged[0] = got.position_cm;
        one->judged[1] = got.velocity;
        one->judged[2] = got.acceleration;
    }
}

static void rank(contest *of)
{
    for (int i = 0; i < of->count; i++) {
        contestant *one = &of->rows[i];
        for (int m = 0; m < MEASURES && !one->is_judge; m++) {
            one->rank[m] = 1;
            for (int k = 0; k < of->count; k++) {
                const contestant *other = &of->rows[k];
                one->rank[m] += !other->is_judge && other->judged[m] < one->judged[m];
            }
        }
    }
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static const char *const measure_names[MEASURES] = { "Dp", "Dv", "Da" };

static void write_row(json *to, const contestant *one)
{
    json_open(to, NULL, '{');
    json_put_string(to, "metric", one->metric->name);
    json_put_number(to, "seconds", one->seconds);
    for (int m = 0; m < MEASURES; m++) json_put_number(to, measure_names[m], one->judged[m]);
    if (one->is_judge) {
        json_put_null(to, "rank");
    } else {
        json_open(to, "rank", '{');
        for (int m = 0; m < MEASURES; m++) json_put_integer(to, measure_names[m], one->rank[m]);
        json_close(to, '}');
    }
    json_close(to, '}');
}

static void write_json(const contest *of)
{
    const comparison *all = &of->all;
    json to = json_make(&all->run->out);
    json_open(&to, NULL, '{');
    json_open(&to, "rows", '[');
    for (int i = 0; i < of->count; i++) write_row(&to, &of->rows[i]);
    json_close(&to, ']');
    json_put_integer(&to, "pairs", of->pairs);
    json_open(&to, "frames", '[');
    for (int s = 0; s < 2; s++) json_put_integer(&to, NULL, marey_features_rows(all->features[s]));
    json_close(&to, ']');
    json_put_string(&to, "joints", marey_layout_def(all->layout)->joints->name);
    json_put_number(&to, "fps", marey_layout_fps(all->layout));
    json_put_boolean(&to, "by_roles", marey_layout_by_roles(all->layout));
    if (all->library) json_put_integer(&to, "normalized_by", all->library_count);
    json_close(&to, '}');
    buffer_byte(&all->run->out, '\n');
}

static void write_text(const contest *of)
{
    buffer *out = &of->all.run->out;
    comparison_text(&of->all, out);
    buffer_print(out, "the %d most similar pair%s of each metric\n\n", of->pairs,
                 of->pairs == 1 ? "" : "s");
    buffer_print(out, "%-11s %9s   %9s rank   %11s rank   %13s rank\n", "metric", "seconds",
                 "Dp cm", "Dv (cm/s)2", "Da (cm/s2)2");
    for (int i = 0; i < of->count; i++) {
        static const int widths[MEASURES] = { 9, 11, 13 };
        const contestant *one = &of->rows[i];
        buffer_print(out, "%-11s %9.4f", one->metric->name, one->seconds);
        for (int m = 0; m < MEASURES; m++) {
            buffer_print(out, "   %*.*f ", widths[m], m == 0 ? 3 : 0, one->judged[m]);
            if (one->is_judge) {
                buffer_text(out, "   -");
            } else {
                buffer_print(out, "%4d", one->rank[m]);
            }
        }
        buffer_byte(out, '\n');
    }
}

/* ---- the command ----------------------------------------------------------------------------------- */

/* The judge's own metric comes last in the table. */
static void list_metrics(contest *of)
{
    const marey_metric *row;
    for (int i = 0; (row = marey_metric_find(i)) && i < MOST_METRICS; i++) {
        of->rows[of->count++] = (contestant){ .metric = row, .is_judge = row->is_judge };
    }
}

static marey_status hold(contest *of, marey_error *error)
{
    marey_status status = comparison_load(&of->all, error);
    for (int i = 0; i < of->count && status == MAREY_OK; i++) {
        status = find_pairs(of, &of->rows[i], error);
    }
    if (status != MAREY_OK) return status;
    judge(of);
    if (of->pairs == 0) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                                .message = "there is no pair of captured frames to judge by" };
        return MAREY_ERR_REQUEST;
    }
    rank(of);
    if (of->all.run->json) {
        write_json(of);
    } else {
        write_text(of);
    }
    return MAREY_OK;
}

int command_compare(session *run, const request *asked)
{
    contest of = { .asked = 0 };
    marey_error error;
    int status = options_whole(run, asked, OPTION_PAIRS, 1, INT32_MAX, &of.asked);
    if (status == PROGRAM_DONE) status = comparison_open(&of.all, run, asked);
    if (status != PROGRAM_DONE) return status;
    list_metrics(&of);
    marey_status done = hold(&of, &error);
    for (int i = 0; i < of.count; i++) {
        if (of.rows[i].pairs) session_resize(run, of.rows[i].pairs, of.bytes, 0);
    }
    comparison_close(&of.all);
    return done == MAREY_OK ? session_finish(run, PROGRAM_DONE) : session_fail(run, &error);
}
