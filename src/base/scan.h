/* scan.h - text from a file or from memory, with line and column for messages. A window of the file
   is held, not the file, so memory does not grow with it. Readers of text formats use it. */
#ifndef MRY_SCAN_H
#define MRY_SCAN_H

#include "base/arena.h"
#include "base/number.h"

typedef struct mry_scan {
    const char *p;         /* next byte */
    const char *end;       /* behind the last byte in the window; MRY_SCAN_SLACK zeros follow */
    int64_t line;          /* of p, counted from 1 */
    int64_t line_offset;   /* byte of the file at which that line starts */
    int64_t window_offset; /* byte of the file at which the window starts */
    int64_t unread;        /* bytes of the file behind the window */
    const char *path;
    marey_ctx *ctx;
    marey_error *error;  /* may be NULL */
    marey_status status; /* set by the first read that failed, and by mry_scan_fail */
    int handle;
    bool all_read; /* the window ends where the file ends */
    char *window;
    char *owned; /* the window, where it is the scan's own and not the arena's */
    size_t room;
} mry_scan;

enum { MRY_SCAN_SLACK = 64, MRY_SCAN_WINDOW = 256 * 1024 };

/* Opens a file; close with mry_scan_close. The window lives in tmp. A pipe is read whole. */
marey_status mry_scan_open(mry_scan *scan, mry_arena *tmp, const char *path, marey_error *error);
void mry_scan_close(mry_scan *scan); /* closing twice, or one that never opened, is allowed */

/* Scans bytes that outlive the scan; nothing to close. `path` is for messages. */
marey_status mry_scan_bytes(mry_scan *scan, mry_arena *tmp, const char *path, const void *bytes,
                            size_t count, marey_error *error);

/* Makes at least `count` bytes visible behind p, if the file has them. */
void mry_scan_more(mry_scan *scan);
static inline void mry_scan_need(mry_scan *scan, size_t count)
{
    if ((size_t)(scan->end - scan->p) < count && !scan->all_read) mry_scan_more(scan);
}

/* All bytes from p to the end of the file, with a zero behind them, for binary formats; they live in
   tmp. What a pipe had up to its first zero is all there is of it. */
marey_status mry_scan_whole(mry_scan *scan, mry_arena *tmp, const uint8_t **bytes, size_t *count);

/* Past the mark that UTF-8 text may begin with. mry_scan_start also refuses UTF-16. */
static inline void mry_scan_skip_mark(mry_scan *scan)
{
    bool has_mark = scan->end - scan->p >= 3 && (unsigned char)scan->p[0] == 0xef &&
                    (unsigned char)scan->p[1] == 0xbb && (unsigned char)scan->p[2] == 0xbf;
    if (has_mark) scan->p += 3;
}
marey_status mry_scan_start(mry_scan *scan);

/* Bytes from p to the end of the file. */
static inline int64_t mry_scan_left(const mry_scan *scan)
{
    return scan->unread + (scan->end - scan->p);
}

/* Blanks and tabs; or these and line ends (LF, CR LF, lone CR), counting lines. */
void mry_scan_skip_blanks(mry_scan *scan);
void mry_scan_skip_space(mry_scan *scan);

/* One word up to white space, at most 255 bytes of it; its length. The bytes are borrowed until the
   next call. p is moved past it by mry_scan_take only. */
size_t mry_scan_word(mry_scan *scan, const char **word);
static inline void mry_scan_take(mry_scan *scan, size_t count)
{
    scan->p += count;
}

/* True and moved past it, if the next word is `word`, in any case. A ':' in `word` ends it. */
bool mry_scan_keyword(mry_scan *scan, const char *word);

/* What a row's numbers looked like, added up over rows. */
typedef struct mry_row_notes {
    int decimals;   /* most digits behind the point */
    int64_t commas; /* numbers with a decimal comma */
} mry_row_notes;

/* Reads up to `count` numbers of one line, each of size at most `most`. Stops in front of whatever
   is no such number: the line's end, the file's end, a word, nan. Returns how many. */
int mry_scan_row(mry_scan *scan, double *row, int count, double most, mry_row_notes *notes);

bool mry_scan_at_end(mry_scan *scan); /* nothing but white space is left */
/* nothing but blanks in front of the end of the line or file */
bool mry_scan_at_line_end(mry_scan *scan);

/* Of p, in bytes from 1. */
static inline int64_t mry_scan_column(const mry_scan *scan)
{
    return scan->window_offset + (scan->p - scan->window) - scan->line_offset + 1;
}

/* Sets the status and fills the error with path, line and column of p. Returns the status. A read
   that failed before wins. */
__attribute__((format(printf, 3, 4))) marey_status
mry_scan_fail(mry_scan *scan, marey_status status, const char *format, ...);

/* "expected X, found Y" at p, with Y the next word, the end of the line, or the end of the file. */
marey_status mry_scan_expected(mry_scan *scan, const char *subject);

#endif
