/* doctor_copies.c - clips that hold the same motion as another one. What a clip is a copy of depends on
   which other clips there are, so this is found each time, from landmarks that are kept with every
   clip, and nothing of it is kept. */
#include "doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static marey_status load(const app_env *env, const app_suspect *one, const marey_load_def *reading,
                         marey_clip **out, marey_error *error)
{
    char number[24];
    snprintf(number, sizeof number, "#%lld", (long long)one->id);
    return one->path ? marey_motion_load(env->ctx, one->path, reading, out, error)
                     : marey_library_load(env->library, number, out, error);
}

/* Is it inside what the same clip is known to share already? Findings of a clip come in a row. */
static bool is_known(const app_duplicate *list, int count, int suspect, int start, int end)
{
    for (int i = count - 1; i >= 0 && list[i].suspect == suspect; i--)
        if (list[i].flaw.start <= start && list[i].flaw.end >= end) return true;
    return false;
}

static app_duplicate state(const app_suspect *list, const marey_copy *copy)
{
    bool own = list[copy->clip].patient >= 0;
    const app_suspect *clip = &list[own ? copy->clip : copy->other];
    const app_suspect *other = &list[own ? copy->other : copy->clip];
    app_duplicate found = { .suspect = own ? copy->clip : copy->other,
                            .flaw = { .kind = MAREY_FLAW_DUPLICATE,
                                      .joint = -1,
                                      .start = own ? copy->start : copy->other_start,
                                      .end = own ? copy->end : copy->other_end,
                                      .certainty = copy->certainty },
                            .other = other->name,
                            .other_path = other->path,
                            .other_start = own ? copy->other_start : copy->start,
                            .other_end = own ? copy->other_end : copy->end,
                            .mirrored = copy->mirrored };
    found.flaw.size = (found.flaw.end - found.flaw.start) / clip->fps;
    return found;
}

marey_status app_duplicates_find(const app_env *env, const app_suspect *list, int count,
                                 const marey_load_def *reading, app_duplicate **out, int *found,
                                 marey_error *error)
{
    marey_copies pairs = { 0 };
    marey_clip *clip = NULL;
    marey_copy_clip *clips = APP_NEW(env->scope, marey_copy_clip, count);
    int loaded = -1;
    *found = 0;
    if (!clips) return app_fail_memory(error);
    for (int i = 0; i < count; i++) clips[i] = list[i].of;
    if (marey_copies_find(env->ctx, clips, count, &pairs) != MAREY_OK)
        return app_fail_memory(error);
    app_duplicate *made = APP_NEW(env->scope, app_duplicate, pairs.count);
    marey_status status = made ? MAREY_OK : app_fail_memory(error);
    for (int i = 0; i < pairs.count && status == MAREY_OK; i++) {
        marey_copy *copy = &pairs.items[i];
        marey_clip *other = NULL;
        bool same = false;
        if (list[copy->clip].patient < 0 && list[copy->other].patient < 0) continue;
        /* One original is enough of a clip that is a copy from its first second to its last. */
        int second = (int)list[copy->clip].fps;
        int frames = (int)(list[copy->clip].of.seconds * list[copy->clip].fps);
        if (is_known(made, *found, copy->clip, second, frames - second)) continue;
        app_progress(env, "comparing", i, pairs.count, -1);
        if (loaded != copy->clip) {
            marey_clip_free(clip);
            clip = NULL;
            status = load(env, &list[copy->clip], reading, &clip, error);
            loaded = copy->clip;
        }
        if (status == MAREY_OK) status = load(env, &list[copy->other], reading, &other, error);
        if (status == MAREY_OK && marey_copy_check(clip, other, copy, &same) != MAREY_OK)
            status = app_fail_memory(error);
        marey_clip_free(other);
        app_duplicate next = state(list, copy);
        if (status == MAREY_OK && same &&
            !is_known(made, *found, next.suspect, next.flaw.start, next.flaw.end))
            made[(*found)++] = next;
    }
    marey_clip_free(clip);
    marey_copies_free(&pairs);
    *out = made;
    return status;
}

typedef struct numbered {
    int64_t id;
    int at;
} numbered;

static int by_id(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* As they were added: of two that are equally long the later one is the copy. */
static int by_age(const void *a, const void *b)
{
    const app_suspect *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

marey_status app_suspects_list(const app_env *env, const marey_conditions *all, const int64_t *ids,
                               int id_count, app_suspect **out, marey_error *error)
{
    app_suspect *list = APP_NEW(env->scope, app_suspect, all->count);
    numbered *asked = APP_NEW(env->scope, numbered, id_count);
    if (!list || !asked) return app_fail_memory(error);
    for (int i = 0; i < id_count; i++) asked[i] = (numbered){ ids[i], i };
    qsort(asked, (size_t)id_count, sizeof *asked, by_id);
    for (int i = 0; i < all->count; i++) {
        const marey_condition *one = &all->items[i];
        numbered key = { .id = one->clip.id };
        const numbered *at =
            id_count ? bsearch(&key, asked, (size_t)id_count, sizeof *asked, by_id) : NULL;
        list[i] =
            (app_suspect){ .of = { one->frames / one->fps, one->landmark_count, one->landmarks },
                           .name = one->clip.name,
                           .id = one->clip.id,
                           .fps = one->fps,
                           .patient = at ? at->at : -1 };
    }
    qsort(list, (size_t)all->count, sizeof *list, by_age);
    *out = list;
    return MAREY_OK;
}

marey_status app_duplicate_put(const app_env *env, const app_choice *choice, app_patient *patient,
                               const app_duplicate *copy, marey_error *error)
{
    int count = patient->flaw_count, place = patient->places++;
    if (!app_choice_has(choice, patient->first, place, "", copy->flaw.start, copy->flaw.end))
        return MAREY_OK;
    marey_flaw *flaws = APP_NEW(env->scope, marey_flaw, count + 1);
    const char **joints = APP_NEW(env->scope, const char *, count + 1);
    int *places = APP_NEW(env->scope, int, count + 1);
    bool *fixed = APP_NEW(env->scope, bool, count + 1);
    const app_duplicate **copies = APP_NEW(env->scope, const app_duplicate *, count + 1);
    if (!flaws || !joints || !places || !fixed || !copies) return app_fail_memory(error);
    for (int i = 0; i < count; i++) {
        flaws[i] = patient->flaws[i];
        joints[i] = patient->joints[i];
        places[i] = patient->flaw_places[i];
        fixed[i] = patient->fixed[i];
        copies[i] = patient->copies ? patient->copies[i] : NULL;
    }
    flaws[count] = copy->flaw;
    joints[count] = "";
    places[count] = place;
    copies[count] = copy;
    patient->flaws = flaws;
    patient->joints = joints;
    patient->flaw_places = places;
    patient->fixed = fixed;
    patient->copies = copies;
    patient->flaw_count++;
    return MAREY_OK;
}

void app_duplicate_write(const app_duplicate *copy, json *out)
{
    json_put_string(out, "other", copy->other);
    if (copy->other_path) json_put_string(out, "other_path", copy->other_path);
    json_put_integer(out, "other_start", copy->other_start);
    json_put_integer(out, "other_end", copy->other_end);
    json_put_boolean(out, "mirrored", copy->mirrored);
}
