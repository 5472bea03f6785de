/* gltf_mesh.c - a body of bones for the skeleton, because programs that read glTF drop or refuse a
   skeleton without a mesh. Each bone is a long octahedron from its joint to a child or to its End
   Site:

                 tip
                 /|\         the ring lies a fifth of the way along; its corners are
                / | \        +u, +v, -u, -v of right-handed axes u, v, along
               /  |  \
              +---+---+ ring
               \  |  /
                base         every corner moves with the joint at the base alone

   Left and right bones have colours of their own. */
#include "io/gltf_parts.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { RING = 4, FACES = 2 * RING, BONE_VERTICES = 3 * FACES };

static const double ring_share = 0.2;
static const double slim_share = 0.1;  /* half the width of a long bone, of its length */
static const double stout_share = 0.2; /* the same for a short one, which would hardly be seen */
static const double stout_m = 0.015;   /* a bone that is this wide when slim stays so */
static const double shortest_m = 1e-6; /* a shorter bone is a point and gets no body */
static const double lone_size_m = 0.1; /* of the body that stands for a clip without bones */

typedef enum side { MIDDLE, LEFT, RIGHT } side;

/* ---- one bone -------------------------------------------------------------------------------- */

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void scale_to(double *a, double length)
{
    double factor = length / mry_length3(a);
    for (int i = 0; i < 3; i++) a[i] *= factor;
}

static void add_face(mry_gltf_mesh *mesh, const double *origin, const double *const corners[3],
                     side colour, int joint)
{
    static const uint8_t colours[][4] = { [MIDDLE] = { 80, 80, 80, 255 },
                                          [LEFT] = { 30, 100, 200, 255 },
                                          [RIGHT] = { 220, 90, 15, 255 } };
    double a[3], b[3], normal[3];
    for (int i = 0; i < 3; i++) {
        a[i] = corners[1][i] - corners[0][i];
        b[i] = corners[2][i] - corners[0][i];
    }
    cross(a, b, normal);
    scale_to(normal, 1);
    for (int c = 0; c < 3; c++) {
        size_t n = (size_t)mesh->vertices++;
        for (int i = 0; i < 3; i++) {
            float value = (float)(origin[i] + corners[c][i]);
            mesh->positions[3 * n + i] = value;
            mesh->normals[3 * n + i] = (float)normal[i];
            if (n == 0 || value < mesh->low[i]) mesh->low[i] = value;
            if (n == 0 || value > mesh->high[i]) mesh->high[i] = value;
        }
        memcpy(mesh->colours + 4 * n, colours[colour], 4);
        mesh->joints[4 * n] = (uint16_t)joint;
    }
}

/* `base` and `along` in metres. */
static void add_bone(mry_gltf_mesh *mesh, const double *base, const double *along, side colour,
                     int joint)
{
    static const double start[3] = { 0 };
    double u[3], v[3], ring[RING][3];
    double length = mry_length3(along);
    double width = fmin(stout_share * length, fmax(slim_share * length, stout_m));
    /* u and v are at right angles to `along` and to each other. u is crossed with the axis that
       `along` has least of, so that it cannot vanish. */
    double axis[3] = { 0 };
    int least = 0;
    for (int i = 1; i < 3; i++) {
        if (fabs(along[i]) < fabs(along[least])) least = i;
    }
    axis[least] = 1;
    cross(along, axis, u);
    scale_to(u, width);
    cross(along, u, v);
    scale_to(v, width);
    for (int i = 0; i < 3; i++) {
        double middle = ring_share * along[i];
        ring[0][i] = middle + u[i];
        ring[1][i] = middle + v[i];
        ring[2][i] = middle - u[i];
        ring[3][i] = middle - v[i];
    }
    for (int k = 0; k < RING; k++) { /* counter-clockwise as seen from outside */
        const double *here = ring[k], *next = ring[(k + 1) % RING];
        add_face(mesh, base, (const double *const[3]){ here, next, along }, colour, joint);
        add_face(mesh, base, (const double *const[3]){ next, here, start }, colour, joint);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void add_if_long(mry_gltf_plan *plan, int joint, const double *along_cm, side colour)
{
    double base[3], along[3];
    for (int i = 0; i < 3; i++) {
        base[i] = plan->rest_world_cm[3 * joint + i] * mry_gltf_metre;
        along[i] = along_cm[i] * mry_gltf_metre;
    }
    if (mry_length3(along) >= shortest_m) add_bone(&plan->mesh, base, along, colour, joint);
}

bool mry_gltf_mesh_build(mry_gltf_plan *plan, mry_arena *tmp)
{
    const marey_clip *clip = plan->clip;
    const int *roles = clip->skeleton.roles;
    mry_gltf_mesh *mesh = &plan->mesh;
    int joints = clip->skeleton.joint_count;
    size_t vertices =
        (size_t)joints * BONE_VERTICES; /* a bone to each joint; the root's is spare */
    for (int j = 0; j < joints; j++) vertices += clip->joints[j].has_end ? BONE_VERTICES : 0;
    uint8_t *sides = MRY_NEW(tmp, uint8_t, joints);
    *mesh = (mry_gltf_mesh){ .positions = MRY_NEW_RAW(tmp, float, 3 * vertices),
                             .normals = MRY_NEW_RAW(tmp, float, 3 * vertices),
                             .colours = MRY_NEW_RAW(tmp, uint8_t, 4 * vertices),
                             .joints = MRY_NEW(tmp, uint16_t, 4 * vertices) };
    if (!sides || !mesh->positions || !mesh->normals || !mesh->colours || !mesh->joints)
        return false;
    for (int r = MAREY_ROLE_LEFT_COLLAR; r < MAREY_ROLE_COUNT; r++) {
        if (roles[r] >= 0) sides[roles[r]] = r < MAREY_ROLE_RIGHT_COLLAR ? LEFT : RIGHT;
    }
    for (int j = 1; j < joints;
         j++) { /* without a role, that of its parent: fingers belong to their hand */
        if (sides[j] == MIDDLE) sides[j] = sides[clip->joints[j].parent];
    }
    for (int j = 0; j < joints; j++) {
        const marey_joint *joint = &clip->joints[j];
        if (j) add_if_long(plan, joint->parent, plan->rest_cm + 3 * j, sides[j]);
        if (joint->has_end) add_if_long(plan, j, joint->end_cm, sides[j]);
    }
    if (plan->mesh.vertices == 0) {
        const double *root = plan->rest_world_cm;
        double base[3] = { root[0] * mry_gltf_metre, root[1] * mry_gltf_metre,
                           root[2] * mry_gltf_metre };
        add_bone(&plan->mesh, base, (const double[3]){ 0, lone_size_m, 0 }, MIDDLE, 0);
    }
    return true;
}
