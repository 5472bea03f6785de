/* raster.h - a small renderer for videos: round cones with light on them, a floor with a grid and a
   shadow, in perspective. Read after body.h. */
#ifndef MRY_RASTER_H
#define MRY_RASTER_H

#include "picture/body.h"

typedef struct mry_camera {
    double eye[3];
    double right[3], up[3], ahead[3]; /* unit vectors; right is level */
    double focal_px;
} mry_camera;

enum { MRY_SHADE_SIDE = 192 }; /* squares along a side of the shadow's map */

typedef struct mry_raster {
    int width, height;
    uint32_t *pixels; /* 0x00RRGGBB, the finished frame */
    float *depth;     /* two by two samples a pixel: only the part that the body covers is in use */
    uint32_t *colour;
    float *shade;                      /* the shadow's map on the floor, 0 .. 1 */
    double shade_x, shade_z, shade_cm; /* its corner and the side of its squares */
} mry_raster;

/* Buffers live in mem. False when out of memory. */
bool mry_raster_make(mry_raster *raster, mry_arena *mem, int width, int height);

/* A camera that looks at `target` from the angle yaw, far enough to show `height_cm` and some
   air. */
mry_camera mry_camera_make(const mry_raster *raster, const double *target, double yaw_rad,
                           double height_cm);

void mry_raster_draw(mry_raster *raster, const mry_camera *camera, const mry_part *parts, int count,
                     double floor_cm, double height_cm);

#endif
