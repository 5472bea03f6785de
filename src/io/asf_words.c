/* asf_words.c - lines, comments and names as ASF and AMC files have them: a line says one thing, and
   one that begins with # says nothing. */
#include "io/asf_parse.h"

#include <string.h>
#include <strings.h>

marey_status mry_asf_start(mry_scan *scan)
{
    size_t count = (size_t)(scan->end - scan->p);
    if (count >= 3 && memcmp(scan->p, "\xef\xbb\xbf", 3) == 0) mry_scan_take(scan, 3);
    bool wide =
        count >= 2 && (memcmp(scan->p, "\xff\xfe", 2) == 0 || memcmp(scan->p, "\xfe\xff", 2) == 0);
    if (!wide) return MAREY_OK;
    return mry_scan_fail(scan, MAREY_ERR_INPUT, "this is UTF-16 text; save it as UTF-8 or ASCII");
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

void mry_asf_skip_line(mry_scan *scan)
{
    for (;;) {
        while (scan->p < scan->end && !is_line_end(*scan->p)) scan->p++;
        if (scan->p < scan->end) return;
        mry_scan_need(scan, 1);
        if (scan->p >= scan->end) return;
    }
}

/* Comments may hold any bytes, also such as are no text. */
bool mry_asf_next(mry_scan *scan)
{
    for (;;) {
        mry_scan_skip_space(scan);
        if (scan->p >= scan->end) return false;
        if (*scan->p != '#') break;
        mry_asf_skip_line(scan);
    }
    mry_scan_need(scan, MRY_NUMBER_LONGEST + 1); /* longer than any keyword */
    return true;
}

bool mry_asf_at_line_end(mry_scan *scan)
{
    mry_scan_skip_blanks(scan);
    return scan->p >= scan->end || is_line_end(*scan->p);
}

static bool ends_word(char c)
{
    return strchr(" \t\r\n\f\v", c) != NULL; /* also the zero behind the file */
}

marey_status mry_asf_read_name(mry_scan *scan, const char *what, const char **name, size_t *count)
{
    mry_scan_skip_blanks(scan);
    mry_scan_need(scan, MRY_LONGEST_JOINT_NAME + 1);
    *count = mry_scan_word(scan, 0, name);
    if (*count == 0) return mry_scan_expected(scan, what);
    if (*count < MRY_LONGEST_JOINT_NAME || ends_word(scan->p[MRY_LONGEST_JOINT_NAME]))
        return MAREY_OK;
    return mry_scan_fail(scan, MAREY_ERR_LIMIT, "a name of more than %d bytes",
                         MRY_LONGEST_JOINT_NAME);
}

bool mry_asf_sees(const mry_scan *scan, const char *word)
{
    size_t count = strlen(word);
    if ((size_t)(scan->end - scan->p) < count) return false;
    return strncasecmp(scan->p, word, count) == 0 && ends_word(scan->p[count]);
}
