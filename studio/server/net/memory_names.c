/* memory_names.c - names of files in memory: what a path means, what somebody else's name becomes. */
#include "memory_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_ENDING = 16 };

/* Adds a part behind the folders in `name`; ".." takes one away. */
static int add_part(char *name, size_t *used, const char *part, size_t length)
{
    if (length == 0 || (length == 1 && part[0] == '.')) return 0;
    if (length == 2 && part[0] == '.' && part[1] == '.') {
        if (*used == 0) return -ENOENT; /* there is nothing above */
        while (*used > 0 && name[*used - 1] != '/') --*used;
        if (*used > 0) --*used;
        name[*used] = 0;
        return 0;
    }
    if (length > MEMORY_NAME_PART || *used + 1 + length > MEMORY_NAME_LONGEST) return -ENAMETOOLONG;
    if (*used > 0) name[(*used)++] = '/';
    memcpy(name + *used, part, length);
    *used += length;
    name[*used] = 0;
    return 0;
}

int memory_name_resolve(const char *path, char *name)
{
    size_t used = 0;
    int failed = 0;
    name[0] = 0;
    if (path[0] == '/' || path[0] == 0) return -ENOENT; /* nothing here has such a name */
    while (!failed && *path) {
        size_t length = strcspn(path, "/");
        failed = add_part(name, &used, path, length);
        path += length;
        path += *path == '/';
    }
    return failed;
}

/* ---- harmless names ----------------------------------------------------------------------------- */

/* A part that is too long loses the end of its stem: what kind of file it is must stay. */
static size_t shorten(char *part, size_t length)
{
    size_t ending = 0;
    if (length <= MEMORY_NAME_PART) return length;
    while (ending < LONGEST_ENDING && part[length - 1 - ending] != '.') ending++;
    ending = ending < LONGEST_ENDING ? ending + 1 : 0;
    size_t stem = MEMORY_NAME_PART - ending;
    while (stem > 0 && ((unsigned char)part[stem] & 0xc0) == 0x80) stem--; /* whole characters */
    memmove(part + stem, part + length - ending, ending);
    return stem + ending;
}

static bool is_separator(char byte)
{
    return byte == '/' || byte == '\\';
}

/* Copies one part of `text` without control characters; returns what follows. */
static const char *take_part(const char *text, char *part, size_t room, size_t *length)
{
    size_t used = 0;
    for (; *text && !is_separator(*text); text++) {
        bool control = (unsigned char)*text < 0x20 || *text == 0x7f;
        if (!control && used < room) part[used++] = *text;
    }
    *length = shorten(part, used);
    return *text ? text + 1 : text;
}

/* Of a name with too many folders the last ones stay: an AMC looks for its ASF near itself. */
static void drop_first_part(char *name, size_t *used)
{
    const char *slash = strchr(name, '/');
    size_t drop = slash ? (size_t)(slash - name) + 1 : *used;
    *used -= drop;
    memmove(name, name + drop, *used + 1);
}

bool memory_name_clean(const char *text, char *name)
{
    enum { PART_ROOM = 4096 };
    char part[PART_ROOM];
    size_t used = 0, length;
    name[0] = 0;
    while (*text) {
        text = take_part(text, part, sizeof part, &length);
        bool dots = length > 0 && length <= 2 && part[0] == '.' && part[length - 1] == '.';
        if (length == 0 || dots) continue;
        while (used > 0 && used + 1 + length > MEMORY_NAME_LONGEST - LONGEST_ENDING) {
            drop_first_part(name, &used);
        }
        add_part(name, &used, part, length);
    }
    return used > 0;
}

/* A stem that is full gives way; memory_name_clean left room in the whole. */
void memory_name_number(const char *name, int number, char *out)
{
    char mark[16];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    const char *dot = strrchr(last, '.');
    if (!dot || dot == last || strlen(dot) > LONGEST_ENDING) dot = last + strlen(last);
    int length = snprintf(mark, sizeof mark, "-%d", number);
    size_t stem = (size_t)(dot - last), most = MEMORY_NAME_PART - strlen(dot) - (size_t)length;
    if (stem > most) stem = most;
    while (stem > 0 && ((unsigned char)last[stem] & 0xc0) == 0x80) stem--;
    size_t folder = (size_t)(last - name), ending = strlen(dot);
    memcpy(out, name, folder + stem);
    memcpy(out + folder + stem, mark, (size_t)length);
    memcpy(out + folder + stem + (size_t)length, dot, ending + 1);
}
