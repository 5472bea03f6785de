/* cmd_graph_walk.c - `marey graph walk`: a clip that goes through a motion graph, from here to there, for so long, through
   labelled actions or along a path. */
#include "commands.h"
#include "graph_clip.h"
#include "param_family.h"
#include "table_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LABELS = 256 };

typedef struct label_list {
    char *text; /* the option's value, with zeros for its commas */
    size_t bytes;
    const char *items[MOST_LABELS];
    int count;
} label_list;

typedef struct walking {
    graph_clip base;
    marey_walk_def def;
    label_list through, style;
    buffer path; /* x, z */
} walking;

static const char *const kinds[MAREY_WALK_KIND_COUNT] = { "to", "length", "labels", "path" };

/* ---- options --------------------------------------------------------------------------------------- */

static int read_labels(session *run, const request *asked, option_key key, const char *name,
                       label_list *out)
{
    const char *text = asked->values[key];
    if (!text) return PROGRAM_DONE;
    size_t bytes = strlen(text) + 1;
    out->text = session_resize(run, NULL, 0, bytes);
    if (!out->text) return session_fail_memory(run);
    out->bytes = bytes;
    memcpy(out->text, text, bytes);
    for (char *at = out->text;;) {
        size_t length = strcspn(at, ",");
        char *next = at + length;
        bool last = *next == 0;
        *next = 0;
        if (length == 0 || out->count == MOST_LABELS) {
            return session_usage(run,
                                 "--%s takes 1 to %d labels with commas between them, not \"%s\"",
                                 name, (int)MOST_LABELS, text);
        }
        out->items[out->count++] = at;
        if (last) return PROGRAM_DONE;
        at = next + 1;
    }
}

static int wrong_path(session *run, const char *text)
{
    return session_usage(run,
                         "--path takes at least two points in centimetres, as in '0,0 300,0 "
                         "600,300', or a file that ends in .csv, not \"%s\"",
                         text);
}

/* "0,0 300,0" */
static int parse_path(session *run, const char *text, buffer *out)
{
    const char *at = text + strspn(text, " ;");
    while (*at) {
        double x, z;
        const char *comma = number_read(at, &x);
        const char *end = comma && *comma == ',' ? number_read(comma + 1, &z) : NULL;
        if (!end || (*end && !strchr(" ;", *end))) return wrong_path(run, text);
        buffer_bytes(out, (const char *)&x, sizeof x);
        buffer_bytes(out, (const char *)&z, sizeof z);
        at = end + strspn(end, " ;");
    }
    return out->failed ? session_fail_memory(run) : PROGRAM_DONE;
}

static void name_column(int column, char *text, size_t room)
{
    snprintf(text, room, "%s of a point in centimetres", column == 0 ? "x" : "z");
}

static int read_path(walking *all)
{
    static const table_def form = { .what = "a path",
                                    .row = "point of a path",
                                    .more = "a point has two numbers, x and z, and nothing more",
                                    .columns = 2,
                                    .name = name_column };
    session *run = all->base.run;
    const char *text = all->base.asked->values[OPTION_PATH];
    size_t length = text ? strlen(text) : 0;
    marey_error error;
    if (!text) return PROGRAM_DONE;
    if (length > 4 && strcmp(text + length - 4, ".csv") == 0) {
        if (table_read(run, text, &form, &all->path, &error) != MAREY_OK)
            return session_fail(run, &error);
    } else {
        int status = parse_path(run, text, &all->path);
        if (status != PROGRAM_DONE) return status;
    }
    all->def.path = (const double *)(const void *)all->path.bytes;
    all->def.point_count = (int)(all->path.used / (2 * sizeof(double)));
    return all->def.point_count >= 2 ? PROGRAM_DONE : wrong_path(run, text);
}

/* What kind of walk it is follows from what is asked for. */
static int check_use(walking *all)
{
    session *run = all->base.run;
    const request *asked = all->base.asked;
    bool path = request_has(asked, OPTION_PATH), through = request_has(asked, OPTION_THROUGH);
    bool length = request_has(asked, OPTION_LENGTH), to = request_has(asked, OPTION_TO);
    if (path + through + length > 1)
        return session_usage(
            run, "--length, --through and --path are three kinds of walk: one of these");
    if (!path && !through && !length && !to) {
        return session_usage(run, "what walk? --length 20s, --through LABEL,LABEL, --path '0,0 "
                                  "300,0', or --from CLIP#F --to CLIP#F");
    }
    if ((path || through) && to)
        return session_usage(run, "--to is for walks from here to there and of a --length");
    if (request_has(asked, OPTION_SEED) && !length)
        return session_usage(run, "--seed is for random walks: --length");
    if (request_has(asked, OPTION_EFFORT) && !path)
        return session_usage(run, "--effort is for walks along a --path");
    all->def.kind = path      ? MAREY_WALK_PATH
                    : through ? MAREY_WALK_LABELS
                    : length  ? MAREY_WALK_LENGTH
                              : MAREY_WALK_TO;
    return PROGRAM_DONE;
}

static int read_options(walking *all)
{
    session *run = all->base.run;
    const request *asked = all->base.asked;
    int64_t seed = 0;
    int status = check_use(all);
    if (status == PROGRAM_DONE) status = read_path(all);
    if (status == PROGRAM_DONE)
        status = read_labels(run, asked, OPTION_THROUGH, "through", &all->through);
    if (status == PROGRAM_DONE)
        status = read_labels(run, asked, OPTION_STYLE, "style", &all->style);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_SEED, 1, INT64_MAX, &seed);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_EFFORT, 1, 1000000000, &all->def.effort);
    all->def.seed = (uint64_t)seed;
    all->def.labels = all->through.items;
    all->def.label_count = all->through.count;
    all->def.styles = all->style.items;
    all->def.style_count = all->style.count;
    return status;
}

/* What can be read only when the graph is open. */
static int read_places(walking *all)
{
    graph_clip *base = &all->base;
    const request *asked = base->asked;
    marey_error error;
    marey_status found = MAREY_OK;
    all->def.from_given = request_has(asked, OPTION_FROM);
    all->def.to_given = request_has(asked, OPTION_TO);
    if (all->def.from_given)
        found = graph_node_at(&base->of, asked->values[OPTION_FROM], &all->def.from, &error);
    if (all->def.to_given && found == MAREY_OK)
        found = graph_node_at(&base->of, asked->values[OPTION_TO], &all->def.to, &error);
    if (found != MAREY_OK) return session_fail(base->run, &error);
    return graph_clip_length(base, 0, &all->def.frames);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void write_json(const walking *all, json *to)
{
    const marey_walk *walk = &all->base.walk;
    bool path = all->def.kind == MAREY_WALK_PATH;
    json_open(to, NULL, '{');
    json_put_string(to, "name", all->base.of.name);
    json_put_string(to, "kind", kinds[all->def.kind]);
    json_put_boolean(to, "arrived", walk->arrived);
    json_put_number(to, "path_cm", path ? walk->path_cm : NAN);
    json_put_number(to, "path_worst_cm", path ? walk->path_worst_cm : NAN);
    json_put_number(to, "cost", walk->cost);
    json_put_integer(to, "expanded", walk->expanded);
    json_put_integer(to, "first_after", walk->first_after);
    graph_clip_json(&all->base, to);
}

static void write_text(const walking *all, buffer *out)
{
    const marey_walk *walk = &all->base.walk;
    if (all->def.kind == MAREY_WALK_PATH) {
        buffer_print(out,
                     "  path      %.1f cm from it on average, %.1f cm at worst; its end was %s\n",
                     walk->path_cm, walk->path_worst_cm, walk->arrived ? "reached" : "not reached");
    } else if (!walk->arrived && all->def.kind == MAREY_WALK_LABELS) {
        buffer_text(out, "  actions   not all of them could be done\n");
    }
    graph_clip_text(&all->base, out);
}

/* ---- walking --------------------------------------------------------------------------------------- */

static int walk(walking *all)
{
    graph_clip *base = &all->base;
    marey_error error;
    int status = read_places(all);
    if (status != PROGRAM_DONE) return status;
    if (marey_graph_walk(base->run->ctx, base->of.graph, &all->def, &base->walk, &error) !=
            MAREY_OK ||
        graph_clip_make(base, &error) != MAREY_OK) {
        return graph_clip_fail(base, &error);
    }
    json to = json_make(&base->run->out);
    if (base->run->json) {
        write_json(all, &to);
    } else if (!base->run->quiet) {
        write_text(all, &base->run->out);
    }
    return graph_clip_save(base);
}

int command_graph_walk(session *run, const request *asked)
{
    walking all = { .path = buffer_make(&run->host->def) };
    all.base = (graph_clip){ .run = run, .asked = asked };
    int status = read_options(&all);
    if (status == PROGRAM_DONE) {
        status = graph_clip_open(&all.base, run, asked);
        if (status == PROGRAM_DONE) status = walk(&all);
        marey_walk_free(&all.base.walk);
        graph_clip_close(&all.base);
    }
    session_resize(run, all.through.text, all.through.bytes, 0);
    session_resize(run, all.style.text, all.style.bytes, 0);
    buffer_free(&all.path);
    return status;
}
