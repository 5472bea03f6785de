/* marey_fbx.c - the program marey-fbx: reads an FBX file from its standard input with assimp and writes
   what is in it to its standard output (io/fbx_answer.h).

   assimp reads bytes that anybody may have made, in C++, and has known faults. So it works in a process
   of its own that has no file open but its input, cannot open another one, and has limits of memory
   and time; whatever happens here, the program that asked goes on. */
#include "io/fbx_answer.h"
#include "io/scene.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_DEPTH = 4096 };

typedef struct node {
    const struct aiNode *from;
    int parent;
    double world[12];
    bool has_bind;
    double bind[12];
} node;

typedef struct tree {
    node *nodes;
    int count;
    int *by_name; /* the nodes, sorted */
} tree;

/* ---- limits ---------------------------------------------------------------------------------- */

/* Also the higher limit, up to which a process may raise its own; at that of time the system kills it
   and does not say why, so it is a second later. */
static void limit(int what, rlim_t most)
{
    struct rlimit now;
    rlim_t last = most + (what == RLIMIT_CPU);
    if (getrlimit(what, &now) != 0) return;
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > last) now.rlim_max = last;
    if (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most) now.rlim_cur = most;
    if (now.rlim_cur > now.rlim_max) now.rlim_cur = now.rlim_max;
    setrlimit(what, &now);
}

/* All of the input and a zero behind it, or NULL. */
static char *read_input(size_t *size)
{
    size_t room = 1 << 20, used = 0;
    char *bytes = malloc(room);
    while (bytes) {
        size_t got = fread(bytes + used, 1, room - used - 1, stdin);
        if (got == 0) break;
        used += got;
        if (used < room - 1) continue;
        char *more = realloc(bytes, room *= 2);
        if (!more) free(bytes);
        bytes = more;
    }
    if (bytes) bytes[used] = 0;
    *size = used;
    return bytes;
}

/* assimp drops keys that lie behind the end of their take, be it by the rounding of its time, and lets
   the last frame repeat the one before. So each end is put off a little, in the bytes: after the word
   "LocalStop" and two more comes a 64-bit number, or digits, which stay as many. */
static void put_ends_off(char *bytes, size_t size)
{
    enum { TICKS = 4618616 }; /* of 46,186,158,000 a second: 0.1 ms */
    static const char binary[] = "LocalStopS\5\0\0\0KTimeS\4\0\0\0TimeS\0\0\0\0L";
    static const char text[] = "\"LocalStop\", \"KTime\", \"Time\", \"\",";
    char *end = bytes + size, *at = bytes;
    while ((at = memmem(at, (size_t)(end - at), binary, sizeof binary - 1))) {
        int64_t stop;
        at += sizeof binary - 1;
        if ((size_t)(end - at) < sizeof stop) break;
        memcpy(&stop, at, sizeof stop);
        if (stop > 0 && stop < INT64_MAX - TICKS) stop += TICKS;
        memcpy(at, &stop, sizeof stop);
    }
    for (at = bytes; (at = memmem(at, (size_t)(end - at), text, sizeof text - 1));) {
        char digits[24];
        at += sizeof text - 1;
        size_t length = strspn(at, "0123456789"); /* a zero is behind the bytes */
        long long stop = length < 19 ? atoll(at) : 0;
        int written = snprintf(digits, sizeof digits, "%lld", stop + TICKS);
        if (stop > 0 && (size_t)written == length) memcpy(at, digits, length);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void put(const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, stdout);
}

static void put_int(int value)
{
    put(&value, sizeof value);
}

static void put_double(double value)
{
    put(&value, sizeof value);
}

static void put_text(const char *text)
{
    static const char zeros[4] = { 0 };
    size_t length = strlen(text);
    put_int((int)length);
    put(text, length);
    put(zeros, (4 - length % 4) % 4);
}

static int refuse(int how, const char *why)
{
    put_int(MRY_FBX_MAGIC);
    put_int(how);
    put_text(why);
    return fflush(stdout) != 0;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void rows_of(const struct aiMatrix4x4 *m, double *out)
{
    const float rows[12] = { m->a1, m->a2, m->a3, m->a4, m->b1, m->b2,
                             m->b3, m->b4, m->c1, m->c2, m->c3, m->c4 };
    for (int i = 0; i < 12; i++) out[i] = (double)rows[i];
}

static void multiply(const double *a, const double *b, double *out)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++)
            out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c];
        out[4 * r + 3] += a[4 * r + 3];
    }
}

static bool invert(const double *m, double *out)
{
    double minors[9], sum = 0;
    for (int r = 0; r < 3; r++) {
        int s = (r + 1) % 3, t = (r + 2) % 3;
        for (int c = 0; c < 3; c++) {
            int d = (c + 1) % 3, e = (c + 2) % 3;
            minors[3 * r + c] = m[4 * s + d] * m[4 * t + e] - m[4 * s + e] * m[4 * t + d];
        }
    }
    for (int c = 0; c < 3; c++) sum += m[c] * minors[c];
    if (!(fabs(sum) > 1e-30)) return false;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out[4 * r + c] = minors[3 * c + r] / sum;
        out[4 * r + 3] = -(out[4 * r] * m[3] + out[4 * r + 1] * m[7] + out[4 * r + 2] * m[11]);
    }
    return true;
}

static int count_nodes(const struct aiNode *from, int depth)
{
    int count = 1;
    if (depth > MOST_DEPTH) return count;
    for (unsigned i = 0; i < from->mNumChildren; i++)
        count += count_nodes(from->mChildren[i], depth + 1);
    return count;
}

static void list_nodes(tree *t, const struct aiNode *from, int parent, int depth)
{
    int own = t->count++;
    double local[12];
    t->nodes[own] = (node){ .from = from, .parent = parent };
    rows_of(&from->mTransformation, local);
    if (parent < 0)
        memcpy(t->nodes[own].world, local, sizeof local);
    else
        multiply(t->nodes[parent].world, local, t->nodes[own].world);
    if (depth > MOST_DEPTH) return;
    for (unsigned i = 0; i < from->mNumChildren; i++)
        list_nodes(t, from->mChildren[i], own, depth + 1);
}

static const tree *sorting;

static int by_name(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    int order = strcmp(sorting->nodes[i].from->mName.data, sorting->nodes[j].from->mName.data);
    return order ? order : i - j;
}

/* The first node of this name, -1. */
static int find_node(const tree *t, const char *name)
{
    int low = 0, high = t->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(t->nodes[t->by_name[middle]].from->mName.data, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool is = low < t->count && strcmp(t->nodes[t->by_name[low]].from->mName.data, name) == 0;
    return is ? t->by_name[low] : -1;
}

/* Where bones were when the skin was put on them. A skin says it seen from its mesh, which is where
   the mesh's node is. */
static void find_binds(tree *t, const struct aiScene *scene)
{
    for (int n = 0; n < t->count; n++) {
        const struct aiNode *from = t->nodes[n].from;
        for (unsigned m = 0; m < from->mNumMeshes; m++) {
            if (from->mMeshes[m] >= scene->mNumMeshes) continue;
            const struct aiMesh *mesh = scene->mMeshes[from->mMeshes[m]];
            for (unsigned b = 0; b < mesh->mNumBones; b++) {
                int bone = find_node(t, mesh->mBones[b]->mName.data);
                double offset[12], back[12];
                if (bone < 0 || t->nodes[bone].has_bind) continue;
                rows_of(&mesh->mBones[b]->mOffsetMatrix, offset);
                if (!invert(offset, back)) continue;
                multiply(t->nodes[n].world, back, t->nodes[bone].bind);
                t->nodes[bone].has_bind = true;
            }
        }
    }
}

static double meta_number(const struct aiMetadata *meta, const char *key, double otherwise)
{
    for (unsigned i = 0; meta && i < meta->mNumProperties; i++) {
        const struct aiMetadataEntry *one = &meta->mValues[i];
        if (strcmp(meta->mKeys[i].data, key) != 0 || !one->mData) continue;
        if (one->mType == AI_INT32) return *(const int32_t *)one->mData;
        if (one->mType == AI_FLOAT) return (double)*(const float *)one->mData;
        if (one->mType == AI_DOUBLE) return *(const double *)one->mData;
    }
    return otherwise;
}

static void put_nodes(const tree *t)
{
    enum { RRS = 2 }; /* InheritType: rotation of the parent, rotation and scale of the node */
    put_int(t->count);
    for (int n = 0; n < t->count; n++) {
        const node *one = &t->nodes[n];
        bool drops = meta_number(one->from->mMetaData, "InheritType", 0) == RRS;
        double rest[12];
        struct aiVector3D scale, place;
        struct aiQuaternion turn;
        put_int(one->parent);
        put_int((one->has_bind ? MRY_FBX_HAS_BIND : 0) | (drops ? MRY_FBX_DROPS_SCALE : 0));
        put_text(one->from->mName.data);
        rows_of(&one->from->mTransformation, rest);
        put(rest, sizeof rest);
        aiDecomposeMatrix(&one->from->mTransformation, &scale, &turn, &place);
        const float parts[10] = { place.x, place.y, place.z, turn.w,  turn.x,
                                  turn.y,  turn.z,  scale.x, scale.y, scale.z };
        for (int i = 0; i < 10; i++) put_double((double)parts[i]);
        if (one->has_bind) put(one->bind, sizeof one->bind);
    }
}

/* ---- takes ----------------------------------------------------------------------------------- */

static void put_vectors(int to, mry_track_path path, const struct aiVectorKey *keys, unsigned count,
                        double rate)
{
    put_int(to);
    put_int(path);
    put_int((int)count);
    for (unsigned k = 0; k < count; k++) put(&(float){ (float)(keys[k].mTime / rate) }, 4);
    for (unsigned k = 0; k < count; k++)
        put((float[3]){ keys[k].mValue.x, keys[k].mValue.y, keys[k].mValue.z }, 12);
}

static void put_turns(int to, const struct aiQuatKey *keys, unsigned count, double rate)
{
    put_int(to);
    put_int(MRY_TURN);
    put_int((int)count);
    for (unsigned k = 0; k < count; k++) put(&(float){ (float)(keys[k].mTime / rate) }, 4);
    for (unsigned k = 0; k < count; k++)
        put((float[4]){ keys[k].mValue.x, keys[k].mValue.y, keys[k].mValue.z, keys[k].mValue.w },
            16);
}

static void put_take(const tree *t, const struct aiAnimation *take)
{
    double rate = take->mTicksPerSecond > 0 ? take->mTicksPerSecond : 1;
    int lost = 0, tracks = 0;
    for (unsigned c = 0; c < take->mNumChannels; c++) {
        const struct aiNodeAnim *one = take->mChannels[c];
        bool is = find_node(t, one->mNodeName.data) >= 0;
        lost += !is;
        if (is)
            tracks += (one->mNumPositionKeys > 0) + (one->mNumRotationKeys > 0) +
                      (one->mNumScalingKeys > 0);
    }
    put_text(take->mName.data);
    put_double(take->mDuration / rate);
    put_int(lost);
    put_int(tracks);
    for (unsigned c = 0; c < take->mNumChannels; c++) {
        const struct aiNodeAnim *one = take->mChannels[c];
        int to = find_node(t, one->mNodeName.data);
        if (to < 0) continue;
        if (one->mNumPositionKeys > 0)
            put_vectors(to, MRY_PLACE, one->mPositionKeys, one->mNumPositionKeys, rate);
        if (one->mNumRotationKeys > 0)
            put_turns(to, one->mRotationKeys, one->mNumRotationKeys, rate);
        if (one->mNumScalingKeys > 0)
            put_vectors(to, MRY_SCALE, one->mScalingKeys, one->mNumScalingKeys, rate);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int answer(const struct aiScene *scene)
{
    static const char *const axes[6] = { "UpAxis",        "UpAxisSign", "FrontAxis",
                                         "FrontAxisSign", "CoordAxis",  "CoordAxisSign" };
    static const int usual[6] = { 1, 1, 2, 1, 0, 1 };
    tree t = { 0 };
    int count = count_nodes(scene->mRootNode, 0);
    t.nodes = calloc((size_t)count, sizeof *t.nodes);
    t.by_name = calloc((size_t)count, sizeof *t.by_name);
    if (!t.nodes || !t.by_name) return refuse(MRY_FBX_NO_MEMORY, "");
    list_nodes(&t, scene->mRootNode, -1, 0);
    for (int n = 0; n < t.count; n++) t.by_name[n] = n;
    sorting = &t;
    qsort(t.by_name, (size_t)t.count, sizeof *t.by_name, by_name);
    find_binds(&t, scene);
    put_int(MRY_FBX_MAGIC);
    put_int(0);
    for (int i = 0; i < 6; i++) put_int((int)meta_number(scene->mMetaData, axes[i], usual[i]));
    put_double(meta_number(scene->mMetaData, "UnitScaleFactor", 1));
    put_double(scene->mNumAnimations > 0 ? scene->mAnimations[0]->mTicksPerSecond : 0);
    put_nodes(&t);
    put_int((int)scene->mNumAnimations);
    for (unsigned a = 0; a < scene->mNumAnimations; a++) put_take(&t, scene->mAnimations[a]);
    return fflush(stdout) != 0; /* the end frees everything */
}

/* marey-fbx MEGABYTES SECONDS: of memory and of the processor's time. */
int main(int count, char **words)
{
    static const struct {
        const char *name;
        int value;
    } settings[] = { { AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0 }, /* else joints are metres off */
                     { AI_CONFIG_IMPORT_FBX_OPTIMIZE_EMPTY_ANIMATION_CURVES, 0 },
                     { AI_CONFIG_IMPORT_FBX_READ_MATERIALS, 0 },
                     { AI_CONFIG_IMPORT_FBX_READ_TEXTURES, 0 },
                     { AI_CONFIG_IMPORT_FBX_READ_CAMERAS, 0 },
                     { AI_CONFIG_IMPORT_FBX_READ_LIGHTS, 0 } };
    if (count != 3) return fputs("usage: marey-fbx MEGABYTES SECONDS <FILE >ANSWER\n", stderr), 2;
    limit(RLIMIT_AS, (rlim_t)strtoul(words[1], NULL, 10) << 20);
    limit(RLIMIT_CPU, (rlim_t)strtoul(words[2], NULL, 10));
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, 0);
    closefrom(3);
    limit(RLIMIT_NOFILE, 3);
    size_t size;
    char *bytes = read_input(&size);
    struct aiPropertyStore *store = aiCreatePropertyStore();
    if (!bytes || !store) return refuse(MRY_FBX_NO_MEMORY, "");
    put_ends_off(bytes, size);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        aiSetImportPropertyInteger(store, settings[i].name, settings[i].value);
    const struct aiScene *scene =
        size > UINT32_MAX
            ? NULL
            : aiImportFileFromMemoryWithProperties(bytes, (unsigned)size, 0, "fbx", store);
    if (!scene || !scene->mRootNode) return refuse(1, aiGetErrorString());
    return answer(scene);
}
