/* routes.c - the table of addresses, and how a request's own is found in it. */
#include "routes.h"

#include "operation.h"

#include <string.h>

enum { LONGEST_NUMBER = 15 }; /* digits: exact in the page's numbers too */

#define GET(path, run, summary)                                                                    \
    {                                                                                              \
        "GET", path, ROUTE_NO_BODY, run, false, summary                                            \
    }
#define POST(path, run, summary)                                                                   \
    {                                                                                              \
        "POST", path, ROUTE_JSON, run, false, summary                                              \
    }
#define PAGE(path, summary)                                                                        \
    {                                                                                              \
        "GET", path, ROUTE_NO_BODY, NULL, true, summary                                            \
    }

const route routes[] = {
    PAGE("/", "the page"),
    PAGE("/open", "lets a browser in by its one-time code, and sends it on to the page"),
    PAGE("/app.js", "the page's program"),
    PAGE("/app.css", "how the page looks"),
    PAGE("/part/#", "a part of the page's program that is fetched when it is needed"),
    GET("/api/about", api_about, "the program, the library, the formats"),
    GET("/api/operations", api_operations, "every operation with its parameters"),
    { "POST", "/api/do/@", ROUTE_OPERATION, api_operate, false, "an operation" },
    GET("/api/clips", api_clips, "the clips of the library"),
    GET("/api/clips/#", api_clip, "one clip, with all that is known of it"),
    GET("/api/clips/#/frames", api_frames, "the frames of a clip, binary"),
    GET("/api/clips/#/curves", api_curves, "channels, places and speeds over time, binary"),
    GET("/api/clips/#/strip", api_strip, "a film strip, PNG"),
    GET("/api/metrics", api_metrics, "how frames can be compared"),
    GET("/api/index", api_index, "the index that searches go by"),
    GET("/api/search/#/edges/*", api_search_edge, "how the frames of two matches go together"),
    GET("/api/search/#/edges/*/grid", api_search_grid,
        "how alike the frames around them are, binary"),
    GET("/api/graph/arcs", api_graph_arcs, "its segments and transitions"),
    GET("/api/graph/closure", api_graph_closure, "which frames can be reached from which, binary"),
    GET("/api/dofs", api_dofs, "the degrees of freedom that sketches can be of"),
    GET("/api/clips/#/signals", api_signals, "the curves of a clip as sketches see them, binary"),
    GET("/api/cluster", api_cluster, "one cluster graph, to be drawn"),
    GET("/api/cluster/node", api_cluster_node, "a node with its sequences and tuples"),
    GET("/api/cluster/switches", api_cluster_switches, "where one sequence can become another"),
    GET("/api/cluster/poses", api_cluster_poses, "how nodes look, binary"),
    GET("/api/puppet/file", api_puppet_file, "a puppet as a file"),
    GET("/api/puppet/csv", api_puppet_csv, "its demonstrations as a table"),
    GET("/api/jobs", api_jobs, "all jobs that are remembered"),
    GET("/api/jobs/#", api_job, "a job"),
    GET("/api/jobs/#/file", api_job_file, "the file that a job made"),
    GET("/api/live", NULL, "a WebSocket: what happens meanwhile"),
    { "POST", "/api/import", ROUTE_FILES, api_import, false, "puts dropped files in" },
    POST("/api/grid", api_grid, "how alike all frames of two clips are, binary"),
    POST("/api/jobs/#/cancel", api_job_cancel, "stops a job"),
    POST("/api/libraries/*", api_neighbour, "opens another library of the folder"),
    { NULL, NULL, ROUTE_NO_BODY, NULL, false, NULL },
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* A number of a path, behind which *path is left. */
static bool read_number(const char **path, bool from_zero, int64_t *out)
{
    const char *at = *path;
    int digits = 0;
    bool leading = *at == '0';
    for (*out = 0; is_digit(*at); at++, digits++) {
        if (digits == LONGEST_NUMBER) return false;
        *out = *out * 10 + (*at - '0');
    }
    *path = at;
    return digits > 0 && (!leading || (from_zero && digits == 1));
}

/* An operation's name, "graph-build" for "graph build", behind which *path is left; its number in
   their table, from 1. */
static bool read_operation(const char **path, int64_t *out)
{
    const app_operation *operation;
    size_t length = strcspn(*path, "/");
    for (int i = 0; (operation = app_operation_at(i)); i++) {
        const char *name = operation->name;
        bool same = strlen(name) == length;
        for (size_t k = 0; k < length && same; k++)
            same = (*path)[k] == (name[k] == ' ' ? '-' : name[k]);
        if (!same) continue;
        *path += length;
        *out = i + 1;
        return true;
    }
    return false;
}

static bool path_fits(const char *pattern, const char *path, int64_t ids[ROUTE_NUMBERS])
{
    int numbers = 0;
    for (; *pattern; pattern++) {
        if (*pattern == '#' || *pattern == '*') {
            if (!read_number(&path, *pattern == '*', &ids[numbers++])) return false;
        } else if (*pattern == '@') {
            if (!read_operation(&path, &ids[numbers++])) return false;
        } else if (*path++ != *pattern) {
            return false;
        }
    }
    return *path == 0;
}

route_match route_find(const char *method, const char *path, const route **found,
                       int64_t ids[ROUTE_NUMBERS])
{
    route_match match = ROUTE_NO_ADDRESS;
    for (const route *row = routes; row->method; row++) {
        int64_t numbers[ROUTE_NUMBERS] = { 0 };
        if (!path_fits(row->path, path, numbers)) continue;
        match = ROUTE_NO_METHOD;
        if (strcmp(row->method, method) != 0) continue;
        *found = row;
        memcpy(ids, numbers, sizeof numbers);
        return ROUTE_FOUND;
    }
    return match;
}

/* ---- the query ------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/* In place: what is decoded is never longer. */
static bool decode(char *text)
{
    char *out = text;
    for (const char *in = text; *in; in++) {
        char c = *in == '+' ? ' ' : *in;
        if (*in == '%') {
            int high = hex_digit(in[1]);
            int low = high < 0 ? -1 : hex_digit(in[2]);
            if (low < 0 || (high == 0 && low == 0)) return false;
            c = (char)(high * 16 + low);
            in += 2;
        }
        *out++ = c;
    }
    *out = 0;
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        size_t length = utf8_length(at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

bool query_parse(studio_request *request, char *text)
{
    request->query_count = 0;
    while (*text) {
        char *pair = text;
        text += strcspn(text, "&");
        if (*text) *text++ = 0;
        if (!*pair) continue;
        if (request->query_count == LIMIT_QUERY) return false;
        char *value = pair + strcspn(pair, "=");
        if (*value) *value++ = 0;
        if (!decode(pair) || !decode(value)) return false;
        request->query[request->query_count++] = (query_row){ pair, value };
    }
    return true;
}

int query_count(const char *text)
{
    int count = 0;
    while (*text) {
        size_t length = strcspn(text, "&");
        count += length > 0;
        text += length;
        text += *text == '&';
    }
    return count;
}
