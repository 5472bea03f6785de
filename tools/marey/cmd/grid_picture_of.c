/* grid_picture_of.c - see grid_picture_of.h. */
#include "grid_picture_of.h"

#include <string.h>
#include <strings.h>

bool is_picture(const char *path)
{
    static const char *const endings[] = { ".png", ".svg", ".pdf" };
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (length > 4 && strcasecmp(path + length - 4, endings[i]) == 0) return true;
    }
    return false;
}
