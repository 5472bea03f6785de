/* figure.c - the flat figure of one pose: every part is the outline of two discs and their common
   tangents. */
#include "picture/figure.h"

#include "picture/vec3.h"

#include <cairo.h>

mry_colour mry_colour_of(mry_group group)
{
    switch (group) {
    case MRY_GROUP_LEFT_ARM:
    case MRY_GROUP_LEFT_LEG: return MRY_LEFT;
    case MRY_GROUP_RIGHT_ARM:
    case MRY_GROUP_RIGHT_LEG: return MRY_RIGHT;
    default: return MRY_NEUTRAL;
    }
}

mry_view mry_view_make(double yaw_rad, double pitch_rad)
{
    double s = sin(yaw_rad), c = cos(yaw_rad), ps = sin(pitch_rad), pc = cos(pitch_rad);
    return (mry_view){ .right = { c, 0, -s },
                       .up = { -ps * s, pc, -ps * c },
                       .toward = { pc * s, ps, pc * c } };
}

static void project(const mry_stage *stage, const double *point, double *x, double *y)
{
    double off[3];
    mry_add3(point, -1, stage->origin, off);
    *x = stage->x + stage->scale * mry_dot3(off, stage->view.right);
    *y = stage->y - stage->scale * mry_dot3(off, stage->view.up);
}

void mry_figure_extent(const mry_view *view, const double *origin, const mry_part *parts, int count,
                       double *box)
{
    mry_stage stage = { .view = *view, .scale = 1 };
    for (int k = 0; k < 3; k++) stage.origin[k] = origin[k];
    box[0] = box[1] = INFINITY;
    box[2] = box[3] = -INFINITY;
    for (int i = 0; i < 2 * count; i++) {
        const mry_part *part = &parts[i / 2];
        double x, y, radius = i % 2 ? part->radius_b : part->radius_a;
        project(&stage, i % 2 ? part->b : part->a, &x, &y);
        box[0] = fmin(box[0], x - radius);
        box[1] = fmin(box[1], y - radius);
        box[2] = fmax(box[2], x + radius);
        box[3] = fmax(box[3], y + radius);
    }
}

/* `wider` by so many pixels all round. */
static void outline(cairo_t *cr, const mry_stage *stage, const mry_part *part, double wider)
{
    double x0, y0, x1, y1;
    double r0 = stage->scale * part->radius_a + wider, r1 = stage->scale * part->radius_b + wider;
    project(stage, part->a, &x0, &y0);
    project(stage, part->b, &x1, &y1);
    double length = hypot(x1 - x0, y1 - y0);
    cairo_new_sub_path(cr);
    if (length <= fabs(r0 - r1) + 1e-6) { /* one disc hides the other */
        bool first = r0 >= r1;
        cairo_arc(cr, first ? x0 : x1, first ? y0 : y1, first ? r0 : r1, 0, 2 * M_PI);
    } else {
        double along = atan2(y1 - y0, x1 - x0), open = acos((r0 - r1) / length);
        cairo_arc(cr, x1, y1, r1, along - open, along + open);
        cairo_arc(cr, x0, y0, r0, along + open, along - open + 2 * M_PI);
    }
    cairo_close_path(cr);
}

typedef struct layer {
    mry_group group;
    double depth; /* mean over the parts, to the camera */
    int count;
} layer;

/* Parts that are filled as one shape. Where they cross each other, the time goes with the square of
   their number. */
enum { MOST_AT_ONCE = 128 };

void mry_figure_draw(cairo_t *cr, const mry_stage *stage, const mry_part *parts, int count,
                     double height_cm)
{
    layer layers[MRY_GROUP_COUNT], order[MRY_GROUP_COUNT];
    for (int g = 0; g < MRY_GROUP_COUNT; g++) layers[g] = (layer){ .group = (mry_group)g };
    for (int i = 0; i < count; i++) {
        double middle[3];
        mry_mix3(parts[i].a, parts[i].b, 0.5, middle);
        mry_add3(middle, -1, stage->origin, middle);
        layers[parts[i].group].depth += mry_dot3(middle, stage->view.toward);
        layers[parts[i].group].count++;
    }
    for (int g = 0; g < MRY_GROUP_COUNT; g++) {
        if (layers[g].count) layers[g].depth /= layers[g].count;
    }
    for (int g = 0; g < MRY_GROUP_COUNT; g++) order[g] = layers[g];
    for (int i = 1; i < MRY_GROUP_COUNT; i++) {
        layer one = order[i];
        int at = i;
        for (; at > 0 && order[at - 1].depth > one.depth; at--) order[at] = order[at - 1];
        order[at] = one;
    }
    double edge = mry_clamp(0.012 * height_cm * stage->scale, 0.5, 2.5);
    for (int i = 0; i < MRY_GROUP_COUNT; i++) {
        mry_group group = order[i].group;
        if (!order[i].count) continue;
        /* A limb is paler the farther it is behind its partner on the other side; left and right
           follow each other. */
        const layer *partner = group < MRY_GROUP_LEFT_ARM ? NULL : &layers[group ^ 1];
        double behind =
            partner && partner->count ? (partner->depth - order[i].depth) / height_cm : 0;
        for (int pass = 0; pass < 2; pass++) { /* the edge, then the group on it */
            double pale = pass ? 0.5 * mry_clamp(behind / 0.1, 0, 1) : 1;
            mry_ink(cr, mry_colour_mix(mry_colour_of(group), MRY_WHITE, pale));
            for (int p = 0, held = 0; p < count; p++) {
                if (parts[p].group != group) continue;
                outline(cr, stage, &parts[p], pass ? 0 : edge);
                if (++held % MOST_AT_ONCE == 0) cairo_fill(cr);
            }
            cairo_fill(cr);
        }
        /* A nose that points to the camera would not be seen against the head: it is drawn
           light. */
        for (int p = 0; p < count && group == MRY_GROUP_HEAD; p++) {
            double out[3];
            if (!parts[p].nose) continue;
            mry_add3(parts[p].b, -1, parts[p].a, out);
            mry_unit3(out, NULL);
            if (mry_dot3(out, stage->view.toward) < 0.3) continue;
            outline(cr, stage, &parts[p], 0);
            mry_ink(cr, mry_colour_mix(MRY_NEUTRAL, MRY_WHITE, 0.6));
            cairo_fill(cr);
        }
    }
}

/* One soft shape instead of every limb's: the ellipse that the parts, straight down on the floor,
   spread over. */
void mry_figure_shadow(cairo_t *cr, const mry_stage *stage, const mry_part *parts, int count)
{
    double sum[2] = { 0, 0 }, squares[2] = { 0, 0 }, thick = 0;
    for (int i = 0; i < 2 * count; i++) {
        const double *point = i % 2 ? parts[i / 2].b : parts[i / 2].a;
        double x = point[0] - stage->origin[0], z = point[2] - stage->origin[2];
        double across = x * stage->view.right[0] + z * stage->view.right[2];
        double near = z * stage->view.right[0] - x * stage->view.right[2];
        sum[0] += across;
        sum[1] += near;
        squares[0] += across * across;
        squares[1] += near * near;
        thick = fmax(thick, fmax(parts[i / 2].radius_a, parts[i / 2].radius_b));
    }
    double size[2];
    for (int k = 0; k < 2 && count; k++) {
        sum[k] /= 2 * count;
        size[k] = thick + 1.1 * sqrt(fmax(squares[k] / (2 * count) - sum[k] * sum[k], 0));
    }
    if (!count) return;
    double flat = stage->view.toward[1];
    cairo_save(cr);
    cairo_translate(cr, stage->x + stage->scale * sum[0], stage->y + stage->scale * flat * sum[1]);
    cairo_scale(cr, stage->scale * size[0], stage->scale * flat * size[1]);
    cairo_arc(cr, 0, 0, 1, 0, 2 * M_PI);
    cairo_restore(cr);
    mry_ink(cr, MRY_SHADOW);
    cairo_fill(cr);
}
