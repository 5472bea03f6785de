/* puppet_tables.c - writing and reading tables of paths. */
#include "puppet_tables.h"

#include <math.h>

static void put(FILE *file, const table_form *form, double value, bool last)
{
    char text[64];
    snprintf(text, sizeof text, "%.6f", value);
    char *point = strchr(text, '.');
    if (form->spreadsheet) *point = ',';
    fprintf(file, last ? "%s" : form->spreadsheet ? "%s;" : "%s,", text);
}

void test_table_write(const char *path, const table_form *form)
{
    static const char main_columns[] = "time,main_x,main_y,main_dir";
    static const char all_columns[] = "time,main_x,main_y,main_dir,react_x,react_y,react_dir";
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    for (const char *at = form->main_only ? main_columns : all_columns; *at; at++)
        fputc(form->spreadsheet && *at == ',' ? ';' : *at, file);
    fputs(form->spreadsheet ? ";remark\r\n" : "\n", file);
    int rows = (int)lround(form->seconds * form->rate) + 1;
    for (int i = 0; i < rows; i++) {
        double time = i / form->rate;
        if (time > form->gap_from && time < form->gap_to) continue;
        double turn = form->turn_scale > 0 ? form->turn_scale : 1, t = 0.4 * (form->start + time);
        double x = 300 * sin(t), y = 200 * sin(2 * t);
        double way = atan2(2 * 200 * cos(2 * t), 300 * cos(t));
        put(file, form, time * (form->time_scale > 0 ? form->time_scale : 1), false);
        put(file, form, x, false);
        put(file, form, y, false);
        put(file, form, way * turn, form->main_only);
        if (!form->main_only) {
            put(file, form, x - TABLE_BEHIND_CM * cos(way), false);
            put(file, form, y - TABLE_BEHIND_CM * sin(way), false);
            put(file, form, way * turn, true);
        }
        fputs(form->spreadsheet ? ";note\r\n" : "\n", file);
    }
    fclose(file);
}

double *test_table_read(const char *path, int columns, int *rows)
{
    size_t count;
    char *text = test_file_read(path, &count), *at = strchr(text, '\n') + 1;
    double *values = malloc(count * sizeof *values);
    int used = 0;
    while (*at) {
        values[used++] = strtod(at, &at);
        if (*at != (used % columns ? ',' : '\n')) fail_msg("%s: row %d", path, used / columns);
        at++;
    }
    free(text);
    *rows = used / columns;
    return values;
}
