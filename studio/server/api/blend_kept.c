/* blend_kept.c - from a body to clips that can be mixed. Somebody who drags a weight asks for blend after blend of the same
   clips: loading and registering them is done once, and again when the library has changed. */
#include "blend_kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is asked for -------------------------------------------------------------------------- */

bool blend_wish_read(const json_body *body, blend_wish *out, studio_response *response)
{
    bool curve = body->given & FIELD_CURVE;
    *out = (blend_wish){ .count = body->part_count,
                         .slope = body->slope,
                         .reference = body->reference };
    memcpy(out->parts, body->parts, sizeof out->parts);
    if (curve == (body->part_count > 0)) {
        answer_refuse(response, 400, "request", "name the clips, or a curve: one of these");
        return false;
    }
    if (curve && (body->slope || body->reference)) {
        answer_refuse(response, 400, "request",
                      "the curve was made before, with its own slope and reference");
        return false;
    }
    if (curve && strlen(body->curve) >= sizeof out->curve) {
        answer_refuse(response, 404, "input", "no registration has so long a name");
        return false;
    }
    if (curve) snprintf(out->curve, sizeof out->curve, "%s", body->curve);
    if (curve || body->reference <= body->part_count) return true;
    answer_refuse(response, 400, "request", "there is no clip %d to be the reference",
                  body->reference);
    return false;
}

static bool same_parts(const blend_wish *a, const blend_wish *b)
{
    if (a->count != b->count || strcmp(a->curve, b->curve) != 0) return false;
    for (int i = 0; i < a->count; i++) {
        const body_part *p = &a->parts[i], *q = &b->parts[i];
        if (p->id != q->id || p->start != q->start || p->end != q->end) return false;
    }
    return true;
}

/* ---- what is kept ------------------------------------------------------------------------------- */

static void forget_parts(struct blend_kept *of)
{
    marey_registration_free(of->registration);
    marey_parts_free(of->parts);
    of->registration = NULL;
    of->parts = NULL;
    of->measured = false;
    of->total = 0;
}

void worker_forget_blend(studio_worker *worker)
{
    if (!worker->blended) return;
    forget_parts(worker->blended);
    heap_resize(&worker->of->memory, worker->blended, sizeof *worker->blended, 0);
    worker->blended = NULL;
}

void worker_forget_parts(studio_worker *worker)
{
    if (worker->blended && !worker->blended->loading) forget_parts(worker->blended);
}

void blend_let_go(studio_worker *worker)
{
    if (worker->blended && worker->blended->total > LIMIT_KEPT_FRAMES)
        forget_parts(worker->blended);
}

static marey_status refuse_frames(int frames, marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_LIMIT };
    snprintf(error->message, sizeof error->message,
             "the clips have %d frames and more, and %d is the most: cut them, or use marey itself",
             frames, LIMIT_BLEND_FRAMES);
    return MAREY_ERR_LIMIT;
}

/* Is the clip going to be put on the first one's bones? Where joints differ it will be refused. */
static marey_status look_at_bones(struct blend_kept *of, int i, const marey_clip *clip,
                                  marey_error *error)
{
    const marey_skeleton *skeleton = marey_clip_skeleton(clip);
    for (int j = 0; i == 0 && j < skeleton->joint_count; j++) {
        bytes_add(&of->bones, skeleton->joints[j].offset_cm, sizeof skeleton->joints[j].offset_cm);
    }
    if (of->bones.failed) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    const double *first = (const double *)(const void *)of->bones.data;
    int joints = (int)(of->bones.count / sizeof skeleton->joints->offset_cm);
    of->refitted[i] = false;
    for (int j = 1; j < skeleton->joint_count && j < joints; j++) {
        for (int k = 0; k < 3; k++) {
            double apart = skeleton->joints[j].offset_cm[k] - first[3 * j + k];
            if (!(fabs(apart) <= 1e-6)) of->refitted[i] = true;
        }
    }
    return MAREY_OK;
}

/* Which frames of the clip are meant, and which of these were captured. */
static marey_status look_at(studio_worker *worker, struct blend_kept *of, int i, marey_part *part,
                            marey_error *error)
{
    const marey_clip *clip;
    marey_status status = worker_clip(worker, part->clip, &clip, error);
    if (status != MAREY_OK) return status;
    int frames = marey_clip_frames(clip);
    if (part->end < 0) part->end = frames;
    if (part->start >= part->end || part->end > frames) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST };
        snprintf(error->message, sizeof error->message,
                 "frames %d-%d are not in the clip %.100s, which has 0-%d", part->start, part->end,
                 marey_clip_name(clip), frames);
        return MAREY_ERR_REQUEST;
    }
    of->total += part->end - part->start;
    if (of->total > LIMIT_BLEND_FRAMES) return refuse_frames(of->total, error);
    status = look_at_bones(of, i, clip, error);
    if (status != MAREY_OK) return status;
    if (captured_read(clip, part->start, part->end, &of->frames[i])) return MAREY_OK;
    *error = (marey_error){ .status = MAREY_ERR_LIMIT };
    snprintf(error->message, sizeof error->message,
             "the captured motion of %.100s is in more than %d pieces", marey_clip_name(clip),
             CAPTURED_RUNS);
    return MAREY_ERR_LIMIT;
}

static marey_status load_parts(studio_worker *worker, struct blend_kept *of, marey_error *error)
{
    marey_part parts[JSON_BODY_PARTS];
    marey_status status = MAREY_OK;
    of->total = 0;
    for (int i = 0; i < of->wish.count && status == MAREY_OK; i++) {
        const body_part *wanted = &of->wish.parts[i];
        parts[i] = (marey_part){ wanted->id, wanted->start, wanted->end };
        status = look_at(worker, of, i, &parts[i], error);
    }
    if (status != MAREY_OK) return status;
    return marey_library_parts(worker->library, parts, of->wish.count, &of->parts, error);
}

static marey_status load_curve(studio_worker *worker, struct blend_kept *of, marey_error *error)
{
    marey_status status = marey_library_registration(worker->library, of->wish.curve, &of->parts,
                                                     &of->registration, error);
    of->total = 0;
    for (int i = 0; status == MAREY_OK && i < of->parts->count; i++) {
        marey_part part = of->parts->parts[i];
        status = look_at(worker, of, i, &part, error);
    }
    return status;
}

static marey_status try_load(studio_worker *worker, struct blend_kept *of, marey_error *error)
{
    of->loading = true;
    of->bones = (studio_bytes){ .memory = &worker->of->memory };
    marey_status status =
        of->wish.count > 0 ? load_parts(worker, of, error) : load_curve(worker, of, error);
    of->loading = false;
    bytes_free(&of->bones);
    if (status != MAREY_OK) forget_parts(of);
    return status;
}

/* What is kept of other requests makes way before this one fails for memory. */
static marey_status load(studio_worker *worker, struct blend_kept *of, marey_error *error)
{
    marey_status status = try_load(worker, of, error);
    if (status != MAREY_ERR_MEMORY) return status;
    worker_make_room(worker);
    return try_load(worker, of, error);
}

/* Clips that were removed meanwhile are not shown: removing them is a change of the library. */
static marey_status prepare(studio_worker *worker, const blend_wish *wish, marey_error *error)
{
    int64_t version = 0;
    struct blend_kept *of = worker->blended;
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    if (of->parts && of->version == version && same_parts(&of->wish, wish)) {
        if (wish->slope != of->wish.slope || wish->reference != of->wish.reference) {
            marey_registration_free(of->registration);
            of->registration = NULL;
        }
        of->wish = *wish;
        return MAREY_OK;
    }
    forget_parts(of);
    of->wish = *wish;
    of->version = version;
    return load(worker, of, error);
}

bool blend_prepare(studio_worker *worker, const blend_wish *wish, struct blend_kept **out,
                   studio_response *response)
{
    marey_error error;
    if (!worker->blended) {
        worker->blended = heap_resize(&worker->of->memory, NULL, 0, sizeof *worker->blended);
        if (!worker->blended) {
            api_fail_memory(response);
            return false;
        }
        memset(worker->blended, 0, sizeof *worker->blended);
    }
    if (prepare(worker, wish, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    *out = worker->blended;
    return true;
}

/* ---- the registration --------------------------------------------------------------------------- */

bool blend_check_pairs(int64_t pairs, studio_response *response)
{
    if (pairs <= LIMIT_BLEND_PAIRS) return true;
    answer_refuse(response, 413, "limit",
                  "%lld million pairs of frames would be compared, and %d is the most: cut the "
                  "clips, or use marey itself",
                  (long long)(pairs >> 20), LIMIT_BLEND_PAIRS >> 20);
    return false;
}

/* All with all where the reference is to be found; rates are the lowest of them. */
static int64_t count_pairs(const struct blend_kept *of)
{
    const marey_parts *parts = of->parts;
    double rows[JSON_BODY_PARTS], rate = INFINITY, pairs = 0;
    int count = parts->count, given = of->wish.reference - 1;
    for (int i = 0; i < count; i++) rate = fmin(rate, marey_clip_fps(parts->clips[i]));
    for (int i = 0; i < count; i++) {
        const marey_clip *clip = parts->clips[i];
        rows[i] = marey_clip_frames(clip) * rate / marey_clip_fps(clip);
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            if (given >= 0 && i != given && j != given) continue;
            pairs += rows[i] * rows[j];
        }
    }
    return (int64_t)pairs;
}

bool blend_register(studio_worker *worker, struct blend_kept *of, studio_response *response)
{
    marey_registration_def def = { .slope = of->wish.slope, .reference = of->wish.reference };
    const marey_parts *parts = of->parts;
    marey_error error;
    if (of->registration) return true;
    if (!blend_check_pairs(count_pairs(of), response)) return false;
    marey_status status = marey_registration_build(
        worker->ctx, parts->clips, parts->count, parts->contacts, &def, &of->registration, &error);
    if (status != MAREY_OK) answer_fail(response, &error);
    return status == MAREY_OK;
}

/* ---- frames ------------------------------------------------------------------------------------- */

bool blend_frame(const struct blend_kept *of, int part, const char *what, int frame, int *out,
                 studio_response *response)
{
    const marey_part *range = &of->parts->parts[part];
    const char *name = of->parts->names[part].name;
    *out = captured_from_clip(&of->frames[part], frame);
    if (*out >= 0) return true;
    if (frame < range->start || frame >= range->end) {
        answer_refuse(response, 400, "request", "%s is frame %d, and %.100s has frames %d to %d",
                      what, frame, name, range->start, range->end - 1);
    } else {
        answer_refuse(response, 400, "request",
                      "%s is frame %d, which is no captured motion of %.100s", what, frame, name);
    }
    return false;
}

int blend_frame_of_clip(const struct blend_kept *of, int part, int frame)
{
    return (int)captured_to_clip(&of->frames[part], frame);
}
