/* index_text.c - descriptions out of a text file such as CMU's index: lines of a clip's name, blanks or a tab, and
   what it shows. Lines that do not look like that (headings, prose) are passed over: a name holds a digit and
   no blank, and prose that happens to fit names no clip. */
#include "library/library_data.h"

#include "base/scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct line {
    const char *name, *description;
} line;

struct mry_index {
    line *lines; /* sorted by name */
    int count, room;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const line *)a)->name, ((const line *)b)->name);
}

static bool add_line(mry_arena *mem, mry_index *index, const char *text, size_t count)
{
    size_t name = 0, start, end = count;
    bool digit = false;
    for (; name < count && !isspace((unsigned char)text[name]); name++) {
        digit |= isdigit((unsigned char)text[name]) != 0;
    }
    for (start = name; start < count && isspace((unsigned char)text[start]);) start++;
    while (end > start && isspace((unsigned char)text[end - 1])) end--;
    if (!digit || start == end) return true;
    if (index->count == index->room) {
        int room = index->room ? 2 * index->room : 256;
        line *longer = MRY_NEW(mem, line, room);
        if (!longer) return false;
        if (index->count) memcpy(longer, index->lines, (size_t)index->count * sizeof *longer);
        index->lines = longer;
        index->room = room;
    }
    line *one = &index->lines[index->count++];
    one->name = mry_arena_text(mem, text, name);
    one->description = mry_arena_text(mem, text + start, end - start);
    return one->name && one->description;
}

/* Lines longer than the window are no index lines; their first part is looked at like any other. */
static marey_status read_lines(mry_scan *scan, mry_arena *mem, mry_index *index)
{
    enum { LONGEST = 4096 };
    while (!mry_scan_at_end(scan)) {
        mry_scan_need(scan, LONGEST);
        const char *p = scan->p;
        while (p < scan->end && *p != '\n' && *p != '\r') p++;
        if (!add_line(mem, index, scan->p, (size_t)(p - scan->p))) {
            return mry_scan_fail(scan, MAREY_ERR_MEMORY, "out of memory");
        }
        mry_scan_take(scan, (size_t)(p - scan->p));
    }
    return scan->status;
}

marey_status mry_index_read(mry_arena *mem, const char *path, mry_index **out, marey_error *error)
{
    mry_arena tmp = mry_arena_make(mem->ctx);
    mry_index *index = MRY_NEW(mem, mry_index, 1);
    mry_scan scan;
    marey_status status = mry_scan_open(&scan, &tmp, path, error);
    if (!status) {
        status = index ? read_lines(&scan, mem, index)
                       : mry_scan_fail(&scan, MAREY_ERR_MEMORY, "out of memory");
        mry_scan_close(&scan);
    }
    mry_arena_free(&tmp);
    if (status) return status;
    if (index->count) qsort(index->lines, (size_t)index->count, sizeof *index->lines, compare);
    *out = index;
    return MAREY_OK;
}

const char *mry_index_find(const mry_index *index, const char *name)
{
    const line key = { .name = name };
    const line *found = index->count ? bsearch(&key, index->lines, (size_t)index->count,
                                               sizeof *index->lines, compare)
                                     : NULL;
    return found ? found->description : "";
}
