/* address.c - reading addresses, and finding their frames in a clip. */
#include "address.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Digits, and a point among them if `in_seconds`; then "s" if `in_seconds`. Returns what follows,
   or NULL. strtod alone would also take signs, "inf" and hexadecimal. */
static const char *parse_number(const char *text, bool in_seconds, double *out)
{
    size_t length = strspn(text, in_seconds ? "0123456789." : "0123456789");
    char *end = NULL;
    if (length == 0 || length > 30) return NULL;
    *out = strtod(text, &end);
    if (end != text + length) return NULL;
    if (in_seconds && *end++ != 's') return NULL;
    return end;
}

bool range_parse(const char *text, frame_range *out)
{
    for (int in_seconds = 0; in_seconds < 2; in_seconds++) {
        frame_range range = { .given = true, .in_seconds = in_seconds };
        const char *rest = parse_number(text, in_seconds, &range.start);
        if (rest && *rest == '-') {
            rest = parse_number(rest + 1, in_seconds, &range.end);
        } else {
            range.one_frame = true;
        }
        if (rest && *rest == 0) {
            *out = range;
            return true;
        }
    }
    return false;
}

bool path_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool path_is_picture(const char *path)
{
    return path_ends_in(path, ".png") || path_ends_in(path, ".svg") || path_ends_in(path, ".pdf");
}

bool input_is_file(const char *path)
{
    struct stat about;
    const marey_format *row;
    if (stat(path, &about) == 0) return !S_ISDIR(about.st_mode);
    for (int i = 0; (row = marey_format_find(i)); i++) {
        if (path_ends_in(path, row->ending)) return true;
    }
    return strchr(path, '/') != NULL;
}

const char *library_target(const char *text, char *path, size_t room)
{
    static const char mark[] = ".marey:";
    const char *found = strstr(text, mark), *next = found;
    while (next && (next = strstr(next + 1, mark))) found = next;
    if (!found || found == text) return NULL;
    size_t length = (size_t)(found - text) + sizeof mark - 2;
    if (length >= room) return NULL;
    memcpy(path, text, length);
    path[length] = 0;
    return found + sizeof mark - 1;
}

bool address_parse(const char *text, address *out)
{
    const char *mark = strrchr(text, '#');
    size_t length = strlen(text);
    out->range = (frame_range){ 0 };
    if (mark && mark > text && range_parse(mark + 1, &out->range)) length = (size_t)(mark - text);
    if (length >= sizeof out->path) return false;
    memcpy(out->path, text, length);
    out->path[length] = 0;
    return true;
}

void address_explain(const char *text, marey_error *error)
{
    const char *mark = strrchr(text, '#');
    frame_range range;
    if (!mark || mark == text || strspn(mark + 1, "0123456789") == 0) return;
    if (mark[1 + strspn(mark + 1, "0123456789.,:s-")] || range_parse(mark + 1, &range)) return;
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used,
             "; frames are written as in %.*s#60-126, seconds as in %.*s#2s-4.2s",
             (int)(mark - text), text, (int)(mark - text), text);
}

/* Kept small enough to convert, whatever was typed. */
static double to_frame(const frame_range *range, double value, double fps)
{
    return fmin(range->in_seconds ? floor(value * fps + 0.5) : value, 1e15);
}

marey_status range_find(const frame_range *range, const marey_clip *clip, int dropped, int *start,
                        int *end, marey_error *error)
{
    return range_find_among(range, marey_clip_frames(clip), marey_clip_fps(clip), dropped, start,
                            end, error);
}

marey_status range_find_among(const frame_range *range, int frames, double fps, int dropped,
                              int *start, int *end, marey_error *error)
{
    double count = (double)frames + dropped;
    double first = to_frame(range, range->start, fps);
    double last = range->one_frame ? first + 1 : to_frame(range, range->end, fps);
    *error = (marey_error){ .status = MAREY_ERR_REQUEST };
    if (last <= first) {
        snprintf(error->message, sizeof error->message,
                 "end frame must come after start frame, got %.0f-%.0f", first, last);
        return MAREY_ERR_REQUEST;
    }
    if (last > count) {
        snprintf(error->message, sizeof error->message,
                 "frames %.0f-%.0f are outside the clip, which has %.0f", first, last, count);
        return MAREY_ERR_REQUEST;
    }
    if (last <= dropped) {
        snprintf(error->message, sizeof error->message,
                 "frames %.0f-%.0f are left out by --skip-first", first, last);
        return MAREY_ERR_REQUEST;
    }
    *start = (int)fmax(first - dropped, 0);
    *end = (int)(last - dropped);
    return MAREY_OK;
}
