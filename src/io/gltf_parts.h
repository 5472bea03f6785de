/* gltf_parts.h - what the files of the glTF writer share. A .glb file is

       header   12 bytes
       JSON     chunk of text: nodes, skin, animation, and where their numbers lie
       BIN      chunk of numbers: mesh | inverse bind matrices | times | one track after the other

   The JSON says how long everything is, so all of that is decided first (the plan), and the numbers
   of the tracks are then streamed from the clip without a copy. Lengths in the file are metres. */
#ifndef MRY_GLTF_PARTS_H
#define MRY_GLTF_PARTS_H

#include "motion/clip_data.h"

static const double mry_gltf_metre = 0.01; /* of a centimetre */

/* Triangles without shared corners, three vertices each: every corner has its face's own normal. */
typedef struct mry_gltf_mesh {
    int vertices;
    float *positions; /* 3 a vertex, metres, in the rest pose */
    float *normals;   /* 3 */
    uint8_t *colours; /* 4: red, green, blue, opacity; linear */
    uint16_t *joints; /* 4: the joint that carries the vertex, then zeros */
    float low[3], high[3];
} mry_gltf_mesh;

/* The keys of one joint's rotation or translation. */
typedef struct mry_gltf_track {
    int joint;
    bool is_place;
    int keys; /* the clip's frames; where nothing changes only the first and the last */
} mry_gltf_track;

typedef struct mry_gltf_plan {
    const marey_clip *clip;
    const char *const *names; /* one a joint, then that of the mesh's node; UTF-8, all different */
    const char *clip_name;    /* UTF-8 */
    const char *format;       /* UTF-8: of the file it was read from */
    const char *provenance;   /* JSON, or NULL */
    double *rest_cm;       /* 3 a joint: from its parent in the rest pose, which has no rotations */
    double *rest_world_cm; /* 3 a joint */
    mry_gltf_mesh mesh;
    int track_count; /* at least 1 */
    mry_gltf_track *tracks;
    bool uses_times; /* some track has a key for every frame */
    bool uses_ends;  /* some track has but the first and the last of several frames */
} mry_gltf_plan;

enum {
    MRY_GLTF_POSITION_BYTES = 12,
    MRY_GLTF_NORMAL_BYTES = 12,
    MRY_GLTF_COLOUR_BYTES = 4,
    MRY_GLTF_JOINTS_BYTES = 8,
    MRY_GLTF_WEIGHTS_BYTES = 16,
    MRY_GLTF_MATRIX_BYTES = 64,
    MRY_GLTF_TIME_BYTES = 4,
    MRY_GLTF_ENDS_BYTES = 2 * MRY_GLTF_TIME_BYTES
};

static inline uint64_t mry_gltf_track_bytes(const mry_gltf_track *track)
{
    return (uint64_t)track->keys * (track->is_place ? 12 : 16);
}

/* gltf_mesh.c: fills plan->mesh from the rest pose; false when out of memory. */
bool mry_gltf_mesh_build(mry_gltf_plan *plan, mry_arena *tmp);

/* gltf_json.c: the text of the JSON chunk, blanks at its end so that its length divides by four,
   and the bytes of the BIN chunk that it speaks of. NULL when out of memory. */
char *mry_gltf_json(const mry_gltf_plan *plan, mry_arena *tmp, size_t *length, uint64_t *bin_bytes);

/* gltf_write.c: LIMIT where a clip does not fit: lengths in a .glb have 32 bits, and so have times,
   of which neighbours must stay apart. */
marey_status mry_gltf_check_size(int frames, double fps, uint64_t bytes, const char *path,
                                 marey_error *error);

#endif
