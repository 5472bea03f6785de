/* pins.c - from "walk#30,run#41" to frames of clips that are aligned. */
#include "pins.h"

#include "clip_facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct pin_reader {
    const app_env *env;
    app_pinned *clips;
    int count;
    int *frames; /* of the pin in hand, as users count them; -1: none */
} pin_reader;

static bool is_called(const app_pinned *clip, const char *name)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)clip->id);
    return strcmp(clip->name, name) == 0 || (clip->typed && strcmp(clip->typed, name) == 0) ||
           (clip->id && strcmp(number, name) == 0);
}

static marey_status load(const pin_reader *of, app_pinned *clip, marey_error *error)
{
    char number[24];
    app_reading plain = { 0 };
    app_source source;
    marey_clip *own = NULL;
    snprintf(number, sizeof number, "#%lld", (long long)clip->id);
    app_segment segment = { number, { .given = true, .start = clip->start, .end = clip->end } };
    if (clip->own) return MAREY_OK;
    marey_status status = app_clip_read(of->env, &plain, &segment, &own, &source, error);
    clip->own = own;
    return status;
}

/* "walk#30", or "30" of the clip of this number. */
static marey_status read_one(const pin_reader *of, const char *text, int number, marey_error *error)
{
    address from;
    frame_range range;
    int frame = -1, found = -1;
    bool bare = range_parse(text, &range) && range.one_frame;
    if (!bare && (!address_parse(text, &from) || !from.range.given || !from.range.one_frame))
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "through must be frames, as in 30,41 or walk#30,run#41, got %.80s", text);
    if (!bare) range = from.range;
    for (int i = 0; i < of->count; i++) {
        app_pinned *clip = &of->clips[i];
        if (bare ? i != number : !is_called(clip, from.path)) continue;
        marey_status status = range.in_seconds ? load(of, clip, error) : MAREY_OK;
        if (status != MAREY_OK) return status;
        double at = range.start;
        if (range.in_seconds) at = floor(at * marey_clip_fps(clip->own) + 0.5);
        frame = (int)fmin(at, 1e9);
        bool inside = frame >= clip->start && frame < clip->end;
        if (bare && !inside)
            return app_fail(error, MAREY_ERR_REQUEST, clip->typed ? clip->typed : clip->name,
                            "through: frame must be %d to %d, got %d", clip->start, clip->end - 1,
                            frame);
        if (inside && found >= 0)
            return app_fail(error, MAREY_ERR_REQUEST, NULL,
                            "through: %.80s is in several of what is aligned", text);
        if (inside) found = i;
    }
    if (found < 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "through: %.80s is in nothing that is aligned", text);
    if (of->frames[found] >= 0)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "through: %.80s and frame %d are of the same clip", text,
                        of->frames[found]);
    marey_status status = load(of, &of->clips[found], error);
    if (status != MAREY_OK) return status;
    if (!is_captured(of->clips[found].own, frame - of->clips[found].start))
        return app_fail(error, MAREY_ERR_REQUEST, NULL, "through: %.80s is no captured motion",
                        text);
    of->frames[found] = frame;
    return MAREY_OK;
}

static marey_status read_pin(const pin_reader *of, const char *text, bool all, marey_error *error)
{
    char *rest = APP_NEW(of->env->scope, char, strlen(text) + 1);
    marey_status status = app_check(!rest, error);
    int given = 0;
    if (rest) memcpy(rest, text, strlen(text) + 1);
    for (int i = 0; i < of->count; i++) of->frames[i] = -1;
    for (; rest && status == MAREY_OK; given++) {
        char *one = rest;
        rest = strchr(one, ',');
        if (rest) *rest++ = 0;
        status = read_one(of, one, given, error);
    }
    if (status != MAREY_OK) return status;
    if (all && given != of->count)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "through must have a frame of each of the %d clips, got %.80s", of->count,
                        text);
    if (of->frames[0] < 0 || given < 2)
        return app_fail(error, MAREY_ERR_REQUEST, NULL,
                        "through must have a frame of %.80s#%d-%d and one of another, got %.80s",
                        of->clips[0].name, of->clips[0].start, of->clips[0].end, text);
    return MAREY_OK;
}

marey_status app_pins_read(const app_env *env, const app_texts *through, app_pinned *clips,
                           int count, bool all, const int **out, marey_error *error)
{
    int *frames = APP_NEW(env->scope, int, (size_t)through->count *(size_t)count);
    marey_status status = app_check(!frames, error);
    for (int p = 0; p < through->count && status == MAREY_OK; p++) {
        int *now = frames + (size_t)p * (size_t)count;
        pin_reader of = { env, clips, count, now };
        status = read_pin(&of, through->values[p], all, error);
        for (int q = 0; q < p && status == MAREY_OK; q++) {
            const int *was = frames + (size_t)q * (size_t)count;
            for (int i = 1; i < count; i++) {
                if (was[i] < 0 || now[i] < 0) continue;
                int first = now[0] - was[0], other = now[i] - was[i];
                if ((first > 0 && other > 0) || (first < 0 && other < 0)) continue;
                return app_fail(error, MAREY_ERR_REQUEST, NULL,
                                "through: frames %d and %d of %.80s go with %d and %d of %.80s, "
                                "and must go with them in the same order",
                                was[0], now[0], clips[0].name, was[i], now[i], clips[i].name);
            }
        }
    }
    for (int k = 0; k < through->count * count && status == MAREY_OK; k++) {
        const app_pinned *clip = &clips[k % count];
        if (frames[k] >= 0) frames[k] = captured_before(clip->own, frames[k] - clip->start);
    }
    *out = frames;
    return status;
}
