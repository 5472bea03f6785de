/* soak_known.c - what must be answered, known from before: a studio that has nothing else to do is
   asked everything, killed, and asked again in another order; what differs is said. */
#include "soak.h"

#include <stdarg.h>
#include <string.h>

/* How often a request is made beside others, by what it costs. */
enum { CHEAP = 60, USUAL = 12, DEAR = 2, DEAREST = 1 };

enum { PERSON_FRAMES = 40 };

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Wherever they are. */
void known_drop_keys(json_t *value, const char *keys)
{
    char words[128], *rest = NULL;
    const char *key;
    json_t *inside;
    size_t i;
    snprintf(words, sizeof words, "%s", keys ? keys : "");
    for (char *at = strtok_r(words, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
        json_object_del(value, at);
    json_object_foreach(value, key, inside) known_drop_keys(inside, keys);
    json_array_foreach(value, i, inside) known_drop_keys(inside, keys);
}

/* The JSON of an answer: all of it, or what stands before the frames of a generated clip. */
static json_t *json_of(const char *bytes, size_t count, size_t *used)
{
    uint32_t length;
    *used = count;
    if (count > 16 && memcmp(bytes, "MRYM", 4) == 0) {
        memcpy(&length, bytes + 8, 4);
        if (length > count - 16) return NULL;
        *used = 16 + length;
        return json_loadb(bytes + 16, length, JSON_REJECT_DUPLICATES, NULL);
    }
    return count && *bytes == '{' ? json_loadb(bytes, count, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

/* A search that made way for another one has some of the matches. */
static bool has_some(const json_t *whole, const json_t *part)
{
    const json_t *one, *other;
    size_t i, k;
    json_array_foreach(json_object_get(part, "matches"), i, one)
    {
        bool found = false;
        json_array_foreach(json_object_get(whole, "matches"), k, other) found |=
            json_equal(one, other);
        if (!found) return false;
    }
    return json_array_size(json_object_get(part, "matches")) > 0;
}

bool known_same(const known_answer *of, const http_answer *answer)
{
    if (answer->count == of->count && memcmp(answer->body, of->came, of->count) == 0) return true;
    if (!of->value || !of->volatile_keys) return false;
    size_t used, known_used;
    json_t *value = json_of(answer->body, answer->count, &used);
    json_decref(json_of(of->came, of->count, &known_used));
    size_t left = answer->count - used;
    bool part = json_is_true(json_object_get(value, "stopped"));
    known_drop_keys(value, of->volatile_keys);
    bool same = value && (json_equal(value, of->value) || (part && has_some(of->value, value)));
    json_decref(value);
    return same && left == of->count - known_used &&
           memcmp(answer->body + used, of->came + known_used, left) == 0;
}

/* ---- what is asked --------------------------------------------------------------------------- */

/* A body without target is of an operation; ' stands for ". */
__attribute__((format(printf, 5, 6))) static void add(soak_known *to, int share, const char *keys,
                                                      const char *target, const char *format, ...)
{
    if (to->count == MOST_KNOWN) soak_give_up("more requests than there is room for", target);
    known_answer *added = &to->answers[to->count++];
    va_list values;
    *added = (known_answer){ .share = share, .volatile_keys = keys };
    va_start(values, format);
    if (*target == '!') { /* a GET, which the format is of */
        if (vasprintf(&added->target, format, values) < 0) abort();
    } else {
        added->target = strdup(target);
        if (vasprintf(&added->body, format, values) < 0) abort();
    }
    va_end(values);
    to->shares += share;
}

#define ADD_GET(share, keys, ...) add(to, share, keys, "!", __VA_ARGS__)

static int64_t id_of(const soak_known *of, const char *name)
{
    for (int i = 0; i < of->motion_count; i++)
        if (strcmp(of->motions[i].name, name) == 0) return of->motions[i].id;
    soak_give_up("no clip", name);
    return 0;
}

static void add_clips(soak_known *to)
{
    for (int i = 0; i < to->motion_count; i++) {
        const known_motion *one = &to->motions[i];
        long long id = (long long)one->id;
        int share = one->frames > SMALL_FRAMES ? DEAREST : CHEAP;
        int usual = one->frames > SMALL_FRAMES ? DEAREST : USUAL;
        ADD_GET(share, NULL, "/api/clips/%lld", id);
        ADD_GET(CHEAP, NULL, "/api/clips/%lld/strip", id);
        for (int k = 0; k < 6; k++) {
            int start = k * one->frames / 7, end = start + one->frames / 7 + k;
            ADD_GET(share, NULL, "/api/clips/%lld/frames?start=%d&end=%d&step=%d", id, start, end,
                    1 + k);
            ADD_GET(share, NULL,
                    "/api/clips/%lld/curves?of=RightHand.speed,LeftFoot.y,Hips.x&start=%d&end=%d",
                    id, start, end);
            ADD_GET(usual, NULL, "/api/clips/%lld/signals?of=LeftLeg.Xrotation&start=%d&end=%d", id,
                    start, end);
        }
        ADD_GET(usual, NULL, "/api/clips/%lld/frames", id);
        add(to, usual, NULL, "/api/do/quality", "{'clip': %lld}", id);
        add(to, usual, NULL, "/api/do/contacts", "{'clip': %lld}", id);
        add(to, DEAR, NULL, "/api/do/contacts", "{'clip': %lld, 'found': true}", id);
    }
    ADD_GET(CHEAP, NULL, "/api/metrics");
    ADD_GET(USUAL, NULL, "/api/operations");
    ADD_GET(USUAL, "library", "/api/about");
    add(to, CHEAP, NULL, "/api/do/formats", "{}");
    add(to, CHEAP, NULL, "/api/do/param-features", "{}");
}

static void add_pairs(soak_known *to, long long a, long long b, int usual)
{
    static const char *const metrics[] = { "points", "angles", "positions", "curvature" };
    for (int k = 0; k < 4; k++) {
        char two[160];
        snprintf(two, sizeof two,
                 "'a': {'clip': %lld, 'start': %d, 'end': %d}, 'b': {'clip': %lld, 'start': %d, "
                 "'end': %d}, 'metric': '%s'",
                 a, 10 * k, 10 * k + 60, b, 20 * k, 20 * k + 50, metrics[k]);
        add(to, usual, "seconds", "/api/do/grid", "{%s}", two);
        add(to, usual, NULL, "/api/grid", "{%s}", two);
        add(to, usual, "seconds", "/api/do/similar?list=1", "{%s, 'count': %d}", two, 3 + k);
        add(to, usual, "seconds", "/api/do/similar", "{%s, 'at': [%d, %d]}", two, 10 * k + 20,
            20 * k + 20);
    }
    add(to, DEAREST, "seconds", "/api/do/align",
        "{'clips': [{'clip': %lld, 'start': 0, 'end': 90}, {'clip': %lld, 'start': 0, 'end': 90}]}",
        a, b);
}

static void add_made(soak_known *to)
{
    long long a = (long long)id_of(to, "small_a"), b = (long long)id_of(to, "small_b");
    long long straight = (long long)id_of(to, "walk_straight"),
              left = (long long)id_of(to, "walk_left");
    add_pairs(to, a, b, USUAL);
    add_pairs(to, straight, left, DEAREST);
    for (int k = 1; k < 4; k++)
        add(to, DEAR, NULL, "/api/do/blend", "{'clips': [%lld, %lld], 'weights': [0.%d, 0.%d]}", a,
            b, 2 * k, 10 - 2 * k);
    add(to, DEAR, NULL, "/api/do/clean", "{'clip': %lld}", a);
    add(to, DEAREST, NULL, "/api/do/loop", "{'clip': %lld}", straight);
    add(to, DEAREST, NULL, "/api/do/transition", "{'a': %lld, 'b': %lld}", straight, left);
    for (int k = 0; k < 4; k++) {
        add(to, DEAR, NULL, "/api/do/param-make", "{'family': 'reach', 'at': [%d, %d, %d]}",
            -15 - k, 120 + 3 * k, 45 + k);
        add(to, USUAL, "seconds search clips_missing stopped", "/api/do/search",
            "{'query': {'clip': %lld, 'start': %d, 'end': %d}, 'in': [%lld, %lld, %lld, %lld], "
            "'nearest': %d}",
            straight, 100 + 50 * k, 160 + 50 * k, straight, left, a, b, 2 + k);
        add(to, USUAL, "searched seconds", "/api/do/example?list=1",
            "{'query': {'clip': %lld, 'start': %d, 'end': %d}, 'in': [%lld, %lld]}", straight,
            100 + 30 * k, 260 + 30 * k, straight, left);
    }
    add(to, USUAL, NULL, "/api/do/param-show", "{'name': 'reach'}");
}

static void add_saved(soak_known *to)
{
    static const char *const puppets[] = { "follower", "shy", "bully", "guard", "dancer" };
    long long straight = (long long)id_of(to, "walk_straight"),
              left = (long long)id_of(to, "walk_left");
    for (int k = 0; k < 5; k++) {
        add(to, USUAL, NULL, "/api/do/puppet-show", "{'name': '%s', 'points': %d}", puppets[k],
            20 + 10 * k);
        ADD_GET(DEAREST, NULL, "/api/puppet/file?name=%s", puppets[k]);
    }
    ADD_GET(DEAREST, NULL, "/api/puppet/csv?name=shy");
    ADD_GET(DEAR, NULL, "/api/graph/arcs?name=standard&count=200");
    ADD_GET(DEAR, NULL, "/api/graph/closure?name=standard&side=64");
    for (int k = 0; k < 3; k++) {
        add(to, DEAR, NULL, "/api/do/graph-path",
            "{'graph': 'standard', 'path': [[0, 0], [%d, 0], [%d, 150]]}", 200 + 20 * k,
            300 + 9 * k);
        add(to, DEAREST, "seconds", "/api/do/graph-walk",
            "{'graph': 'standard', 'length': '%d', 'seed': %d, 'fps': 30}", 60 + 30 * k, 3 + k);
        add(to, DEAREST, NULL, "/api/do/graph-control",
            "{'graph': 'standard', 'script': [[0, 0, 100], [1, %d, 70]], 'length': '90', 'fps': "
            "30}",
            k);
        ADD_GET(DEAR, NULL, "/api/cluster/node?name=moves&node=%d", k);
        ADD_GET(DEAR, NULL, "/api/cluster/switches?name=moves&from=%d", k);
    }
    ADD_GET(DEAR, NULL, "/api/cluster?name=moves&nodes=64");
    ADD_GET(DEAR, NULL, "/api/cluster/poses?name=moves&nodes=16");
    add(to, DEAREST, NULL, "/api/do/cluster-stitch", "{'cluster': 'moves', 'a': %lld, 'b': %lld}",
        straight, left);
    add(to, DEAREST, NULL, "/api/do/cluster-loop?list=1", "{'cluster': 'moves', 'clip': %lld}",
        straight);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static http_answer ask_one(soak_client *judge, const known_answer *of)
{
    return of->body ? soak_question(judge, of->target, "%s", of->body)
                    : soak_get(judge, "%s", of->target);
}

static void learn(soak_client *judge, known_answer *of)
{
    http_answer answer = ask_one(judge, of);
    of->status = answer.status;
    of->count = answer.count;
    of->came = answer.body;
    answer.body = NULL;
    wire_header(&answer, "ETag", of->tag, sizeof of->tag);
    if (of->status != 200) soak_give_up(of->target, of->came ? of->came : "no answer");
    size_t used;
    of->value = json_of(of->came, of->count, &used);
    known_drop_keys(of->value, of->volatile_keys);
    wire_free(&answer);
}

/* A clip that is there already, or is made now. */
static void learn_motion(soak_client *judge, known_motion *of)
{
    if (of->make && !of->id) {
        http_answer answer = soak_change(judge, of->make, "{%s, 'name': '%s'}", of->body, of->name);
        json_t *made = soak_json(judge, &answer, 200);
        of->id = json_integer_value(json_object_get(made, "id"));
        json_decref(made);
        wire_free(&answer);
    }
    http_answer about = soak_get(judge, "/api/clips/%lld", (long long)of->id);
    of->details = soak_json(judge, &about, 200);
    wire_free(&about);
    http_answer frames = soak_get(judge, "/api/clips/%lld/frames", (long long)of->id);
    uint32_t head[8];
    if (frames.count < 40) soak_give_up("no frames", of->name);
    memcpy(head, frames.body, sizeof head);
    of->frames = (int)head[2];
    of->joints = (int)head[3];
    of->places = (int)head[6];
    memcpy(&of->fps, frames.body + 32, 8);
    size_t values = (size_t)of->frames * (size_t)(3 * of->places + 4 * of->joints);
    if (frames.count != 40 + 4 * values) soak_give_up("not as many frames as it says", of->name);
    of->values = malloc(4 * values);
    memcpy(of->values, frames.body + 40, 4 * values);
    wire_free(&frames);
}

static void learn_job(soak_client *judge, known_job *of)
{
    json_t *over = job_wait(judge, job_begin(judge, of->target, of->body));
    const char *state = json_string_value(json_object_get(over, "state"));
    long long number = json_integer_value(json_object_get(over, "job"));
    if (!state || strcmp(state, "done") != 0) soak_give_up(of->target, of->body);
    of->value = json_incref(json_object_get(over, "result"));
    known_drop_keys(of->value, "seconds");
    json_decref(over);
    if (!of->file) return;
    http_answer file = soak_get(judge, "/api/jobs/%lld/file", number);
    if (file.status != 200) soak_give_up("no file", of->body);
    of->came = file.body;
    of->count = file.count;
    file.body = NULL;
    wire_free(&file);
}

static void keep_step(void *user, int step, const ws_frame *frame)
{
    known_react *of = user;
    of->sizes[step] = frame->count;
    of->steps[step] = malloc(frame->count);
    memcpy(of->steps[step], frame->bytes, frame->count);
}

/* ---- the library ----------------------------------------------------------------------------- */

static void make_library(soak *all)
{
    soak_host *host = &all->host;
    snprintf(host->library, sizeof host->library, "%s/demo.marey", host->folder);
    free(host_run(host, "demo", host->folder, "--quiet", "--take", "walk_straight", "--take",
                  "walk_left", "--take", "turns", "--take", "idles", "--take", "reach_right",
                  NULL));
    free(host_run(host, "graph", "train", host->library, "standard", "--quiet", NULL));
    free(host_run(host, "cut", host->library, "walk_straight#0-120", "small_a", NULL));
    free(host_run(host, "cut", host->library, "walk_left#0-110", "small_b", NULL));
    free(host_run(host, "cut", host->library, "turns#100-240", "small_c", NULL));
    free(host_run(host, "cut", host->library, "reach_right#40-190", "small_d", NULL));
    free(host_run(host, "index", host->library, "--quiet", NULL));
}

static void list_motions(soak *all)
{
    soak_known *of = &all->known;
    static char bodies[3][160];
    char *text = host_run(&all->host, "ls", all->host.library, "--json", NULL);
    json_t *listed = json_loads(text, 0, NULL), *entry;
    size_t i;
    json_array_foreach(json_object_get(listed, "clips"), i, entry)
    {
        known_motion *one = &of->motions[of->motion_count++];
        snprintf(one->name, sizeof one->name, "%s",
                 json_string_value(json_object_get(entry, "name")));
        one->id = json_integer_value(json_object_get(entry, "id"));
    }
    json_decref(listed);
    free(text);
    long long a = (long long)id_of(of, "small_a"), b = (long long)id_of(of, "small_b");
    snprintf(bodies[0], sizeof bodies[0], "'clip': %lld", a);
    snprintf(bodies[1], sizeof bodies[1], "'clips': [%lld, %lld], 'weights': [0.5, 0.5]", a, b);
    snprintf(bodies[2], sizeof bodies[2], "'a': %lld, 'b': %lld, 'at': [40, 50]", a, b);
    static const char *const makers[] = { "/api/do/clean", "/api/do/blend", "/api/do/similar" };
    static const char *const names[] = { "fix-clean", "fix-blend", "fix-cut" };
    for (int k = 0; k < 3; k++) {
        known_motion *one = &of->motions[of->motion_count++];
        *one = (known_motion){ .make = makers[k], .body = bodies[k] };
        snprintf(one->name, sizeof one->name, "%s", names[k]);
    }
}

/* The file that clients drop, with other first numbers. */
static void import_person(soak *all, soak_client *judge)
{
    soak_known *of = &all->known;
    known_motion *one = &of->motions[of->motion_count];
    char names[1][NAME_ROOM] = { "fix-person" };
    of->imported = of->motion_count++;
    of->person = test_person(PERSON_FRAMES);
    json_t *over = job_wait(judge, soak_import(judge, 1, names, (const float[]){ 0 }));
    const json_t *added =
        json_array_get(json_object_get(json_object_get(over, "result"), "added"), 0);
    snprintf(one->name, sizeof one->name, "%s", names[0]);
    one->id = json_integer_value(json_object_get(added, "id"));
    if (!one->id) soak_give_up("the file is not taken", of->person);
    json_decref(over);
}

__attribute__((format(printf, 4, 5))) static void
add_job(soak_known *to, bool file, const char *target, const char *format, ...)
{
    static char bodies[MOST_JOBS][200];
    va_list values;
    va_start(values, format);
    vsnprintf(bodies[to->job_count], sizeof bodies[0], format, values);
    va_end(values);
    to->jobs[to->job_count] =
        (known_job){ .target = target, .body = bodies[to->job_count], .file = file };
    to->job_count++;
}

static void list_jobs(soak_known *to)
{
    static const char *const endings[] = { "bvh", "glb", "fbx" };
    long long a = (long long)id_of(to, "small_a"), b = (long long)id_of(to, "small_b");
    for (int k = 0; k < 3; k++)
        add_job(to, true, "/api/do/convert", "{'clips': [%lld], 'output': 'a.%s'}", a, endings[k]);
    add_job(to, true, "/api/do/convert", "{'clips': [%lld, %lld], 'to': 'bvh', 'output': 'two'}", a,
            b);
    add_job(to, true, "/api/do/render", "{'clips': [%lld], 'output': 'a.png'}", b);
    add_job(to, true, "/api/do/positions", "{'clip': %lld, 'output': 'a.npy'}", a);
    add_job(to, false, "/api/do/compare", "{'a': %lld, 'b': %lld}", a, b);
    for (int k = 0; k < REACT_PUPPETS; k++)
        add_job(to, false, "/api/do/puppet-run",
                "{'puppet': '%s', 'main': [[0, 0, 0, 0], [1, 60, 0, 0], [2, 90, 40, 1]]}",
                to->reacts[k].puppet);
}

void known_make(soak *all)
{
    static const char *const puppets[REACT_PUPPETS] = { "follower", "shy", "dancer" };
    soak_client judge = { .all = all, .number = -1, .random = all->def.seed };
    soak_known *of = &all->known;
    make_library(all);
    list_motions(all);
    host_start(&all->host);
    import_person(all, &judge);
    for (int k = 0; k < REACT_PUPPETS; k++) of->reacts[k].puppet = puppets[k];
    for (int i = 0; i < of->motion_count; i++) learn_motion(&judge, &of->motions[i]);
    list_jobs(of);
    for (int i = 0; i < of->job_count; i++) learn_job(&judge, &of->jobs[i]);
    saved_learn(&judge);
    add_clips(of);
    add_made(of);
    add_saved(of);
    for (int i = 0; i < of->count; i++) learn(&judge, &of->answers[i]);
    http_wire wire;
    if (!live_open(&judge, &wire)) soak_give_up("no WebSocket", "");
    for (int k = 0; k < REACT_PUPPETS; k++)
        if (!live_react(&judge, &wire, puppets[k], keep_step, &of->reacts[k]))
            soak_give_up("it does not react", puppets[k]);
    wire_close(&wire);
    soak_close(&judge, false);
    atomic_store(&all->killing, true);
    host_kill(&all->host);
    host_start(&all->host);
    atomic_store(&all->killing, false);
    for (int i = of->count - 1; i >= 0; i--) {
        http_answer answer = ask_one(&judge, &of->answers[i]);
        if (answer.status != of->answers[i].status || !known_same(&of->answers[i], &answer))
            soak_wrong(&judge, &answer, "what was answered before: %.300s", of->answers[i].came);
        wire_free(&answer);
    }
    soak_close(&judge, false);
}

void known_free(soak_known *of)
{
    for (int i = 0; i < of->count; i++) {
        free(of->answers[i].target);
        free(of->answers[i].body);
        free(of->answers[i].came);
        json_decref(of->answers[i].value);
    }
    for (int i = 0; i < of->motion_count; i++) {
        free(of->motions[i].values);
        json_decref(of->motions[i].details);
    }
    for (int i = 0; i < of->job_count; i++) {
        free(of->jobs[i].came);
        json_decref(of->jobs[i].value);
    }
    for (int i = 0; i < SAVED_KINDS; i++) json_decref(of->saved[i].shown);
    for (int i = 0; i < REACT_PUPPETS; i++)
        for (int k = 0; k < REACT_STEPS; k++) free(of->reacts[i].steps[k]);
    free(of->person);
}
