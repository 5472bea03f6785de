/* fbx_write.c - a clip becomes a binary FBX file, version 7.4: a limb node for every joint, a bind pose,
   and one animation with the clip's frames as keys. Centimetres, y up, right-handed.

   The format is not published; this follows what Blender's notes on it say (A. Barton, "FBX binary file
   format specification", 2013) and what other programs write. A file is a tree of records

       end, properties, their bytes   3 x 4 bytes; the end is counted from the beginning of the file
       name                           1 byte of length, then that
       properties                     a letter for the type, then the value
       records inside, and 13 zeros   if there are any inside

   Since a record begins with where it ends, the tree is gone through twice by the same functions: first
   to count, then to write. */
#include "base/fail.h"
#include "base/file.h"
#include "base/grow.h"
#include "io/format.h"
#include "io/joint_names.h"
#include "math/euler.h"
#include "math/quat.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <zlib.h>

enum { VERSION = 7400, DEEPEST = 8, NULL_RECORD = 13, PACK_FROM = 16 };

/* Of FBX's clock, in a second. */
static const double ticks_per_second = 46186158000;

/* Programs compare these with the time in the file by rules that are not known, so all three stay
   together: they are the ones of the time below (as Blender writes them). */
static const char creation_time[] = "1970-01-01 10:00:00:000";
static const uint8_t file_id[] = { 0x28, 0xb3, 0x2a, 0xeb, 0xb6, 0x24, 0xcc, 0xc2,
                                   0xbf, 0xc8, 0xb0, 0x2a, 0xa9, 0x2b, 0xfc, 0xf1 };
static const uint8_t foot_id[] = { 0xfa, 0xbc, 0xab, 0x09, 0xd0, 0xc8, 0xd4, 0x66,
                                   0xb1, 0x76, 0xfb, 0x83, 0x1c, 0xf7, 0x26, 0x7e };
static const uint8_t foot_magic[] = { 0xf8, 0x5a, 0x8c, 0x6a, 0xde, 0xf5, 0xd9, 0x7e,
                                      0xec, 0xe9, 0x0c, 0xe3, 0x75, 0x8f, 0x29, 0x0b };

/* Numbers of objects: a kind and an index. */
typedef enum kind { SCENE = 1, STACK, LAYER, POSE, MODEL, ATTRIBUTE, CURVE_NODE, CURVE } kind;

static int64_t id_of(kind what, int64_t index)
{
    return (int64_t)what * 1000000000 + index;
}

/* What moves, or is held elsewhere than at rest: a joint's place or its rotation. */
typedef struct track {
    int joint;
    bool is_place;
    int keys; /* all frames; 2 for a track that never changes; 1 for a clip of one frame */
} track;

typedef struct record {
    uint64_t end;
    uint32_t properties, property_bytes;
} record;

typedef struct fbx {
    const marey_clip *clip;
    const char *const *names;
    const char *clip_name, *provenance;
    double *rest_cm, *rest_world_cm; /* of each joint, from its parent and from the origin */
    track *tracks;
    int track_count;
    int64_t last_tick;
    struct {
        const uint8_t *bytes;
        uint32_t count;
        bool packed;
    } ends, all;   /* times of the keys of a track that never changes, and of one that does */
    float *values; /* of a track: 3 x keys */
    mry_arena *tmp;
    mry_writer *out; /* NULL: it is counted */
    bool failed;     /* out of memory while counting */
    uint64_t at;     /* bytes so far */
    record *records; /* in the order in which they begin */
    int count, room, next;
    struct {
        int record;
        uint64_t start; /* of its properties */
        bool has_inside;
    } open[DEEPEST];
    int depth;
} fbx;

/* ---- records --------------------------------------------------------------------------------- */

static void put(fbx *f, const void *bytes, size_t count)
{
    if (f->out) mry_writer_bytes(f->out, bytes, count);
    f->at += count;
}

static void put_number(fbx *f, uint64_t value, int size)
{
    uint8_t bytes[8]; /* lowest first on every machine */
    for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> 8 * i);
    put(f, bytes, (size_t)size);
}

static void put_double(fbx *f, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(f, bits, 8);
}

static record *top(fbx *f)
{
    return f->failed ? NULL : &f->records[f->open[f->depth - 1].record];
}

/* No more properties: what follows is inside. */
static void close_properties(fbx *f)
{
    if (f->depth == 0 || f->open[f->depth - 1].has_inside || !top(f)) return;
    top(f)->property_bytes = (uint32_t)(f->at - f->open[f->depth - 1].start);
    f->open[f->depth - 1].has_inside = true;
}

/* Properties by their types: I, L, D, F: a number; S: text; N: two texts, a name and its class; R: 16
   raw bytes. */
static void put_properties(fbx *f, const char *types, va_list values)
{
    for (const char *t = types; *t; t++) {
        const char *text, *class;
        put(f, *t == 'N' ? "S" : t, 1);
        if (*t == 'I') put_number(f, (uint64_t)va_arg(values, int), 4);
        if (*t == 'L') put_number(f, (uint64_t)va_arg(values, int64_t), 8);
        if (*t == 'D') put_double(f, va_arg(values, double));
        if (*t == 'R') {
            put_number(f, sizeof file_id, 4);
            put(f, va_arg(values, const void *), sizeof file_id);
        }
        if (*t == 'S' || *t == 'N') {
            text = va_arg(values, const char *);
            class = *t == 'N' ? va_arg(values, const char *) : NULL;
            put_number(f, strlen(text) + (class ? 2 + strlen(class) : 0), 4);
            put(f, text, strlen(text));
            if (class) put(f, "\0\1", 2);
            if (class) put(f, class, strlen(class));
        }
        if (top(f) && !f->out) top(f)->properties++;
    }
}

static void begin_with(fbx *f, const char *name, const char *types, va_list values)
{
    int number = f->next++;
    close_properties(f);
    if (!f->out) {
        f->failed = f->failed ||
                    !mry_grow_in(f->tmp, &f->records, &f->room, f->count + 1, sizeof *f->records);
        if (!f->failed) f->records[f->count++] = (record){ 0 };
    }
    record one = f->failed ? (record){ 0 } : f->records[number];
    put_number(f, one.end, 4);
    put_number(f, one.properties, 4);
    put_number(f, one.property_bytes, 4);
    put_number(f, strlen(name), 1);
    put(f, name, strlen(name));
    f->open[f->depth].record = number;
    f->open[f->depth].has_inside = false;
    f->open[f->depth++].start = f->at;
    put_properties(f, types, values);
}

static void begin(fbx *f, const char *name, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    begin_with(f, name, types, values);
    va_end(values);
}

static void end(fbx *f)
{
    static const uint8_t zeros[NULL_RECORD];
    /* One without properties ends as if something were inside. */
    bool marked = f->open[f->depth - 1].has_inside || f->at == f->open[f->depth - 1].start;
    close_properties(f);
    if (marked) put(f, zeros, sizeof zeros);
    if (top(f)) top(f)->end = f->at;
    f->depth--;
}

/* A record with nothing inside. */
static void leaf(fbx *f, const char *name, const char *types, ...)
{
    va_list values;
    va_start(values, types);
    begin_with(f, name, types, values);
    va_end(values);
    end(f);
}

/* A record with one array: of 'd', 'l', 'f' or 'i'. Packed ones are in zlib's format. */
static void array(fbx *f, const char *name, char type, const void *data, uint32_t items,
                  uint32_t bytes, bool packed)
{
    begin(f, name, "");
    put(f, &type, 1);
    put_number(f, items, 4);
    put_number(f, packed, 4);
    put_number(f, bytes, 4);
    put(f, data, bytes);
    if (top(f) && !f->out) top(f)->properties++;
    end(f);
}

/* A row of a Properties70: name, type, a second type, flags, and values by their types. */
static void row(fbx *f, const char *name, const char *type, const char *label, const char *flags,
                const char *types, ...)
{
    va_list values;
    begin(f, "P", "SSSS", name, type, label, flags);
    va_start(values, types);
    put_properties(f, types, values);
    va_end(values);
    end(f);
}

static void row_vector(fbx *f, const char *name, const double *v)
{
    row(f, name, name, "", "A", "DDD", v[0], v[1], v[2]);
}

/* ---- what is before the objects -------------------------------------------------------------- */

static void put_header(fbx *f)
{
    begin(f, "FBXHeaderExtension", "");
    leaf(f, "FBXHeaderVersion", "I", 1003);
    leaf(f, "FBXVersion", "I", VERSION);
    leaf(f, "EncryptionType", "I", 0);
    begin(f, "CreationTimeStamp", "");
    static const char *const parts[] = { "Version", "Year",   "Month",  "Day",
                                         "Hour",    "Minute", "Second", "Millisecond" };
    static const int moment[] = { 1000, 1970, 1, 1, 10, 0, 0, 0 };
    for (int i = 0; i < 8; i++) leaf(f, parts[i], "I", moment[i]);
    end(f);
    leaf(f, "Creator", "S", "marey");
    begin(f, "SceneInfo", "NS", "GlobalInfo", "SceneInfo", "UserData");
    leaf(f, "Type", "S", "UserData");
    leaf(f, "Version", "I", 100);
    begin(f, "MetaData", "");
    leaf(f, "Version", "I", 100);
    leaf(f, "Title", "S", f->clip_name);
    leaf(f, "Subject", "S", "");
    leaf(f, "Author", "S", "");
    leaf(f, "Keywords", "S", "");
    leaf(f, "Revision", "S", "");
    leaf(f, "Comment", "S", f->provenance ? f->provenance : "");
    end(f);
    begin(f, "Properties70", "");
    row(f, "DocumentUrl", "KString", "Url", "", "S", "");
    row(f, "SrcDocumentUrl", "KString", "Url", "", "S", "");
    row(f, "Original", "Compound", "", "", "");
    row(f, "Original|ApplicationName", "KString", "", "", "S", "marey");
    row(f, "LastSaved", "Compound", "", "", "");
    row(f, "LastSaved|ApplicationName", "KString", "", "", "S", "marey");
    end(f);
    end(f);
    end(f);
    leaf(f, "FileId", "R", file_id);
    leaf(f, "CreationTime", "S", creation_time);
    leaf(f, "Creator", "S", "marey");
}

/* The number that FBX has for a rate; 14: another one. */
static int time_mode(double fps)
{
    static const struct {
        double fps;
        int mode;
    } rates[] = { { 120, 1 }, { 100, 2 }, { 60, 3 },    { 50, 4 },  { 48, 5 }, { 30, 6 },
                  { 25, 10 }, { 24, 11 }, { 1000, 12 }, { 96, 15 }, { 72, 16 } };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (fabs(fps - rates[i].fps) < 1e-6 * fps) return rates[i].mode;
    return 14;
}

static void put_settings(fbx *f)
{
    static const struct {
        const char *name;
        int value;
    } axes[] = { { "UpAxis", 1 },         { "UpAxisSign", 1 },        { "FrontAxis", 2 },
                 { "FrontAxisSign", 1 },  { "CoordAxis", 0 },         { "CoordAxisSign", 1 },
                 { "OriginalUpAxis", 1 }, { "OriginalUpAxisSign", 1 } };
    begin(f, "GlobalSettings", "");
    leaf(f, "Version", "I", 1000);
    begin(f, "Properties70", "");
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        row(f, axes[i].name, "int", "Integer", "", "I", axes[i].value);
    row(f, "UnitScaleFactor", "double", "Number", "", "D", 1.0); /* centimetres */
    row(f, "OriginalUnitScaleFactor", "double", "Number", "", "D", 1.0);
    row(f, "AmbientColor", "ColorRGB", "Color", "", "DDD", 0.0, 0.0, 0.0);
    row(f, "DefaultCamera", "KString", "", "", "S", "Producer Perspective");
    row(f, "TimeMode", "enum", "", "", "I", time_mode(f->clip->fps));
    row(f, "TimeSpanStart", "KTime", "Time", "", "L", (int64_t)0);
    row(f, "TimeSpanStop", "KTime", "Time", "", "L", f->last_tick);
    row(f, "CustomFrameRate", "double", "Number", "", "D", f->clip->fps);
    end(f);
    end(f);
    begin(f, "Documents", "");
    leaf(f, "Count", "I", 1);
    begin(f, "Document", "LSS", id_of(SCENE, 0), "Scene", "Scene");
    begin(f, "Properties70", "");
    row(f, "SourceObject", "object", "", "", "");
    row(f, "ActiveAnimStackName", "KString", "", "", "S", f->clip_name);
    end(f);
    leaf(f, "RootNode", "L", (int64_t)0);
    end(f);
    end(f);
    leaf(f, "References", "");
    int joints = f->clip->skeleton.joint_count;
    const struct {
        const char *name;
        int count;
    } types[] = { { "GlobalSettings", 1 },
                  { "AnimationStack", 1 },
                  { "AnimationLayer", 1 },
                  { "NodeAttribute", joints },
                  { "Model", joints },
                  { "Pose", 1 },
                  { "AnimationCurveNode", f->track_count },
                  { "AnimationCurve", 3 * f->track_count } };
    int all = 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) all += types[i].count;
    begin(f, "Definitions", "");
    leaf(f, "Version", "I", 100);
    leaf(f, "Count", "I", all);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        begin(f, "ObjectType", "S", types[i].name);
        leaf(f, "Count", "I", types[i].count);
        end(f);
    }
    end(f);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void put_skeleton(fbx *f)
{
    static const double ones[3] = { 1, 1, 1 }, zeros[3] = { 0 };
    int joints = f->clip->skeleton.joint_count;
    for (int j = 0; j < joints; j++) {
        begin(f, "NodeAttribute", "LNS", id_of(ATTRIBUTE, j), f->names[j], "NodeAttribute",
              "LimbNode");
        leaf(f, "TypeFlags", "S", "Skeleton");
        end(f);
    }
    for (int j = 0; j < joints; j++) {
        begin(f, "Model", "LNS", id_of(MODEL, j), f->names[j], "Model", "LimbNode");
        leaf(f, "Version", "I", 232);
        begin(f, "Properties70", "");
        row(f, "RotationActive", "bool", "", "", "I", 1);
        row(f, "InheritType", "enum", "", "", "I", 1);
        row(f, "DefaultAttributeIndex", "int", "Integer", "", "I", 0);
        row_vector(f, "Lcl Translation", f->rest_cm + 3 * j);
        row_vector(f, "Lcl Rotation", zeros);
        row_vector(f, "Lcl Scaling", ones);
        end(f);
        leaf(f, "Culling", "S", "CullingOff");
        end(f);
    }
    begin(f, "Pose", "LNS", id_of(POSE, 0), f->clip_name, "Pose", "BindPose");
    leaf(f, "Type", "S", "BindPose");
    leaf(f, "Version", "I", 100);
    leaf(f, "NbPoseNodes", "I", joints);
    for (int j = 0; j < joints; j++) {
        /* The rest pose has no rotations. Columns one after the other. */
        double matrix[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
        memcpy(matrix + 12, f->rest_world_cm + 3 * j, 3 * sizeof *matrix);
        begin(f, "PoseNode", "");
        leaf(f, "Node", "L", id_of(MODEL, j));
        array(f, "Matrix", 'd', matrix, 16, sizeof matrix, false);
        end(f);
    }
    end(f);
}

/* The values of a track: x, y and z one after the other. Angles are those of x, then y, then z about
   axes that stand still (FBX's XYZ), each near the one of the frame before. */
static void find_values(const fbx *f, const track *of, double *first)
{
    static const int axes[3] = { 2, 1, 0 };
    const marey_clip *clip = f->clip;
    double near[3] = { 0 };
    for (int k = 0; k < of->keys; k++) {
        double v[3], degrees[3];
        if (of->is_place) {
            memcpy(v, mry_place(clip, k) + 3 * clip->slot[of->joint], sizeof v);
        } else {
            mry_euler_from_quat(axes, 3, mry_turn(clip, k) + 4 * (size_t)of->joint, near, degrees);
            memcpy(near, degrees, sizeof near);
            for (int i = 0; i < 3; i++) v[i] = degrees[2 - i];
        }
        if (k == 0) memcpy(first, v, sizeof v);
        for (int i = 0; i < 3; i++)
            f->values[(size_t)i * (size_t)of->keys + (size_t)k] = (float)v[i];
    }
}

static marey_status put_animation(fbx *f)
{
    enum { LINEAR = 4 };
    const double zeros[3] = { 0 };
    const char *const axes[3] = { "d|X", "d|Y", "d|Z" };
    begin(f, "AnimationStack", "LNS", id_of(STACK, 0), f->clip_name, "AnimStack", "");
    begin(f, "Properties70", "");
    row(f, "LocalStop", "KTime", "Time", "", "L", f->last_tick);
    row(f, "ReferenceStop", "KTime", "Time", "", "L", f->last_tick);
    end(f);
    end(f);
    begin(f, "AnimationLayer", "LNS", id_of(LAYER, 0), "BaseLayer", "AnimLayer", "");
    begin(f, "Properties70", "");
    row(f, "Weight", "Number", "", "A", "D", 100.0);
    end(f);
    end(f);
    for (int t = 0; t < f->track_count; t++) {
        const track *of = &f->tracks[t];
        double first[3] = { 0 };
        if (f->out && mry_writer_failed(f->out)) return MAREY_OK;
        if (f->out && !mry_progress(f->clip->mem.ctx, "writing", t, f->track_count))
            return MAREY_ERR_CANCELLED;
        if (f->out) find_values(f, of, first);
        const double *shown = f->out ? first : zeros;
        begin(f, "AnimationCurveNode", "LNS", id_of(CURVE_NODE, t), of->is_place ? "T" : "R",
              "AnimCurveNode", "");
        begin(f, "Properties70", "");
        for (int i = 0; i < 3; i++) row(f, axes[i], "Number", "", "A", "D", shown[i]);
        end(f);
        end(f);
        bool all = of->keys == f->clip->frames;
        uint32_t keys = (uint32_t)of->keys;
        for (int i = 0; i < 3; i++) {
            begin(f, "AnimationCurve", "LNS", id_of(CURVE, 3 * (int64_t)t + i), "", "AnimCurve",
                  "");
            leaf(f, "Default", "D", shown[i]);
            leaf(f, "KeyVer", "I", 4008);
            if (all) array(f, "KeyTime", 'l', f->all.bytes, keys, f->all.count, f->all.packed);
            if (!all) array(f, "KeyTime", 'l', f->ends.bytes, keys, f->ends.count, false);
            array(f, "KeyValueFloat", 'f', f->values + (size_t)i * keys, keys, 4 * keys, false);
            array(f, "KeyAttrFlags", 'i', &(int32_t){ LINEAR }, 1, 4, false);
            array(f, "KeyAttrDataFloat", 'f', (float[4]){ 0 }, 4, 16, false);
            array(f, "KeyAttrRefCount", 'i', &keys, 1, 4, false);
            end(f);
        }
    }
    return MAREY_OK;
}

static void put_connections(fbx *f)
{
    const char *const axes[3] = { "d|X", "d|Y", "d|Z" };
    begin(f, "Connections", "");
    for (int j = 0; j < f->clip->skeleton.joint_count; j++) {
        int parent = f->clip->joints[j].parent;
        leaf(f, "C", "SLL", "OO", id_of(MODEL, j), parent < 0 ? 0 : id_of(MODEL, parent));
        leaf(f, "C", "SLL", "OO", id_of(ATTRIBUTE, j), id_of(MODEL, j));
    }
    leaf(f, "C", "SLL", "OO", id_of(LAYER, 0), id_of(STACK, 0));
    for (int t = 0; t < f->track_count; t++) {
        leaf(f, "C", "SLL", "OO", id_of(CURVE_NODE, t), id_of(LAYER, 0));
        leaf(f, "C", "SLLS", "OP", id_of(CURVE_NODE, t), id_of(MODEL, f->tracks[t].joint),
             f->tracks[t].is_place ? "Lcl Translation" : "Lcl Rotation");
        for (int i = 0; i < 3; i++)
            leaf(f, "C", "SLLS", "OP", id_of(CURVE, 3 * (int64_t)t + i), id_of(CURVE_NODE, t),
                 axes[i]);
    }
    end(f);
    begin(f, "Takes", "");
    leaf(f, "Current", "S", f->clip_name);
    begin(f, "Take", "S", f->clip_name);
    leaf(f, "FileName", "S", "take.tak");
    leaf(f, "LocalTime", "LL", (int64_t)0, f->last_tick);
    leaf(f, "ReferenceTime", "LL", (int64_t)0, f->last_tick);
    end(f);
    end(f);
}

static marey_status put_file(fbx *f)
{
    static const uint8_t zeros[120];
    f->at = 0;
    f->next = f->depth = 0;
    put(f, "Kaydara FBX Binary  \0\x1a\0", 23);
    put_number(f, VERSION, 4);
    put_header(f);
    put_settings(f);
    begin(f, "Objects", "");
    put_skeleton(f);
    marey_status status = put_animation(f);
    if (status) return status;
    end(f);
    put_connections(f);
    put(f, zeros, NULL_RECORD);
    put(f, foot_id, sizeof foot_id);
    put(f, zeros, 4);
    put(f, zeros, 16 - f->at % 16); /* 1 to 16 of them */
    put_number(f, VERSION, 4);
    put(f, zeros, sizeof zeros);
    put(f, foot_magic, sizeof foot_magic);
    return f->failed ? MAREY_ERR_MEMORY : MAREY_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Which joints have tracks, and where they rest: as in glTF, a joint that is held elsewhere than at its
   offset throughout rests where it is held; the root rests at its offset. False when out of memory. */
static bool find_tracks(fbx *f)
{
    const marey_clip *clip = f->clip;
    int joints = clip->skeleton.joint_count;
    bool *turns = MRY_NEW(f->tmp, bool, joints); /* which change in the course of the clip */
    bool *places = MRY_NEW(f->tmp, bool, clip->mover_count);
    f->rest_cm = MRY_NEW(f->tmp, double, 3 * joints);
    f->rest_world_cm = MRY_NEW(f->tmp, double, 3 * joints);
    f->tracks = MRY_NEW(f->tmp, track, 2 * joints);
    if (!turns || !places || !f->rest_cm || !f->rest_world_cm || !f->tracks) return false;
    for (int k = 1; k < clip->frames; k++) { /* as the tracks lie in memory */
        const float *q = mry_turn(clip, k), *first_q = mry_turn(clip, 0);
        const double *p = mry_place(clip, k), *first_p = mry_place(clip, 0);
        for (int i = 0; i < 4 * joints; i++) turns[i / 4] |= q[i] != first_q[i];
        for (int i = 0; i < 3 * clip->mover_count; i++) places[i / 3] |= p[i] != first_p[i];
    }
    int still = clip->frames < 2 ? clip->frames : 2;
    for (int j = 0; j < joints; j++) {
        const marey_joint *joint = &clip->joints[j];
        const float *turn = mry_turn(clip, 0) + 4 * (size_t)j;
        int slot = clip->slot[j];
        bool moves = slot >= 0 && places[slot];
        const double *rest =
            j && slot >= 0 && !moves ? mry_place(clip, 0) + 3 * slot : joint->offset_cm;
        for (int i = 0; i < 3; i++) {
            f->rest_cm[3 * j + i] = rest[i];
            f->rest_world_cm[3 * j + i] =
                rest[i] + (j ? f->rest_world_cm[3 * joint->parent + i] : 0);
        }
        if (j == 0 || moves)
            f->tracks[f->track_count++] = (track){ j, true, moves ? clip->frames : still };
        if (turns[j] || fabsf(turn[0]) != 1)
            f->tracks[f->track_count++] = (track){ j, false, turns[j] ? clip->frames : still };
    }
    return true;
}

static void *take(void *arena, unsigned int count, unsigned int size)
{
    return mry_arena_take(arena, count, size);
}

static void leave(void *arena, void *piece) /* the arena is freed as a whole */
{
    (void)arena;
    (void)piece;
}

/* The times of keys: at both ends, and of all frames; the latter packed, once for all curves. False
   when out of memory. */
static bool find_times(fbx *f)
{
    size_t frames = (size_t)f->clip->frames, bytes = 8 * frames;
    uint8_t *ends = MRY_NEW(f->tmp, uint8_t, 16), *all = MRY_NEW_RAW(f->tmp, uint8_t, bytes);
    uint8_t *packed = MRY_NEW_RAW(f->tmp, uint8_t, bytes);
    f->values = MRY_NEW_RAW(f->tmp, float, 3 * (frames < 2 ? 2 : frames));
    if (!ends || !all || !packed || !f->values) return false;
    for (size_t k = 0; k < frames; k++) {
        f->last_tick = llround((double)k * (ticks_per_second / f->clip->fps));
        for (int i = 0; i < 8; i++) all[8 * k + (size_t)i] = (uint8_t)(f->last_tick >> 8 * i);
    }
    memcpy(ends + 8, all + bytes - 8, 8);
    f->ends.bytes = ends;
    f->ends.count = 16;
    f->all.bytes = all;
    f->all.count = (uint32_t)bytes;
    if (frames < PACK_FROM || bytes > UINT32_MAX / 4) return true;
    z_stream stream = { .zalloc = take,
                        .zfree = leave,
                        .opaque = f->tmp,
                        .next_in = all,
                        .avail_in = (uInt)bytes,
                        .next_out = packed,
                        .avail_out = (uInt)bytes };
    if (deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK) return false;
    if (deflate(&stream, Z_FINISH) == Z_STREAM_END) {
        f->all.bytes = packed;
        f->all.count = (uint32_t)stream.total_out;
        f->all.packed = true;
    }
    deflateEnd(&stream);
    return true;
}

marey_status mry_fbx_write(const marey_clip *clip, const char *path, const char *provenance,
                           marey_error *error)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_writer out;
    fbx f = { .clip = clip,
              .names = mry_joint_names(clip, clip->name, &tmp),
              .clip_name = mry_text_utf8(&tmp, clip->name),
              .provenance = provenance,
              .tmp = &tmp };
    bool fits = f.names && f.clip_name && find_tracks(&f) && find_times(&f);
    marey_status status = fits && !put_file(&f) ? MAREY_OK : mry_fail_memory(error, path);
    if (!status && f.at > UINT32_MAX)
        status = mry_fail(error, MAREY_ERR_LIMIT, path,
                          "as FBX the clip takes %.1f GB and a file of version 7.4 holds 4.2; trim "
                          "it or lower its rate",
                          (double)f.at * 1e-9);
    if (!status) status = mry_writer_open(&out, &tmp, path, f.at, error);
    if (!status) {
        f.out = &out;
        if (put_file(&f)) {
            mry_writer_abandon(&out);
            status = mry_fail_cancelled(error);
        } else {
            status = mry_writer_commit(&out, error);
        }
    }
    mry_arena_free(&tmp);
    return status;
}
