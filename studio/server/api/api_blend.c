/* api_blend.c - several clips mixed into one. What `marey blend` does, with the same provenance. */
#include "made_answer.h"
#include "provenance_text.h"

#include <math.h>

/* ---- what was asked ----------------------------------------------------------------------------- */

static bool check_weights(const json_body *body, int count, studio_response *response)
{
    bool weights = body->given & FIELD_WEIGHTS, keys = body->given & FIELD_KEYS;
    if (weights == keys) {
        answer_refuse(response, 400, "request",
                      "weights that stay, or keys that change them over time: one of these");
    } else if (weights && body->weight_count != count) {
        answer_refuse(response, 400, "request", "%d weights are needed, one of each clip, not %d",
                      count, body->weight_count);
    } else if (keys && body->key_width != count + 1) {
        answer_refuse(response, 400, "request",
                      "each of keys needs %d numbers: the second, then a weight of each clip",
                      count + 1);
    } else if (body->place > count) {
        answer_refuse(response, 400, "request", "there is no clip %d to stand where it stands",
                      body->place);
    } else {
        return true;
    }
    return false;
}

/* To sum 1, as the program does, so that both come to the same bytes; what cannot be scaled the library refuses. */
static void scale_weights(const json_body *body, double *out)
{
    double sum = 0;
    for (int i = 0; i < body->weight_count; i++) sum += body->weights[i];
    for (int i = 0; i < body->weight_count; i++) {
        double scaled = body->weights[i] / sum;
        out[i] = isfinite(scaled) ? scaled : body->weights[i];
    }
}

/* ---- making ------------------------------------------------------------------------------------- */

/* The clean-up is done here, as marey_blend_make would, so that the blend before it is at hand too. */
static marey_status hold_feet(made_answer *all, marey_error *error)
{
    marey_made *made = &all->made;
    if (made->contacts.count == 0) return MAREY_OK;
    marey_clip *cleaned = NULL;
    marey_status status = marey_clip_clean(made->clip, made->contacts.items, made->contacts.count,
                                           NULL, &cleaned, &made->clean, error);
    if (status != MAREY_OK) return status;
    all->raw = all->own_raw = made->clip;
    made->clip = cleaned;
    return MAREY_OK;
}

static marey_status make(made_answer *all, const json_body *body, marey_error *error)
{
    double weights[JSON_BODY_WEIGHTS];
    marey_blend_def def = { .method = body->method,
                            .keys = body->keys,
                            .key_count = body->key_count,
                            .place_of = body->place,
                            .leave_feet = true };
    scale_weights(body, weights);
    if (body->weight_count > 0) def.weights = weights;
    marey_status status =
        marey_blend_make(all->by->ctx, all->of->registration, &def, &all->made, error);
    if (status != MAREY_OK) return status;
    all->end = marey_clip_frames(all->made.clip);
    all->cleaned = body->clean;
    return body->clean ? hold_feet(all, error) : MAREY_OK;
}

/* ---- where it comes from ------------------------------------------------------------------------ */

static void add_numbers(const double *numbers, int count, studio_bytes *out)
{
    char text[NUMBER_ROOM];
    for (int i = 0; i < count; i++) {
        number_text(numbers[i], text);
        if (i > 0) provenance_text(out, ",");
        provenance_text(out, text);
    }
}

/* Weights as the command line has them; keys as the lines of the file that it would take. */
static void note_weights(made_of *from, const json_body *body)
{
    studio_bytes text = { .memory = from->settings.memory };
    if (body->weight_count > 0) add_numbers(body->weights, body->weight_count, &text);
    for (int i = 0; i < body->key_count; i++) {
        add_numbers(body->keys + (size_t)i * (size_t)body->key_width, body->key_width, &text);
        provenance_text(&text, "\n");
    }
    bytes_add(&text, "", 1);
    if (text.failed) {
        from->settings.failed = 1;
    } else {
        made_of_text(from, body->key_count > 0 ? "keys" : "weights", (const char *)text.data);
    }
    bytes_free(&text);
}

static void note(made_answer *all, const json_body *body)
{
    const marey_parts *parts = all->of->parts;
    made_of *from = &all->from;
    for (int i = 0; i < parts->count; i++) {
        made_of_part(from, parts->parts[i].clip, parts->parts[i].start, parts->parts[i].end);
    }
    note_weights(from, body);
    if (body->curve) made_of_text(from, "curve", body->curve);
    if (body->given & FIELD_METHOD) {
        made_of_text(from, "method", marey_blend_method_name(body->method));
    }
    if (body->place) made_of_whole(from, "place", body->place);
    if (!body->clean) made_of_true(from, "no-clean");
    if (body->slope) made_of_whole(from, "slope", body->slope);
    if (body->reference) made_of_whole(from, "reference", body->reference);
}

/* ---- the address -------------------------------------------------------------------------------- */

static void answer_blend(studio_worker *worker, struct blend_kept *of, const json_body *body,
                         studio_response *response)
{
    marey_error error;
    json_t *value = NULL;
    if (!check_weights(body, of->parts->count, response) || !blend_register(worker, of, response))
        return;
    made_answer all = made_answer_begin(worker, of, "blend");
    marey_status status = make(&all, body, &error);
    if (status == MAREY_OK) status = made_answer_describe(&all, &value, &error);
    if (status == MAREY_OK) {
        if (body->name) note(&all, body);
        made_answer_send(&all, value, body->name, response);
    } else {
        answer_fail(response, &error);
    }
    made_answer_free(&all);
}

void api_blend(studio_worker *worker, studio_request *request, studio_response *response)
{
    unsigned allowed = FIELD_PARTS | FIELD_CURVE | FIELD_WEIGHTS | FIELD_KEYS | FIELD_METHOD |
                       FIELD_CLEAN | FIELD_PLACE | FIELD_SLOPE | FIELD_REFERENCE | FIELD_NAME;
    struct blend_kept *of = NULL;
    blend_wish wish;
    json_body body;
    if (!api_body(worker, request, 0, allowed, &body, response)) return;
    if (blend_wish_read(&body, &wish, response) && blend_prepare(worker, &wish, &of, response)) {
        answer_blend(worker, of, &body, response);
    }
    blend_let_go(worker);
    json_body_free(&body);
}
