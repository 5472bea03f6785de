/* param_family.c - what commands share that are no operations yet. */
#include "param_family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

marey_status fail_for_memory(marey_error *error)
{
    *error = (marey_error){ .status = MAREY_ERR_MEMORY, .message = "out of memory" };
    return MAREY_ERR_MEMORY;
}

void json_numbers(json *to, const char *key, const double *values, int count)
{
    json_open(to, key, '[');
    for (int i = 0; i < count; i++) json_put_number(to, NULL, values[i]);
    json_close(to, ']');
}

void buffer_numbers(buffer *out, const double *values, int count)
{
    for (int i = 0; i < count; i++) buffer_print(out, i ? ", %.4g" : "%.4g", values[i]);
}

bool numbers_parse(const char *text, int count, double *out)
{
    const char *at = text;
    for (int i = 0; i < count; i++) {
        char *end = NULL;
        /* strtod alone also takes blanks, "inf", "nan" and hexadecimal. */
        size_t length = strspn(at, "+-.0123456789eE");
        out[i] = strtod(at, &end);
        if (length == 0 || end != at + length || !(fabs(out[i]) <= 1e12)) return false;
        if (*end != (i + 1 < count ? ',' : 0)) return false;
        at = end + 1;
    }
    return true;
}
