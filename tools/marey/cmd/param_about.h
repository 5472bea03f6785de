/* param_about.h - what a library says about a family that it keeps: a text that lists can be read from without opening the
   family, whose clips may be gone. Read after param_family.h. */
#ifndef MAREY_TOOL_PARAM_ABOUT_H
#define MAREY_TOOL_PARAM_ABOUT_H

#include "param_family.h"

/* {"made_by", "version", "features", "samples", "settings"}, with an ending zero. Settings are the options that say how the
   family was built; `asked` may be NULL for none. */
void about_write(const char *made_by, const marey_family *family, const option_row *rows,
                 const request *asked, buffer *out);

/* The features that such a text names, one after the other; false past the last. Start with *at = NULL. */
bool about_next_feature(const char *about, const char **at, char *text, size_t room);

/* -1: the text does not say. */
int64_t about_samples(const char *about);

#endif
