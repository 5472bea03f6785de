/* roles.c - which joint is the left knee? By the names of known programs first, because a name also
   tells a collar bone from a shoulder; by shape where no table row fits.

   Joint names are put in order once and every name of every row is looked up in that order, so the
   time is n log n even for the largest skeleton. */
#include "motion/clip_data.h"
#include "motion/role_presets.h"
#include "motion/role_shape.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROLES = 8, /* fewer are chance, unless they are the hips and both legs */
    SIGN_WEIGHT = 1, /* a sign only decides between rows that name as many roles */
    ROLE_WEIGHT = 16,
};

const char *marey_role_name(marey_role role)
{
    static const char *const names[MAREY_ROLE_COUNT] = {
        "hips",        "spine",         "chest",      "neck",         "head",
        "left_collar", "left_shoulder", "left_elbow", "left_wrist",   "left_hip",
        "left_knee",   "left_ankle",    "left_toe",   "right_collar", "right_shoulder",
        "right_elbow", "right_wrist",   "right_hip",  "right_knee",   "right_ankle",
        "right_toe",
    };
    return (unsigned)role < MAREY_ROLE_COUNT ? names[role] : "";
}

const char *marey_role_preset_name(int preset)
{
    const mry_role_preset *row = mry_role_preset_find(preset);
    return row ? row->name : NULL;
}

/* ---- names without case, separators and prefixes --------------------------------------------- */

typedef struct named {
    const char *name; /* borrowed from the joint, behind its prefix */
    int joint;
} named;

typedef struct name_list {
    named *items; /* by name, then by number, so that the first of two alike is found */
    int count;
} name_list;

static bool is_separator(char c)
{
    return c == '_' || c == '-' || c == '.' || c == ' ';
}

/* Not tolower(): the answer must not depend on the locale. */
static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int name_compare(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (is_separator(*a)) a++;
        while (is_separator(*b)) b++;
        int difference = lower(*a) - lower(*b);
        if (difference || !*a) return difference;
    }
}

static int named_compare(const void *left, const void *right)
{
    const named *a = left, *b = right;
    int order = name_compare(a->name, b->name);
    return order ? order : (a->joint > b->joint) - (a->joint < b->joint);
}

static bool name_starts_with(const char *name, const char *start)
{
    for (; *start; name++, start++)
        if (lower(*name) != lower(*start)) return false;
    return true;
}

/* Name spaces end in ':' or '|'. "Character1_" is MotionBuilder's way of writing one. */
static const char *without_namespace(const char *name)
{
    static const char character[] = "character";
    for (const char *p = name; *p; p++)
        if ((*p == ':' || *p == '|') && p[1]) name = p + 1;
    if (!name_starts_with(name, character)) return name;
    const char *p = name + sizeof character - 1;
    while (*p >= '0' && *p <= '9') p++;
    return *p == '_' && p[1] ? p + 1 : name;
}

static bool names_sort(const marey_clip *clip, mry_arena *tmp, name_list *list)
{
    int count = clip->skeleton.joint_count;
    named *items = MRY_NEW_RAW(tmp, named, count);
    if (!items) return false;
    for (int i = 0; i < count; i++)
        items[i] = (named){ without_namespace(clip->joints[i].name), i };
    /* Bytes that all names start with, up to a separator: "Bip01 ", "DEF-", "mixamorig_". The root
       does not count, because it often stands outside ("Bip01", "Armature"). */
    size_t prefix = count < 3 ? 0 : strlen(items[1].name);
    for (int i = 2; i < count; i++) {
        size_t n = 0;
        while (n < prefix && items[i].name[n] == items[1].name[n]) n++;
        prefix = n;
    }
    while (prefix > 0 && !is_separator(items[1].name[prefix - 1])) prefix--;
    for (int i = 0; i < count && prefix > 0; i++) {
        bool has_it = strncmp(items[i].name, items[1].name, prefix) == 0 && items[i].name[prefix];
        if (i != 1 && has_it) items[i].name += prefix;
    }
    if (prefix > 0 && items[1].name[prefix]) items[1].name += prefix;
    qsort(items, (size_t)count, sizeof *items, named_compare);
    *list = (name_list){ items, count };
    return true;
}

static int name_find(const name_list *list, const char *name)
{
    int low = 0, high = list->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (name_compare(list->items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool hit = low < list->count && name_compare(list->items[low].name, name) == 0;
    return hit ? list->items[low].joint : -1;
}

/* ---- presets --------------------------------------------------------------------------------- */

/* The first of the alternatives that is there, '*' replaced by `word`; -1 if none is. */
static int alternative_find(const name_list *list, const char *alternatives, const char *word)
{
    const char *p = alternatives;
    while (p && *p) {
        char name[MRY_PRESET_NAME_ROOM];
        size_t used = 0;
        for (; *p && *p != '|'; p++) {
            size_t count = *p == '*' ? strlen(word) : 1;
            if (used + count >= sizeof name) return -1;
            memcpy(name + used, *p == '*' ? word : p, count);
            used += count;
        }
        name[used] = 0;
        int joint = name_find(list, name);
        if (joint >= 0) return joint;
        if (*p == '|') p++;
    }
    return -1;
}

/* Fills roles[] and returns how well the row fits; 0 if it does not. */
static int preset_match(const marey_clip *clip, const name_list *list, const mry_role_preset *row,
                        int *roles)
{
    for (int i = 0; i < MRY_PRESET_BODY; i++)
        roles[MAREY_ROLE_HIPS + i] = alternative_find(list, row->body[i], "");
    for (int i = 0; i < MRY_PRESET_SIDE; i++) {
        roles[MAREY_ROLE_LEFT_COLLAR + i] = alternative_find(list, row->side[i], row->words[0]);
        roles[MAREY_ROLE_RIGHT_COLLAR + i] = alternative_find(list, row->side[i], row->words[1]);
    }
    int named_roles = 0;
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) named_roles += roles[i] >= 0;
    bool walks = roles[MAREY_ROLE_HIPS] >= 0;
    for (int i = MAREY_ROLE_LEFT_HIP; i <= MAREY_ROLE_LEFT_ANKLE; i++)
        walks = walks && roles[i] >= 0 && roles[i + MRY_PRESET_SIDE] >= 0;
    if (named_roles < LEAST_ROLES && !walks) return 0;

    int score = named_roles * ROLE_WEIGHT;
    if (alternative_find(list, row->signs, "") >= 0) score += SIGN_WEIGHT;
    bool has_prefix = false;
    for (int i = 0; i < clip->skeleton.joint_count && row->prefix && !has_prefix; i++)
        has_prefix = name_starts_with(clip->joints[i].name, row->prefix);
    if (has_prefix) score += SIGN_WEIGHT;
    return score;
}

bool mry_roles_find(marey_clip *clip)
{
    const marey_joint *joints = clip->joints;
    int *roles = clip->skeleton.roles, best = 0;
    name_list list = { 0 };
    for (int i = 0; i < MAREY_ROLE_COUNT; i++) roles[i] = -1;
    clip->skeleton.roles_from = "";
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    bool done = names_sort(clip, &tmp, &list);
    const mry_role_preset *row;
    for (int i = 0; done && (row = mry_role_preset_find(i)); i++) {
        int matched[MAREY_ROLE_COUNT];
        int score = preset_match(clip, &list, row, matched);
        if (score <= best) continue;
        best = score;
        memcpy(roles, matched, sizeof matched);
        clip->skeleton.roles_from = row->name;
    }
    if (best > 0) {
        /* The trunk, where the tree says more than a name: how many joints a spine has differs from
           file to file, but the arms always leave it at the chest. */
        if (roles[MAREY_ROLE_HIPS] < 0)
            roles[MAREY_ROLE_HIPS] = mry_common_ancestor(joints, roles[MAREY_ROLE_LEFT_HIP],
                                                         roles[MAREY_ROLE_RIGHT_HIP]);
        int chest = mry_common_ancestor(joints, roles[MAREY_ROLE_LEFT_SHOULDER],
                                        roles[MAREY_ROLE_RIGHT_SHOULDER]);
        if (chest >= 0 && chest == roles[MAREY_ROLE_NECK]) chest = joints[chest].parent;
        if (chest > roles[MAREY_ROLE_HIPS]) roles[MAREY_ROLE_CHEST] = chest;
        if (roles[MAREY_ROLE_SPINE] == roles[MAREY_ROLE_CHEST]) roles[MAREY_ROLE_SPINE] = -1;
    } else if (done) {
        bool found = false;
        done = mry_roles_from_shape(clip, &tmp, roles, &found);
        if (found) clip->skeleton.roles_from = "shape";
    }
    mry_arena_free(&tmp);
    return done;
}
