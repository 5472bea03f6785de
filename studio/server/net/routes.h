/* routes.h - every address of the studio, rows of one table: the server matches by it, the tests walk it, and
   docs/studio-api.md lists it. Read after exchange.h. */
#ifndef STUDIO_ROUTES_H
#define STUDIO_ROUTES_H

#include "exchange.h"

struct studio_worker;

/* ROUTE_OPERATION: JSON too, and more of it for those that take tables. */
typedef enum route_body { ROUTE_NO_BODY, ROUTE_JSON, ROUTE_OPERATION, ROUTE_FILES } route_body;

typedef struct route {
    const char *method; /* "GET" or "POST"; NULL ends the table */
    const char *
        path; /* "/api/clips/#/frames": '#' stands for a number, '*' for one that may be 0, '@' for an operation's
                 name with dashes, which counts as its number in the table of operations */
    route_body body;
    void (*run)(struct studio_worker *by, studio_request *what,
                studio_response *to); /* on a worker's thread; NULL: the server itself
                                                                  (the page, /api/live) */
    bool is_page;                     /* run is NULL, served from the program */
    const char *summary;              /* for the documentation and the tests */
} route;

extern const route routes[];

typedef enum route_match { ROUTE_FOUND, ROUTE_NO_ADDRESS, ROUTE_NO_METHOD } route_match;

enum { ROUTE_NUMBERS = 2 }; /* at most, in a path */

/* Finds the row for a path without query. The path is taken as it is: no decoding, no "..", no second slash; a
   number is 1 to 15 digits without a leading zero. Numbers that the path does not have become 0. */
route_match route_find(const char *method, const char *path, const route **found,
                       int64_t ids[ROUTE_NUMBERS]);

/* Splits and decodes "a=1&b=%20" in place into by->query. False: malformed (a bad % escape, a zero byte, bytes that
   are no UTF-8, more than LIMIT_QUERY names). */
bool query_parse(studio_request *request, char *text);

/* How many names it has, before it is parsed. */
int query_count(const char *text);

/* ---- the addresses; each in the file of its kind ---------------------------------------------- */

void api_operate(struct studio_worker *worker, studio_request *request,
                 studio_response *response); /* api_operate.c */
void api_operations(struct studio_worker *worker, studio_request *request,
                    studio_response *response);
void api_about(struct studio_worker *worker, studio_request *request,
               studio_response *response); /* api_clips.c */
void api_clips(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_clip(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_frames(struct studio_worker *worker, studio_request *request,
                studio_response *response); /* api_frames.c */
void api_curves(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_strip(struct studio_worker *worker, studio_request *request,
               studio_response *response); /* api_strip.c */
void api_metrics(struct studio_worker *worker, studio_request *request,
                 studio_response *response); /* api_compare.c */
void api_grid(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_import(struct studio_worker *worker, studio_request *request,
                studio_response *response); /* api_import.c */
void api_index(struct studio_worker *worker, studio_request *request,
               studio_response *response); /* api_index.c */
void api_search_edge(struct studio_worker *worker, studio_request *request,
                     studio_response *response); /* api_edges.c */
void api_search_grid(struct studio_worker *worker, studio_request *request,
                     studio_response *response);
void api_graph_arcs(struct studio_worker *worker, studio_request *request,
                    studio_response *response); /* api_graph_draw.c */
void api_graph_closure(struct studio_worker *worker, studio_request *request,
                       studio_response *response);
void api_dofs(struct studio_worker *worker, studio_request *request,
              studio_response *response); /* api_dofs.c */
void api_signals(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_cluster(struct studio_worker *worker, studio_request *request,
                 studio_response *response); /* api_clusters.c */
void api_cluster_node(struct studio_worker *worker, studio_request *request,
                      studio_response *response);
void api_cluster_switches(struct studio_worker *worker, studio_request *request,
                          studio_response *response);
void api_cluster_poses(struct studio_worker *worker, studio_request *request,
                       studio_response *response);
void api_puppet_file(struct studio_worker *worker, studio_request *request,
                     studio_response *response);
void api_puppet_csv(struct studio_worker *worker, studio_request *request,
                    studio_response *response);
void api_job(struct studio_worker *worker, studio_request *request,
             studio_response *response); /* api_jobs.c */
void api_job_file(struct studio_worker *worker, studio_request *request, studio_response *response);
void api_job_cancel(struct studio_worker *worker, studio_request *request,
                    studio_response *response);

#endif
