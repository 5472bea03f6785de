/* weights_file.c - reading weights. */
#include "weights_file.h"

#include "table_file.h"

#include <math.h>
#include <stdio.h>

/* Or so near to it that the library would not scale by it either. */
static bool is_zero(double sum, double sizes)
{
    return !(fabs(sum) > 1e-6 * sizes);
}

int weights_parse(session *run, const char *text, int count, double *out)
{
    const char *at = text;
    double sum = 0, sizes = 0;
    int got = 0;
    while (got < count && (at = number_read(at, &out[got]))) {
        sum += out[got];
        sizes += fabs(out[got]);
        got++;
        if (*at != ',' || got == count) break;
        at++;
    }
    if (!at || got < count || *at) {
        return session_usage(run,
                             "--weights takes %d numbers, one for each clip, as in 0.3,0.7, "
                             "not \"%s\"",
                             count, text);
    }
    if (is_zero(sum, sizes)) return session_usage(run, "the sum of --weights is 0, or nearly so");
    return PROGRAM_DONE;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void name_column(int column, char *text, size_t room)
{
    if (column == 0)
        snprintf(text, room, "a time in seconds");
    else
        snprintf(text, room, "the weight of clip %d", column);
}

static const char *check_row(const double *row, int columns, const double *before, char *text,
                             size_t room)
{
    double sum = 0, sizes = 0;
    if (before && !(row[0] > before[0])) {
        snprintf(text, room, "times must rise: %g s comes behind %g s", row[0], before[0]);
        return text;
    }
    for (int i = 1; i < columns; i++) {
        sum += row[i];
        sizes += fabs(row[i]);
    }
    return is_zero(sum, sizes) ? "the sum of these weights is 0, or nearly so" : NULL;
}

marey_status weights_read(session *run, const char *path, int count, buffer *keys,
                          marey_error *error)
{
    char more[96];
    table_def def = { .what = "a file of weights",
                      .row = "line of weights",
                      .more = more,
                      .columns = 1 + count,
                      .name = name_column,
                      .check = check_row };
    snprintf(more, sizeof more, "there are %d clips, and more weights than that in this line",
             count);
    return table_read(run, path, &def, keys, error);
}
