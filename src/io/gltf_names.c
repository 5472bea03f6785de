/* gltf_names.c - joint names as glTF wants them: UTF-8, because JSON is, and each of them once, because
   readers (assimp, Blender, three.js) find the joints of a skin and an animation by name. */
#include "io/gltf_parts.h"

#include <string.h>

/* ---- UTF-8 ------------------------------------------------------------------------------------ */

/* Bytes of the character at p, or 0 if there is none: cut short, longer than need be, a surrogate, or
   past the last. A zero byte ends the text, so what follows it is never looked at. */
static size_t character_bytes(const unsigned char *p)
{
    if (p[0] < 0x80) return 1;
    size_t count = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    for (size_t i = 1; i < count; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
    }
    bool is_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool is_outside = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return is_long || is_outside ? 0 : count;
}

char *mry_gltf_utf8(mry_arena *tmp, const char *bytes)
{
    char *text = MRY_NEW_RAW(tmp, char, 2 * strlen(bytes) + 1);
    size_t used = 0;
    if (!text) return NULL;
    for (const unsigned char *p = (const unsigned char *)bytes; *p;) {
        size_t count = character_bytes(p);
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
