/* info.h - what `marey info` says about one clip, as a report and as a line of a table. */
#ifndef MAREY_TOOL_INFO_H
#define MAREY_TOOL_INFO_H

#include "buffer.h"

void info_report(buffer *out, const char *path, const marey_clip *clip);
void info_table_head(buffer *out);
void info_table_line(buffer *out, const char *path, const marey_clip *clip);

#endif
