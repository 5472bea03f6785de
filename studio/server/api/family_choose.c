/* family_choose.c - the examples of a family: parts that were named, or matches of a search that is remembered, each aligned
   with the one before it on the way from the query (webs, 6.3.1). */
#include "family_building.h"
#include "provenance_text.h"
#include "searching.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts -------------------------------------------------------------------------------------- */

static bool choose_parts(family_building *all, studio_response *response)
{
    for (int i = 0; i < all->body.part_count; i++) {
        const body_part *wanted = &all->body.parts[i];
        const marey_entry *entry = provenance_entry(all->listing, wanted->id);
        if (!entry) {
            answer_refuse(response, 404, "input", "there is no clip number %" PRId64, wanted->id);
            return false;
        }
        int end = wanted->end < 0 ? entry->frames : wanted->end;
        if (!api_check_range(wanted->start, end, entry->frames, response)) return false;
        all->parts[all->count] = (marey_part){ wanted->id, wanted->start, end };
        all->parents[all->count++] = i == 0 ? -1 : 0;
    }
    return true;
}

/* ---- matches ------------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The nearest to the query first, which is then the first example. */
static bool list_matches(const family_body *body, int found, int *out, int *count,
                         studio_response *response)
{
    *count = body->match_count;
    memcpy(out, body->matches, (size_t)*count * sizeof *out);
    qsort(out, (size_t)*count, sizeof *out, by_number);
    if (*count > 0) return true;
    if (found > JSON_FAMILY_PARTS) {
        answer_refuse(response, 400, "request",
                      "%d matches were found, and a family has at most %d examples: say which",
                      found, JSON_FAMILY_PARTS);
        return false;
    }
    for (*count = 0; *count < found; ++*count) out[*count] = *count;
    return true;
}

/* Clips with other joints than the first cannot be mixed with it. Numbers that are none stay, and are refused later. */
static void leave_out(family_building *all, const marey_match *matches, int found, int *chosen,
                      int *count)
{
    const char *skeleton = NULL;
    int stay = 0;
    for (int i = 0; i < *count; i++) {
        bool known = chosen[i] < found;
        const marey_entry *entry =
            known ? provenance_entry(all->listing, matches[chosen[i]].clip) : NULL;
        if (!skeleton && entry) skeleton = entry->skeleton;
        if (!known || (entry && strcmp(entry->skeleton, skeleton) == 0)) {
            chosen[stay++] = chosen[i];
        } else {
            all->left_out[all->left_out_count++] = chosen[i];
        }
    }
    *count = stay;
}

static bool take_matches(family_building *all, const marey_finding *finding,
                         studio_response *response)
{
    int chosen[JSON_FAMILY_PARTS], count = 0, found = 0;
    const marey_match *matches = marey_finding_matches(finding, &found);
    marey_error error;
    if (!list_matches(&all->body, found, chosen, &count, response)) return false;
    leave_out(all, matches, found, chosen, &count);
    if (count < 2) {
        answer_refuse(response, 400, "request",
                      "a family needs two examples, and of these matches %d can be mixed", count);
        return false;
    }
    if (marey_finding_parents(finding, chosen, count, all->parents, &error) != MAREY_OK) {
        answer_fail(response, &error);
        return false;
    }
    for (int i = 0; i < count; i++) {
        const marey_match *one = &matches[chosen[i]];
        all->parts[i] = (marey_part){ one->clip, one->start, one->end };
    }
    all->count = count;
    all->threshold = marey_finding_report_of(finding).threshold;
    snprintf(all->query, sizeof all->query, "%.200s#%d-%d", matches[0].name, matches[0].start,
             matches[0].end);
    return true;
}

static bool choose_matches(family_building *all, studio_response *response)
{
    const marey_finding *finding = NULL;
    if (!searching_recall(all->by, all->body.search, &finding, response)) return false;
    bool taken = take_matches(all, finding, response);
    searching_leave(all->by);
    return taken;
}

/* ---- how much it is ----------------------------------------------------------------------------- */

static bool check_size(const family_building *all, studio_response *response)
{
    double rows[JSON_FAMILY_PARTS], rate = INFINITY, pairs = 0;
    int64_t frames = 0;
    for (int i = 0; i < all->count; i++) {
        rate = fmin(rate, provenance_entry(all->listing, all->parts[i].clip)->fps);
    }
    for (int i = 0; i < all->count; i++) {
        const marey_part *part = &all->parts[i];
        const marey_entry *entry = provenance_entry(all->listing, part->clip);
        frames += part->end - part->start;
        rows[i] = (part->end - part->start) * rate / entry->fps;
    }
    if (frames > LIMIT_BLEND_FRAMES) {
        answer_refuse(response, 413, "limit",
                      "the examples have %" PRId64 " frames, and %d is the most: use marey itself",
                      frames, LIMIT_BLEND_FRAMES);
        return false;
    }
    for (int i = 0; i < all->count; i++) {
        if (all->parents[i] >= 0) pairs += rows[i] * rows[all->parents[i]];
    }
    if (pairs <= LIMIT_BLEND_PAIRS) return true;
    answer_refuse(response, 413, "limit",
                  "%.0f million pairs of frames would be compared, and %d is the most: cut the "
                  "clips, or use marey itself",
                  pairs / (1 << 20), LIMIT_BLEND_PAIRS >> 20);
    return false;
}

bool family_choose(family_building *all, studio_response *response)
{
    bool chosen = all->body.search ? choose_matches(all, response) : choose_parts(all, response);
    return chosen && check_size(all, response);
}
