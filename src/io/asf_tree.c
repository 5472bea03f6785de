/* asf_tree.c - which bone hangs on which. Every bone is named as a child exactly once, so whatever the
   walk from the root does not reach hangs in a circle. Nothing recurses: the walk goes down by first
   children, on by siblings and up by parents. */
#include "io/asf_parse.h"

#include "base/fail.h"

#include <string.h>

/* ---- names ------------------------------------------------------------------------------------ */

static unsigned hash_name(const char *name, size_t count)
{
    unsigned hash = 2166136261u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* The slot that holds this name, or the free one where it belongs. */
static unsigned find_slot(const mry_asf *asf, const char *name, size_t count)
{
    unsigned at = hash_name(name, count) & (asf->slots - 1);
    for (; asf->table[at]; at = (at + 1) & (asf->slots - 1)) {
        const char *other = asf->bones[asf->table[at] - 1].name;
        if (strncmp(other, name, count) == 0 && !other[count]) break;
    }
    return at;
}

int mry_asf_find(const mry_asf *asf, const char *name, size_t count)
{
    return asf->table[find_slot(asf, name, count)] - 1;
}

static marey_status fail_at_line(mry_scan *scan, int64_t line, const char *name, const char *what)
{
    if (scan->status) return scan->status;
    return scan->status =
               mry_fail_at(scan->error, MAREY_ERR_INPUT, scan->path, line, 0, "%s %s", name, what);
}

marey_status mry_asf_index(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    asf->slots = 64;
    while (asf->slots < 2u * (unsigned)asf->count) asf->slots *= 2;
    asf->table = MRY_NEW(tmp, int, asf->slots);
    if (!asf->table) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b < asf->count; b++) {
        const mry_asf_bone *bone = &asf->bones[b];
        unsigned slot = find_slot(asf, bone->name, strlen(bone->name));
        if (asf->table[slot]) {
            return fail_at_line(scan, bone->line, bone->name, "is the name of another bone too");
        }
        asf->table[slot] = b + 1;
    }
    return MAREY_OK;
}

/* ---- the :hierarchy section ------------------------------------------------------------------- */

static marey_status read_bone(mry_scan *scan, const mry_asf *asf, const char *what, int *bone)
{
    const char *name;
    size_t count = 0;
    marey_status status = mry_asf_read_name(scan, what, &name, &count);
    if (status) return status;
    *bone = mry_asf_find(asf, name, count);
    if (*bone < 0) return mry_scan_expected(scan, what);
    return MAREY_OK;
}

static marey_status hang_up(mry_scan *scan, mry_asf *asf, int parent, int child)
{
    mry_asf_bone *above = &asf->bones[parent], *bone = &asf->bones[child];
    if (child == 0) return mry_scan_fail(scan, MAREY_ERR_INPUT, "the root hangs on no bone");
    if (bone->child_line) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "%s hangs on %s already", bone->name,
                             asf->bones[bone->parent].name);
    }
    bone->parent = parent;
    bone->child_line = scan->line;
    if (above->first_child < 0) {
        above->first_child = child;
    } else {
        asf->bones[above->last_child].next_sibling = child;
    }
    above->last_child = child;
    return MAREY_OK;
}

/* "lwrist lhand lthumb": the first carries the others. */
static marey_status read_line(mry_scan *scan, mry_asf *asf)
{
    int parent = 0, child = 0;
    marey_status status = read_bone(scan, asf, "root or the name of a bone", &parent);
    if (status) return status;
    mry_scan_take(scan, strlen(asf->bones[parent].name));
    while (!mry_asf_at_line_end(scan)) {
        status = read_bone(scan, asf, "the name of a bone", &child);
        if (!status) status = hang_up(scan, asf, parent, child);
        if (status) return status;
        mry_scan_take(scan, strlen(asf->bones[child].name));
    }
    return MAREY_OK;
}

marey_status mry_asf_read_hierarchy(mry_scan *scan, mry_asf *asf)
{
    if (!mry_asf_next(scan) || !mry_scan_keyword(scan, "begin")) {
        return mry_scan_expected(scan, "begin");
    }
    while (mry_asf_next(scan)) {
        if (mry_scan_keyword(scan, "end")) return MAREY_OK;
        marey_status status = read_line(scan, asf);
        if (status) return status;
    }
    return mry_scan_expected(scan, "end of the hierarchy");
}

/* ---- the order of joints ---------------------------------------------------------------------- */

static int next_in_walk(const mry_asf *asf, int b)
{
    if (asf->bones[b].first_child >= 0) return asf->bones[b].first_child;
    while (b >= 0 && asf->bones[b].next_sibling < 0) b = asf->bones[b].parent;
    return b < 0 ? -1 : asf->bones[b].next_sibling;
}

marey_status mry_asf_order(mry_scan *scan, mry_arena *tmp, mry_asf *asf)
{
    int reached = 0;
    asf->joint = MRY_NEW(tmp, int, asf->count);
    asf->bone = MRY_NEW(tmp, int, asf->count);
    if (!asf->joint || !asf->bone) return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
    for (int b = 0; b >= 0; b = next_in_walk(asf, b)) {
        asf->joint[b] = reached;
        asf->bone[reached++] = b;
    }
    for (int b = 1; b < asf->count && reached < asf->count; b++) {
        const mry_asf_bone *bone = &asf->bones[b];
        if (!bone->child_line) {
            return fail_at_line(scan, bone->line, bone->name, "is not in the hierarchy");
        }
        if (asf->joint[b] == 0) {
            return fail_at_line(scan, bone->child_line, bone->name, "does not hang on the root");
        }
    }
    return MAREY_OK;
}
