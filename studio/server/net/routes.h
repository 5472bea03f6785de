/* routes.h - every address of the studio, rows of one table: the server matches by it, the tests walk it, and
   docs/studio-api.md lists it. Read after exchange.h. */
#ifndef STUDIO_ROUTES_H
#define STUDIO_ROUTES_H

#include "exchange.h"

struct worker;

typedef enum route_body { ROUTE_NO_BODY, ROUTE_JSON, ROUTE_LONG_JSON, ROUTE_FILES } route_body;

typedef struct route {
    const char *method; /* "GET" or "POST"; NULL ends the table */
    const char
        *path; /* "/api/clips/#/frames": '#' stands for a number, '*' for one that may be 0 */
    route_body body;
    void (*run)(struct worker *by, asked *what,
                answer *to); /* on a worker's thread; NULL: the server itself
                                                                  (the page, /api/live) */
    bool is_page;            /* run is NULL, served from the program */
    const char *summary;     /* for the documentation and the tests */
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
bool query_parse(asked *by, char *text);

/* How many names it has, before it is parsed. */
int query_count(const char *text);

/* ---- the addresses; each in the file of its kind ---------------------------------------------- */

void api_about(struct worker *by, asked *what, answer *to); /* api_clips.c */
void api_clips(struct worker *by, asked *what, answer *to);
void api_clip(struct worker *by, asked *what, answer *to);
void api_frames(struct worker *by, asked *what, answer *to); /* api_frames.c */
void api_curves(struct worker *by, asked *what, answer *to);
void api_strip(struct worker *by, asked *what, answer *to); /* api_strip.c */
void api_edit(struct worker *by, asked *what, answer *to);  /* api_edit.c */
void api_rename(struct worker *by, asked *what, answer *to);
void api_cut(struct worker *by, asked *what, answer *to);
void api_contacts(struct worker *by, asked *what, answer *to);
void api_remove(struct worker *by, asked *what, answer *to);
void api_restore(struct worker *by, asked *what, answer *to);
void api_purge(struct worker *by, asked *what, answer *to);
void api_metrics(struct worker *by, asked *what, answer *to); /* api_compare.c */
void api_compare(struct worker *by, asked *what, answer *to);
void api_compare_cell(struct worker *by, asked *what, answer *to);
void api_compare_pairs(struct worker *by, asked *what, answer *to);   /* api_pairs.c */
void api_stitch(struct worker *by, asked *what, answer *to);          /* api_stitch.c */
void api_transition_cuts(struct worker *by, asked *what, answer *to); /* api_transition.c */
void api_transition(struct worker *by, asked *what, answer *to);
void api_registration(struct worker *by, asked *what, answer *to); /* api_registration.c */
void api_kept_curves(struct worker *by, asked *what, answer *to);
void api_kept_curve_remove(struct worker *by, asked *what, answer *to);
void api_blend(struct worker *by, asked *what, answer *to); /* api_blend.c */
void api_loops(struct worker *by, asked *what, answer *to); /* api_loop.c */
void api_loop(struct worker *by, asked *what, answer *to);
void api_clean(struct worker *by, asked *what, answer *to);  /* api_clean.c */
void api_import(struct worker *by, asked *what, answer *to); /* api_import.c */
void api_demo(struct worker *by, asked *what, answer *to);
void api_export(struct worker *by, asked *what, answer *to); /* api_export.c */
void api_index(struct worker *by, asked *what, answer *to);  /* api_index.c */
void api_index_make(struct worker *by, asked *what, answer *to);
void api_search(struct worker *by, asked *what, answer *to);      /* api_search.c */
void api_search_edge(struct worker *by, asked *what, answer *to); /* api_edges.c */
void api_search_grid(struct worker *by, asked *what, answer *to);
void api_cuts(struct worker *by, asked *what, answer *to);     /* api_cuts.c */
void api_features(struct worker *by, asked *what, answer *to); /* api_families.c */
void api_families(struct worker *by, asked *what, answer *to);
void api_family(struct worker *by, asked *what, answer *to);
void api_family_remove(struct worker *by, asked *what, answer *to);
void api_family_build(struct worker *by, asked *what, answer *to); /* api_family_build.c */
void api_family_ask(struct worker *by, asked *what, answer *to);   /* api_family_make.c */
void api_family_export(struct worker *by, asked *what, answer *to);
void api_graphs(struct worker *by, asked *what, answer *to); /* api_graphs.c */
void api_graph(struct worker *by, asked *what, answer *to);
void api_graph_remove(struct worker *by, asked *what, answer *to);
void api_graph_arcs(struct worker *by, asked *what, answer *to); /* api_graph_draw.c */
void api_graph_closure(struct worker *by, asked *what, answer *to);
void api_graph_build(struct worker *by, asked *what, answer *to); /* api_graph_build.c */
void api_graph_sweep(struct worker *by, asked *what, answer *to);
void api_graph_train(struct worker *by, asked *what, answer *to); /* api_graph_train.c */
void api_graph_walk(struct worker *by, asked *what, answer *to);  /* api_graph_walk.c */
void api_dofs(struct worker *by, asked *what, answer *to);        /* api_dofs.c */
void api_signals(struct worker *by, asked *what, answer *to);
void api_example(struct worker *by, asked *what, answer *to);      /* api_example.c */
void api_example_make(struct worker *by, asked *what, answer *to); /* api_example_make.c */
void api_clusters(struct worker *by, asked *what, answer *to);     /* api_clusters.c */
void api_cluster(struct worker *by, asked *what, answer *to);
void api_cluster_remove(struct worker *by, asked *what, answer *to);
void api_cluster_node(struct worker *by, asked *what, answer *to); /* api_cluster_node.c */
void api_cluster_switches(struct worker *by, asked *what, answer *to);
void api_cluster_poses(struct worker *by, asked *what, answer *to);
void api_cluster_loops(struct worker *by, asked *what, answer *to);
void api_cluster_build(struct worker *by, asked *what, answer *to);  /* api_cluster_build.c */
void api_cluster_stitch(struct worker *by, asked *what, answer *to); /* api_cluster_stitch.c */
void api_cluster_loop(struct worker *by, asked *what, answer *to);   /* api_cluster_loop.c */
void api_puppets(struct worker *by, asked *what, answer *to);        /* api_puppets.c */
void api_puppet_rename(struct worker *by, asked *what, answer *to);
void api_puppet_remove(struct worker *by, asked *what, answer *to);
void api_puppet(struct worker *by, asked *what, answer *to); /* api_puppet.c */
void api_puppet_file(struct worker *by, asked *what, answer *to);
void api_puppet_csv(struct worker *by, asked *what, answer *to);
void api_puppet_train(struct worker *by, asked *what, answer *to); /* api_puppet_train.c */
void api_puppet_run(struct worker *by, asked *what, answer *to);   /* api_puppet_run.c */
void api_job(struct worker *by, asked *what, answer *to);          /* api_jobs.c */
void api_job_file(struct worker *by, asked *what, answer *to);
void api_job_cancel(struct worker *by, asked *what, answer *to);

#endif
