/* gltf_json.c - the text of a .glb file. Numbers with a point go through number.h, so that a locale's
   decimal comma cannot get in; the print function is for whole numbers and names of fields alone. */
#include "base/number.h"
#include "io/gltf_parts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DECIMALS = 9 }; /* of metres: a nanometre, finer than the floats they are read into */
enum { BYTE = 5121, SHORT = 5123, FLOAT = 5126, VERTICES = 34962 }; /* glTF's numbers; unsigned */

/* Accessors and buffer views of the same number hold the same thing, up to the last fixed one. */
enum { POSITION, NORMAL, COLOUR, JOINTS, WEIGHTS, BIND, ANIMATION, FIXED_ACCESSORS = ANIMATION };

/* ---- growing text ----------------------------------------------------------------------------- */

/* Once memory has run out it stays as it is; who made it looks at the end. */
typedef struct json {
    mry_arena *tmp;
    char *text;
    size_t used, room;
    bool failed;
} json;

/* Where `count` bytes can be put, or NULL. Doubling leaves at most as much behind as is in use. */
static char *make_room(json *out, size_t count)
{
    enum { FIRST_ROOM = 16 * 1024 };
    if (out->failed) return NULL;
    if (out->room - out->used < count) {
        size_t room = out->room ? out->room : FIRST_ROOM;
        while (room - out->used < count) room *= 2;
        char *text = MRY_NEW_RAW(out->tmp, char, room);
        out->failed = !text;
        if (!text) return NULL;
        if (out->used) memcpy(text, out->text, out->used);
        out->text = text;
        out->room = room;
    }
    return out->text + out->used;
}

static void put(json *out, const char *text)
{
    size_t count = strlen(text);
    char *to = make_room(out, count);
    if (!to) return;
    memcpy(to, text, count);
    out->used += count;
}

__attribute__((format(printf, 2, 3))) static void print(json *out, const char *format, ...)
{
    enum { LONGEST = 256 };
    va_list values;
    char *to = make_room(out, LONGEST);
    if (!to) return;
    va_start(values, format);
    out->used += (size_t)vsnprintf(to, LONGEST, format, values);
    va_end(values);
}

static void put_number(json *out, double value, int decimals)
{
    char *to = make_room(out, MRY_NUMBER_ROOM);
    if (to) out->used += mry_number_write(to, value, decimals);
}

/* In quotes; `text` is UTF-8. */
static void put_string(json *out, const char *text)
{
    enum { LONGEST_ESCAPE = 7 };
    put(out, "\"");
    for (const char *p = text; *p; p++) {
        char *to = make_room(out, LONGEST_ESCAPE);
        if (!to) return;
        if ((unsigned char)*p < 0x20) {
            out->used += (size_t)snprintf(to, LONGEST_ESCAPE, "\\u%04x", (unsigned)*p);
            continue;
        }
        if (*p == '"' || *p == '\\') *to++ = '\\', out->used++;
        *to = *p;
        out->used++;
    }
    put(out, "\"");
}

static void put_comma(json *out, int index)
{
    if (index) put(out, ",");
}

/* ---- what it is ------------------------------------------------------------------------------- */

static void put_marks(json *out, const marey_clip *clip)
{
    put(out, ",\"marks\":[");
    for (int i = 0; i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        put_comma(out, i);
        print(out, "{\"kind\":\"%s\",\"start\":%d,\"end\":%d}", marey_mark_name(mark->kind),
              mark->start, mark->end);
    }
    put(out, "]");
}

static void put_asset(json *out, const mry_gltf_plan *plan)
{
    const marey_clip *clip = plan->clip;
    print(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"marey %s\"", marey_version());
    put(out, ",\"extras\":{\"marey\":{\"clip\":");
    put_string(out, plan->clip_name);
    print(out, ",\"frames\":%d,\"fps\":", clip->frames);
    put_number(out, clip->fps, 6);
    put(out, ",\"source_format\":");
    put_string(out, plan->format);
    if (clip->mark_count) put_marks(out, clip);
    if (plan->provenance) {
        put(out, ",\"provenance\":");
        put(out, plan->provenance);
    }
    put(out, "}}}");
}

/* ---- the skeleton ----------------------------------------------------------------------------- */

/* A joint's first child and its next sibling, -1 for none: 2 numbers a joint. */
static int *find_children(const marey_clip *clip, mry_arena *tmp)
{
    int count = clip->skeleton.joint_count;
    int *links = MRY_NEW_RAW(tmp, int, 2 * (size_t)count);
    if (!links) return NULL;
    for (int i = 0; i < 2 * count; i++) links[i] = -1;
    for (int j = count - 1; j > 0; j--) { /* backwards, so that children stay in order */
        int parent = clip->joints[j].parent;
        links[2 * j + 1] = links[2 * parent];
        links[2 * parent] = j;
    }
    return links;
}

static void put_joint(json *out, const mry_gltf_plan *plan, const int *links, int j)
{
    const double *rest = plan->rest_cm + 3 * j;
    put(out, "{\"name\":");
    put_string(out, plan->names[j]);
    if (rest[0] != 0 || rest[1] != 0 || rest[2] != 0) {
        put(out, ",\"translation\":[");
        for (int i = 0; i < 3; i++) {
            char *to = make_room(out, MRY_NUMBER_ROOM + 1);
            if (!to) return;
            if (i) *to++ = ',', out->used++;
            out->used += mry_number_write_rounded(to, rest[i] * mry_gltf_metre, DECIMALS);
        }
        put(out, "]");
    }
    for (int child = links[2 * j]; child >= 0; child = links[2 * child + 1]) {
        print(out, "%s%d", child == links[2 * j] ? ",\"children\":[" : ",", child);
    }
    put(out, links[2 * j] >= 0 ? "]}," : "},");
}

/* The joints are the first nodes, so that joint and node have one number. The mesh hangs beside them: a
   skin ignores the place of the node that wears it, and readers complain where it has one. */
static void put_nodes(json *out, const mry_gltf_plan *plan)
{
    int joints = plan->clip->skeleton.joint_count;
    const int *links = find_children(plan->clip, out->tmp);
    out->failed |= !links;
    if (!links) return;
    put(out, ",\"scene\":0,\"scenes\":[{\"name\":");
    put_string(out, plan->clip_name);
    print(out, ",\"nodes\":[0,%d]}],\"nodes\":[", joints);
    for (int j = 0; j < joints; j++) put_joint(out, plan, links, j);
    put(out, "{\"name\":");
    put_string(out, plan->names[joints]);
    print(out,
          ",\"mesh\":0,\"skin\":0}],\"skins\":[{\"inverseBindMatrices\":%d,\"skeleton\":0,"
          "\"joints\":[",
          BIND);
    for (int j = 0; j < joints; j++) print(out, j ? ",%d" : "%d", j);
    put(out, "]}]");
}

static void put_mesh(json *out)
{
    print(out,
          ",\"meshes\":[{\"name\":\"bones\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,"
          "\"NORMAL\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"material\":0}]}]",
          POSITION, NORMAL, COLOUR, JOINTS, WEIGHTS);
    put(out, ",\"materials\":[{\"name\":\"bone\",\"pbrMetallicRoughness\":{\"baseColorFactor\":"
             "[1,1,1,1],\"metallicFactor\":0,\"roughnessFactor\":0.7}}]");
}

/* ---- the animation ---------------------------------------------------------------------------- */

static int times_accessor(const mry_gltf_plan *plan, const mry_gltf_track *track)
{
    bool is_whole = track->keys == plan->clip->frames;
    return FIXED_ACCESSORS + (!is_whole && plan->uses_times);
}

static void put_animation(json *out, const mry_gltf_plan *plan)
{
    int first = FIXED_ACCESSORS + plan->uses_times + plan->uses_ends;
    put(out, ",\"animations\":[{\"name\":");
    put_string(out, plan->clip_name);
    put(out, ",\"channels\":[");
    for (int t = 0; t < plan->track_count; t++) {
        put_comma(out, t);
        print(out, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}", t,
              plan->tracks[t].joint, plan->tracks[t].is_place ? "translation" : "rotation");
    }
    put(out, "],\"samplers\":[");
    for (int t = 0; t < plan->track_count; t++) {
        put_comma(out, t);
        print(out, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}",
              times_accessor(plan, &plan->tracks[t]), first + t);
    }
    put(out, "]}]");
}

/* ---- where the numbers lie -------------------------------------------------------------------- */

static void put_bounds(json *out, const char *name, const float *values, int count)
{
    print(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++) {
        put_comma(out, i);
        put_number(out, (double)values[i], DECIMALS); /* exactly: it must equal the binary one */
    }
    put(out, "]");
}

static void put_accessor(json *out, int view, int type, int64_t count, const char *shape)
{
    print(out, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%" PRId64 ",\"type\":\"%s\"",
          view, type, count, shape);
}

static void put_fixed_accessors(json *out, const mry_gltf_plan *plan)
{
    const mry_gltf_mesh *mesh = &plan->mesh;
    put_accessor(out, POSITION, FLOAT, mesh->vertices, "VEC3");
    put_bounds(out, "min", mesh->low, 3);
    put_bounds(out, "max", mesh->high, 3);
    put(out, "},");
    put_accessor(out, NORMAL, FLOAT, mesh->vertices, "VEC3");
    put(out, "},");
    put_accessor(out, COLOUR, BYTE, mesh->vertices, "VEC4");
    put(out, ",\"normalized\":true},");
    put_accessor(out, JOINTS, SHORT, mesh->vertices, "VEC4");
    put(out, "},");
    put_accessor(out, WEIGHTS, FLOAT, mesh->vertices, "VEC4");
    put(out, "},");
    put_accessor(out, BIND, FLOAT, plan->clip->skeleton.joint_count, "MAT4");
    put(out, "}");
}

static void put_times(json *out, const mry_gltf_plan *plan, int keys, uint64_t offset)
{
    float low = 0, high = (float)((plan->clip->frames - 1) / plan->clip->fps);
    put(out, ",");
    put_accessor(out, ANIMATION, FLOAT, keys, "SCALAR");
    print(out, ",\"byteOffset\":%" PRIu64, offset);
    put_bounds(out, "min", &low, 1);
    put_bounds(out, "max", &high, 1);
    put(out, "}");
}

/* Returns the bytes of the animation's buffer view. */
static uint64_t put_accessors(json *out, const mry_gltf_plan *plan)
{
    uint64_t offset = 0;
    put(out, ",\"accessors\":[");
    put_fixed_accessors(out, plan);
    if (plan->uses_times) {
        put_times(out, plan, plan->clip->frames, offset);
        offset += (uint64_t)plan->clip->frames * MRY_GLTF_TIME_BYTES;
    }
    if (plan->uses_ends) {
        put_times(out, plan, 2, offset);
        offset += MRY_GLTF_ENDS_BYTES;
    }
    for (int t = 0; t < plan->track_count; t++) {
        const mry_gltf_track *track = &plan->tracks[t];
        put(out, ",");
        put_accessor(out, ANIMATION, FLOAT, track->keys, track->is_place ? "VEC3" : "VEC4");
        print(out, ",\"byteOffset\":%" PRIu64 "}", offset);
        offset += mry_gltf_track_bytes(track);
    }
    put(out, "]");
    return offset;
}

/* Returns the bytes of the whole buffer. Every piece is a multiple of four bytes, so all are aligned. */
static uint64_t put_views(json *out, const mry_gltf_plan *plan, uint64_t animation_bytes)
{
    uint64_t vertices = (uint64_t)plan->mesh.vertices, offset = 0;
    uint64_t joints = (uint64_t)plan->clip->skeleton.joint_count;
    uint64_t bytes[] = { [POSITION] = vertices * MRY_GLTF_POSITION_BYTES,
                         [NORMAL] = vertices * MRY_GLTF_NORMAL_BYTES,
                         [COLOUR] = vertices * MRY_GLTF_COLOUR_BYTES,
                         [JOINTS] = vertices * MRY_GLTF_JOINTS_BYTES,
                         [WEIGHTS] = vertices * MRY_GLTF_WEIGHTS_BYTES,
                         [BIND] = joints * MRY_GLTF_MATRIX_BYTES,
                         [ANIMATION] = animation_bytes };
    put(out, ",\"bufferViews\":[");
    for (int i = 0; i <= ANIMATION; i++) {
        put_comma(out, i);
        print(out, "{\"buffer\":0,\"byteOffset\":%" PRIu64 ",\"byteLength\":%" PRIu64, offset,
              bytes[i]);
        if (i <= WEIGHTS) print(out, ",\"target\":%d", VERTICES);
        put(out, "}");
        offset += bytes[i];
    }
    print(out, "],\"buffers\":[{\"byteLength\":%" PRIu64 "}]}", offset);
    return offset;
}

char *mry_gltf_json(const mry_gltf_plan *plan, mry_arena *tmp, size_t *length, uint64_t *bin_bytes)
{
    json out = { .tmp = tmp };
    put_asset(&out, plan);
    put_nodes(&out, plan);
    put_mesh(&out);
    put_animation(&out, plan);
    *bin_bytes = put_views(&out, plan, put_accessors(&out, plan));
    while (!out.failed && out.used % 4) put(&out, " ");
    *length = out.used;
    return out.failed ? NULL : out.text;
}
