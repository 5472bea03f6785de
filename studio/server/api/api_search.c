/* api_search.c - every part of the library that is like a part of a clip. What `marey search` does. */
#include "json_list.h"
#include "json_search.h"
#include "searching.h"

/* ---- what was found ----------------------------------------------------------------------------- */

static json_t *describe_match(heap *memory, const marey_match *match)
{
    json_t *one = json_object();
    describe_put(&one, "clip", json_integer(match->clip));
    describe_put(&one, "name", describe_text(memory, match->name));
    describe_put(&one, "start", json_integer(match->start));
    describe_put(&one, "end", json_integer(match->end));
    describe_put(&one, "distance", describe_number(match->distance));
    describe_put(&one, "path_distance", describe_number(match->path_distance));
    describe_put(&one, "tier", json_integer(match->tier));
    return one;
}

static json_t *describe_edge(const marey_match_edge *edge)
{
    json_t *one = json_object();
    describe_put(&one, "from", json_integer(edge->from));
    describe_put(&one, "to", json_integer(edge->to));
    describe_put(&one, "distance", describe_number(edge->distance));
    return one;
}

static json_t *describe_finding(const searching_found *found)
{
    marey_finding_report report = marey_finding_report_of(found->finding);
    json_t *value = json_object();
    describe_put(&value, "search", json_integer(found->number));
    describe_put(&value, "threshold", describe_number(report.threshold));
    describe_put(&value, "ceiling", describe_number(report.ceiling));
    describe_put(&value, "past_ceiling", json_boolean(report.past_ceiling));
    describe_put(&value, "tiers", json_integer(report.tiers));
    describe_put(&value, "limited", json_boolean(report.limited));
    describe_put(&value, "stopped", json_boolean(found->stopped));
    describe_put(&value, "clips_missing", json_integer(report.clips_missing));
    describe_put(&value, "fps", describe_number(report.fps));
    describe_put(&value, "seconds", describe_number(report.seconds));
    return value;
}

static void write_lists(json_list *by, heap *memory, const marey_finding *finding)
{
    int matches = 0, edges = 0;
    const marey_match *match = marey_finding_matches(finding, &matches);
    const marey_match_edge *edge = marey_finding_edges(finding, &edges);
    json_list_begin(by, "matches");
    for (int i = 0; i < matches && json_list_goes_on(by); i++) {
        json_list_add(by, i == 0, describe_match(memory, &match[i]));
    }
    json_list_end(by);
    json_list_begin(by, "edges");
    for (int i = 0; i < edges && json_list_goes_on(by); i++) {
        json_list_add(by, i == 0, describe_edge(&edge[i]));
    }
    json_list_end(by);
}

static void answer_finding(studio_worker *worker, const searching_found *found,
                           studio_response *response)
{
    json_list writer = { .to = &response->body };
    answer_json(response, 200, describe_finding(found));
    if (response->status != 200) return;
    write_lists(&writer, &worker->of->memory, found->finding);
    json_list_check(&writer, "search with a lower threshold or limit", response);
}

static void search(studio_worker *worker, const search_body *body, studio_response *response)
{
    char text[API_NUMBER_ROOM];
    searching_found found;
    marey_query query = { .clip = api_number(body->clip, text),
                          .start = body->start,
                          .end = body->end };
    marey_find_def def = { .search = body->search,
                           .label = body->label,
                           .clips = body->clips,
                           .clip_count = body->clip_count };
    if (!searching_find(worker, &query, &def, &found, response)) return;
    answer_finding(worker, &found, response);
    searching_leave(worker);
}

void api_search(studio_worker *worker, studio_request *request, studio_response *response)
{
    search_body body;
    marey_error error;
    if (search_body_read(&body, &worker->of->memory, request->body, request->body_count, &error) !=
        MAREY_OK) {
        answer_fail(response, &error);
        return;
    }
    search(worker, &body, response);
    search_body_free(&body);
}
