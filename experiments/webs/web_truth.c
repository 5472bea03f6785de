/* web_truth.c - the truth that was marked by looking, and what it says of a search. */
#include "web_lab.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading it ------------------------------------------------------------------------------ */

static void copy_text(char *out, size_t room, const json_t *in)
{
    const char *text = json_string_value(in);
    snprintf(out, room, "%s", text ? text : "");
}

static void read_strikes(truth_segment *s, const json_t *list, int per_row)
{
    s->strike_count = (int)json_array_size(list);
    s->strikes = web_room((size_t)s->strike_count * sizeof *s->strikes);
    for (int i = 0; i < s->strike_count; i++) {
        s->strikes[i] = (int)json_integer_value(json_array_get(list, (size_t)i)) / per_row;
    }
}

static truth_segment read_segment(const json_t *in, int clip, int per_row)
{
    truth_segment s = { .at.clip = clip };
    const json_t *params = json_object_get(in, "params");
    copy_text(s.label, sizeof s.label, json_object_get(in, "label"));
    copy_text(s.side, sizeof s.side, json_object_get(in, "side"));
    copy_text(s.kind, sizeof s.kind, json_object_get(params, "kind"));
    s.doubtful = json_is_true(json_object_get(params, "doubtful"));
    s.at.start = (int)json_integer_value(json_object_get(in, "start")) / per_row;
    s.at.end = (int)json_integer_value(json_object_get(in, "end")) / per_row;
    if (s.at.start < 1) s.at.start = 1; /* the first row is the T-pose */
    read_strikes(&s, json_object_get(params, "strikes"), per_row);
    return s;
}

truth truth_read(const web_set *set, const char *path)
{
    truth out = { 0 };
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *take, *segment;
    size_t t, s, room = 0;
    if (!root) {
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
        exit(1);
    }
    json_array_foreach(json_object_get(root, "takes"), t, take)
    {
        room += json_array_size(json_object_get(take, "segments"));
    }
    out.segments = web_room(room * sizeof *out.segments);
    json_array_foreach(json_object_get(root, "takes"), t, take)
    {
        const char *name = json_string_value(json_object_get(take, "clip"));
        int clip = set_find(set, name ? name : "");
        if (clip < 0) continue;
        json_array_foreach(json_object_get(take, "segments"), s, segment)
        {
            out.segments[out.count++] = read_segment(segment, clip, set_frames_per_row(set, clip));
        }
    }
    json_decref(root);
    return out;
}

void truth_free(truth *of)
{
    for (int i = 0; i < of->count; i++) free(of->segments[i].strikes);
    free(of->segments);
    *of = (truth){ 0 };
}

const truth_segment *truth_pick(const truth *of, const char *label, const char *side,
                                const char *clip, const web_set *set, int nth)
{
    for (int i = 0; i < of->count; i++) {
        const truth_segment *s = &of->segments[i];
        if (s->doubtful || strcmp(s->label, label) != 0) continue;
        if (side[0] && strcmp(s->side, side) != 0) continue;
        if (clip && strcmp(set->names[s->at.clip], clip) != 0) continue;
        if (nth-- == 0) return s;
    }
    fprintf(stderr, "the truth has no such %s %s\n", side, label);
    exit(1);
}

/* ---- judging by it --------------------------------------------------------------------------- */

double segments_overlap(marey_segment a, marey_segment b)
{
    int start = a.start > b.start ? a.start : b.start, end = a.end < b.end ? a.end : b.end;
    int first = a.end - a.start, second = b.end - b.start;
    if (a.clip != b.clip || end <= start) return 0;
    return (double)(end - start) / (first < second ? first : second);
}

typedef enum standing { STANDS_OUT, STANDS_NEUTRAL, STANDS_IN } standing;

/* What an occurrence is for a query: wanted, of no account, or another thing. A reach with both
   hands is neither a reach with the left hand nor none. */
static standing stand(const truth_segment *s, const wanted *what)
{
    if (what->allowed && !what->allowed[s->at.clip]) return STANDS_OUT;
    if (strcmp(s->label, what->label) != 0) return STANDS_OUT;
    if (s->doubtful) return STANDS_NEUTRAL;
    if (what->side[0] && strcmp(s->side, what->side) != 0) {
        return strcmp(s->side, "both") == 0 ? STANDS_NEUTRAL : STANDS_OUT;
    }
    return !what->kind || strcmp(s->kind, what->kind) == 0 ? STANDS_IN : STANDS_NEUTRAL;
}

typedef struct tally {
    const truth *of;
    const wanted *what;
    bool *met;         /* a segment's */
    uint8_t **covered; /* a row's of a clip: by right matches */
} tally;

static standing place_match(tally *t, marey_segment at)
{
    standing best = STANDS_OUT;
    for (int i = 0; i < t->of->count; i++) {
        const truth_segment *s = &t->of->segments[i];
        standing here = stand(s, t->what);
        if (here == STANDS_OUT || segments_overlap(at, s->at) < 0.5) continue;
        if (here == STANDS_IN) t->met[i] = true;
        if (here > best) best = here;
    }
    if (best == STANDS_IN) {
        memset(t->covered[at.clip] + at.start, 1, (size_t)(at.end - at.start));
    }
    return best;
}

/* Steps are met if right matches cover half of them. */
static void count_steps(const tally *t, const truth_segment *s, verdict *v)
{
    for (int i = 0; i + 1 < s->strike_count; i++) {
        int covered = 0, length = s->strikes[i + 1] - s->strikes[i];
        for (int r = s->strikes[i]; r < s->strikes[i + 1]; r++) {
            covered += t->covered[s->at.clip][r];
        }
        v->all++;
        v->met += 2 * covered >= length;
    }
}

static void count_met(const tally *t, verdict *v)
{
    v->met = v->all = 0;
    for (int i = 0; i < t->of->count; i++) {
        const truth_segment *s = &t->of->segments[i];
        if (stand(s, t->what) != STANDS_IN) continue;
        if (s->strike_count > 0) {
            count_steps(t, s, v);
        } else {
            v->all++;
            v->met += t->met[i];
        }
    }
}

verdict judge_found(const web_set *set, const truth *of, const wanted *what,
                    const marey_found *found, int count)
{
    verdict v = { 0 };
    tally t = { of, what, web_room((size_t)of->count * sizeof *t.met),
                web_room((size_t)set->count * sizeof *t.covered) };
    for (int c = 0; c < set->count; c++) {
        t.covered[c] = web_room((size_t)marey_features_rows(set->features[c]));
    }
    for (int i = 0; i < count; i++) {
        standing here = place_match(&t, found[i].at);
        v.right += here == STANDS_IN;
        v.neutral += here == STANDS_NEUTRAL;
        if (here != STANDS_OUT) continue;
        if (v.wrong++ > 0) continue;
        count_met(&t, &v);
        v.ordered = v.met == v.all;
        v.lead = v.right;
    }
    count_met(&t, &v);
    if (v.wrong == 0) {
        v.ordered = v.met == v.all;
        v.lead = v.right;
    }
    for (int c = 0; c < set->count; c++) free(t.covered[c]);
    free(t.covered);
    free(t.met);
    return v;
}

bool verdict_is_exact(const verdict *v)
{
    return v->wrong == 0 && v->met == v->all;
}

double verdict_precision(const verdict *v)
{
    return v->right + v->wrong ? (double)v->right / (v->right + v->wrong) : 1;
}

double verdict_recall(const verdict *v)
{
    return v->all ? (double)v->met / v->all : 1;
}

double verdict_f1(const verdict *v)
{
    double p = verdict_precision(v), r = verdict_recall(v);
    return p + r > 0 ? 2 * p * r / (p + r) : 0;
}

/* ---- thresholds ------------------------------------------------------------------------------ */

enum { MOST_MATCHES = 400, TOO_MANY_WRONG = 30 };

sweep sweep_thresholds(const web_set *set, const truth *of, const wanted *what, marey_segment query,
                       const sweeping *with)
{
    sweep out = { 0 };
    marey_webs webs = set_webs(set);
    marey_error error;
    double best = -1, step = with->step > 1 ? with->step : 1.25;
    for (double threshold = 1; threshold < MAREY_WEB_CEILING; threshold *= step) {
        marey_search_def def = with->how;
        def.threshold = threshold;
        def.limit = MOST_MATCHES;
        def.allowed = what->allowed;
        marey_match_graph *graph;
        double start = web_seconds();
        web_must(marey_search(set->ctx, &webs, query, &def, &graph, &error), &error);
        double took = web_seconds() - start;
        int count;
        const marey_found *found = marey_match_graph_nodes(graph, &count);
        verdict v = judge_found(set, of, what, found, count);
        if (verdict_f1(&v) > best) {
            best = verdict_f1(&v);
            out.best = v;
            out.best_at = threshold;
            out.best_s = took;
            out.best_tiers = marey_match_graph_report(graph).tiers;
            out.best_matches = count - 1;
        }
        marey_match_graph_free(graph);
        if (verdict_is_exact(&v)) {
            if (out.first == 0) out.first = threshold;
            out.last = threshold;
        }
        if (v.ordered && out.ordered_at == 0) {
            out.ordered_at = threshold;
            out.ordered = v;
        }
        if (v.wrong > TOO_MANY_WRONG) break; /* it only gets worse */
    }
    return out;
}
