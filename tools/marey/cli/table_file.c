/* table_file.c - reading files of numbers. */
#include "table_file.h"

#include "text_file.h"

enum { LARGEST_FILE_MIB = 256 };

marey_status table_read_any(session *run, const char *path, const table_def *def, int least,
                            int *columns, buffer *heading, buffer *rows, marey_error *error)
{
    buffer text = buffer_make(&run->host->def);
    marey_status status = text_file_read(run, path, LARGEST_FILE_MIB, def->what, &text, error);
    if (status == MAREY_OK)
        status = app_table_read_any(path, text.bytes, def, least, columns, heading, rows, error);
    buffer_free(&text);
    return status;
}
