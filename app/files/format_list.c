/* format_list.c - `formats`: which files are read and written, and what that loses. */
#include "operations.h"
#include "way_out.h"

#include <marey/marey.h>

static void write(const void *params, const void *result, json *out)
{
    const marey_format *row;
    (void)params, (void)result;
    json_open(out, "formats", '[');
    for (int i = 0; (row = marey_format_find(i)); i++) {
        json_open(out, NULL, '{');
        json_put_string(out, "name", row->name);
        json_put_string(out, "ending", row->ending);
        json_put_string(out, "description", row->description);
        json_put_boolean(out, "reads", row->reads);
        json_put_boolean(out, "writes", row->writes);
        json_put_boolean(out, "points", row->points);
        json_put_string(out, "lost_reading", row->lost_reading);
        json_put_string(out, "lost_writing", row->lost_writing);
        json_close(out, '}');
    }
    json_close(out, ']');
    app_presets_write(out);
}

const app_operation app_formats = {
    .name = "formats",
    .summary = "list the formats of files, and what is lost when they are read or written",
    .description = { "Files are known by their content when they are read, and by their ending "
                     "when "
                     "they are written.",
                     "Files of points have no skeleton: marey info lists them, marey solve makes a "
                     "body of them, and marey positions writes them." },
    .params = app_no_params,
    .params_size = sizeof(app_params),
    .library = APP_NO_LIBRARY,
    .run = app_run_nothing,
    .write = write,
};
