/* terms.c - the attributes of a metric as rows of floats from which the grid is made. Weights are
   multiplied in where the form allows it: w|a - b| is |wa - wb|. */
#include "base/fail.h"
#include "feature/feature_data.h"

bool mry_term_make(mry_arena *mem, int rows, mry_term_kind kind, int vectors, int dims,
                   mry_term *out)
{
    size_t numbers = (size_t)vectors * (size_t)dims;
    *out = (mry_term){ .kind = kind, .vectors = vectors, .dims = dims };
    out->values = MRY_NEW(mem, float, (size_t)rows *numbers);
    if (kind == MRY_TERM_ANGLE) out->weight = MRY_NEW(mem, float, vectors);
    return out->values && (kind != MRY_TERM_ANGLE || out->weight);
}

static float *term_at(const mry_term *term, int row, int vector)
{
    size_t vectors = (size_t)term->vectors;
    return term->values + ((size_t)row * vectors + (size_t)vector) * (size_t)term->dims;
}

static void put(float *out, mry_vec v, double factor)
{
    out[0] = (float)(v.x * factor);
    out[1] = (float)(v.y * factor);
    out[2] = (float)(v.z * factor);
}

static void put6(const marey_features *f, float *out, mry_motion6 m, double factor)
{
    put(out, m.place, factor);
    put(out + 3, m.turn, factor * f->layout->lever_cm);
}

static bool new_term(marey_features *f, mry_term_kind kind, int vectors, int dims)
{
    return mry_term_make(&f->mem, f->rows, kind, vectors, dims, &f->terms[f->term_count++]);
}

/* ---- eq. 2.1 --------------------------------------------------------------------------------- */

marey_status mry_angles_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    bool fixed = layout->def.fixed_root;
    int used = 0;
    for (int k = 0; k < layout->joints; k++) used += layout->below[k] > 0 || fixed;
    if (!new_term(f, MRY_TERM_SQUARE, 1, fixed ? 3 : 6) || !new_term(f, MRY_TERM_ANGLE, used, 4) ||
        !new_term(f, MRY_TERM_NORM, layout->joints, 3))
        return mry_fail_memory(error, marey_clip_name(clip));
    mry_term *angles = &f->terms[1];
    int n = 0;
    for (int k = 0; k < layout->joints; k++) {
        if (layout->below[k] == 0 && !layout->def.fixed_root) continue;
        angles->weight[n] = (float)layout->weight[k];
        for (int row = 0; row < f->rows; row++) {
            const float *turn = f->turns + 4 * ((size_t)row * (size_t)layout->joints + (size_t)k);
            float *out = term_at(angles, row, n);
            for (int i = 0; i < 4; i++) out[i] = turn[i];
        }
        n++;
    }
    for (int row = 0; row < f->rows; row++) {
        float *root = term_at(&f->terms[0], row, 0);
        if (fixed) {
            put(root, mry_row_root(f, row), 0.01);
        } else {
            put6(f, root, mry_row_root_velocity(f, row), 0.01);
        }
        for (int k = 0; k < layout->joints; k++) {
            put(term_at(&f->terms[2], row, k), mry_row_local_velocity(f, row, k),
                0.01 * layout->weight[k]);
        }
    }
    return MAREY_OK;
}

/* ---- eq. 2.2 --------------------------------------------------------------------------------- */

marey_status mry_positions_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    const double *normal = layout->normal;
    if (!new_term(f, MRY_TERM_NORM, layout->joints, 3) ||
        !new_term(f, MRY_TERM_NORM, layout->joints, 3) || !new_term(f, MRY_TERM_NORM, 1, 6) ||
        !new_term(f, MRY_TERM_NORM, 1, 6))
        return mry_fail_memory(error, marey_clip_name(clip));
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < layout->joints; k++) {
            double weight = layout->weight[k];
            put(term_at(&f->terms[0], row, k), mry_row_local(f, row, k), weight / normal[0]);
            put(term_at(&f->terms[1], row, k), mry_row_local_velocity(f, row, k),
                weight / normal[1]);
        }
        put6(f, term_at(&f->terms[2], row, 0), mry_row_root_velocity(f, row), 1 / normal[2]);
        put6(f, term_at(&f->terms[3], row, 0), mry_row_root_acceleration(f, row), 1 / normal[3]);
    }
    return MAREY_OK;
}

/* ---- eq. 3.2 and 4.3 ------------------------------------------------------------------------- */

marey_status mry_curvature_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    if (!mry_curvature_build(f) || !new_term(f, MRY_TERM_SQUARE, layout->joints, 3))
        return mry_fail_memory(error, marey_clip_name(clip));
    for (int row = 0; row < f->rows; row++) {
        for (int k = 0; k < layout->joints; k++) {
            const double *rp = f->relative + 3 * ((size_t)row * (size_t)layout->joints + (size_t)k);
            put(term_at(&f->terms[0], row, k), (mry_vec){ rp[0], rp[1], rp[2] },
                sqrt(layout->weight[k]));
        }
    }
    return MAREY_OK;
}

bool mry_transition_term(mry_arena *mem, const marey_features *f, int window,
                         const double *frame_weight, mry_term *out)
{
    const marey_layout *layout = f->layout;
    int before = (window - 1) / 2, joints = layout->joints;
    if (!mry_term_make(mem, f->rows, MRY_TERM_NORM, window * joints, 3, out)) return false;
    for (int row = 0; row < f->rows; row++) {
        for (int s = 0; s < window; s++) {
            for (int k = 0; k < joints; k++) {
                put(term_at(out, row, s * joints + k),
                    mry_row_seen_from(f, row, row - before + s, k),
                    frame_weight[s] * layout->weight[k]);
            }
        }
    }
    return true;
}

marey_status mry_transition_fill(marey_features *f, const marey_clip *clip, marey_error *error)
{
    const marey_layout *layout = f->layout;
    f->term_count = 1;
    return mry_transition_term(&f->mem, f, layout->window, layout->frame_weight, &f->terms[0])
               ? MAREY_OK
               : mry_fail_memory(error, marey_clip_name(clip));
}
