/* raster_floor.c - what is behind the body: a floor with lines every half metre that fades into the distance, and
   the body's shadow on it. The shadow is drawn into a small map that lies on the floor, seen from the light. */
#include "picture/raster.h"

#include "picture/vec3.h"

#include <string.h>

/* How far the shadow of a point is moved over the floor, per cm of its height: to the right and away, since the
   light stands at the camera's left shoulder. */
static const double LEAN_RIGHT = 0.42, LEAN_AWAY = 0.22;

static void cast(const mry_camera *camera, const double *point, double floor_cm, double *x,
                 double *z)
{
    double height = fmax(point[1] - floor_cm, 0);
    /* Away from the camera on the floor: right turned by a quarter. */
    *x = point[0] + height * (LEAN_RIGHT * camera->right[0] + LEAN_AWAY * camera->right[2]);
    *z = point[2] + height * (LEAN_RIGHT * camera->right[2] - LEAN_AWAY * camera->right[0]);
}

/* Two discs and all between them; soft where the part is high above the floor. */
static void shade_part(mry_raster *raster, const mry_camera *camera, const mry_part *part,
                       double floor_cm)
{
    double ax, az, bx, bz, high = fmax(part->a[1], part->b[1]) - floor_cm;
    cast(camera, part->a, floor_cm, &ax, &az);
    cast(camera, part->b, floor_cm, &bx, &bz);
    double soft = 1.5 + 0.05 * fmax(high, 0), reach = fmax(part->radius_a, part->radius_b) + soft;
    double length = (bx - ax) * (bx - ax) + (bz - az) * (bz - az), cm = raster->shade_cm;
    double most = MRY_SHADE_SIDE - 1;
    int x0 = (int)mry_clamp((fmin(ax, bx) - reach - raster->shade_x) / cm, 0, most);
    int x1 = (int)mry_clamp((fmax(ax, bx) + reach - raster->shade_x) / cm, 0, most);
    int z0 = (int)mry_clamp((fmin(az, bz) - reach - raster->shade_z) / cm, 0, most);
    int z1 = (int)mry_clamp((fmax(az, bz) + reach - raster->shade_z) / cm, 0, most);
    for (int row = z0; row <= z1; row++) {
        for (int column = x0; column <= x1; column++) {
            double x = raster->shade_x + (column + 0.5) * cm - ax;
            double z = raster->shade_z + (row + 0.5) * cm - az;
            double t = length > 0 ? mry_clamp((x * (bx - ax) + z * (bz - az)) / length, 0, 1) : 0;
            double radius = part->radius_a + t * (part->radius_b - part->radius_a);
            x -= t * (bx - ax);
            z -= t * (bz - az);
            double dark = mry_clamp((radius + soft - sqrt(x * x + z * z)) / (2 * soft), 0, 1);
            float *shade = &raster->shade[row * MRY_SHADE_SIDE + column];
            if ((float)dark > *shade) *shade = (float)dark;
        }
    }
}

static void find_shade(mry_raster *raster, const mry_camera *camera, const mry_part *parts,
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
    for (int i = 0; i < count; i++) shade_part(raster, camera, &parts[i], floor_cm);
}

/* The map between its squares' middles; 0 outside. */
static float shade_at(const mry_raster *raster, float x, float z)
{
    enum { SIDE = MRY_SHADE_SIDE };
    if (!(x >= 0 && z >= 0 && x < SIDE - 1 && z < SIDE - 1)) return 0;
    int column = (int)x, row = (int)z;
    const float *at = raster->shade + row * SIDE + column;
    float u = x - (float)column, v = z - (float)row;
    float near = at[0] + u * (at[1] - at[0]), far = at[SIDE] + u * (at[SIDE + 1] - at[SIDE]);
    return near + v * (far - near);
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
        float dark = shade_at(raster, shade_x + gx * per_square, shade_z + gz * per_square);
        float value = 246 - fade * (16 + 34 * (line < 1 ? line : 1));
        pixels[x] = grey(value * (1 - 0.38f * dark), 3);
    }
}

void mry_raster_floor(mry_raster *raster, const mry_camera *camera, const mry_part *parts,
                      int count, double floor_cm, double height_cm)
{
    find_shade(raster, camera, parts, count, floor_cm, height_cm);
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
        for (int x = 0; x < raster->width; x++) pixels[x] = grey(246, 3);
    }
}
