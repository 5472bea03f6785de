/* passage.h - the clip that goes from one clip over into another, and pictures of such. Read after cut_list.h. */
#ifndef MAREY_TOOL_PASSAGE_H
#define MAREY_TOOL_PASSAGE_H

#include "cut_list.h"

typedef struct passage_def {
    marey_blend_method method;
    bool plain; /* a cut, without any blending */
} passage_def;

typedef struct passage {
    marey_made made; /* of a plain cut the plants are borrowed from the next */
    buffer feet;
} passage;

/* Makes the clip for one cut. Feet of a plain cut are left alone. */
marey_status passage_make(const making *of, const passage_def *def, const marey_cut *cut,
                          passage *out, marey_error *error);
void passage_free(passage *of); /* {0} is allowed */

/* Draws the second around every cut of the list. */
marey_status passage_sheet(const making *of, const passage_def *def, const cut_list *list,
                           const char *path, marey_error *error);

#endif
