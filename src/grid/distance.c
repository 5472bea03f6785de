/* distance.c - one cell of the grid in double, by each metric's formula as the papers write it. The
   judge of the fast forms; also what a cell is made of, joint by joint and frame by frame. */
#include "grid/grid_data.h"

const double mry_judge_frames[MRY_JUDGE_WINDOW] = { 0.2, 0.2, 0.2, 0.2, 0.2 };

static void give(const mry_shares *shares, int joint, int frame, double value)
{
    if (shares->joints) shares->joints[joint] += value;
    if (shares->frames) shares->frames[frame] += value;
}

/* ---- points: curves, eq. 1 ------------------------------------------------------------------- */

double mry_points_distance(const marey_features *a, int i, const marey_features *b, int j,
                           const mry_shares *shares, double *rest)
{
    (void)rest; /* every part belongs to a joint */
    const marey_layout *layout = a->layout;
    marey_placement place = marey_place(a, i, b, j);
    double c = cos(place.angle_rad), s = sin(place.angle_rad), sum = 0;
    for (int f = 0; f < layout->window; f++) {
        int at = mry_row_held(a, i - layout->before + f);
        int other = mry_row_held(b, j - layout->before + f);
        for (int k = 0; k < layout->joints; k++) {
            mry_vec p = mry_row_position(a, at, k), q = mry_row_position(b, other, k);
            double x = p.x - (q.x * c + q.z * s + place.x_cm), y = p.y - q.y;
            double z = p.z - (-q.x * s + q.z * c + place.z_cm);
            double value = layout->frame_weight[f] * layout->weight[k] * (x * x + y * y + z * z);
            give(shares, k, f, value);
            sum += value;
        }
    }
    return sum;
}

/* ---- angles and positions: metrics, eq. 2.1 and 2.2 ------------------------------------------ */

/* The terms, and what one joint adds to those two that are sums over joints, of which `first` is
   the first. */
typedef struct formula {
    void (*terms)(const marey_features *a, int i, const marey_features *b, int j,
                  double terms[MAREY_MOST_ATTRIBUTES]);
    void (*joint)(const marey_features *a, int i, const marey_features *b, int j, int joint,
                  double part[2]);
    int first;
} formula;

static double terms_distance(const formula *method, const marey_features *a, int i,
                             const marey_features *b, int j, const mry_shares *shares, double *rest)
{
    const marey_layout *layout = a->layout;
    double terms[MAREY_MOST_ATTRIBUTES], part[2], sum = 0, of_joints = 0;
    int first = method->first;
    method->terms(a, i, b, j, terms);
    for (int t = 0; t < layout->def.metric->attribute_count; t++)
        sum += layout->def.attributes[t] * terms[t] / layout->normal[t];
    for (int k = 0; k < layout->joints; k++) {
        method->joint(a, i, b, j, k, part);
        double value = layout->def.attributes[first] * part[0] / layout->normal[first] +
                       layout->def.attributes[first + 1] * part[1] / layout->normal[first + 1];
        give(shares, k, 0, value);
        of_joints += value;
    }
    *rest = sum - of_joints;
    return sum;
}

double mry_angles_distance(const marey_features *a, int i, const marey_features *b, int j,
                           const mry_shares *shares, double *rest)
{
    static const formula method = { mry_angles_terms, mry_angles_joint, 1 };
    return terms_distance(&method, a, i, b, j, shares, rest);
}

double mry_positions_distance(const marey_features *a, int i, const marey_features *b, int j,
                              const mry_shares *shares, double *rest)
{
    static const formula method = { mry_positions_terms, mry_positions_joint, 0 };
    return terms_distance(&method, a, i, b, j, shares, rest);
}

/* ---- transition: metrics, eq. 4.3 ------------------------------------------------------------ */

/* |p - M_i M_j^-1 p'| is |M_i^-1 p - M_j^-1 p'|: both seen from their own root. */
static double judge_distance(const marey_features *a, int i, const marey_features *b, int j,
                             int window, const double *frame_weight, const mry_shares *shares)
{
    const marey_layout *layout = a->layout;
    int before = (window - 1) / 2;
    double sum = 0;
    for (int f = 0; f < window; f++) {
        for (int k = 0; k < layout->joints; k++) {
            mry_vec way = mry_vec_sub(mry_row_seen_from(a, i, i - before + f, k),
                                      mry_row_seen_from(b, j, j - before + f, k));
            double value = frame_weight[f] * layout->weight[k] * mry_vec_length(way);
            give(shares, k, f, value);
            sum += value;
        }
    }
    return sum;
}

double mry_transition_distance(const marey_features *a, int i, const marey_features *b, int j,
                               const mry_shares *shares, double *rest)
{
    (void)rest; /* every part belongs to a joint */
    return judge_distance(a, i, b, j, a->layout->window, a->layout->frame_weight, shares);
}

/* ---- curvature: metrics, eq. 3.5 ------------------------------------------------------------- */

/* The curvature of a joint in frame `frame` of the mask around a row, less its mean over the
   mask. */
static double off_mean(const marey_features *f, int row, int joint, int frame)
{
    const marey_layout *layout = f->layout;
    double mean = 0, value = 0;
    for (int s = 0; s < layout->window; s++) {
        size_t at = (size_t)mry_row_held(f, row - layout->before + s) * (size_t)layout->joints;
        double here = f->curvature[at + (size_t)joint];
        mean += layout->frame_weight[s] * here;
        if (s == frame) value = here;
    }
    return value - mean;
}

/* Eq. 3.5, or the variance of one mask if both are the same. */
static double correlation(const marey_features *a, int i, const marey_features *b, int j,
                          double scale, const mry_shares *shares)
{
    const marey_layout *layout = a->layout;
    double sum = 0;
    for (int k = 0; k < layout->joints; k++) {
        for (int f = 0; f < layout->window; f++) {
            double weight = layout->weight[k] * layout->frame_weight[f] * layout->window;
            double value = weight * off_mean(a, i, k, f) * off_mean(b, j, k, f) * scale;
            give(shares, k, f, value);
            sum += value;
        }
    }
    return sum;
}

/* The shares of the correlation; normalised, if the metric is. The cost itself depends on the
   largest correlation of the grid. */
double mry_curvature_distance(const marey_features *a, int i, const marey_features *b, int j,
                              const mry_shares *shares, double *rest)
{
    const mry_shares nowhere = { NULL, NULL };
    double scale = 1;
    (void)rest; /* every part belongs to a joint */
    if (a->layout->def.normalised) {
        double length =
            sqrt(correlation(a, i, a, i, 1, &nowhere) * correlation(b, j, b, j, 1, &nowhere));
        scale = length > 1e-30 ? 1 / length : 0;
    }
    correlation(a, i, b, j, scale, shares);
    return NAN;
}

/* ---- own metrics ----------------------------------------------------------------------------- */

double mry_own_distance(const marey_features *a, int i, const marey_features *b, int j,
                        const mry_shares *shares, double *rest)
{
    const marey_layout *layout = a->layout;
    const marey_own_metric *own = layout->def.own;
    size_t columns = (size_t)own->columns;
    double sum = 0;
    (void)shares; /* no part belongs to a joint */
    for (int f = 0; f < layout->window; f++) {
        const float *p = a->own + columns * (size_t)mry_row_held(a, i - layout->before + f);
        const float *q = b->own + columns * (size_t)mry_row_held(b, j - layout->before + f);
        for (size_t c = 0; c < columns; c++) {
            double way = (double)p[c] - (double)q[c], weight = own->weights ? own->weights[c] : 1;
            sum += layout->frame_weight[f] * weight * way * way;
        }
    }
    *rest = sum;
    return sum;
}

double marey_distance(const marey_features *a, int i, const marey_features *b, int j)
{
    double rest;
    return a->layout->row->distance(a, i, b, j, &(mry_shares){ NULL, NULL }, &rest);
}

void marey_explain(const marey_features *a, int i, const marey_features *b, int j, double *joints,
                   double *frames, double *rest)
{
    double other = 0;
    for (int k = 0; joints && k < a->layout->joints; k++) joints[k] = 0;
    for (int f = 0; frames && f < a->layout->window; f++) frames[f] = 0;
    a->layout->row->distance(a, i, b, j, &(mry_shares){ joints, frames }, &other);
    if (rest) *rest = other;
}

/* ---- how good pairs of frames are for a cut -------------------------------------------------- */

/* Guan & Yang, 4.2.1, eq. 4.1-4.3. The paper sums over the pairs; means are the same up to the
   number of pairs and can be compared between them. */

marey_judgement marey_judge(const marey_features *a, const marey_features *b,
                            const marey_pair *pairs, int count)
{
    const marey_layout *layout = a->layout;
    const mry_shares nowhere = { NULL, NULL };
    marey_judgement sum = { .pairs = count };
    for (int n = 0; n < count; n++) {
        int i = pairs[n].row, j = pairs[n].col;
        sum.position_cm += judge_distance(a, i, b, j, MRY_JUDGE_WINDOW, mry_judge_frames, &nowhere);
        /* Weighted squares of the differences of the joints' velocities and accelerations. */
        for (int k = 0; k < layout->joints; k++) {
            mry_vec v = mry_vec_sub(mry_row_velocity(a, i, k), mry_row_velocity(b, j, k));
            mry_vec c = mry_vec_sub(mry_row_acceleration(a, i, k), mry_row_acceleration(b, j, k));
            sum.velocity += layout->weight[k] * mry_vec_dot(v, v);
            sum.acceleration += layout->weight[k] * mry_vec_dot(c, c);
        }
    }
    if (count < 1) return sum;
    sum.position_cm /= count;
    sum.velocity /= count;
    sum.acceleration /= count;
    return sum;
}
