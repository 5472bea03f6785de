/* c3d_read.c - the points of a C3D file (C3D.ORG user guide, 2008): blocks of 512 bytes with a header,
   parameters in groups, and frames of points, each followed by analog samples. Numbers are as the
   processor had them that wrote the file: lowest byte first (Intel, DEC), highest first (SGI), floats
   of IEEE or of the VAX; coordinates are 16-bit integers times a scale, or floats. Header and
   parameters often differ, and then the parameters are right. */
#include "base/fail.h"
#include "io/points_file.h"
#include "motion/clip_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { BLOCK = 512, INTEL = 84, DEC = 85, SGI = 86, MOST_EVENTS = 10000 };
enum { CHARACTERS = -1, BYTES = 1, INTEGERS = 2, FLOATS = 4 };

typedef struct reader {
    mry_scan *scan;
    mry_arena *mem; /* of what is returned */
    const uint8_t *bytes;
    size_t count;
    int processor;
    const uint8_t *parameters, *parameters_end;
} reader;

/* A parameter: `rows` texts of `width` characters, or so many numbers. */
typedef struct parameter {
    int type, width;
    int64_t rows;
    const uint8_t *data;
} parameter;

static marey_status refuse(const reader *r, const char *why)
{
    return mry_fail(r->scan->error, MAREY_ERR_INPUT, r->scan->path, "%s", why);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int word_at(const reader *r, const uint8_t *p)
{
    return r->processor == SGI ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

static double float_at(const reader *r, const uint8_t *p)
{
    uint32_t bits;
    float value;
    if (r->processor == DEC) {
        /* Two words, the high one first; the exponent is larger by two than that of IEEE. */
        bits = (uint32_t)p[1] << 24 | (uint32_t)p[0] << 16 | (uint32_t)p[3] << 8 | p[2];
        if ((bits >> 23 & 0xff) == 0) return 0;
        int exponent = (int)(bits >> 23 & 0xff) - 128;
        double part = (double)(bits & 0x7fffff) / 16777216 + 0.5;
        return ldexp(bits >> 31 ? -part : part, exponent);
    }
    bits = r->processor == SGI
               ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool is_called(const uint8_t *name, int length, const char *wanted)
{
    return (size_t)length == strlen(wanted) &&
           strncasecmp((const char *)name, wanted, strlen(wanted)) == 0;
}

/* The one of this name in this group; false: there is none, or it leads past the end. */
static bool find(const reader *r, const char *group, const char *name, parameter *out)
{
    int number = 0; /* of the group */
    for (int round = 0; round < 2; round++) {
        const uint8_t *p = r->parameters, *end = r->parameters_end;
        while (end - p >= 4) {
            int length = p[0] > 127 ? 256 - p[0] : p[0], id = (int8_t)p[1];
            const uint8_t *text = p + 2;
            if (length == 0 || id == 0 || end - text < length + 2) break;
            const uint8_t *next = text + length;
            int way = word_at(r, next);
            if (round == 0 && id < 0 && is_called(text, length, group)) number = -id;
            if (round == 1 && id == number && is_called(text, length, name)) {
                const uint8_t *data = next + 2;
                if (end - data < 2) return false;
                int dims = data[1];
                *out = (parameter){ .type = (int8_t)data[0], .width = 1, .rows = 1 };
                data += 2;
                if (end - data < dims) return false;
                for (int d = 0; d < dims; d++) {
                    if (d == 0 && out->type == CHARACTERS) {
                        out->width = data[d];
                    } else {
                        out->rows *= data[d];
                    }
                    if (out->rows > 1 << 24) return false;
                }
                out->data = data + dims;
                int size = out->type < 0 ? 1 : out->type;
                return (int64_t)size * out->width * out->rows <= end - out->data;
            }
            if (way < 2 || end - next < way) break;
            p = next + way;
        }
        if (number == 0) return false;
    }
    return false;
}

static double number_in(const reader *r, const parameter *one, int64_t row, double otherwise)
{
    if (row >= one->rows) return otherwise;
    if (one->type == BYTES) return one->data[row];
    if (one->type == INTEGERS) return word_at(r, one->data + 2 * row);
    return one->type == FLOATS ? float_at(r, one->data + 4 * row) : otherwise;
}

static double number(const reader *r, const char *group, const char *name, int64_t row,
                     double otherwise)
{
    parameter one;
    return find(r, group, name, &one) ? number_in(r, &one, row, otherwise) : otherwise;
}

/* The first number of a parameter that counts something, or -1: it is no such number. */
static int64_t count_of(const reader *r, const char *group, const char *name, double otherwise)
{
    double value = number(r, group, name, 0, otherwise);
    return value >= 0 && value <= INT32_MAX ? (int64_t)value : -1;
}

/* Row number `row` of texts, without the blanks at its end. "": there is none. NULL: no memory. */
static const char *text_in(const reader *r, const parameter *one, int64_t row)
{
    if (one->type != CHARACTERS || row >= one->rows) return "";
    const char *from = (const char *)one->data + row * one->width;
    size_t length = strnlen(from, (size_t)one->width);
    while (length > 0 && strchr(" \t\r\n", from[length - 1])) length--;
    return mry_arena_text(r->mem, from, length);
}

static const char *text(const reader *r, const char *group, const char *name)
{
    parameter one;
    return find(r, group, name, &one) ? text_in(r, &one, 0) : "";
}

/* ---- what the file says of itself ------------------------------------------------------------ */

static marey_status open_file(reader *r)
{
    if (r->count < 2 * BLOCK || r->bytes[1] != 0x50 || r->bytes[0] == 0)
        return refuse(r, "no C3D file: it does not begin with a block number and 0x50");
    size_t start = (size_t)(r->bytes[0] - 1) * BLOCK;
    if (r->count < start + BLOCK) return refuse(r, "the file ends before its parameters");
    const uint8_t *p = r->bytes + start;
    size_t blocks = p[2] ? p[2] : 1, room = r->count - start;
    r->processor = p[3] == DEC || p[3] == SGI ? p[3] : INTEL;
    /* How many blocks they have is often wrong; the frames are behind them. */
    size_t data = (size_t)word_at(r, r->bytes + 16) * BLOCK;
    if (data > start + BLOCK && data - BLOCK - start > blocks * BLOCK)
        blocks = (data - BLOCK - start) / BLOCK;
    r->parameters = p + 4;
    r->parameters_end = p + (blocks * BLOCK < room ? blocks * BLOCK : room);
    return MAREY_OK;
}

static bool read_labels(const reader *r, marey_points *out)
{
    const char **names = MRY_NEW(r->mem, const char *, out->count);
    const char *units = text(r, "POINT", "UNITS"), *up = text(r, "POINT", "Y_SCREEN");
    char called[24] = "LABELS"; /* more than 255 go on in LABELS2, LABELS3 and so on */
    parameter labels;
    int done = 0;
    if (!names || !units || !up) return false;
    for (int part = 2; done < out->count && find(r, "POINT", called, &labels); part++) {
        for (int row = 0; row < labels.rows && done < out->count; row++)
            if (!(names[done++] = text_in(r, &labels, row))) return false;
        snprintf(called, sizeof called, "LABELS%d", part);
    }
    while (done < out->count) names[done++] = "";
    out->names = names;
    out->units = mry_points_units(units);
    size_t length = strlen(up); /* "+Z" */
    char axis = length > 0 ? up[length - 1] : 0;
    out->up = axis == 'Z' || axis == 'z'   ? MAREY_UP_Z
              : axis == 'Y' || axis == 'y' ? MAREY_UP_Y
                                           : MAREY_UP_GUESS;
    return true;
}

/* Of the group EVENT, whose times are minutes and seconds; else those of the header. */
static bool read_events(const reader *r, marey_points *out)
{
    enum { KEY = 12345, HEADER_EVENTS = 18 };
    int count = (int)fmin(fmax(number(r, "EVENT", "USED", 0, 0), 0), MOST_EVENTS);
    const uint8_t *header = r->bytes;
    bool old = count == 0 && word_at(r, header + 2 * 149) == KEY;
    if (old) count = word_at(r, header + 2 * 150);
    if (old && count > HEADER_EVENTS) count = HEADER_EVENTS;
    marey_point_event *events = MRY_NEW(r->mem, marey_point_event, count);
    parameter labels = { 0 }, contexts = { 0 }, times = { 0 };
    if (!events) return false;
    if (!old && (!find(r, "EVENT", "LABELS", &labels) || !find(r, "EVENT", "TIMES", &times)))
        count = 0;
    if (!old && !find(r, "EVENT", "CONTEXTS", &contexts)) contexts = (parameter){ 0 };
    for (int i = 0; i < count; i++) {
        marey_point_event one = { "", "", 0 };
        if (old) {
            const char *name = (const char *)header + 2 * 198 + 4 * i;
            size_t length = strnlen(name, 4);
            while (length > 0 && name[length - 1] == ' ') length--;
            one.label = mry_arena_text(r->mem, name, length);
            one.seconds = float_at(r, header + 2 * 152 + 4 * i);
        } else {
            one.label = text_in(r, &labels, i);
            one.context = text_in(r, &contexts, i);
            one.seconds = 60 * number_in(r, &times, 2 * i, 0) + number_in(r, &times, 2 * i + 1, 0);
        }
        if (!one.label || !one.context) return false;
        if (isfinite(one.seconds)) events[out->event_count++] = one;
    }
    out->events = events;
    return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* The last frame has 16 bits in the header; longer recordings say it elsewhere, or leave it to the
   end of the file. */
static marey_status read_frames(const reader *r, marey_points *out)
{
    const uint8_t *header = r->bytes;
    double scale = number(r, "POINT", "SCALE", 0, float_at(r, header + 12));
    bool real = scale < 0;
    int first = word_at(r, header + 6), last = word_at(r, header + 8), size = real ? 4 : 2;
    int64_t analog = word_at(r, header + 4);
    int64_t block = count_of(r, "POINT", "DATA_START", word_at(r, header + 16));
    parameter trial;
    if (block < 1) block = word_at(r, header + 16);
    int64_t frames = (int64_t)last - first + 1;
    if (find(r, "TRIAL", "ACTUAL_START_FIELD", &trial) && trial.rows >= 2 &&
        find(r, "TRIAL", "ACTUAL_END_FIELD", &trial) && trial.rows >= 2) {
        double from = number(r, "TRIAL", "ACTUAL_START_FIELD", 0, 0) +
                      65536 * number(r, "TRIAL", "ACTUAL_START_FIELD", 1, 0);
        double to = number(r, "TRIAL", "ACTUAL_END_FIELD", 0, 0) +
                    65536 * number(r, "TRIAL", "ACTUAL_END_FIELD", 1, 0);
        if (to - from >= 0 && to - from < INT32_MAX) {
            frames = (int64_t)(to - from) + 1;
            first = (int)fmax(fmin(from, INT32_MAX), 0);
        }
    } else if (last == 65535) {
        int64_t said = count_of(r, "POINT", "FRAMES", 0);
        frames = said > 65534 || said < 1 ? INT32_MAX : said;
    }
    int64_t a_frame = size * (4 * (int64_t)out->count + analog), start = (block - 1) * BLOCK;
    if (block < 2 || start >= (int64_t)r->count || frames < 1)
        return refuse(r, "it has no frames where it says that they begin");
    if (out->count < 1) return refuse(r, "it has no points");
    if (out->count > MRY_MOST_POINTS)
        return mry_fail(r->scan->error, MAREY_ERR_LIMIT, r->scan->path,
                        "%d points; marey reads at most %d", out->count, MRY_MOST_POINTS);
    int64_t there = ((int64_t)r->count - start) / a_frame;
    if (there < 1) return refuse(r, "it ends in its first frame");
    if (frames != INT32_MAX && frames > there)
        return mry_fail(r->scan->error, MAREY_ERR_INPUT, r->scan->path,
                        "the file is cut short: it says %" PRId64 " frames and has %" PRId64,
                        frames, there);
    if (frames > there) frames = there;
    float *at = MRY_NEW_RAW(r->mem, float, 3 * frames * out->count);
    if (!at) return mry_fail_memory(r->scan->error, r->scan->path);
    for (int64_t f = 0; f < frames; f++) {
        const uint8_t *p = r->bytes + start + f * a_frame;
        for (int i = 0; i < out->count; i++, p += 4 * size) {
            float *to = at + 3 * (f * out->count + i);
            /* The fourth number is the residual and the cameras; below 0 the point was not seen. */
            bool seen = real ? float_at(r, p + 12) >= 0 : word_at(r, p + 6) < 0x8000;
            for (int c = 0; c < 3; c++) {
                double value =
                    real ? float_at(r, p + 4 * c) : (int16_t)word_at(r, p + 2 * c) * scale;
                to[c] = seen && fabs(value) < MRY_MOST_NUMBER ? (float)value : NAN;
            }
        }
    }
    out->first_frame = first;
    out->frames = (int)frames;
    out->at = at;
    return MAREY_OK;
}

/* ---- the way in ------------------------------------------------------------------------------ */

bool mry_c3d_probe(const uint8_t *bytes, size_t count)
{
    size_t start = count >= 2 * BLOCK && bytes[0] > 0 ? (size_t)(bytes[0] - 1) * BLOCK : count;
    return start + BLOCK <= count && bytes[1] == 0x50 && bytes[start + 3] >= INTEL &&
           bytes[start + 3] <= SGI;
}

marey_status mry_c3d_read(const mry_points_file *file, marey_points *points)
{
    reader r = { file->scan, file->mem, file->bytes, file->count, 0, NULL, NULL };
    marey_status status = open_file(&r);
    if (status) return status;
    points->count = (int)count_of(&r, "POINT", "USED", word_at(&r, r.bytes + 2));
    points->fps = mry_points_fps(number(&r, "POINT", "RATE", 0, float_at(&r, r.bytes + 20)));
    status = read_frames(&r, points);
    if (!status && (!read_labels(&r, points) || !read_events(&r, points)))
        status = mry_fail_memory(r.scan->error, r.scan->path);
    return status;
}
