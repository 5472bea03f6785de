/* family_describe.c - families and their members as JSON. */
#include "family_kept.h"

#include <math.h>
#include <stdlib.h>

enum { TOLD_SAMPLES = 4096, FEATURE_ROOM = 256 };

static json_t *describe_numbers(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) describe_append(&list, describe_number(values[i]));
    return list;
}

/* ---- what it is about --------------------------------------------------------------------------- */

static json_t *describe_features(heap *memory, const marey_family *family)
{
    int count;
    const marey_param *params = marey_family_params(family, &count);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        char text[FEATURE_ROOM];
        marey_param_text(&params[i], text, sizeof text);
        describe_append(&list, describe_text(memory, text));
    }
    return list;
}

static json_t *describe_word(const char *word)
{
    return word && *word ? json_string(word) : json_null();
}

static json_t *describe_param(heap *memory, const marey_param *param,
                              const marey_skeleton *skeleton)
{
    json_t *one = json_object();
    int joint = -1;
    bool amount = param->kind->whole && *param->joint, places = param->kind->dims > 1;
    if (*param->joint && marey_param_joint(param, skeleton, &joint, NULL) != MAREY_OK) joint = -1;
    describe_put(&one, "kind", json_string(param->kind->name));
    describe_put(&one, "joint",
                 joint >= 0 ? describe_text(memory, skeleton->joints[joint].name) : json_null());
    describe_put(&one, "number", joint >= 0 ? json_integer(joint) : json_null());
    describe_put(&one, "when", describe_word(marey_param_when_name(param->when, NULL)));
    describe_put(&one, "from",
                 places ? describe_word(marey_param_from_name(param->from, NULL)) : json_null());
    describe_put(&one, "amount",
                 amount ? json_string(marey_param_amount_name(param->amount)) : json_null());
    describe_put(&one, "label", *param->label ? describe_text(memory, param->label) : json_null());
    return one;
}

static json_t *describe_params(heap *memory, const marey_family *family, const marey_parts *parts)
{
    int count;
    const marey_param *params = marey_family_params(family, &count);
    const marey_skeleton *skeleton = marey_clip_skeleton(parts->clips[0]);
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        describe_append(&list, describe_param(memory, &params[i], skeleton));
    }
    return list;
}

/* ---- its numbers -------------------------------------------------------------------------------- */

typedef struct dim_place {
    int feature; /* and which of its axes */
    const char *axis;
} dim_place;

static dim_place place_of(const marey_family *family, int dim)
{
    int count, first = 0, i = 0;
    const marey_param *params = marey_family_params(family, &count);
    while (dim >= first + params[i].kind->dims) first += params[i++].kind->dims;
    return (dim_place){ i, params[i].kind->axes[dim - first] };
}

static json_t *describe_dim(heap *memory, const marey_family *family, int dim)
{
    double low[MAREY_MOST_PARAM_DIMS], high[MAREY_MOST_PARAM_DIMS];
    int count, dims = marey_family_dims(family);
    const double *values = marey_family_samples(family, &count);
    double least = INFINITY, greatest = -INFINITY;
    dim_place place = place_of(family, dim);
    const char *unit, *name = marey_family_dim(family, dim, &unit);
    json_t *one = json_object();
    marey_family_box(family, low, high);
    for (int i = 0; i < count; i++) {
        least = fmin(least, values[(size_t)i * (size_t)dims + (size_t)dim]);
        greatest = fmax(greatest, values[(size_t)i * (size_t)dims + (size_t)dim]);
    }
    describe_put(&one, "name", describe_text(memory, name));
    describe_put(&one, "unit", json_string(unit));
    describe_put(&one, "feature", json_integer(place.feature));
    describe_put(&one, "axis", json_string(place.axis));
    describe_put(&one, "low", describe_number(low[dim]));
    describe_put(&one, "high", describe_number(high[dim]));
    describe_put(&one, "least", describe_number(least));
    describe_put(&one, "greatest", describe_number(greatest));
    return one;
}

/* ---- examples and samples ----------------------------------------------------------------------- */

static json_t *describe_example(heap *memory, const marey_parts *parts, int i, const double *values,
                                int dims)
{
    const marey_part *part = &parts->parts[i];
    json_t *one = json_object();
    describe_put(&one, "id", json_integer(part->clip));
    describe_put(&one, "name", describe_text(memory, parts->names[i].name));
    describe_put(&one, "start", json_integer(part->start));
    describe_put(&one, "end", json_integer(part->end));
    describe_put(&one, "frames", json_integer(marey_clip_frames(parts->clips[i])));
    describe_put(&one, "fps", describe_number(marey_clip_fps(parts->clips[i])));
    describe_put(&one, "values", describe_numbers(values, dims));
    return one;
}

static void put_samples(const marey_family *family, const marey_parts *parts, heap *memory,
                        json_t **to)
{
    int count, dims = marey_family_dims(family), examples = parts->count;
    const double *values = marey_family_samples(family, &count);
    json_t *list = json_array(), *samples = json_array();
    for (int i = 0; i < examples; i++) {
        describe_append(&list, describe_example(memory, parts, i, values + i * dims, dims));
    }
    int rest = count - examples, told = rest < TOLD_SAMPLES ? rest : TOLD_SAMPLES;
    for (int i = 0; i < told; i++) {
        int64_t sample = examples + (int64_t)i * rest / told;
        describe_append(&samples, describe_numbers(values + sample * dims, dims));
    }
    describe_put(to, "examples", list);
    describe_put(to, "samples", samples);
    describe_put(to, "example_count", json_integer(examples));
    describe_put(to, "sample_count", json_integer(rest));
}

json_t *describe_family(heap *memory, const char *name, const marey_family *family,
                        const marey_parts *parts)
{
    json_t *value = json_object(), *dims = json_array(), *skeleton = json_object();
    for (int d = 0; d < marey_family_dims(family); d++) {
        describe_append(&dims, describe_dim(memory, family, d));
    }
    describe_put(&skeleton, "id", json_integer(parts->parts[0].clip));
    describe_put(&value, "name", describe_text(memory, name));
    describe_put(&value, "features", describe_features(memory, family));
    describe_put(&value, "unit", json_string(family_distance_unit(family)));
    describe_put(&value, "dims", dims);
    describe_put(&value, "params", describe_params(memory, family, parts));
    put_samples(family, parts, memory, &value);
    describe_put(&value, "skeleton", skeleton);
    describe_put(&value, "delta", describe_number(marey_family_settings(family)->delta));
    return value;
}

/* ---- a member ----------------------------------------------------------------------------------- */

typedef struct share {
    int example;
    double weight;
} share;

static int by_weight(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->example - y->example;
}

static json_t *describe_weights(const marey_answer *member)
{
    share shares[MAREY_MOST_ANSWER];
    int count = 0;
    json_t *list = json_array();
    for (int i = 0; i < member->count; i++) {
        if (member->weights[i] == 0) continue;
        shares[count++] = (share){ member->motions[i], member->weights[i] };
    }
    qsort(shares, (size_t)count, sizeof *shares, by_weight);
    for (int i = 0; i < count; i++) {
        json_t *one = json_object();
        describe_put(&one, "example", json_integer(shares[i].example));
        describe_put(&one, "weight", describe_number(shares[i].weight));
        describe_append(&list, one);
    }
    return list;
}

/* Only places can be shown in the world. */
static marey_status describe_origin(const marey_param *param, const marey_clip *clip, double moment,
                                    json_t **out, marey_error *error)
{
    double origin[3], angle;
    if (param->kind->dims < 2) {
        *out = json_null();
        return MAREY_OK;
    }
    marey_status status = marey_param_origin(param, clip, moment, origin, &angle, error);
    if (status != MAREY_OK) return status;
    *out = json_object();
    describe_put(out, "x_cm", describe_number(origin[0]));
    describe_put(out, "y_cm", describe_number(origin[1]));
    describe_put(out, "z_cm", describe_number(origin[2]));
    describe_put(out, "angle_rad", describe_number(angle));
    return MAREY_OK;
}

marey_status describe_member(const struct family_kept *of, const member_body *asked_for,
                             const marey_made *made, const marey_answer *member, json_t **to,
                             marey_error *error)
{
    int count, dims = marey_family_dims(of->family);
    const marey_param *params = marey_family_params(of->family, &count);
    json_t *places = json_array();
    for (int i = 0; i < count; i++) {
        json_t *place = NULL;
        marey_status status =
            describe_origin(&params[i], made->clip, member->moments[i], &place, error);
        if (status != MAREY_OK) {
            json_decref(places);
            return status;
        }
        describe_append(&places, place);
    }
    describe_put(to, "at", describe_numbers(asked_for->at, dims));
    describe_put(to, "values", describe_numbers(member->values, dims));
    describe_put(to, "error", describe_number(member->error));
    describe_put(to, "table_error", describe_number(member->table_error));
    describe_put(to, "unit", json_string(family_distance_unit(of->family)));
    describe_put(to, "outside", json_boolean(member->outside));
    describe_put(to, "weights", describe_weights(member));
    describe_put(to, "nearest", json_integer(family_nearest(of->family, asked_for->at)));
    describe_put(to, "moments", describe_numbers(member->moments, count));
    describe_put(to, "places", places);
    return MAREY_OK;
}
