/* family_kept.c - opening families, and making their members. Somebody who drags asks for motion after motion of the same
   family: opening it, with its clips, is done once, and again when the library has changed. */
#include "family_kept.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what is kept ------------------------------------------------------------------------------- */

static void forget_open(struct family_kept *of)
{
    marey_family_free(of->family);
    marey_parts_free(of->parts);
    of->family = NULL;
    of->parts = NULL;
    of->frames = 0;
}

void worker_forget_family(studio_worker *worker)
{
    if (!worker->family) return;
    forget_open(worker->family);
    heap_resize(&worker->of->memory, worker->family, sizeof *worker->family, 0);
    worker->family = NULL;
}

void family_let_go(studio_worker *worker)
{
    if (worker->family && worker->family->frames > LIMIT_KEPT_FRAMES) worker_forget_family(worker);
}

static marey_status load(studio_worker *worker, struct family_kept *of, marey_error *error)
{
    marey_status status =
        marey_library_family(worker->library, of->name, &of->parts, &of->family, error);
    if (status != MAREY_OK) return status;
    memset(of->measured, 0, sizeof of->measured);
    of->frames = 0;
    for (int i = 0; i < of->parts->count; i++) {
        of->frames += marey_clip_frames(of->parts->clips[i]);
    }
    return MAREY_OK;
}

static struct family_kept *take_place(studio_worker *worker)
{
    if (!worker->family) {
        worker->family = heap_resize(&worker->of->memory, NULL, 0, sizeof *worker->family);
        if (worker->family) memset(worker->family, 0, sizeof *worker->family);
    }
    return worker->family;
}

static marey_status open_anew(studio_worker *worker, const char *name, int64_t version,
                              marey_error *error)
{
    struct family_kept *of = take_place(worker);
    if (!of) {
        *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
        return MAREY_ERR_MEMORY;
    }
    forget_open(of);
    snprintf(of->name, sizeof of->name, "%s", name);
    of->version = version;
    return load(worker, of, error);
}

/* What is kept of other requests makes way before this one fails for memory. */
marey_status family_open(studio_worker *worker, const char *name, struct family_kept **out,
                         marey_error *error)
{
    const struct family_kept *there = worker->family;
    int64_t version = 0;
    marey_status status = marey_library_version(worker->library, &version, error);
    if (status != MAREY_OK) return status;
    if (strlen(name) >= sizeof there->name) {
        *error = (marey_error){ .status = MAREY_ERR_NOT_FOUND,
                                .message = "no family has so long a name" };
        return MAREY_ERR_INPUT;
    }
    if (!there || !there->family || there->version != version || strcmp(there->name, name) != 0) {
        status = open_anew(worker, name, version, error);
        if (status == MAREY_ERR_MEMORY) {
            worker_make_room(worker);
            status = open_anew(worker, name, version, error);
        }
    }
    if (status == MAREY_OK) *out = worker->family;
    return status;
}

/* ---- a member of it ----------------------------------------------------------------------------- */

marey_status family_member(studio_worker *worker, const struct family_kept *of,
                           const member_body *asked_for, marey_made *made, marey_answer *out,
                           marey_error *error)
{
    int dims = marey_family_dims(of->family);
    marey_ask_def ask = { .table = asked_for->table };
    marey_family_make_def def = { .ask = &ask, .leave_feet = !asked_for->clean };
    if (asked_for->at_count != dims) {
        *error = (marey_error){ .status = MAREY_ERR_REQUEST };
        snprintf(error->message, sizeof error->message,
                 "at needs %d number%s for the family %.100s, and has %d", dims,
                 dims == 1 ? "" : "s", of->name, asked_for->at_count);
        return MAREY_ERR_REQUEST;
    }
    return marey_family_make(worker->ctx, of->family, asked_for->at, &def, made, out, error);
}

marey_status family_speeds(studio_worker *worker, struct family_kept *of,
                           const marey_answer *member, fastest *out, marey_error *error)
{
    fastest all = { 0, NAN };
    for (int i = 0; i < member->count; i++) {
        int example = member->motions[i];
        fastest *one = &of->speeds[example];
        if (!of->measured[example]) {
            marey_status status =
                clip_speeds(&worker->of->memory, of->parts->clips[example], one, error);
            if (status != MAREY_OK) return status;
            of->measured[example] = true;
        }
        all.joint_cm_per_s = fmax(all.joint_cm_per_s, one->joint_cm_per_s);
        all.knee_cm_per_s = fmax(all.knee_cm_per_s, one->knee_cm_per_s);
    }
    *out = all;
    return MAREY_OK;
}

/* ---- distances ---------------------------------------------------------------------------------- */

static bool has_one_unit(const marey_family *family, const char **first)
{
    const char *unit;
    marey_family_dim(family, 0, first);
    for (int d = 1; d < marey_family_dims(family); d++) {
        marey_family_dim(family, d, &unit);
        if (strcmp(unit, *first) != 0) return false;
    }
    return true;
}

const char *family_distance_unit(const marey_family *family)
{
    const char *unit;
    return has_one_unit(family, &unit) ? unit : "% of the box";
}

/* The diagonal of the examples' values of one parameter, whose numbers are [first, end). */
static double diagonal(const marey_family *family, int first, int end)
{
    int count, dims = marey_family_dims(family);
    int examples = marey_registration_count(marey_family_registration(family));
    const double *values = marey_family_samples(family, &count);
    double sum = 0;
    for (int d = first; d < end; d++) {
        double low = values[d], high = low;
        for (int i = 1; i < examples; i++) {
            low = fmin(low, values[i * dims + d]);
            high = fmax(high, values[i * dims + d]);
        }
        sum += (high - low) * (high - low);
    }
    return sqrt(sum);
}

/* By how much each number counts, as param.h says. */
static void find_scales(const marey_family *family, double *out)
{
    int count, first = 0;
    const char *unit;
    const marey_param *params = marey_family_params(family, &count);
    bool alike = has_one_unit(family, &unit);
    for (int i = 0; i < count; i++) {
        int end = first + params[i].kind->dims;
        double size = alike ? 1 : diagonal(family, first, end);
        for (int d = first; d < end; d++) out[d] = size > 0 ? 1 / size : 0;
        first = end;
    }
}

int family_nearest(const marey_family *family, const double *at)
{
    double scales[MAREY_MOST_PARAM_DIMS], least = INFINITY;
    int count, dims = marey_family_dims(family), nearest = 0;
    int examples = marey_registration_count(marey_family_registration(family));
    const double *values = marey_family_samples(family, &count);
    find_scales(family, scales);
    for (int i = 0; i < examples; i++) {
        double sum = 0;
        for (int d = 0; d < dims; d++) {
            double apart = (values[i * dims + d] - at[d]) * scales[d];
            sum += apart * apart;
        }
        if (sum < least) nearest = i;
        least = fmin(least, sum);
    }
    return nearest;
}
