/* raster.c - the body of a video frame.

   A part is all balls between (a, ra) and (b, rb). With u = b - a, dr = rb - ra, a point X is on the surface where
   the ball whose surface is farthest out touches it. That ball is at t = ((X - a).u + ra dr) / k with k = u.u - dr dr,
   and X satisfies |X - a|^2 - ra^2 = ((X - a).u + ra dr)^2 / k: a quadratic along the line of sight. Where t is outside
   0 .. 1 the nearer end's ball is what is seen. */
#include "picture/raster.h"

#include "picture/figure.h"
#include "picture/vec3.h"

#include <string.h>

enum { FINE = 2 }; /* samples a pixel each way */

bool mry_raster_make(mry_raster *raster, mry_arena *mem, int width, int height)
{
    size_t pixels = (size_t)width * (size_t)height;
    *raster = (mry_raster){ .width = width, .height = height };
    raster->pixels = MRY_NEW_RAW(mem, uint32_t, pixels);
    raster->depth = MRY_NEW_RAW(mem, float, pixels *FINE *FINE);
    raster->colour = MRY_NEW_RAW(mem, uint32_t, pixels * FINE * FINE);
    raster->shade = MRY_NEW_RAW(mem, float, MRY_SHADE_SIDE *MRY_SHADE_SIDE);
    return raster->pixels && raster->depth && raster->colour && raster->shade;
}

mry_camera mry_camera_make(const mry_raster *raster, const double *target, double yaw_rad,
                           double height_cm)
{
    const double pitch = 0.2, air = 1.4, lens = 1.9;
    mry_view view = mry_view_make(yaw_rad, pitch);
    mry_camera camera = { .focal_px = lens * raster->height };
    double wide = fmin(1, (double)raster->width / raster->height);
    memcpy(camera.right, view.right, sizeof camera.right);
    memcpy(camera.up, view.up, sizeof camera.up);
    mry_add3(target, lens * air * height_cm / wide, view.toward, camera.eye);
    for (int k = 0; k < 3; k++) camera.ahead[k] = -view.toward[k];
    return camera;
}

/* ---- one part -------------------------------------------------------------------------------- */

/* A part as seen from the eye, in the camera's axes: right, up, ahead. */
typedef struct cone {
    float a[3], u[3], radius, grow; /* ball at a, way to b, radius at b less radius at a */
    float k, from_a, constant;      /* of the quadratic; see above */
    mry_colour colour;
} cone;

static void to_camera(const mry_camera *camera, const double *point, float *out)
{
    double off[3];
    mry_add3(point, -1, camera->eye, off);
    out[0] = (float)mry_dot3(off, camera->right);
    out[1] = (float)mry_dot3(off, camera->up);
    out[2] = (float)mry_dot3(off, camera->ahead);
}

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static cone cone_make(const mry_camera *camera, const mry_part *part)
{
    cone c = { .radius = (float)part->radius_a, .grow = (float)(part->radius_b - part->radius_a) };
    float b[3];
    to_camera(camera, part->a, c.a);
    to_camera(camera, part->b, b);
    for (int i = 0; i < 3; i++) c.u[i] = b[i] - c.a[i];
    c.k = dot(c.u, c.u) - c.grow * c.grow;
    if (c.k <= 1e-4f) { /* one ball inside the other */
        if (c.grow > 0) {
            memcpy(c.a, b, sizeof c.a);
            c.radius += c.grow;
        }
        c.u[0] = c.u[1] = c.u[2] = c.grow = 0;
        c.k = 1;
    }
    c.from_a = -dot(c.a, c.u) + c.radius * c.grow;
    c.constant = dot(c.a, c.a) - c.radius * c.radius - c.from_a * c.from_a / c.k;
    c.colour = mry_colour_of(part->group);
    if (part->nose || part->group < MRY_GROUP_LEFT_ARM) {
        c.colour = mry_colour_mix(c.colour, MRY_WHITE, part->nose ? 0.55 : 0.4);
    }
    return c;
}

/* Where the line of sight s * d meets a ball; 0: nowhere. */
static float meet_ball(const float *d, float dd, const float *at, float radius)
{
    float b = dot(at, d), rest = b * b - dd * (dot(at, at) - radius * radius);
    return rest < 0 ? 0 : (b - sqrtf(rest)) / dd;
}

/* The same for the whole part; *t says which ball. */
static float meet(const cone *c, const float *d, float dd, float *t)
{
    float du = dot(d, c->u);
    float qa = dd - du * du / c->k, qb = dot(c->a, d) + du * c->from_a / c->k;
    float rest = qb * qb - qa * c->constant, s = 0;
    *t = -1;
    if (rest >= 0 && qa > 0) {
        s = (qb - sqrtf(rest)) / qa;
        *t = (s * du + c->from_a) / c->k;
        if (*t >= 0 && *t <= 1) return s;
    }
    /* Both ends are tried: looking along the part, either may be the one in front. */
    float b[3] = { c->a[0] + c->u[0], c->a[1] + c->u[1], c->a[2] + c->u[2] };
    float at_a = meet_ball(d, dd, c->a, c->radius);
    float at_b = meet_ball(d, dd, b, c->radius + c->grow);
    bool first = at_a > 0 && (at_b <= 0 || at_a < at_b);
    *t = first ? 0 : 1;
    return first ? at_a : at_b;
}

/* A light above the camera's left shoulder, the sky, and edges a little darker. */
static uint32_t light(const cone *c, const float *normal)
{
    static const float lamp[3] = { -0.44f, 0.66f, -0.61f };
    float lit = dot(normal, lamp), facing = -normal[2];
    lit = lit > 0 ? lit : 0;
    facing = facing > 0 ? facing : 0;
    float bright = 0.36f + 0.12f * normal[1] + 0.62f * lit, shine = lit * lit;
    bright *= 0.72f + 0.28f * facing;
    shine = 0.10f * shine * shine * shine * shine;
    float channels[3] = { (float)c->colour.r, (float)c->colour.g, (float)c->colour.b };
    uint32_t packed = 0;
    for (int i = 0; i < 3; i++) {
        float value = 255.0f * (channels[i] * bright * 1.12f + shine);
        packed = packed << 8 | (uint32_t)(value > 255 ? 255 : value);
    }
    return packed | 0xff000000u; /* tells a sample that was hit */
}

/* ---- the body -------------------------------------------------------------------------------- */

typedef struct box {
    int x0, y0, x1, y1; /* samples, ends exclusive */
} box;

static int hold(double x, int most)
{
    return x < 0 ? 0 : x > most ? most : (int)x;
}

/* Around both balls. Anything at or behind the eye takes the whole picture. */
static box cone_box(const mry_raster *raster, double focal, const cone *c)
{
    int width = FINE * raster->width, height = FINE * raster->height;
    double x0 = width, y0 = height, x1 = 0, y1 = 0;
    for (int i = 0; i < 2; i++) {
        double r = c->radius + (float)i * c->grow, z = c->a[2] + (float)i * c->u[2];
        if (z < 3 * r) return (box){ 0, 0, z < -r ? 0 : width, z < -r ? 0 : height };
        double x = width / 2.0 + FINE * focal * (c->a[0] + (float)i * c->u[0]) / z;
        double y = height / 2.0 - FINE * focal * (c->a[1] + (float)i * c->u[1]) / z;
        double size =
            1.15 * FINE * focal * r / z + 2; /* a ball off the middle is seen as an ellipse */
        x0 = fmin(x0, x - size);
        x1 = fmax(x1, x + size);
        y0 = fmin(y0, y - size);
        y1 = fmax(y1, y + size);
    }
    return (box){ hold(x0, width), hold(y0, height), hold(x1 + 1, width), hold(y1 + 1, height) };
}

static void draw_cone(mry_raster *raster, double focal, const cone *c, box area)
{
    int width = FINE * raster->width, height = FINE * raster->height;
    float step = 1.0f / (float)(FINE * focal);
    for (int y = area.y0; y < area.y1; y++) {
        float d[3] = { 0, ((float)height / 2 - (float)y - 0.5f) * step, 1 };
        size_t row = (size_t)y * (size_t)width;
        for (int x = area.x0; x < area.x1; x++) {
            float t;
            d[0] = ((float)x + 0.5f - (float)width / 2) * step;
            float s = meet(c, d, dot(d, d), &t);
            if (s <= 0 || s >= raster->depth[row + (size_t)x]) continue;
            float normal[3], size = c->radius + t * c->grow;
            for (int i = 0; i < 3; i++) normal[i] = (s * d[i] - c->a[i] - t * c->u[i]) / size;
            raster->depth[row + (size_t)x] = s;
            raster->colour[row + (size_t)x] = light(c, normal);
        }
    }
}

static void clear(mry_raster *raster, box area)
{
    int width = FINE * raster->width;
    for (int y = area.y0; y < area.y1; y++) {
        size_t row = (size_t)y * (size_t)width;
        for (int x = area.x0; x < area.x1; x++) raster->depth[row + (size_t)x] = INFINITY;
        memset(raster->colour + row + area.x0, 0,
               (size_t)(area.x1 - area.x0) * sizeof *raster->colour);
    }
}

/* Each pixel is the mean of its samples; where one missed the body, the floor is seen. */
static void settle(mry_raster *raster, box area)
{
    int width = FINE * raster->width;
    for (int y = area.y0 / FINE; y < (area.y1 + 1) / FINE; y++) {
        for (int x = area.x0 / FINE; x < (area.x1 + 1) / FINE; x++) {
            uint32_t *pixel = &raster->pixels[(size_t)y * (size_t)raster->width + (size_t)x];
            uint32_t red = 0, green = 0, blue = 0;
            for (int i = 0; i < FINE * FINE; i++) {
                size_t at =
                    (size_t)(FINE * y + i / FINE) * (size_t)width + (size_t)(FINE * x + i % FINE);
                uint32_t sample = raster->colour[at] ? raster->colour[at] : *pixel;
                red += sample >> 16 & 255;
                green += sample >> 8 & 255;
                blue += sample & 255;
            }
            *pixel = (red / 4) << 16 | (green / 4) << 8 | blue / 4;
        }
    }
}

static box join(box a, box b)
{
    if (b.x0 >= b.x1 || b.y0 >= b.y1) return a;
    if (a.x0 >= a.x1 || a.y0 >= a.y1) return b;
    return (box){ a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0, a.x1 > b.x1 ? a.x1 : b.x1,
                  a.y1 > b.y1 ? a.y1 : b.y1 };
}

void mry_raster_draw(mry_raster *raster, const mry_camera *camera, const mry_part *parts, int count,
                     double floor_cm, double height_cm)
{
    box all = { 0, 0, 0, 0 };
    mry_raster_floor(raster, camera, parts, count, floor_cm, height_cm);
    for (int i = 0; i < count; i++) {
        cone c = cone_make(camera, &parts[i]);
        all = join(all, cone_box(raster, camera->focal_px, &c));
    }
    all.x0 -= all.x0 % FINE; /* whole pixels */
    all.y0 -= all.y0 % FINE;
    all.x1 += all.x1 % FINE;
    all.y1 += all.y1 % FINE;
    clear(raster, all);
    for (int i = 0; i < count; i++) {
        cone c = cone_make(camera, &parts[i]);
        draw_cone(raster, camera->focal_px, &c, cone_box(raster, camera->focal_px, &c));
    }
    settle(raster, all);
}
