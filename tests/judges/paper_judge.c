/* paper_judge.c - the metrics once more, straight from the papers' formulas. */
#include "paper_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const marey_role lee[] = { MAREY_ROLE_HIPS,           MAREY_ROLE_SPINE,
                                  MAREY_ROLE_LEFT_SHOULDER,  MAREY_ROLE_LEFT_ELBOW,
                                  MAREY_ROLE_LEFT_HIP,       MAREY_ROLE_LEFT_KNEE,
                                  MAREY_ROLE_RIGHT_SHOULDER, MAREY_ROLE_RIGHT_ELBOW,
                                  MAREY_ROLE_RIGHT_HIP,      MAREY_ROLE_RIGHT_KNEE };

/* ---- vectors and matrices -------------------------------------------------------------------- */

static void matrix_of(const float *q, double *m)
{
    double w = q[0], x = q[1], y = q[2], z = q[3], n = 2 / (w * w + x * x + y * y + z * z);
    double rows[9] = { 1 - n * (y * y + z * z), n * (x * y - w * z),     n * (x * z + w * y),
                       n * (x * y + w * z),     1 - n * (x * x + z * z), n * (y * z - w * x),
                       n * (x * z - w * y),     n * (y * z + w * x),     1 - n * (x * x + y * y) };
    memcpy(m, rows, sizeof rows);
}

/* out = a b, or transposed a times b. */
static void times(const double *a, bool transposed, const double *b, double *out)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += a[transposed ? 3 * k + r : 3 * r + k] * b[3 * k + c];
            out[3 * r + c] = sum;
        }
    }
}

static void back(const double *m, const double *v, double *out)
{
    for (int c = 0; c < 3; c++) out[c] = m[c] * v[0] + m[3 + c] * v[1] + m[6 + c] * v[2];
}

static double length(const double *v, int count)
{
    double sum = 0;
    for (int n = 0; n < count; n++) sum += v[n] * v[n];
    return sqrt(sum);
}

static void less(const double *a, const double *b, int count, double *out)
{
    for (int n = 0; n < count; n++) out[n] = a[n] - b[n];
}

/* The rotation vector of a matrix. */
static double log_of(const double *m, double *out)
{
    double v[3] = { m[7] - m[5], m[2] - m[6], m[3] - m[1] };
    double s = length(v, 3), angle = atan2(s, m[0] + m[4] + m[8] - 1);
    for (int n = 0; out && n < 3; n++) out[n] = s > 0 ? v[n] / s * angle : 0;
    return angle;
}

/* ---- clips ----------------------------------------------------------------------------------- */

paper_clip paper_open(const marey_clip *clip)
{
    const marey_skeleton *s = marey_clip_skeleton(clip);
    paper_clip p = { .frames = marey_clip_frames(clip),
                     .joints = s->joint_count,
                     .fps = marey_clip_fps(clip),
                     .root = s->roles[MAREY_ROLE_HIPS],
                     .skeleton = s };
    size_t cells = (size_t)p.frames * (size_t)p.joints;
    p.place = malloc(3 * cells * sizeof *p.place);
    p.turn = malloc(9 * cells * sizeof *p.turn);
    marey_clip_positions(clip, 0, p.frames, p.place);
    for (int f = 0; f < p.frames; f++) {
        double *turn = p.turn + 9 * (size_t)f * (size_t)p.joints;
        for (int j = 0; j < p.joints; j++) {
            double local[9];
            matrix_of(marey_clip_rotations(clip, f) + 4 * j, local);
            if (j == 0) memcpy(turn, local, sizeof local);
            if (j > 0) times(turn + 9 * s->joints[j].parent, false, local, turn + 9 * j);
        }
    }
    for (size_t n = 0; n < sizeof lee / sizeof *lee; n++)
        if (s->roles[lee[n]] >= 0) p.used[p.used_count++] = s->roles[lee[n]];
    return p;
}

void paper_close(paper_clip *clip)
{
    free(clip->place);
    free(clip->turn);
}

static int held(const paper_clip *c, int f)
{
    return f < 0 ? 0 : f >= c->frames ? c->frames - 1 : f;
}

static const double *place(const paper_clip *c, int f, int joint)
{
    return c->place + 3 * ((size_t)held(c, f) * (size_t)c->joints + (size_t)joint);
}

static const double *turn(const paper_clip *c, int f, int joint)
{
    return c->turn + 9 * ((size_t)held(c, f) * (size_t)c->joints + (size_t)joint);
}

static void local(const paper_clip *c, int centre, int f, int joint, double *out)
{
    double way[3];
    less(place(c, f, joint), place(c, centre, c->root), 3, way);
    back(turn(c, centre, c->root), way, out);
}

double paper_lever(const paper_clip *a, const paper_clip *b)
{
    double sum = 0, count = 0, p[3];
    for (const paper_clip *c = a; c; c = c == a ? b : NULL) {
        for (int f = 0; f < c->frames; f++) {
            for (int k = 0; k < c->used_count; k++, count++) {
                local(c, f, f, c->used[k], p);
                sum += length(p, 3) * length(p, 3);
            }
        }
    }
    return sqrt(sum / count);
}

/* ---- eq. 2.1 and 2.2 ------------------------------------------------------------------------- */

static void local_velocity(const paper_clip *c, int f, int joint, double *out)
{
    double now[3], was[3];
    if (f < 1) f = 1;
    local(c, f, f, joint, now);
    local(c, f - 1, f - 1, joint, was);
    for (int n = 0; n < 3; n++) out[n] = (now[n] - was[n]) * c->fps;
}

static void root_velocity(const paper_clip *c, int f, double lever, double *out)
{
    double way[3], between[9];
    if (f < 1) f = 1;
    less(place(c, f, c->root), place(c, f - 1, c->root), 3, way);
    back(turn(c, f - 1, c->root), way, out);
    times(turn(c, f - 1, c->root), true, turn(c, f, c->root), between);
    log_of(between, out + 3);
    for (int n = 0; n < 6; n++) out[n] *= n < 3 ? c->fps : c->fps * lever;
}

static void root_acceleration(const paper_clip *c, int f, double lever, double *out)
{
    double now[6], was[6];
    if (f < 2) f = 2;
    root_velocity(c, f, lever, now);
    root_velocity(c, f - 1, lever, was);
    for (int n = 0; n < 6; n++) out[n] = (now[n] - was[n]) * c->fps;
}

static double difference(void (*of)(const paper_clip *, int, int, double *), const paper_clip *a,
                         int i, const paper_clip *b, int j, int k)
{
    double x[3], y[3], d[3];
    of(a, i, a->used[k], x);
    of(b, j, b->used[k], y);
    less(x, y, 3, d);
    return length(d, 3);
}

static double root_difference(void (*of)(const paper_clip *, int, double, double *),
                              const paper_clip *a, int i, const paper_clip *b, int j, double lever)
{
    double x[6], y[6], d[6];
    of(a, i, lever, x);
    of(b, j, lever, y);
    less(x, y, 6, d);
    return length(d, 6);
}

static double joint_angle(const paper_clip *a, int i, const paper_clip *b, int j, int k)
{
    double x[9], y[9], between[9];
    int ka = a->used[k], kb = b->used[k];
    int above_a = a->skeleton->joints[ka].parent, above_b = b->skeleton->joints[kb].parent;
    if (ka == a->root) {
        times(turn(b, j, kb), true, turn(a, i, ka), between);
        return log_of(between, NULL);
    }
    times(turn(a, i, above_a), true, turn(a, i, ka), x);
    times(turn(b, j, above_b), true, turn(b, j, kb), y);
    times(y, true, x, between);
    return log_of(between, NULL);
}

void paper_angles(const paper_clip *a, int i, const paper_clip *b, int j, double lever, bool fixed,
                  double *terms)
{
    double d[3], root;
    less(place(a, i, a->root), place(b, j, b->root), 3, d);
    root = fixed ? length(d, 3) : root_difference(root_velocity, a, i, b, j, lever);
    terms[0] = root * root * 1e-4;
    terms[1] = terms[2] = 0;
    for (int k = 0; k < a->used_count; k++) {
        if (fixed || a->used[k] != a->root) terms[1] += joint_angle(a, i, b, j, k) / a->used_count;
        terms[2] += difference(local_velocity, a, i, b, j, k) / a->used_count / 100;
    }
}

static void local_place(const paper_clip *c, int f, int joint, double *out)
{
    local(c, f, f, joint, out);
}

void paper_positions(const paper_clip *a, int i, const paper_clip *b, int j, double lever,
                     double *terms)
{
    terms[0] = terms[1] = 0;
    for (int k = 0; k < a->used_count; k++) {
        terms[0] += difference(local_place, a, i, b, j, k) / a->used_count;
        terms[1] += difference(local_velocity, a, i, b, j, k) / a->used_count;
    }
    terms[2] = root_difference(root_velocity, a, i, b, j, lever);
    terms[3] = root_difference(root_acceleration, a, i, b, j, lever);
}

/* ---- point clouds ---------------------------------------------------------------------------- */

static double points_at(const paper_clip *a, int i, const paper_clip *b, int j, double angle)
{
    double c = cos(angle), s = sin(angle), mean[2] = { 0, 0 }, sum = 0,
           weight = 0.2 / a->used_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int f = -2; f <= 2; f++) {
            for (int k = 0; k < a->used_count; k++) {
                const double *p = place(a, held(a, i + f), a->used[k]);
                const double *q = place(b, held(b, j + f), b->used[k]);
                double x = p[0] - (q[0] * c + q[2] * s), z = p[2] - (-q[0] * s + q[2] * c);
                double y = p[1] - q[1];
                if (pass == 0) {
                    mean[0] += weight * x;
                    mean[1] += weight * z;
                } else {
                    x -= mean[0];
                    z -= mean[1];
                    sum += weight * (x * x + y * y + z * z);
                }
            }
        }
    }
    return sum;
}

double paper_points(const paper_clip *a, int i, const paper_clip *b, int j)
{
    double best = 0, least = INFINITY, step = 0.05;
    for (double angle = -3.2; angle < 3.2; angle += step) {
        double value = points_at(a, i, b, j, angle);
        if (value < least) {
            least = value;
            best = angle;
        }
    }
    for (; step > 1e-9; step *= 0.6) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double value = points_at(a, i, b, j, best + sign * step);
            if (value < least) {
                least = value;
                best += sign * step;
            }
        }
    }
    return least;
}

/* ---- curvature ------------------------------------------------------------------------------- */

double paper_relative(const paper_clip *a, int i, const paper_clip *b, int j)
{
    double sum = 0;
    for (int k = 0; k < a->used_count; k++) {
        double rp[2][3], way[3];
        int above = a->skeleton->joints[a->used[k]].parent;
        if (above < 0 || above == a->root) continue;
        for (int side = 0; side < 2; side++) {
            const paper_clip *c = side ? b : a;
            int f = side ? j : i, parent = c->skeleton->joints[c->used[k]].parent;
            less(place(c, f, c->used[k]), place(c, f, parent), 3, way);
            back(turn(c, f, c->skeleton->joints[parent].parent), way, rp[side]);
        }
        less(rp[0], rp[1], 3, way);
        sum += length(way, 3) * length(way, 3) / a->used_count;
    }
    return sum;
}

/* Smoothed place, reflected at the ends. */
static void smooth_place(const paper_clip *c, int f, int joint, double sigma, double *out)
{
    int radius = (int)ceil(4 * sigma), last = c->frames - 1;
    double total = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int d = -radius; d <= radius; d++) {
        double w = exp(-d * d / (2 * sigma * sigma));
        int at = f + d, end = at < 0 ? 0 : last;
        for (int n = 0; n < 3; n++) {
            double here = place(c, at, joint)[n];
            if (at < 0 || at > last)
                here = 2 * place(c, end, joint)[n] - place(c, 2 * end - at, joint)[n];
            out[n] += w * here;
        }
        total += w;
    }
    for (int n = 0; n < 3; n++) out[n] /= total;
}

void paper_curvature(const paper_clip *c, double sigma_s, double *out)
{
    for (int f = 0; f < c->frames; f++) {
        for (int k = 0; k < c->used_count; k++) {
            double p[3][3], v[3], a[3];
            for (int d = 0; d < 3; d++)
                smooth_place(c, f + d - 1, c->used[k], sigma_s * c->fps, p[d]);
            for (int n = 0; n < 3; n++) {
                v[n] = (p[2][n] - p[0][n]) / 2 * c->fps;
                a[n] = (p[2][n] - 2 * p[1][n] + p[0][n]) * c->fps * c->fps;
            }
            double cross[3] = { v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2],
                                v[0] * a[1] - v[1] * a[0] };
            double speed = sqrt(length(v, 3) * length(v, 3) + 100);
            out[f * c->used_count + k] = length(cross, 3) / (speed * speed * speed);
        }
    }
}

double paper_correlation(const paper_clip *a, const double *ka, int i, const paper_clip *b,
                         const double *kb, int j, int window, bool normalised)
{
    int n = a->used_count, before = (window - 1) / 2;
    double sum = 0, sum_a = 0, sum_b = 0;
    for (int k = 0; k < n; k++) {
        double mean_a = 0, mean_b = 0;
        for (int l = 0; l < window; l++) {
            mean_a += ka[held(a, i - before + l) * n + k] / window;
            mean_b += kb[held(b, j - before + l) * n + k] / window;
        }
        for (int l = 0; l < window; l++) {
            double x = ka[held(a, i - before + l) * n + k] - mean_a;
            double y = kb[held(b, j - before + l) * n + k] - mean_b;
            sum += x * y / n;
            sum_a += x * x / n;
            sum_b += y * y / n;
        }
    }
    return normalised ? sum / sqrt(sum_a * sum_b) : sum;
}

/* ---- the judge ------------------------------------------------------------------------------- */

/* With the matrices of eq. 4.3 themselves: p - M_i M_j^-1 p'. */
double paper_transition(const paper_clip *a, int i, const paper_clip *b, int j)
{
    double sum = 0;
    for (int f = -2; f <= 2; f++) {
        for (int k = 0; k < a->used_count; k++) {
            double in_root[3], moved[3], d[3];
            const double *m = turn(a, i, a->root);
            local(b, j, j + f, b->used[k], in_root);
            for (int n = 0; n < 3; n++)
                moved[n] = m[3 * n] * in_root[0] + m[3 * n + 1] * in_root[1] +
                           m[3 * n + 2] * in_root[2] + place(a, i, a->root)[n];
            less(place(a, i + f, a->used[k]), moved, 3, d);
            sum += 0.2 / a->used_count * length(d, 3);
        }
    }
    return sum;
}

static double squares(const paper_clip *a, int i, const paper_clip *b, int j, bool second)
{
    double sum = 0;
    for (int k = 0; k < a->used_count; k++) {
        double in_root[2][3], d[3];
        for (int side = 0; side < 2; side++) {
            const paper_clip *c = side ? b : a;
            int f = side ? j : i, joint = c->used[k];
            for (int n = 0; n < 3; n++) {
                double after = place(c, f + 1, joint)[n], before = place(c, f - 1, joint)[n];
                d[n] = second ? (after - 2 * place(c, f, joint)[n] + before) * c->fps * c->fps
                              : (after - before) / 2 * c->fps;
            }
            back(turn(c, f, c->root), d, in_root[side]);
        }
        less(in_root[0], in_root[1], 3, d);
        sum += length(d, 3) * length(d, 3) / a->used_count;
    }
    return sum;
}

double paper_velocity(const paper_clip *a, int i, const paper_clip *b, int j)
{
    return squares(a, i, b, j, false);
}

double paper_acceleration(const paper_clip *a, int i, const paper_clip *b, int j)
{
    return squares(a, i, b, j, true);
}
