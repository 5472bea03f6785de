/* parts.c - frames of clips out of a library as clips that can be mixed: without marked frames, on
   the body of the first, with their plants. */
#include "library/library_data.h"

#include "base/fail.h"
#include "base/grow.h"
#include "feature/feature_data.h"
#include "repair/flawed.h"

#include <marey/retarget.h>

#include <stdio.h>
#include <string.h>

typedef struct opened {
    marey_parts view; /* first: what callers have is its address */
    mry_arena mem;    /* this too lives in it */
    marey_part *parts;
    marey_named *names;
    marey_clip **clips; /* view.count of them */
    marey_contacts *contacts;
    marey_fit *fits;
    marey_left_out *left_out;
} opened;

void marey_parts_free(marey_parts *parts)
{
    if (!parts) return;
    opened *set = (opened *)parts;
    for (int i = 0; i < set->view.count; i++) marey_clip_free(set->clips[i]);
    mry_arena mem = set->mem;
    mry_arena_free(&mem);
}

static opened *make_opened(marey_ctx *ctx, int count)
{
    mry_arena mem = mry_arena_make(ctx);
    opened *set = MRY_NEW(&mem, opened, 1);
    if (set) {
        set->parts = MRY_NEW(&mem, marey_part, count);
        set->names = MRY_NEW(&mem, marey_named, count);
        set->clips = MRY_NEW(&mem, marey_clip *, count);
        set->contacts = MRY_NEW(&mem, marey_contacts, count);
        set->fits = MRY_NEW(&mem, marey_fit, count);
    }
    if (!set || !set->parts || !set->names || !set->clips || !set->contacts || !set->fits) {
        mry_arena_free(&mem);
        return NULL;
    }
    set->view = (marey_parts){ .parts = set->parts,
                               .names = set->names,
                               .clips = (const marey_clip *const *)set->clips,
                               .contacts = set->contacts,
                               .fits = set->fits };
    set->mem = mem;
    return set;
}

/* The plants of a part, in its own frames. */
static marey_status get_plants(marey_library *library, const marey_clip *clip,
                               const marey_part *part, opened *set, marey_contacts *out,
                               marey_error *error)
{
    int count = -1, kept = 0, mark_count, frames = marey_clip_frames(clip);
    const marey_mark *marks = marey_clip_marks(clip, &mark_count);
    /* Those that the library keeps for the clip, or else what is found in the part; counted as in
       the whole clip. */
    marey_status status = mry_read_contacts(library, part->clip, NULL, 0, &count, error);
    if (status) return status;
    if (count >= 0) {
        out->items = MRY_NEW(&set->mem, marey_contact, count);
        if (!out->items) return mry_fail_memory(error, NULL);
        status = mry_read_contacts(library, part->clip, out->items, count, &out->count, error);
        if (status) return status;
    } else {
        marey_contacts found = { 0 };
        status = marey_contacts_find(clip, NULL, &found);
        if (status) return mry_fail(error, status, NULL, "%s", marey_status_name(status));
        out->items = MRY_NEW(&set->mem, marey_contact, found.count);
        for (int i = 0; i < found.count && out->items; i++) {
            out->items[i] = found.items[i];
            out->items[i].start += part->start;
            out->items[i].end += part->start;
        }
        out->count = found.count;
        marey_contacts_free(&found);
        if (!out->items) return mry_fail_memory(error, NULL);
    }
    /* How many frames of captured motion come before each frame, and before the end. */
    mry_arena tmp = mry_arena_make(library->ctx);
    int *before = MRY_NEW(&tmp, int, (size_t)frames + 1);
    if (!before) return mry_fail_memory(error, NULL);
    for (int i = 0; i < mark_count; i++)
        for (int f = marks[i].start; f < marks[i].end; f++) before[f + 1] = 1;
    for (int f = 0; f < frames; f++) before[f + 1] = before[f] + !before[f + 1];
    /* Cut to the part, whose frames that are left out close up. */
    for (int i = 0; i < out->count; i++) {
        marey_contact one = out->items[i];
        int start = one.start > part->start ? one.start : part->start;
        int end = one.end < part->end ? one.end : part->end;
        if (start >= end) continue;
        one.start = before[start - part->start];
        one.end = before[end - part->start];
        if (one.start < one.end) out->items[kept++] = one;
    }
    out->count = kept;
    mry_arena_free(&tmp);
    return MAREY_OK;
}

/* Parts often are of few clips, in any order: those that were read last are kept while all are
   opened. */
enum { CLIPS_AT_HAND = 8 };

typedef struct hand_clip {
    int64_t id;
    marey_clip *clip;
    marey_clip *fitted; /* on the first one's body, once that was asked for */
    marey_fit fit;
} hand_clip;

typedef struct at_hand {
    hand_clip clips[CLIPS_AT_HAND];
    int next;         /* to make room */
    marey_clip *body; /* the whole clip whose body all have, once that was asked for */
} at_hand;

/* A clip that is not removed, and its name. */
static marey_status take_clip(marey_library *library, at_hand *hand, int64_t id, marey_named *named,
                              hand_clip **out, marey_error *error)
{
    bool removed = false;
    named->id = id;
    marey_status status =
        mry_clip_name(library, id, named->name, sizeof named->name, &removed, error);
    if (status) return status;
    if (removed)
        return mry_fail(error, MAREY_ERR_INPUT, mry_store_path(library->store),
                        "clip %.100s is removed", named->name);
    for (int i = 0; i < CLIPS_AT_HAND; i++) {
        if (!hand->clips[i].clip || hand->clips[i].id != id) continue;
        *out = &hand->clips[i];
        return MAREY_OK;
    }
    marey_clip *clip = NULL;
    int64_t layers = 0;
    status = mry_clip_layers(library, id, &layers, error);
    if (!status && id >= 0 && id < INT32_MAX) {
        int before = library->seen_room;
        if (mry_grow_in(&library->seen_mem, &library->seen, &library->seen_room, (int)id + 1,
                        sizeof *library->seen)) {
            for (int i = before; i < library->seen_room; i++) library->seen[i] = 0;
            library->seen[id] = layers;
        } else {
            status = mry_fail_memory(error, named->name);
        }
    }
    if (!status) status = mry_load_clip(library, id, named->name, &clip, error);
    if (status) return status;
    hand_clip *slot = &hand->clips[hand->next];
    marey_clip_free(slot->clip);
    marey_clip_free(slot->fitted);
    *slot = (hand_clip){ .id = id, .clip = clip };
    hand->next = (hand->next + 1) % CLIPS_AT_HAND;
    *out = slot;
    return MAREY_OK;
}

/* The body that all are to have, where it is another than the first part's. */
static marey_status take_body(marey_library *library, at_hand *hand, int64_t onto, opened *set,
                              marey_error *error)
{
    marey_named named;
    hand_clip *whole = NULL;
    set->view.onto = onto;
    if (!onto) return MAREY_OK;
    marey_status status = take_clip(library, hand, onto, &named, &whole, error);
    if (status) return status;
    return marey_clip_trim(whole->clip, 0, marey_clip_frames(whole->clip), &hand->body, error);
}

/* The whole clip on the whole body: what bodies are like is found over all frames of both. Plants and
   map are those that the library keeps. */
static marey_status fit_whole(marey_library *library, at_hand *hand, const opened *set,
                              hand_clip *one, marey_error *error)
{
    marey_contacts plants = { .count = -1 };
    marey_body_map map = { 0 };
    bool mapped = false;
    mry_arena tmp = mry_arena_make(library->ctx);
    marey_status status = MAREY_OK;
    if (!hand->body)
        status = mry_load_clip(library, set->parts[0].clip, set->names[0].name, &hand->body, error);
    if (!status) status = mry_read_contacts(library, one->id, NULL, 0, &plants.count, error);
    if (!status && plants.count > 0) {
        plants.items = MRY_NEW(&tmp, marey_contact, plants.count);
        status = plants.items ? mry_read_contacts(library, one->id, plants.items, plants.count,
                                                  &plants.count, error)
                              : mry_fail_memory(error, NULL);
    }
    if (!status) status = mry_read_map(library, one->clip, hand->body, &map, &mapped, error);
    if (!status)
        status = marey_clip_fit(one->clip, plants.count < 0 ? NULL : &plants, hand->body,
                                &(marey_retarget_def){ .map = mapped ? &map : NULL }, &one->fitted,
                                &one->fit, error);
    marey_body_map_free(&map);
    mry_arena_free(&tmp);
    return status;
}

static marey_status open_part(marey_library *library, at_hand *hand, opened *set, int i,
                              marey_error *error)
{
    const marey_part *part = &set->parts[i];
    hand_clip *whole = NULL;
    marey_clip *own = NULL, *captured = NULL;
    /* Without a body of its own, the first part has it. */
    const marey_clip *like = set->view.onto ? hand->body : i > 0 ? set->clips[0] : NULL;
    bool foreign = false;
    marey_status status = take_clip(library, hand, part->clip, &set->names[i], &whole, error);
    if (!status) status = marey_clip_trim(whole->clip, part->start, part->end, &own, error);
    if (!status && like)
        foreign = !mry_same_joints(marey_clip_skeleton(own), marey_clip_skeleton(like));
    if (foreign && !whole->fitted) status = fit_whole(library, hand, set, whole, error);
    if (!status) status = get_plants(library, own, part, set, &set->contacts[i], error);
    if (!status && foreign) {
        marey_clip_free(own);
        own = NULL;
        status = marey_clip_trim(whole->fitted, part->start, part->end, &own, error);
        set->fits[i] = whole->fit;
    }
    if (!status) status = marey_clip_unmarked(own, NULL, &captured, error);
    marey_clip_free(own);
    if (!status && like) {
        status = marey_clip_refit(captured, like, &set->clips[i], error);
        marey_clip_free(captured);
    } else if (!status) {
        set->clips[i] = captured;
    }
    if (!status) set->view.count++;
    if (status && error && !*error->path)
        snprintf(error->path, sizeof error->path, "%s", set->names[i].name);
    return status;
}

/* Lets the clips go that were at hand, and hands over what was opened of them. */
static marey_status finish(at_hand *hand, opened *set, marey_status status, marey_parts **out)
{
    for (int i = 0; i < CLIPS_AT_HAND; i++) {
        marey_clip_free(hand->clips[i].clip);
        marey_clip_free(hand->clips[i].fitted);
    }
    marey_clip_free(hand->body);
    if (status)
        marey_parts_free(&set->view);
    else
        *out = &set->view;
    return status;
}

marey_status mry_open_parts(marey_library *library, const marey_part *parts, int count, int most,
                            int64_t onto, marey_parts **out, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    if (count < 1 || count > most) {
        return mry_fail(error, MAREY_ERR_REQUEST, path, "parts of clips must be 1 to %d, got %d",
                        most, count);
    }
    opened *set = make_opened(library->ctx, count);
    if (!set) return mry_fail_memory(error, path);
    memcpy(set->parts, parts, (size_t)count * sizeof *parts);
    at_hand hand = { .next = 0 };
    marey_status status = take_body(library, &hand, onto, set, error);
    for (int i = 0; i < count && !status; i++) {
        status = mry_cancelled(library->ctx) ? mry_fail_cancelled(error)
                                             : open_part(library, &hand, set, i, error);
    }
    return finish(&hand, set, status, out);
}

marey_status marey_library_parts(marey_library *library, const marey_part *parts, int count,
                                 int64_t onto, marey_parts **out, marey_error *error)
{
    marey_status status = mry_store_snapshot(library->store, error);
    if (!status) status = mry_open_parts(library, parts, count, MRY_MOST_PARTS, onto, out, error);
    mry_store_rollback(library->store);
    return status;
}

/* The next frames from *start on and before `limit` of which none is spoiled; false: there are no
   more. */
static bool next_stretch(const uint8_t *spoiled, int limit, int *start, int *end)
{
    while (*start < limit && spoiled[*start]) ++*start;
    for (*end = *start; *end < limit && !spoiled[*end];) ++*end;
    return *start < *end;
}

/* Notes a clip that does not fit, and why; once, of however many parts. */
static void leave_out(opened *set, const marey_named *named, const marey_error *why)
{
    marey_left_out *all = set->left_out;
    int count = set->view.left_out_count;
    if (count > 0 && all[count - 1].clip.id == named->id) return;
    all[count].clip = *named;
    snprintf(all[count].why, sizeof all[count].why, "%.200s: %.200s", why->path, why->message);
    set->view.left_out_count++;
}

marey_status marey_library_captured_parts(marey_library *library, const marey_part *of, int count,
                                          int64_t onto, marey_parts **out, marey_error *error)
{
    const char *path = mry_store_path(library->store);
    opened *set = make_opened(library->ctx, MAREY_GRAPH_MOST_CLIPS);
    if (!set) return mry_fail_memory(error, path);
    set->left_out = MRY_NEW(&set->mem, marey_left_out, (size_t)count + 1);
    set->view.left_out = set->left_out;
    marey_status status =
        set->left_out ? mry_store_snapshot(library->store, error) : mry_fail_memory(error, path);
    at_hand hand = { .next = 0 };
    if (!status) status = take_body(library, &hand, onto, set, error);
    for (int i = 0; i < count && !status; i++) {
        marey_named named;
        hand_clip *whole = NULL;
        status = mry_progress(library->ctx, "reading clips", i, count)
                     ? take_clip(library, &hand, of[i].clip, &named, &whole, error)
                     : mry_fail_cancelled(error);
        int frames = status ? 0 : marey_clip_frames(whole->clip),
            limit = of[i].end ? of[i].end : frames;
        if (!status && (of[i].start < 0 || of[i].start >= limit || limit > frames)) {
            status = mry_fail(error, MAREY_ERR_REQUEST, named.name,
                              "frames %d-%d are outside the clip, which has %d", of[i].start, limit,
                              frames);
        }
        mry_arena tmp = mry_arena_make(library->ctx);
        uint8_t *spoiled = status ? NULL : MRY_NEW(&tmp, uint8_t, frames);
        if (!status && !(spoiled && mry_flawed_frames(whole->clip, spoiled)))
            status = mry_fail_memory(error, named.name);
        for (int start = of[i].start, end; !status && next_stretch(spoiled, limit, &start, &end);
             start = end) {
            int next = set->view.count;
            if (end - start < 2) continue; /* a single frame is no motion */
            if (next == MAREY_GRAPH_MOST_CLIPS) {
                status =
                    mry_fail(error, MAREY_ERR_LIMIT, path,
                             "these clips have more than %d stretches of captured motion", next);
                break;
            }
            set->parts[next] = (marey_part){ of[i].clip, start, end };
            marey_error why = { 0 };
            status = open_part(library, &hand, set, next, &why);
            if (status == MAREY_ERR_SHAPE) {
                leave_out(set, &named, &why);
                status = MAREY_OK;
                break;
            }
            if (status && error) *error = why;
        }
        mry_arena_free(&tmp);
    }
    if (!status && set->view.count == 0 && set->view.left_out_count > 0) {
        status = mry_fail(error, MAREY_ERR_SHAPE, path, "%s", set->left_out[0].why);
    } else if (!status && set->view.count == 0) {
        status = mry_fail(error, MAREY_ERR_REQUEST, path,
                          count ? "these clips have no captured motion" : "no clips are named");
    }
    mry_store_rollback(library->store);
    return finish(&hand, set, status, out);
}
