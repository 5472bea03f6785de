/* routes.h - every address of the studio, rows of one table: the server matches by it, the tests
   walk it, and docs/studio-api.md lists it. Read after exchange.h. */
#ifndef STUDIO_ROUTES_H
#define STUDIO_ROUTES_H

#include "exchange.h"

struct studio_worker;

/* ROUTE_OPERATION: JSON too, and more of it for those that take tables. */
typedef enum route_body { ROUTE_NO_BODY, ROUTE_JSON, ROUTE_OPERATION, ROUTE_FILES } route_body;

/* Answers a request, on a worker's thread. */
typedef void route_handler(struct studio_worker *worker, studio_request *request,
                           studio_response *response);

typedef struct route {
    const char *method; /* "GET" or "POST"; NULL ends the table */
    /* "/api/clips/#/frames": '#' stands for a number, '*' for one that may be 0, '@' for an
       operation's name with dashes, which counts as its number in the table of operations */
    const char *path;
    route_body body;
    route_handler *run;  /* NULL: the server itself (the page, /api/live) */
    bool is_page;        /* run is NULL, served from the program */
    const char *summary; /* for the documentation and the tests */
} route;

extern const route routes[];

typedef enum route_match { ROUTE_FOUND, ROUTE_NO_ADDRESS, ROUTE_NO_METHOD } route_match;

enum { ROUTE_NUMBERS = 2 }; /* at most, in a path */

/* Finds the row for a path without query. The path is taken as it is: no decoding, no "..", no
   second slash; a number is 1 to 15 digits without a leading zero. Numbers that the path does not
   have become 0. */
route_match route_find(const char *method, const char *path, const route **found,
                       int64_t ids[ROUTE_NUMBERS]);

/* Splits and decodes "a=1&b=%20" in place into request->query. False: malformed (a bad % escape, a
   zero byte, bytes that are no UTF-8, more than LIMIT_QUERY names). */
bool query_parse(studio_request *request, char *text);

/* How many names it has, before it is parsed. */
int query_count(const char *text);

/* ---- the addresses; each in the file of its kind --------------------------------------------- */

route_handler api_operate, api_operations, api_import; /* api_operate.c */
route_handler api_about, api_clips, api_clip;          /* api_clips.c */
route_handler api_neighbour;                           /* api_clips.c */
route_handler api_frames, api_curves;                  /* api_frames.c */
route_handler api_strip;                               /* api_strip.c */
route_handler api_metrics, api_grid;                   /* api_compare.c */
route_handler api_index;                               /* api_index.c */
route_handler api_search_edge, api_search_grid;        /* api_edges.c */
route_handler api_graph_arcs, api_graph_closure;       /* api_graph_draw.c */
route_handler api_dofs, api_signals;                   /* api_dofs.c */
/* api_clusters.c */
route_handler api_cluster, api_cluster_node, api_cluster_switches, api_cluster_poses;
route_handler api_puppet_file, api_puppet_csv;                 /* api_puppet.c */
route_handler api_jobs, api_job, api_job_file, api_job_cancel; /* api_jobs.c */

#endif
