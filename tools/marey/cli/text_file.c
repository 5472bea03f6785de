/* text_file.c - reading a text file whole. */
#include "text_file.h"

#include "file_text.h"

marey_status text_file_read(session *run, const char *path, int most_mib, const char *what,
                            buffer *text, marey_error *error)
{
    return app_file_text(&run->host->def, path, most_mib, what, text, error);
}
