/* trc_read.c - the markers of a TRC file (Motion Analysis, OpenSim): text with tabs. Three lines of
   header, a line of names, a line of coordinates' names, then a line for each frame: its number, its
   time, and three numbers for each marker, blank where it was not seen. */
#include "base/fail.h"
#include "base/number.h"
#include "io/points_file.h"
#include "motion/clip_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct line {
    const char *p, *end;
    int64_t number;
    bool tabs; /* else fields stand between blanks */
} line;

/* The next line that is not blank; false at the end. */
static bool next_line(const char **p, const char *end, line *out)
{
    while (*p < end) {
        const char *start = *p, *stop = start;
        bool blank = true;
        while (stop < end && *stop != '\n' && *stop != '\r') {
            blank = blank && (*stop == ' ' || *stop == '\t');
            stop++;
        }
        bool both = stop + 1 < end && stop[0] == '\r' && stop[1] == '\n';
        *p = stop < end ? stop + 1 + both : end;
        int64_t number = out->number + 1;
        *out = (line){ start, stop, number, memchr(start, '\t', (size_t)(stop - start)) != NULL };
        if (!blank) return true;
    }
    return false;
}

/* The next field of a line without the blanks around it; false: there is none. */
static bool next_field(line *of, const char **field, size_t *length)
{
    while (of->p < of->end && *of->p == ' ') of->p++;
    if (of->p >= of->end) return false;
    const char *stop = of->p;
    while (stop < of->end && *stop != '\t' && (of->tabs || *stop != ' ')) stop++;
    *field = of->p;
    *length = (size_t)(stop - of->p);
    while (*length > 0 && (*field)[*length - 1] == ' ') --*length;
    of->p = stop < of->end ? stop + 1 : stop;
    return true;
}

/* A number; NAN for a blank or "nan"; false: anything else. */
static bool read_number(const char *field, size_t length, double *out)
{
    char text[MRY_NUMBER_LONGEST + MRY_NUMBER_SLACK + 1] = "";
    mry_decimal number;
    *out = NAN;
    if (length == 0 || (length == 3 && strncasecmp(field, "nan", 3) == 0)) return true;
    if (length > MRY_NUMBER_LONGEST) return false;
    memcpy(text, field, length);
    if (mry_number_read(text, text + length, &number) != length) return false;
    *out = number.value;
    return true;
}

static marey_status refuse(const mry_points_file *file, int64_t number, const char *why)
{
    return mry_fail_at(file->scan->error, MAREY_ERR_INPUT, file->scan->path, number, 0, "%s", why);
}

/* What stands under this title of the second line; NAN: nothing, or no number. */
static double under(line titles, line values, const char *title, const char **text, size_t *length)
{
    const char *field;
    size_t size;
    double number = NAN;
    *length = 0;
    while (next_field(&titles, &field, &size) && next_field(&values, text, length)) {
        if (size == strlen(title) && strncasecmp(field, title, size) == 0) {
            read_number(*text, *length, &number);
            return number;
        }
        *length = 0;
    }
    return number;
}

/* Frame `f` of the file, from its line. */
static marey_status read_row(const mry_points_file *file, line row, int f, marey_points *out,
                             float *at)
{
    const char *field, *start = row.p;
    size_t length;
    int64_t columns = 3 * (int64_t)out->count;
    for (int64_t column = -2; column < columns; column++) {
        double value = NAN;
        if (next_field(&row, &field, &length) && !read_number(field, length, &value)) {
            char found[64];
            mry_quote(found, sizeof found, field, length);
            return mry_fail_at(file->scan->error, MAREY_ERR_INPUT, file->scan->path, row.number,
                               field - start + 1, "expected a number, found \"%s\"", found);
        }
        if (column == -2 && f == 0 && fabs(value) < INT32_MAX) out->first_frame = (int)value;
        if (column >= 0) at[column] = fabs(value) < MRY_MOST_NUMBER ? (float)value : NAN;
    }
    for (int64_t i = 0; i < columns; i += 3)
        if (isnan(at[i] + at[i + 1] + at[i + 2])) at[i] = at[i + 1] = at[i + 2] = NAN;
    return MAREY_OK;
}

bool mry_trc_probe(const uint8_t *bytes, size_t count)
{
    static const char start[] = "PathFileType";
    return count > sizeof start && strncasecmp((const char *)bytes, start, sizeof start - 1) == 0;
}

marey_status mry_trc_read(const mry_points_file *file, marey_points *out)
{
    const char *p = (const char *)file->bytes, *end = p + file->count, *text;
    size_t length;
    line at = { 0 }, titles, values, labels;
    if (!mry_trc_probe(file->bytes, file->count))
        return refuse(file, 1, "no TRC file: it must begin with PathFileType");
    bool whole = next_line(&p, end, &at) && next_line(&p, end, &at);
    titles = at;
    whole = whole && next_line(&p, end, &at);
    values = at;
    whole = whole && next_line(&p, end, &at);
    labels = at;
    whole = whole && next_line(&p, end, &at); /* X1 Y1 Z1 .. */
    if (!whole) return refuse(file, at.number, "the file ends in its header");
    double count = under(titles, values, "NumMarkers", &text, &length);
    double said = under(titles, values, "NumFrames", &text, &length);
    out->fps = mry_points_fps(under(titles, values, "DataRate", &text, &length));
    under(titles, values, "Units", &text, &length);
    char *units = mry_arena_text(file->tmp, text, length);
    if (!units) return mry_fail_memory(file->scan->error, file->scan->path);
    out->units = mry_points_units(units);
    if (!(count >= 1 && count < 1e9))
        return refuse(file, values.number, "NumMarkers must be 1 or more");
    const char *rest = p;
    line row = at;
    int64_t frames = 0;
    while (next_line(&rest, end, &row)) frames++;
    if (frames == 0) return refuse(file, at.number, "the file has no frames");
    if (said > (double)frames)
        return mry_fail(file->scan->error, MAREY_ERR_INPUT, file->scan->path,
                        "the file is cut short: it says %.0f frames and has %" PRId64, said,
                        frames);
    marey_status status = mry_points_check_size(file, frames, (int64_t)count);
    if (status) return status;
    out->count = (int)count;
    out->frames = (int)frames;
    /* Rows may end early, but what is not there takes no memory to speak of. */
    if (3 * frames * out->count > 64 * (int64_t)file->count)
        return refuse(file, values.number, "NumMarkers is more than its rows have");
    float *places = MRY_NEW_RAW(file->mem, float, 3 * frames * out->count);
    const char **names = MRY_NEW(file->mem, const char *, out->count);
    if (!places || !names) return mry_fail_memory(file->scan->error, file->scan->path);
    for (int column = -2, named = 0; next_field(&labels, &text, &length); column++) {
        if (column < 0 || length == 0 || named == out->count) continue;
        if (!(names[named++] = mry_arena_text(file->mem, text, length)))
            return mry_fail_memory(file->scan->error, file->scan->path);
    }
    for (int i = 0; i < out->count; i++)
        if (!names[i]) names[i] = "";
    out->names = names;
    out->at = places;
    for (int f = 0; f < out->frames && next_line(&p, end, &at); f++) {
        status = read_row(file, at, f, out, places + (size_t)f * 3 * (size_t)out->count);
        if (status) return status;
        if (f % 4096 == 0 && mry_cancelled(file->scan->ctx))
            return mry_fail_cancelled(file->scan->error);
    }
    return MAREY_OK;
}
