/* json_bounds.c - the depth and the size of JSON that is not parsed yet. */
#include "json_bounds.h"

bool json_is_shallow(const char *text, size_t count, int most)
{
    bool inside = false; /* of a string */
    int depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (inside && text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            inside = !inside;
        } else if (!inside && (text[i] == '[' || text[i] == '{')) {
            if (++depth > most) return false;
        } else if (!inside && (text[i] == ']' || text[i] == '}')) {
            depth--;
        }
    }
    return true;
}

int json_values(const char *text, size_t count, int most)
{
    bool inside = false; /* of a string */
    int values = 1;      /* each but the first is behind a comma or a bracket */
    for (size_t i = 0; i < count && values <= most; i++) {
        if (inside && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            inside = !inside;
        else if (!inside && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
            values++;
    }
    return values;
}
