/* raster.c - a frame of a video: the floor, and the body on it.

   A part is all balls between (a, ra) and (b, rb). With u = b - a, dr = rb - ra, a point X is on
   the surface where the ball whose surface is farthest out touches it. That ball is at t = ((X -
   a).u + ra dr) / k with k = u.u - dr dr, and X satisfies |X - a|^2 - ra^2 = ((X - a).u + ra dr)^2
   / k: a quadratic along the line of sight. Where t is outside 0 .. 1 the nearer end's ball is what
   is seen.

   Behind the body is a floor with lines every half metre that fades into the distance, and the
   body's shadow on it. The shadow is drawn into a small map that lies on the floor, seen from the
   light. */
#include "picture/raster.h"

#include "picture/figure.h"
#include "picture/vec3.h"

#include <string.h>

enum { FINE = 2 }; /* samples a pixel each way */

/* How far the shadow of a point is moved over the floor, per cm of its height: to the right and
   away, since the light stands at the camera's left shoulder. */
static const double LEAN_RIGHT = 0.42, LEAN_AWAY = 0.22;

/* A part as seen from the eye, in the camera's axes: right, up, ahead. */
typedef struct cone {
    float a[3], u[3], radius, grow; /* ball at a, way to b, radius at b less radius at a */
    float k, from_a, constant;      /* of the quadratic; see above */
    mry_colour colour;
} cone;

typedef struct box {
    int x0, y0, x1, y1; /* samples, ends exclusive */
} box;

static void cast(const mry_camera *camera, const double *point, double floor_cm, double *x,
                 double *z)
{
    double height = fmax(point[1] - floor_cm, 0);
    /* Away from the camera on the floor: right turned by a quarter. */
    *x = point[0] + height * (LEAN_RIGHT * camera->right[0] + LEAN_AWAY * camera->right[2]);
    *z = point[2] + height * (LEAN_RIGHT * camera->right[2] - LEAN_AWAY * camera->right[0]);
}

/* How much of a line covers a pixel that is `wide` lines apart from the next. */
static float line_at(float x, float half, float wide)
{
    float off = fabsf(x - rintf(x)), cover = (half + 0.5f * wide - off) / wide;
    if (cover <= 0) return 0;
    float most = 2 * half / wide; /* lines thinner than a pixel */
    most = most < 1 ? most : 1;
    return cover < most ? cover : most;
}

static uint32_t grey(float value, float blue)
{
    uint32_t level = (uint32_t)value, high = (uint32_t)(value + blue);
    return level << 16 | level << 8 | (high > 255 ? 255 : high);
}

/* One row of the floor: all its pixels are equally far, so its points lie on an even line. */
static void floor_row(mry_raster *raster, const mry_camera *camera, int y, double reach,
                      double height_cm)
{
    enum { SIDE = MRY_SHADE_SIDE };
    /* Lines every half metre for people, every third of the size for anything else. */
    double grid = height_cm > 80 && height_cm < 320 ? 50 : height_cm / 3;
    double rise = raster->height / 2.0 - y - 0.5, step = reach * camera->right[0] / grid;
    double step_z = reach * camera->right[2] / grid, x0[2];
    for (int k = 0; k < 2; k++) {
        int axis = 2 * k;
        double ahead = camera->ahead[axis] * camera->focal_px + camera->up[axis] * rise;
        x0[k] = (camera->eye[axis] + reach * ahead) / grid;
        x0[k] += (k ? step_z : step) * (0.5 - raster->width / 2.0);
    }
    double whole[2] = { floor(x0[0]), floor(x0[1]) }; /* floats are fine near zero only */
    float fx = (float)(x0[0] - whole[0]), fz = (float)(x0[1] - whole[1]);
    float per_square = (float)(grid / raster->shade_cm), wide = (float)(reach / grid) * 1.3f;
    float shade_x = (float)((whole[0] * grid - raster->shade_x) / raster->shade_cm) - 0.5f;
    float shade_z = (float)((whole[1] * grid - raster->shade_z) / raster->shade_cm) - 0.5f;
    float far = (float)(reach * camera->focal_px / (9 * height_cm));
    float fade = 1 / (1 + far * far * far * far);
    uint32_t *pixels = raster->pixels + (size_t)y * (size_t)raster->width;
    for (int x = 0; x < raster->width; x++) {
        float gx = fx + (float)x * (float)step, gz = fz + (float)x * (float)step_z;
        float line = line_at(gx, 0.012f, wide) + line_at(gz, 0.012f, wide);
        /* The shadow's map between its squares' middles; none outside. */
        float mx = shade_x + gx * per_square, mz = shade_z + gz * per_square, dark = 0;
        if (mx >= 0 && mz >= 0 && mx < SIDE - 1 && mz < SIDE - 1) {
            int column = (int)mx, row = (int)mz;
            const float *at = raster->shade + row * SIDE + column;
            float u = mx - (float)column, v = mz - (float)row;
            float near = at[0] + u * (at[1] - at[0]);
            float behind = at[SIDE] + u * (at[SIDE + 1] - at[SIDE]);
            dark = near + v * (behind - near);
        }
        float value = 246 - fade * (16 + 34 * (line < 1 ? line : 1));
        pixels[x] = grey(value * (1 - 0.38f * dark), 3);
    }
}

static void draw_floor(mry_raster *raster, const mry_camera *camera, const mry_part *parts,
                       int count, double floor_cm, double height_cm)
{
    double middle_x = 0, middle_z = 0, x, z;
    memset(raster->shade, 0, sizeof(float) * MRY_SHADE_SIDE * MRY_SHADE_SIDE);
    for (int i = 0; i < count; i++) {
        cast(camera, parts[i].a, floor_cm, &x, &z);
        middle_x += x / count;
        middle_z += z / count;
    }
    raster->shade_cm = 2.4 * height_cm / MRY_SHADE_SIDE;
    raster->shade_x = middle_x - 1.2 * height_cm;
    raster->shade_z = middle_z - 1.2 * height_cm;
    /* Of each part two discs and all between them; soft where the part is high above the floor. */
    for (int i = 0; i < count; i++) {
        const mry_part *part = &parts[i];
        double ax, az, bx, bz, high = fmax(part->a[1], part->b[1]) - floor_cm;
        cast(camera, part->a, floor_cm, &ax, &az);
        cast(camera, part->b, floor_cm, &bx, &bz);
        double soft = 1.5 + 0.05 * fmax(high, 0);
        double reach = fmax(part->radius_a, part->radius_b) + soft;
        double length = (bx - ax) * (bx - ax) + (bz - az) * (bz - az), cm = raster->shade_cm;
        double most = MRY_SHADE_SIDE - 1;
        int x0 = (int)mry_clamp((fmin(ax, bx) - reach - raster->shade_x) / cm, 0, most);
        int x1 = (int)mry_clamp((fmax(ax, bx) + reach - raster->shade_x) / cm, 0, most);
        int z0 = (int)mry_clamp((fmin(az, bz) - reach - raster->shade_z) / cm, 0, most);
        int z1 = (int)mry_clamp((fmax(az, bz) + reach - raster->shade_z) / cm, 0, most);
        for (int row = z0; row <= z1; row++) {
            for (int column = x0; column <= x1; column++) {
                x = raster->shade_x + (column + 0.5) * cm - ax;
                z = raster->shade_z + (row + 0.5) * cm - az;
                double t =
                    length > 0 ? mry_clamp((x * (bx - ax) + z * (bz - az)) / length, 0, 1) : 0;
                double radius = part->radius_a + t * (part->radius_b - part->radius_a);
                x -= t * (bx - ax);
                z -= t * (bz - az);
                double dark = mry_clamp((radius + soft - sqrt(x * x + z * z)) / (2 * soft), 0, 1);
                float *shade = &raster->shade[row * MRY_SHADE_SIDE + column];
                if ((float)dark > *shade) *shade = (float)dark;
            }
        }
    }
    for (int y = 0; y < raster->height; y++) {
        /* right is level, so the whole row looks down by the same amount */
        double rise = raster->height / 2.0 - y - 0.5;
        double fall = camera->ahead[1] * camera->focal_px + camera->up[1] * rise;
        double reach = (floor_cm - camera->eye[1]) / fall;
        if (fall < -1e-9 && reach > 0 && reach * camera->focal_px < 60 * height_cm) {
            floor_row(raster, camera, y, reach, height_cm);
            continue;
        }
        uint32_t *pixels = raster->pixels + (size_t)y * (size_t)raster->width;
        for (int i = 0; i < raster->width; i++) pixels[i] = grey(246, 3);
    }
}

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

void mry_raster_draw(mry_raster *raster, const mry_camera *camera, const mry_part *parts, int count,
                     double floor_cm, double height_cm)
{
    box all = { 0, 0, 0, 0 };
    draw_floor(raster, camera, parts, count, floor_cm, height_cm);
    for (int i = 0; i < count; i++) {
        cone c = cone_make(camera, &parts[i]);
        box one = cone_box(raster, camera->focal_px, &c);
        if (one.x0 >= one.x1 || one.y0 >= one.y1) continue;
        bool first = all.x0 >= all.x1 || all.y0 >= all.y1;
        if (first || one.x0 < all.x0) all.x0 = one.x0;
        if (first || one.y0 < all.y0) all.y0 = one.y0;
        if (first || one.x1 > all.x1) all.x1 = one.x1;
        if (first || one.y1 > all.y1) all.y1 = one.y1;
    }
    all.x0 -= all.x0 % FINE; /* whole pixels */
    all.y0 -= all.y0 % FINE;
    all.x1 += all.x1 % FINE;
    all.y1 += all.y1 % FINE;
    int width = FINE * raster->width;
    for (int y = all.y0; y < all.y1; y++) {
        size_t row = (size_t)y * (size_t)width;
        for (int x = all.x0; x < all.x1; x++) raster->depth[row + (size_t)x] = INFINITY;
        memset(raster->colour + row + all.x0, 0,
               (size_t)(all.x1 - all.x0) * sizeof *raster->colour);
    }
    for (int i = 0; i < count; i++) {
        cone c = cone_make(camera, &parts[i]);
        draw_cone(raster, camera->focal_px, &c, cone_box(raster, camera->focal_px, &c));
    }
    /* Each pixel is the mean of its samples; where one missed the body, the floor is seen. */
    for (int y = all.y0 / FINE; y < (all.y1 + 1) / FINE; y++) {
        for (int x = all.x0 / FINE; x < (all.x1 + 1) / FINE; x++) {
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
