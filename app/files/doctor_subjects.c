/* doctor_subjects.c - what the clips of one subject say together about the rate at which they were
   recorded. One clip of a body that hardly moves leaves it open; a session has one rate. */
#include "doctor.h"

#include "clip_reading.h"
#include "subjects.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
    const marey_condition *clip;
    size_t subject;
    int at;
} member;

/* By claimed rate, then subject, then as they come. */
static int compare(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->clip->fps != y->clip->fps) return x->clip->fps < y->clip->fps ? -1 : 1;
    size_t least = x->subject < y->subject ? x->subject : y->subject;
    int order = memcmp(x->clip->clip.name, y->clip->clip.name, least);
    if (order == 0 && x->subject != y->subject) order = x->subject < y->subject ? -1 : 1;
    return order ? order : x->at - y->at;
}

static bool same_subject(const member *a, const member *b)
{
    return a->clip->fps == b->clip->fps && a->subject == b->subject &&
           memcmp(a->clip->clip.name, b->clip->clip.name, a->subject) == 0;
}

static bool has_rate(const marey_condition *clip)
{
    for (int i = 0; i < clip->flaw_count; i++) {
        if (clip->flaws[i].kind == MAREY_FLAW_RATE) return true;
    }
    return false;
}

marey_status app_subjects_judge(const app_env *env, const marey_conditions *all, marey_flaw *rates,
                                marey_error *error)
{
    member *list = APP_NEW(env->scope, member, all->count + 1);
    int count = 0;
    if (!list) return app_fail_memory(error);
    for (int i = 0; i < all->count; i++) {
        rates[i] = (marey_flaw){ .kind = MAREY_FLAW_RATE, .joint = -1 };
        size_t subject = app_subject_length(all->items[i].clip.name);
        if (subject) list[count++] = (member){ &all->items[i], subject, i };
    }
    qsort(list, (size_t)count, sizeof *list, compare);
    for (int first = 0, end; first < count; first = end) {
        marey_rate_evidence sum = { 0 };
        double certainty = 0;
        for (end = first; end < count && same_subject(&list[first], &list[end]); end++)
            marey_rate_evidence_add(&sum, &list[end].clip->rate);
        double fps =
            end - first > 1 ? marey_rate_judge(&sum, list[first].clip->fps, &certainty) : 0;
        for (int i = first; i < end && fps > 0; i++) {
            const marey_condition *clip = list[i].clip;
            marey_flaw *rate = &rates[list[i].at];
            if (has_rate(clip)) continue;
            rate->end = clip->frames;
            rate->size = fps;
            rate->certainty = certainty;
            rate->mendable = true;
            rate->repair = (marey_layer){ .kind = MAREY_LAYER_RATE, .joint = -1, .value = { fps } };
        }
    }
    return MAREY_OK;
}

/* A name of which only what is before a trial's number counts. */
static int compare_subjects(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t first = app_subject_length(x), second = app_subject_length(y);
    if (first != second) return first < second ? -1 : 1;
    return memcmp(x, y, first);
}

marey_status app_subjects_join(const app_env *env, app_texts *names, marey_error *error)
{
    const marey_listing *listing = NULL;
    int count = 0, known = 0, joined = names->count;
    marey_status status = app_listing(env, &listing, error);
    if (status != MAREY_OK) return status;
    const marey_entry *entries = marey_listing_entries(listing, &count);
    const char **all = APP_NEW(env->scope, const char *, names->count + count);
    const char **subjects = APP_NEW(env->scope, const char *, names->count);
    bool *named = APP_NEW(env->scope, bool, count);
    if (!all || !subjects || !named) return app_fail_memory(error);
    for (int i = 0; i < names->count; i++) {
        const marey_entry *entry = app_listing_find(listing, names->values[i]);
        all[i] = names->values[i];
        if (!entry) continue; /* examining it says so */
        named[entry - entries] = true;
        if (app_subject_length(entry->name)) subjects[known++] = entry->name;
    }
    if (known > 0) qsort(subjects, (size_t)known, sizeof *subjects, compare_subjects);
    for (int i = 0; i < count && known > 0; i++) {
        const char *name = entries[i].name;
        if (!named[i] && bsearch(&name, subjects, (size_t)known, sizeof name, compare_subjects))
            all[joined++] = name;
    }
    *names = (app_texts){ all, joined };
    return MAREY_OK;
}
