/* cluster_kept.c - opening cluster graphs: once, for as many requests as come until the library has changed. */
#include "cluster_kept.h"

#include "searching_inside.h"

#include <stdio.h>
#include <string.h>

static marey_status fail(marey_error *error, marey_status status, const char *message)
{
    *error = (marey_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

static void free_kept(heap *memory, struct cluster_kept *of)
{
    marey_clusters_free(of->clusters);
    marey_parts_free(of->parts);
    heap_resize(memory, of, sizeof *of, 0);
}

/* ---- the list, under the lock ------------------------------------------------------------------- */

/* *after leads to the one that goes. */
static void unlist(searching *all, struct cluster_kept **after)
{
    struct cluster_kept *one = *after;
    *after = one->next;
    one->listed = false;
    one->next = NULL;
    if (one->holders == 0) free_kept(&all->self.of->memory, one);
}

static struct cluster_kept *find(searching *all, const char *name, int64_t version)
{
    for (struct cluster_kept **at = &all->clusters; *at; at = &(*at)->next) {
        struct cluster_kept *one = *at;
        if (one->version != version || strcmp(one->name, name) != 0) continue;
        *at = one->next;
        one->next = all->clusters;
        all->clusters = one;
        one->holders++;
        return one;
    }
    return NULL;
}

/* What is of another state of the library, and what is too much, goes. */
static void keep(searching *all, struct cluster_kept *made)
{
    int count = 0;
    int64_t frames = 0;
    made->next = all->clusters;
    made->listed = true;
    all->clusters = made;
    for (struct cluster_kept **at = &all->clusters; *at;) {
        int more = marey_clusters_frames((*at)->clusters);
        bool stays = (*at)->version == made->version && count < LIMIT_KEPT_CLUSTERS &&
                     frames + more <= LIMIT_KEPT_CLUSTER_FRAMES;
        if (stays) {
            count++;
            frames += more;
            at = &(*at)->next;
        } else {
            unlist(all, at);
        }
    }
}

void clusters_make_room(searching *all)
{
    pthread_mutex_lock(&all->lock);
    for (struct cluster_kept **at = &all->clusters; *at;) {
        if ((*at)->holders == 0)
            unlist(all, at);
        else
            at = &(*at)->next;
    }
    pthread_mutex_unlock(&all->lock);
}

void cluster_let_go(studio_worker *worker)
{
    searching *all = worker->of->searching;
    struct cluster_kept *mine = worker->clusters;
    if (!mine) return;
    worker->clusters = NULL;
    pthread_mutex_lock(&all->lock);
    bool last = --mine->holders == 0 && !mine->listed;
    pthread_mutex_unlock(&all->lock);
    if (last) free_kept(&worker->of->memory, mine);
}

/* ---- opening ------------------------------------------------------------------------------------ */

static marey_status open_once(studio_worker *worker, studio_worker *self, const char *name,
                              marey_error *error)
{
    heap *memory = &worker->of->memory;
    int64_t version = 0;
    marey_status status = marey_library_version(self->library, &version, error);
    if (status != MAREY_OK) return status;
    struct cluster_kept *made = heap_resize(memory, NULL, 0, sizeof *made);
    if (!made) return fail(error, MAREY_ERR_MEMORY, "out of memory");
    *made = (struct cluster_kept){ .holders = 1, .version = version };
    snprintf(made->name, sizeof made->name, "%s", name);
    status = marey_library_clusters(self->library, name, &made->parts, &made->clusters, error);
    if (status == MAREY_OK)
        worker->clusters = made;
    else
        free_kept(memory, made);
    return status;
}

static struct cluster_kept *look(searching *all, const char *name, int64_t version)
{
    pthread_mutex_lock(&all->lock);
    struct cluster_kept *found = find(all, name, version);
    pthread_mutex_unlock(&all->lock);
    return found;
}

/* Somebody else may have opened it while this one waited. What is kept of other requests makes way before this one fails for
   memory. */
static marey_status find_or_open(studio_worker *worker, const char *name, int64_t version,
                                 marey_error *error)
{
    searching *all = worker->of->searching;
    studio_worker *self = example_store_enter(worker);
    marey_status status = MAREY_OK;
    worker->clusters = look(all, name, version);
    if (!worker->clusters) {
        status = open_once(worker, self, name, error);
        if (status == MAREY_ERR_MEMORY) {
            worker_make_room(worker);
            status = open_once(worker, self, name, error);
        }
        if (status == MAREY_OK) {
            pthread_mutex_lock(&all->lock);
            keep(all, worker->clusters);
            pthread_mutex_unlock(&all->lock);
        }
    }
    example_store_exit(worker);
    return status;
}

/* What a job makes it may write to a file of its own context, so its clips must be of that, too. */
marey_status cluster_open(studio_worker *worker, const char *name, struct cluster_kept **out,
                          marey_error *error)
{
    int64_t version = 0;
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    if (strlen(name) >= MAREY_NAME_ROOM)
        return fail(error, MAREY_ERR_NOT_FOUND, "no cluster graph has so long a name");
    worker->clusters = worker->job ? NULL : look(worker->of->searching, name, version);
    if (worker->job)
        status = open_once(worker, worker, name, error);
    else if (!worker->clusters)
        status = find_or_open(worker, name, version, error);
    if (status == MAREY_OK) *out = worker->clusters;
    return status;
}

bool cluster_open_query(studio_worker *worker, const studio_request *request,
                        struct cluster_kept **out, studio_response *response)
{
    const char *name = asked_query(request, "name");
    marey_error error;
    if (!name) {
        answer_refuse(response, 400, "request", "name says which cluster graph");
        return false;
    }
    if (cluster_open(worker, name, out, &error) == MAREY_OK) return true;
    answer_fail(response, &error);
    return false;
}

/* ---- clips and their stretches ------------------------------------------------------------------ */

int64_t cluster_clip(const marey_parts *parts, int part)
{
    return parts->parts[part].clip;
}

int cluster_frame(const marey_parts *parts, int part, int frame)
{
    return parts->parts[part].start + frame;
}

int cluster_part(const marey_parts *parts, int64_t clip, int frame)
{
    int found = -1, longest = 0;
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        int length = part->end - part->start;
        if (part->clip != clip) continue;
        if (frame >= part->start && frame < part->end) return i;
        if (frame >= 0 || length <= longest) continue;
        longest = length;
        found = i;
    }
    return found;
}

/* Sequences come by clip, and stretches of one clip follow each other. */
int cluster_node_clips(const marey_parts *parts, const marey_clusters *clusters, int node)
{
    int count, clips = 0;
    const marey_cluster_node *one = &marey_clusters_nodes(clusters, &count)[node];
    const marey_cluster_sequence *all = marey_clusters_sequences(clusters, &count) + one->first;
    for (int i = 0; i < one->sequences; i++) {
        clips += i == 0 || cluster_clip(parts, all[i].clip) != cluster_clip(parts, all[i - 1].clip);
    }
    return clips;
}

/* ---- loops -------------------------------------------------------------------------------------- */

marey_status cluster_find_loops(studio_worker *worker, const struct cluster_kept *of, int64_t clip,
                                int frame, const marey_cluster_loops_def *def, int most,
                                marey_loop *out, int *found, int *part, marey_error *error)
{
    *part = cluster_part(of->parts, clip, frame);
    if (*part < 0) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST,
                                .message = "the cluster graph is not made of this clip" };
        return MAREY_ERR_REQUEST;
    }
    marey_status status =
        marey_clusters_loops(worker->ctx, of->clusters, *part, def, most, out, found, error);
    if (status == MAREY_OK && *found > most) *found = most;
    return status;
}
