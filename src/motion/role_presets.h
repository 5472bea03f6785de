/* role_presets.h - how known programs and databases name the joints of a person. roles.c looks
   skeletons up in this table; help texts and tests list it. */
#ifndef MRY_ROLE_PRESETS_H
#define MRY_ROLE_PRESETS_H

#include <marey/motion.h>

enum {
    MRY_PRESET_BODY = MAREY_ROLE_LEFT_COLLAR - MAREY_ROLE_HIPS,         /* roles on the midline */
    MRY_PRESET_SIDE = MAREY_ROLE_RIGHT_COLLAR - MAREY_ROLE_LEFT_COLLAR, /* roles of one side */
    MRY_PRESET_NAME_ROOM = 64 /* longest joint name that a row can spell, with the ending zero */
};

/* Alternatives for one role are separated by '|', the better one first. In `side` a '*' stands for
   the word of the side. Case and the separators "_-. " do not count. NULL: the row has none. */
typedef struct mry_role_preset {
    const char *name;
    const char *description;
    const char *words[2];              /* left, right */
    const char *body[MRY_PRESET_BODY]; /* hips, spine, chest, neck, head */
    const char *side[MRY_PRESET_SIDE]; /* collar, shoulder, elbow, wrist, hip, knee, ankle, toe */
    const char *signs;  /* joints that only this kind has, alternatives as above: decide a tie */
    const char *prefix; /* names in the file start with it: decides a tie as well */
} mry_role_preset;

const mry_role_preset *mry_role_preset_find(int index); /* NULL past the last; lives forever */

#endif
