/* scan.c - the text window. Bytes before p are dropped when more are read; places that must survive
   that are kept as offsets in the file. */
#include "base/scan.h"

#include "base/fail.h"
#include "base/file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void start(mry_scan *scan, size_t count)
{
    scan->p = scan->window;
    scan->end = count ? scan->window + count : scan->window; /* there may be none */
    scan->line = 1;
}

/* Reads some bytes; a signal in between asks whether to go on. Sets the status on failure. */
static size_t read_some(mry_scan *scan, char *bytes, size_t room)
{
    const marey_io *io = scan->ctx->def.io;
    for (;;) {
        int64_t got = io->read(io->user, scan->handle, bytes, room);
        if (mry_cancelled(scan->ctx)) {
            scan->status = mry_fail_cancelled(scan->error);
            return 0;
        }
        if (got >= 0) return (size_t)got;
        if (got == -EINTR) continue;
        scan->status = mry_fail_errno(scan->error, (int)got, "read", scan->path);
        return 0;
    }
}

marey_status mry_scan_open(mry_scan *scan, mry_arena *tmp, const char *path, marey_error *error)
{
    const marey_io *io = tmp->ctx->def.io;
    *scan = (mry_scan){ .path = path, .ctx = tmp->ctx, .error = error, .handle = -1 };
    scan->handle = io->open(io->user, path, MAREY_IO_READ);
    if (scan->handle < 0) return mry_fail_errno(error, scan->handle, "open", path);
    scan->unread = io->size(io->user, scan->handle);
    if (scan->unread < 0) {
        /* A pipe or device does not tell its size; then the window becomes the whole, in memory of
           its own that grows. Bytes of zero are in no text format: reading stops there, so that an
           endless device is soon refused. */
        size_t used = 0;
        for (bool more = true; more;) {
            if (used == scan->room) { /* at first there is none */
                size_t room = scan->owned ? 2 * scan->room : MRY_SCAN_WINDOW;
                size_t before = scan->owned ? scan->room + MRY_SCAN_SLACK : 0;
                char *longer = mry_resize(scan->ctx, scan->owned, before, room + MRY_SCAN_SLACK);
                if (!longer) {
                    scan->status = mry_fail_memory(error, path);
                    break;
                }
                scan->owned = scan->window = longer;
                scan->room = room;
            }
            size_t got = read_some(scan, scan->window + used, scan->room - used);
            more = got > 0 && !memchr(scan->window + used, 0, got);
            used += got;
        }
        if (scan->owned) memset(scan->window + used, 0, MRY_SCAN_SLACK);
        scan->all_read = true;
        scan->unread = 0;
        start(scan, used);
    } else {
        scan->room = MRY_SCAN_WINDOW;
        scan->window = mry_arena_take(tmp, scan->room + MRY_SCAN_SLACK, 1);
        if (scan->window) {
            memset(scan->window, 0, MRY_SCAN_SLACK);
            start(scan, 0);
            mry_scan_more(scan);
        } else {
            scan->status = mry_fail_memory(error, path);
        }
    }
    if (scan->status) mry_scan_close(scan);
    return scan->status;
}

void mry_scan_close(mry_scan *scan)
{
    const marey_io *io = scan->ctx->def.io;
    mry_release(scan->ctx, scan->owned, scan->room + MRY_SCAN_SLACK);
    scan->owned = NULL;
    if (scan->handle >= 0) io->close(io->user, scan->handle);
    scan->handle = -1;
}

marey_status mry_scan_bytes(mry_scan *scan, mry_arena *tmp, const char *path, const void *bytes,
                            size_t count, marey_error *error)
{
    *scan = (mry_scan){ .path = path, .ctx = tmp->ctx, .error = error, .handle = -1 };
    scan->room = count;
    scan->window = mry_arena_take(tmp, count + MRY_SCAN_SLACK, 1);
    if (!scan->window) return mry_fail_memory(error, path);
    if (count) memcpy(scan->window, bytes, count);
    memset(scan->window + count, 0, MRY_SCAN_SLACK);
    scan->all_read = true;
    start(scan, count);
    return MAREY_OK;
}

void mry_scan_more(mry_scan *scan)
{
    if (scan->status) return; /* the first failure is the one to report */
    size_t kept = (size_t)(scan->end - scan->p);
    scan->window_offset += scan->p - scan->window;
    memmove(scan->window, scan->p, kept);
    scan->p = scan->window;
    while (kept < scan->room && !scan->all_read) {
        size_t got = read_some(scan, scan->window + kept, scan->room - kept);
        scan->all_read = got == 0;
        kept += got;
        scan->unread = scan->unread > (int64_t)got ? scan->unread - (int64_t)got : 0;
    }
    if (scan->all_read) scan->unread = 0;
    scan->end = scan->window + kept;
    memset(scan->window + kept, 0, MRY_SCAN_SLACK);
}

marey_status mry_scan_whole(mry_scan *scan, mry_arena *tmp, const uint8_t **bytes, size_t *count)
{
    size_t kept = (size_t)(scan->end - scan->p), all = kept + (size_t)scan->unread;
    char *room = mry_arena_take(tmp, all + 1, 1);
    if (!room) return scan->status = mry_fail_memory(scan->error, scan->path);
    memcpy(room, scan->p, kept);
    while (kept < all && !scan->all_read) {
        size_t got = read_some(scan, room + kept, all - kept);
        scan->all_read = got == 0;
        kept += got;
    }
    room[kept] = 0;
    *bytes = (const uint8_t *)room;
    *count = kept;
    return scan->status;
}

marey_status mry_scan_start(mry_scan *scan)
{
    const char *p = scan->p;
    if (scan->end - p >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
        return mry_scan_fail(scan, MAREY_ERR_INPUT,
                             "this is UTF-16 text; save it as UTF-8 or ASCII");
    mry_scan_skip_mark(scan);
    return MAREY_OK;
}

static bool refill_at_end(mry_scan *scan)
{
    if (scan->p < scan->end) return true;
    mry_scan_need(scan, 1);
    return scan->p < scan->end;
}

void mry_scan_skip_blanks(mry_scan *scan)
{
    while (refill_at_end(scan) &&
           (*scan->p == ' ' || *scan->p == '\t' || *scan->p == '\f' || *scan->p == '\v')) {
        scan->p++;
    }
}

void mry_scan_skip_space(mry_scan *scan)
{
    for (;;) {
        mry_scan_skip_blanks(scan);
        if (scan->p >= scan->end || (*scan->p != '\n' && *scan->p != '\r')) return;
        /* CR LF is one line end, and so is a CR or LF alone: files mix all three. */
        mry_scan_need(scan, 2);
        scan->p += scan->p[0] == '\r' && scan->p + 1 < scan->end && scan->p[1] == '\n' ? 2 : 1;
        scan->line++;
        scan->line_offset = scan->window_offset + (scan->p - scan->window);
    }
}

size_t mry_scan_word(mry_scan *scan, const char **word)
{
    enum { LONGEST = 255 };
    mry_scan_need(scan, LONGEST);
    const char *p = scan->p;
    const char *end = scan->end - p > LONGEST ? p + LONGEST : scan->end;
    while (p < end && !strchr(" \t\r\n\f\v", *p)) p++;
    *word = scan->p;
    return (size_t)(p - scan->p);
}

bool mry_scan_keyword(mry_scan *scan, const char *word)
{
    size_t count = strlen(word);
    mry_scan_need(scan, count + 1);
    if ((size_t)(scan->end - scan->p) < count) return false;
    if (strncasecmp(scan->p, word, count) != 0) return false;
    bool ends_itself = word[count - 1] == ':' || word[count - 1] == '{' || word[count - 1] == '}';
    char next = scan->p[count]; /* a zero of the slack at the end of the file */
    if (!ends_itself && next && !strchr(" \t\r\n\f\v:{}", next)) return false;
    scan->p += count;
    return true;
}

bool mry_scan_at_line_end(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    return scan->p >= scan->end || *scan->p == '\n' || *scan->p == '\r';
}

bool mry_scan_at_end(mry_scan *scan)
{
    mry_scan_skip_space(scan);
    return !scan->status && scan->p >= scan->end;
}

marey_status mry_scan_fail(mry_scan *scan, marey_status status, const char *format, ...)
{
    if (scan->status) return scan->status;
    char message[sizeof scan->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    scan->status = status;
    return mry_fail_at(scan->error, status, scan->path, scan->line, mry_scan_column(scan), "%s",
                       message);
}

marey_status mry_scan_expected(mry_scan *scan, const char *subject)
{
    const char *word;
    char shown[48];
    mry_scan_skip_blanks(scan);
    if (scan->p >= scan->end) {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "expected %s, found the end of the file",
                             subject);
    }
    if (*scan->p == '\n' || *scan->p == '\r') {
        return mry_scan_fail(scan, MAREY_ERR_INPUT, "expected %s, found the end of the line",
                             subject);
    }
    size_t count = mry_scan_word(scan, &word);
    mry_quote(shown, sizeof shown, word, count);
    return mry_scan_fail(scan, MAREY_ERR_INPUT, "expected %s, found \"%s\"", subject, shown);
}
