/* cluster_kept.h - the cluster graphs that somebody looks at just now, open with their clips: what the next requests about
   them need again. Opening one can take seconds and what is open never changes, so all workers share them. Read after
   clip_speed.h. */
#ifndef STUDIO_CLUSTER_KEPT_H
#define STUDIO_CLUSTER_KEPT_H

#include "clip_speed.h"

struct searching;

struct cluster_kept {
    struct cluster_kept *next; /* the one that was used before it */
    int holders;
    bool listed; /* otherwise the last holder frees it */
    char name[MAREY_NAME_ROOM];
    int64_t version; /* of the library: clips, plants and graphs may be others in the next */
    marey_parts *parts;
    marey_clusters *clusters;
};

/* Opens the cluster graph of this name, unless it is open. Borrowed until cluster_let_go, which must follow, also after a
   failure. INPUT: there is none, or one of its clips is gone. */
marey_status cluster_open(studio_worker *worker, const char *name, struct cluster_kept **out,
                          marey_error *error);

/* The same by `name` of the query; false: the answer says why not. cluster_let_go must follow either way. */
bool cluster_open_query(studio_worker *worker, const studio_request *request,
                        struct cluster_kept **out, studio_response *response);
void cluster_let_go(studio_worker *worker);

/* Forgets what nobody holds just now. */
void clusters_make_room(struct searching *all);

/* ---- clips and their stretches ------------------------------------------------------------------ */

/* The library's number of the clip that a stretch is of, and a frame of that. */
int64_t cluster_clip(const marey_parts *parts, int part);
int cluster_frame(const marey_parts *parts, int part, int frame);

/* The stretch of a clip that has this frame; with -1 the longest one, as the commands take it. -1: there is none. */
int cluster_part(const marey_parts *parts, int64_t clip, int frame);

/* How many different clips of the library a node has: stretches of one are one. */
int cluster_node_clips(const marey_parts *parts, const marey_clusters *clusters, int node);

enum { CLUSTER_LOOPS = 100 }; /* at most */

/* Loops of a clip, best first: of the stretch that has `frame`, or the longest (-1), which is written to *part. REQUEST: the clip is
   not in it, or not that frame. */
marey_status cluster_find_loops(studio_worker *worker, const struct cluster_kept *of, int64_t clip,
                                int frame, const marey_cluster_loops_def *def, int most,
                                marey_loop *out, int *found, int *part, marey_error *error);

/* ---- in words ----------------------------------------------------------------------------------- */

enum { CLUSTER_NODES = 512, CLUSTER_EDGES = 4000 }; /* that are told unasked */

typedef struct cluster_view {
    int nodes, edges; /* at most */
} cluster_view;

/* The nodes that are told, those with the most frames, by their numbers; bytes_free it. False: out of memory. */
bool cluster_choose(heap *memory, const marey_clusters *clusters, int most, studio_bytes *out);

/* One cluster graph as GET /api/cluster gives it. NULL: out of memory. */
json_t *describe_clusters(heap *memory, const char *name, const marey_clusters *clusters,
                          const marey_parts *parts, const cluster_view *view);

json_t *describe_switch(const marey_parts *parts, const marey_clusters *clusters,
                        const marey_cluster_switch *of);
void put_node(const marey_parts *parts, const marey_clusters *clusters, int node, json_t **to);

/* Nodes that have a clip several times. */
int cluster_loops_count(const marey_parts *parts, const marey_clusters *clusters);

/* ---- poses -------------------------------------------------------------------------------------- */

/* The middles of some nodes: count x joints x 3 numbers, over the origin of the floor, facing along z. `scratch` has room
   for one pose. */
void cluster_poses(const marey_parts *parts, const marey_clusters *clusters, const int *chosen,
                   int count, double *scratch, float *out);

/* Where to draw them, x and y of each, -1 to 1: the two directions in which poses differ most. `scratch` has room for
   four poses. */
void cluster_places(const float *poses, int count, int dims, double *scratch, double *out);

#endif
