/* gltf_names.c - joint names as glTF wants them: UTF-8, because JSON is, and each of them once, because
   readers (assimp, Blender, three.js) find the joints of a skin and an animation by name. */
#include "io/gltf_parts.h"

#include "base/json_text.h"

#include <string.h>

/* ---- UTF-8 ------------------------------------------------------------------------------------ */

char *mry_gltf_utf8(mry_arena *tmp, const char *bytes)
{
    char *text = MRY_NEW_RAW(tmp, char, 2 * strlen(bytes) + 1);
    size_t used = 0;
    if (!text) return NULL;
    for (const unsigned char *p = (const unsigned char *)bytes; *p;) {
        size_t count = mry_utf8_length(p);
        if (count) {
            memcpy(text + used, p, count);
            used += count;
            p += count;
        } else {
            text[used++] = (char)(0xc0 | *p >> 6);
            text[used++] = (char)(0x80 | (*p++ & 0x3f));
        }
    }
    text[used] = 0;
    return text;
}

/* ---- each name once --------------------------------------------------------------------------- */

/* A name that is taken. `number` is the last one that was put behind it to tell others from it; keeping
   it makes a thousand joints of one name take a thousand steps and not a million. */
typedef struct taken {
    const char *name;
    int number;
} taken;

typedef struct name_set {
    taken *slots;
    size_t mask; /* slots - 1; a power of two of them, more than half empty */
} name_set;

static taken *find_slot(const name_set *set, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *p = name; *p; p++) {
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    }
    size_t i = (size_t)(hash ^ hash >> 32) & set->mask;
    while (set->slots[i].name && strcmp(set->slots[i].name, name) != 0) i = (i + 1) & set->mask;
    return &set->slots[i];
}

/* The name itself if it is free, else with the first number from 2 on that makes it so. */
static const char *take_name(name_set *set, mry_arena *tmp, const char *name)
{
    taken *slot = find_slot(set, name), *first = slot;
    while (name && slot->name) {
        name = mry_arena_print(tmp, "%s_%d", first->name, ++first->number);
        if (name) slot = find_slot(set, name);
    }
    if (name) *slot = (taken){ .name = name, .number = 1 };
    return name;
}

const char *const *mry_gltf_names(const marey_clip *clip, mry_arena *tmp)
{
    int count = clip->skeleton.joint_count + 1;
    size_t slots = 4;
    while (slots < 2 * (size_t)count) slots *= 2;
    const char **names = MRY_NEW(tmp, const char *, count);
    name_set set = { MRY_NEW(tmp, taken, slots), slots - 1 };
    if (!names || !set.slots) return NULL;
    for (int i = 0; i < count; i++) {
        const char *name = mry_gltf_utf8(tmp, i < count - 1 ? clip->joints[i].name : "Bones");
        if (name) names[i] = take_name(&set, tmp, name);
        if (!names[i]) return NULL;
    }
    return names;
}
