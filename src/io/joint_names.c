/* joint_names.c - joint names for scene files. */
#include "io/joint_names.h"

#include "base/json_text.h"
#include "base/names.h"

char *mry_text_utf8(mry_arena *tmp, const char *bytes)
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

const char *const *mry_joint_names(const marey_clip *clip, const char *last, mry_arena *tmp)
{
    int count = clip->skeleton.joint_count + 1;
    const char **names = MRY_NEW(tmp, const char *, count);
    mry_names all;
    if (!names || !mry_names_make(&all, tmp, count)) return NULL;
    for (int i = 0; i < count; i++) {
        const char *name = mry_text_utf8(tmp, i < count - 1 ? clip->joints[i].name : last);
        if (!name) return NULL;
        /* The name itself if it is free, else with the first number from 2 on that makes it so. The
           last number behind each is kept: a thousand joints of one name take a thousand steps and
           not a million. */
        mry_name *slot = mry_names_find(&all, name, strlen(name)), *first = slot;
        while (slot->name) {
            name = mry_arena_print(tmp, "%s_%d", first->name, ++first->number);
            if (!name) return NULL;
            slot = mry_names_find(&all, name, strlen(name));
        }
        *slot = (mry_name){ name, 1 };
        names[i] = name;
    }
    return names;
}
