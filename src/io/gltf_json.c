/* gltf_json.c - the text of a .glb file. Numbers with a point go through number.h, so that a
   locale's decimal comma cannot get in; the print function is for whole numbers and names of fields
   alone. */
#include "base/bytes.h"
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

/* ---- pieces of text -------------------------------------------------------------------------- */

/* Once memory has run out it stays as it is; who made it looks at the end. */
typedef mry_bytes_writer json;

static void put(json *out, const char *text)
{
    mry_put_bytes(out, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void print(json *out, const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    int count = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    mry_put_bytes(out, text, (size_t)count);
}

static void put_number(json *out, double value, int decimals)
{
    char text[MRY_NUMBER_ROOM];
    mry_put_bytes(out, text, mry_number_write(text, value, decimals));
}

/* In quotes; `text` is UTF-8. */
static void put_string(json *out, const char *text)
{
    put(out, "\"");
    for (const char *p = text; *p; p++) {
        if ((unsigned char)*p < 0x20) {
            print(out, "\\u%04x", (unsigned)*p);
            continue;
        }
        if (*p == '"' || *p == '\\') put(out, "\\");
        mry_put_bytes(out, p, 1);
    }
    put(out, "\"");
}

static void put_comma(json *out, int index)
{
    if (index) put(out, ",");
}

/* The joints are the first nodes, so that joint and node have one number. The mesh hangs beside
   them: a skin ignores the place of the node that wears it, and readers complain where it has
   one. */
static void put_nodes(json *out, const mry_gltf_plan *plan)
{
    int joints = plan->clip->skeleton.joint_count;
    int *links =
        MRY_NEW_RAW(out->mem, int, 2 * (size_t)joints); /* first child, next sibling; -1: none */
    out->failed |= !links;
    if (!links) return;
    for (int i = 0; i < 2 * joints; i++) links[i] = -1;
    for (int j = joints - 1; j > 0; j--) { /* backwards, so that children stay in order */
        int parent = plan->clip->joints[j].parent;
        links[2 * j + 1] = links[2 * parent];
        links[2 * parent] = j;
    }
    put(out, ",\"scene\":0,\"scenes\":[{\"name\":");
    put_string(out, plan->clip_name);
    print(out, ",\"nodes\":[0,%d]}],\"nodes\":[", joints);
    for (int j = 0; j < joints; j++) {
        const double *rest = plan->rest_cm + 3 * j;
        put(out, "{\"name\":");
        put_string(out, plan->names[j]);
        if (rest[0] != 0 || rest[1] != 0 || rest[2] != 0) {
            put(out, ",\"translation\":[");
            for (int i = 0; i < 3; i++) {
                char text[MRY_NUMBER_ROOM];
                double metres = rest[i] * mry_gltf_metre;
                put_comma(out, i);
                mry_put_bytes(out, text, mry_number_write_rounded(text, metres, DECIMALS));
            }
            put(out, "]");
        }
        for (int child = links[2 * j]; child >= 0; child = links[2 * child + 1])
            print(out, "%s%d", child == links[2 * j] ? ",\"children\":[" : ",", child);
        put(out, links[2 * j] >= 0 ? "]}," : "},");
    }
    put(out, "{\"name\":");
    put_string(out, plan->names[joints]);
    print(out,
          ",\"mesh\":0,\"skin\":0}],\"skins\":[{\"inverseBindMatrices\":%d,\"skeleton\":0,"
          "\"joints\":[",
          BIND);
    for (int j = 0; j < joints; j++) print(out, j ? ",%d" : "%d", j);
    put(out, "]}]");
}

/* ---- where the numbers lie ------------------------------------------------------------------- */

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
    const mry_gltf_mesh *mesh = &plan->mesh;
    uint64_t offset = 0;
    put(out, ",\"accessors\":[");
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

/* Returns the bytes of the whole buffer. Every piece is a multiple of four bytes, so all are
   aligned. */
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
    json writer = { .mem = tmp }, *out = &writer;
    const marey_clip *clip = plan->clip;
    print(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"marey %s\"", marey_version());
    put(out, ",\"extras\":{\"marey\":{\"clip\":");
    put_string(out, plan->clip_name);
    print(out, ",\"frames\":%d,\"fps\":", clip->frames);
    put_number(out, clip->fps, 6);
    put(out, ",\"source_format\":");
    put_string(out, plan->format);
    for (int i = 0; i < clip->mark_count; i++) {
        const marey_mark *mark = &clip->marks[i];
        print(out, "%s{\"kind\":\"%s\",\"start\":%d,\"end\":%d}", i ? "," : ",\"marks\":[",
              marey_mark_name(mark->kind), mark->start, mark->end);
    }
    if (clip->mark_count) put(out, "]");
    if (plan->provenance) {
        put(out, ",\"provenance\":");
        put(out, plan->provenance);
    }
    put(out, "}}}");
    put_nodes(out, plan);
    print(out,
          ",\"meshes\":[{\"name\":\"bones\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,"
          "\"NORMAL\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"material\":0}]}]",
          POSITION, NORMAL, COLOUR, JOINTS, WEIGHTS);
    put(out, ",\"materials\":[{\"name\":\"bone\",\"pbrMetallicRoughness\":{\"baseColorFactor\":"
             "[1,1,1,1],\"metallicFactor\":0,\"roughnessFactor\":0.7}}]");
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
        bool is_whole = plan->tracks[t].keys == plan->clip->frames;
        int times = FIXED_ACCESSORS + (!is_whole && plan->uses_times);
        put_comma(out, t);
        print(out, "{\"input\":%d,\"output\":%d,\"interpolation\":\"LINEAR\"}", times, first + t);
    }
    put(out, "]}]");
    *bin_bytes = put_views(out, plan, put_accessors(out, plan));
    while (!out->failed && out->used % 4) put(out, " ");
    *length = out->used;
    return out->failed ? NULL : (char *)out->bytes;
}
