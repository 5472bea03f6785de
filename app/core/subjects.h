/* subjects.h - who moves in a clip, by its name. */
#ifndef MAREY_APP_SUBJECTS_H
#define MAREY_APP_SUBJECTS_H

#include <ctype.h>
#include <string.h>

/* "143" of "143_05": what is before a trial's number. 0: the name has none. */
static inline size_t app_subject_length(const char *name)
{
    size_t length = strlen(name), digits = 0;
    while (digits < length && isdigit((unsigned char)name[length - 1 - digits])) digits++;
    if (digits == 0 || digits + 1 >= length) return 0;
    return strchr("_- .", name[length - 1 - digits]) ? length - 1 - digits : 0;
}

#endif
