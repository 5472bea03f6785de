/* param_family.h - a family of motions on the command line: one that a library keeps, and how it is told to people and
   programs. Read after shelf.h; the commands of `marey param` use it. */
#ifndef MAREY_TOOL_PARAM_FAMILY_H
#define MAREY_TOOL_PARAM_FAMILY_H

#include "shelf.h"

typedef struct kept_family {
    shelf at;
    const char *name;
    marey_parts *parts;
    marey_family *family;
} kept_family;

/* Opens the library and the family of it that the command's first two operands name. After MAREY_OK kept_family_close or
   kept_family_end must follow. */
marey_status kept_family_open(session *run, const request *asked, marey_library_mode mode,
                              kept_family *out, marey_error *error);
void kept_family_close(kept_family *of);

/* Ends a command, as shelf_end. */
int kept_family_end(kept_family *of, marey_status status, marey_error *error);

/* ---- what it is ------------------------------------------------------------------------------------ */

int family_examples(const marey_family *family);

/* What errors and distances are in: the unit that all numbers have, or "% of the box". */
const char *family_unit(const marey_family *family);
bool family_is_cm(const marey_family *family);

/* Room for any parameter's text. */
enum { PARAM_TEXT_ROOM = 256 };

/* "key": number, or null unless the family is in centimetres. */
void json_put_cm(json *to, const char *key, const marey_family *family, double value);

void json_numbers(json *to, const char *key, const double *values, int count);

/* "features": ["position(right_wrist, apex, start)", ...] */
void json_features(json *to, const marey_family *family);

/* "axes": [{"name", "unit", "low", "high"}]: the numbers that a point has, and the box of the examples' values. */
void json_axes(json *to, const marey_family *family);

/* "clip", "id", "start", "end" of a part, inside an object. */
void json_part(json *to, const char *name, const marey_part *part);

/* The least and the greatest value of each number in the examples; `low` and `high` have room for dims. */
void family_examples_box(const marey_family *family, double *low, double *high);

/* "12.5, 130, 41.2" */
void buffer_numbers(buffer *out, const double *values, int count);
/* "walk#120-300" */
void buffer_part(buffer *out, const char *name, const marey_part *part);

/* "12.5,130,41.2" as `count` numbers; false if it is anything else. */
bool numbers_parse(const char *text, int count, double *out);

/* "out of memory" */
marey_status fail_for_memory(marey_error *error);

#endif
