/* puppet_csv_write.c - paths as a table of text: each number the shortest that reads back as itself. */
#include "base/context.h"
#include "base/fail.h"
#include "base/number.h"
#include "puppet/puppet_data.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 7, MAIN_COLUMNS = 4, ROW_ROOM = COLUMNS * (MRY_NUMBER_ROOM + 1), DECIMALS = 6 };

static const char NAMES[] = "time,main_x,main_y,main_dir";
static const char REACT_NAMES[] = ",react_x,react_y,react_dir";

typedef struct text {
    marey_ctx *ctx;
    char *bytes;
    size_t used, room;
} text;

/* Room for another row. false: out of memory. */
static bool make_room(text *out)
{
    if (out->room - out->used >= ROW_ROOM) return true;
    size_t room = out->room + out->room / 2 + 4 * ROW_ROOM;
    char *longer = mry_resize(out->ctx, out->bytes, out->room, room);
    if (!longer) return false;
    out->bytes = longer;
    out->room = room;
    return true;
}

static void put(text *out, const char *bytes, size_t count)
{
    memcpy(out->bytes + out->used, bytes, count);
    out->used += count;
}

static bool put_names(text *out, bool with_react)
{
    if (!make_room(out)) return false;
    put(out, NAMES, sizeof NAMES - 1);
    if (with_react) put(out, REACT_NAMES, sizeof REACT_NAMES - 1);
    put(out, "\n", 1);
    return true;
}

static bool put_row(text *out, const marey_puppet_sample *s, bool with_react)
{
    const double values[COLUMNS] = {
        s->time_s,     s->main.x_cm,  s->main.y_cm,          s->main.direction_rad,
        s->react.x_cm, s->react.y_cm, s->react.direction_rad
    };
    int columns = with_react ? COLUMNS : MAIN_COLUMNS;
    if (!make_room(out)) return false;
    for (int i = 0; i < columns; i++) {
        out->used += mry_number_write(out->bytes + out->used, values[i], DECIMALS);
        put(out, i + 1 < columns ? "," : "\n", 1);
    }
    return true;
}

static bool can_be_read(const marey_puppet_sample *s, bool with_react)
{
    return mry_time_can_be(s->time_s) && mry_entity_can_be(&s->main) &&
           fabs(s->main.direction_rad) <= MRY_PUPPET_TURNED &&
           (!with_react ||
            (mry_entity_can_be(&s->react) && fabs(s->react.direction_rad) <= MRY_PUPPET_TURNED));
}

static marey_status write_all(text *out, const marey_puppet_sample *samples, int count,
                              bool with_react, marey_error *error)
{
    if (!put_names(out, with_react)) return mry_fail_memory(error, NULL);
    for (int i = 0; i < count; i++) {
        if (!can_be_read(&samples[i], with_react))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "sample %d: not a number, or too large",
                            i);
        if (!put_row(out, &samples[i], with_react)) return mry_fail_memory(error, NULL);
        if ((i & 0x3ff) == 0 && mry_cancelled(out->ctx)) return mry_fail_cancelled(error);
    }
    return MAREY_OK;
}

marey_status marey_paths_write(marey_ctx *ctx, const marey_puppet_sample *samples, int count,
                               bool with_react, uint8_t **bytes, size_t *size, marey_error *error)
{
    text out = { .ctx = ctx };
    marey_status status = write_all(&out, samples, count, with_react, error);
    char *fitting = status ? NULL : mry_resize(ctx, out.bytes, out.room, out.used);
    if (!fitting) {
        mry_release(ctx, out.bytes, out.room);
        return status ? status : mry_fail_memory(error, NULL);
    }
    *bytes = (uint8_t *)fitting;
    *size = out.used;
    return MAREY_OK;
}
