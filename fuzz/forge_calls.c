/* forge_calls.c - every operation of the table, as the studio, agents and Python call it, on clips
   and saved things by the names that the library itself gives them. Whatever comes of it, a call
   ends, with an answer that is JSON or a reason, within its memory, and nothing is held behind it. */
#include "forge.h"
#include "made.h"
#include "mcp_inside.h"
#include "operations.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- operations ------------------------------------------------------------------------------ */

/* $0 to $9: numbers of clips; $g, $j: graphs, $c: a cluster graph, $f: a family, $p: a puppet,
   $r: a registration, $L: a label, $X: whatever is saved. Reading comes first, so that it sees what
   was forged; what deletes comes last. One of those of the same name at a time. */
static const struct {
    const char *operation, *body;
    int seldom; /* one time in so many; 0: always */
} uses[] = {
    { "contacts", "{\"clip\":$0}", 0 },
    { "contacts", "{\"clip\":{\"clip\":$1,\"start\":2,\"end\":9},\"found\":true}", 0 },
    { "quality", "{\"clip\":$0}", 0 },
    { "ls", "{}", 0 },
    { "ls", "{\"long\":true}", 0 },
    { "ls", "{\"words\":[\"a\",\"ga\"]}", 0 },
    { "ls", "{\"label\":$L,\"long\":true}", 0 },
    { "ls", "{\"removed\":true,\"long\":true}", 0 },
    { "history", "{}", 0 },
    { "verify", "{}", 2 },
    { "verify", "{\"hash\":true}", 2 },
    { "info", "{\"clip\":$0}", 0 },
    { "convert", "{\"clips\":[$0,$1],\"align\":true}", 0 },
    { "convert", "{\"clips\":[$0],\"onto\":$1,\"fps\":12}", 0 },
    { "convert", "{\"clips\":[{\"clip\":$0,\"start\":1,\"end\":9}],\"mirror\":true}", 0 },
    { "convert", "{\"clips\":[$0,$1,$2],\"to\":\"glb\",\"output\":\"out\"}", 0 },
    { "convert", "{\"clips\":[$0],\"to\":\"fbx\",\"output\":\"out\",\"for\":\"unity\"}", 0 },
    { "convert", "{\"clips\":[$0],\"to\":\"amc\",\"output\":\"out\"}", 0 },
    { "export", "{\"clips\":[$0,$1],\"to\":\"bvh\",\"output\":\"out\"}", 0 },
    { "export", "{\"all\":true,\"to\":\"npz\",\"output\":\"out\"}", 0 },
    { "export", "{\"clips\":[$0],\"to\":\"glb\",\"output\":\"out\",\"captured\":true}", 0 },
    { "positions", "{\"clip\":$0,\"output\":\"out.npz\"}", 0 },
    { "solve", "{\"input\":\"in.csv\",\"onto\":$0}", 0 },
    { "render", "{\"clips\":[$0],\"output\":\"out.png\"}", 64 },
    { "render", "{\"all\":true,\"output\":\"out.svg\"}", 64 },
    { "formats", "{}", 0 },
    { "grid", "{\"a\":$0,\"b\":$1}", 0 },
    { "grid", "{\"a\":$0,\"b\":$1,\"metric\":\"positions\"}", 0 },
    { "similar", "{\"a\":$0,\"b\":$1}", 0 },
    { "similar", "{\"a\":$0,\"b\":$0,\"metric\":\"angles\",\"minima\":true,\"smooth\":2}", 0 },
    { "similar", "{\"a\":$0,\"b\":$1,\"metric\":\"curvature\"}", 0 },
    { "compare", "{\"a\":$0,\"b\":$1,\"pairs\":5}", 0 },
    { "weights", "{\"a\":$0,\"b\":$1,\"pairs\":5,\"steps\":2}", 0 },
    { "align", "{\"clips\":[$0,$1]}", 0 },
    { "align", "{\"clips\":[$0,$1],\"registration\":true,\"metric\":\"positions\"}", 0 },
    { "align", "{\"curve\":$r}", 0 },
    { "align", "{\"curve\":$r}", 0 },
    { "transition", "{\"a\":$0,\"b\":$1,\"below\":\"inf\",\"anywhere\":true}", 0 },
    { "transition", "{\"a\":$0,\"b\":$1,\"at\":[5,5],\"half\":3}", 0 },
    { "transition", "{\"a\":$0,\"b\":$1,\"at\":[6,4],\"half\":2,\"method\":\"linear\"}", 0 },
    { "blend", "{\"clips\":[$0,$1],\"weights\":[1,1]}", 0 },
    { "blend", "{\"curve\":$r,\"weights\":[0.5,0.5]}", 0 },
    { "blend", "{\"curve\":$r,\"weights\":[0.2,0.2,0.6],\"fps\":10}", 0 },
    { "clean", "{\"clip\":$0}", 0 },
    { "retarget", "{\"clips\":[$0],\"onto\":$1}", 0 },
    { "retarget", "{\"map_of\":[$0,$1]}", 0 },
    { "map", "{\"a\":$0,\"b\":$1}", 0 },
    { "map", "{\"a\":$0,\"b\":$3}", 0 },
    { "loop", "{\"clip\":$0,\"still\":true,\"shortest\":0.2}", 0 },
    { "loop", "{\"clip\":$0,\"at\":[3,20],\"half\":2,\"in_place\":true}", 0 },
    { "curves", "{}", 0 },
    { "index", "{\"show\":true}", 0 },
    { "search", "{\"query\":{\"clip\":$0,\"start\":2,\"end\":16}}", 0 },
    { "search", "{\"query\":{\"clip\":$0,\"start\":0,\"end\":14},\"web\":true,\"paths\":true}", 8 },
    { "search", "{\"query\":{\"clip\":$0,\"start\":0,\"end\":14},\"web\":true,\"threshold\":900}",
      8 },
    { "search", "{\"query\":$0,\"nearest\":5,\"mirror\":true,\"label\":$L}", 0 },
    { "search",
      "{\"query\":{\"clip\":$0,\"start\":4,\"end\":18},\"threshold\":1000,\"like\":[{\"clip\":$1,"
      "\"start\":3,\"end\":17}],\"unlike\":[{\"clip\":$2,\"start\":0,\"end\":12}]}",
      0 },
    { "motifs", "{\"limit\":5}", 4 },
    { "motifs", "{\"limit\":3,\"in\":[$0,$1]}", 4 },
    { "example", "{\"query\":{\"clip\":$0,\"start\":2,\"end\":20},\"noise\":0.2}", 0 },
    { "example", "{\"query\":$0,\"k\":2,\"others\":true,\"noise\":0.1,\"shape\":true,\"path\":0}",
      0 },
    { "param features", "{}", 0 },
    { "param make", "{\"family\":$f,\"at\":[10,120,20]}", 0 },
    { "param make", "{\"family\":$f,\"at\":[0,90,30],\"table\":true}", 0 },
    { "param check", "{\"name\":$f,\"count\":5}", 0 },
    { "param examine", "{\"name\":$f}", 0 },
    { "param show", "{\"name\":$f}", 0 },
    { "param ls", "{\"long\":true}", 0 },
    { "graph sweep", "{\"clips\":[$0,$1],\"thresholds\":[10,100],\"quick\":true}", 8 },
    { "graph stats", "{\"name\":$g}", 0 },
    { "graph stats", "{\"name\":$g,\"quick\":true}", 0 },
    { "graph path", "{\"graph\":$g,\"path\":[[0,0],[100,50]],\"avoid\":[\"50,20,10\"]}", 0 },
    { "graph walk", "{\"graph\":$g,\"length\":\"2s\"}", 0 },
    { "graph walk", "{\"graph\":$g,\"path\":[[0,0],[150,20]],\"effort\":300}", 0 },
    { "graph walk", "{\"graph\":$g,\"through\":[$L]}", 0 },
    { "graph walk", "{\"graph\":$g,\"at\":[\"1s:50,20\"],\"effort\":200}", 0 },
    { "graph walk",
      "{\"graph\":$g,\"from\":{\"clip\":$0,\"start\":3},\"length\":\"30\",\"rough\":true}", 0 },
    { "graph control",
      "{\"graph\":$g,\"script\":[[0,0,100],[0.5,1,50],[1,2,0]],\"leave_feet\":true}", 0 },
    { "graph control", "{\"graph\":$g,\"script\":[[0,0,100],[1,2,0]],\"controller\":\"matching\"}",
      0 },
    { "graph ls", "{}", 0 },
    { "cluster show", "{\"name\":$c}", 0 },
    { "cluster show", "{\"name\":$c,\"node\":1}", 0 },
    { "cluster stitch",
      "{\"cluster\":$c,\"a\":{\"clip\":$0,\"start\":2},\"b\":{\"clip\":$1,"
      "\"start\":20}}",
      0 },
    { "cluster stitch", "{\"cluster\":$c,\"nodes\":[0,1]}", 0 },
    { "cluster loop", "{\"cluster\":$c,\"clip\":\"a\",\"shortest\":0.2}", 0 },
    { "cluster ls", "{}", 0 },
    { "puppet run", "{\"puppet\":$p,\"main\":[[0,0,0,0],[0.5,50,0,0],[1,90,40,0]]}", 0 },
    { "puppet run",
      "{\"puppet\":$p,\"main\":[[0,0,0,0],[0.5,50,0,0]],\"graph\":$g,\"leave_feet\":true}", 0 },
    { "puppet show", "{\"name\":$p,\"points\":50}", 0 },
    { "puppet ls", "{}", 0 },
    { "doctor", "{\"long\":true}", 0 },
    { "doctor", "{\"clips\":[$0,$1],\"fix\":[\"all\"],\"dry_run\":true}", 0 },
    /* what changes the library */
    { "merge", "{\"files\":[\"in.shard\"]}", 0 },
    { "merge", "{\"files\":[\"in.shard\"],\"missing\":true}", 0 },
    { "label", "{\"clips\":[$0,{\"clip\":$1,\"start\":2,\"end\":8}],\"add\":[\"new\"]}", 0 },
    { "label", "{\"clips\":[$0],\"drop\":[$L],\"describe\":\"said\",\"licence\":\"CC0\"}", 0 },
    { "set", "{\"clips\":[$0],\"mark\":[\"2-4\"],\"up\":\"z\"}", 0 },
    { "set", "{\"clips\":[$0,$1],\"reset\":true}", 0 },
    { "set", "{\"clips\":[$0],\"roles\":[\"hips=Hips\"],\"source_fps\":50}", 0 },
    { "rename", "{\"clip\":$0,\"to\":\"called otherwise\"}", 0 },
    { "rm", "{\"clips\":[$0]}", 0 },
    { "undo", "{}", 0 },
    { "undo", "{\"step\":3}", 0 },
    { "redo", "{}", 0 },
    { "restore", "{\"clips\":[\"gone\"]}", 0 },
    { "restore", "{\"clips\":[$0]}", 0 },
    { "cut", "{\"cuts\":[{\"clip\":$0,\"start\":1,\"end\":9,\"name\":\"bit\"}],\"label\":[\"x\"]}",
      0 },
    { "contacts", "{\"clip\":$0,\"forget\":true}", 0 },
    { "map", "{\"a\":$0,\"b\":$3,\"forget\":true}", 0 },
    { "doctor", "{\"fix\":[\"all\"]}", 0 },
    { "doctor", "{\"undo\":[\"all\"]}", 0 },
    { "add", "{\"files\":[\"in.bvh\"],\"label\":[\"more\"]}", 0 },
    { "index", "{}", 2 },
    { "index", "{\"web\":true}", 8 },
    { "index", "{\"rebuild\":true}", 8 },
    { "align", "{\"clips\":[$0,$1],\"save\":\"kept now\"}", 4 },
    { "param build",
      "{\"name\":\"made\",\"clips\":[{\"clip\":$0,\"start\":0,\"end\":15},{\"clip\":$1,\"start\":0,"
      "\"end\":15}],\"feature\":[\"position(hips)\"],\"samples\":5,\"keep_all\":true}",
      4 },
    { "param prune", "{\"name\":$f,\"tolerance\":50,\"as\":\"fewer\"}", 4 },
    { "graph build", "{\"name\":\"made\",\"clips\":[$0,$1],\"threshold\":200}", 8 },
    { "graph train", "{\"name\":$g,\"directions\":8,\"speeds\":[0,80]}", 8 },
    { "cluster build", "{\"name\":\"made\",\"clips\":[$0,$1]}", 8 },
    { "puppet train", "{\"clips\":[$0,$1],\"name\":\"made\",\"rate\":10}", 4 },
    { "puppet train", "{\"puppet\":[$p],\"name\":\"again\"}", 4 },
    { "puppet rename", "{\"name\":$p,\"to\":\"other\"}", 0 },
    { "undo", "{}", 0 },
    { "curves", "{\"rm\":$r}", 0 },
    { "param rm", "{\"name\":$f}", 0 },
    { "graph rm", "{\"name\":$g}", 0 },
    { "cluster rm", "{\"name\":$c}", 0 },
    { "puppet rm", "{\"name\":$p}", 0 },
    { "undo", "{\"to\":0}", 4 },
    { "redo", "{\"to\":20}", 4 },
    { "index", "{\"drop\":true}", 0 },
    { "rm", "{\"clips\":[$1],\"purge\":true}", 2 },
    { "rm", "{\"purge\":true}", 4 },
};
/* One library may take so long, so that a long run gets on. */
enum {
    USES = sizeof uses / sizeof *uses,
    MOST_NAMES = 16,
    MOST_OF_ONE_S = 6,
    OPERATION_ONE_IN = 12
};

/* What the library says that it has, now. */
typedef struct names {
    int64_t clips[MOST_NAMES];
    int clip_count;
    char labels[MOST_NAMES][64];
    int label_count;
    char saved[8][MOST_NAMES][MAREY_NAME_ROOM];
    int saved_count[8];
} names;

static const char *const kinds[8] = { "graph",        "cluster", "family", "puppet",
                                      "registration", "policy",  "map",    "web" };

static void list_names(marey_library *library, names *out)
{
    marey_listing *listing;
    marey_kept *kept;
    int count;
    out->clip_count = out->label_count = 0;
    memset(out->saved_count, 0, sizeof out->saved_count);
    if (!marey_library_list(library, NULL, &listing, NULL)) {
        const marey_entry *entries = marey_listing_entries(listing, &count);
        for (int i = 0; i < count && i < MOST_NAMES; i++) {
            out->clips[out->clip_count++] = entries[i].id;
            if (entries[i].label_count > 0 && out->label_count < MOST_NAMES)
                snprintf(out->labels[out->label_count++], sizeof *out->labels, "%s",
                         entries[i].labels[0]);
        }
        marey_listing_free(listing);
    }
    for (int k = 0; k < 8; k++) {
        if (marey_library_kept_list(library, kinds[k], &kept, NULL)) continue;
        const marey_kept_entry *entries = marey_kept_entries(kept, &count);
        for (int i = 0; i < count && i < MOST_NAMES; i++)
            snprintf(out->saved[k][out->saved_count[k]++], MAREY_NAME_ROOM, "%s", entries[i].name);
        marey_kept_free(kept);
    }
}

static void put_name(forge_choices *from, const names *of, char token, uint32_t clip, json *out)
{
    static const char letters[] = "gcfpr";
    const char *kind = strchr(letters, token);
    if (token >= '0' && token <= '9') {
        uint32_t at =
            of->clip_count ? (clip + (uint32_t)(token - '0')) % (uint32_t)of->clip_count : 0;
        json_put_integer(out, NULL, of->clip_count ? of->clips[at] : token - '0' + 1);
    } else if (kind) {
        int k = (int)(kind - letters), count = of->saved_count[k];
        json_put_string(out, NULL, count ? of->saved[k][forge_below(from, (uint32_t)count)] : "g");
    } else {
        int count = of->label_count;
        json_put_string(out, NULL, count ? of->labels[forge_below(from, (uint32_t)count)] : "gait");
    }
}

static void fill_body(forge_choices *from, const names *of, const char *body, char *room,
                      size_t size)
{
    buffer out = buffer_fixed(room, size - 1);
    uint32_t clip = forge_below(from, MOST_NAMES);
    for (; *body; body++) {
        if (*body == '$') {
            json value = json_make(&out);
            put_name(from, of, *++body, clip, &value);
        } else {
            buffer_byte(&out, *body);
        }
    }
    room[out.used] = 0;
}

static void check_answer(const app_call *call, const marey_ctx_def *memory, const char *what)
{
    buffer out = buffer_make(memory);
    app_call_write(call, &out);
    if (out.used > forge_tallied.most_answer) forge_tallied.most_answer = out.used;
    forge_require(out.used < forge_most_said, "an answer has an end");
    if (!out.failed) {
        json_t *root = json_loadb(out.bytes, out.used, JSON_REJECT_DUPLICATES, NULL);
        if (!root) fprintf(stderr, "%s: %.*s\n", what, (int)out.used, out.bytes);
        forge_require(json_is_object(root), "an answer is a JSON object");
        json_decref(root);
    }
    buffer_free(&out);
}

/* What was made goes into a file of some format, or into the library that it came from. */
static void save_made(forge_choices *from, forge_place *at, const app_made *made)
{
    static const char *const outs[] = { "o.bvh", "o.glb", "o.npz", "o.fbx", "o.npy", "o.amc" };
    char got[MAREY_NAME_ROOM];
    int64_t id = 0;
    marey_error error = { 0 };
    uint32_t way = forge_below(from, 16);
    if (way == 0) {
        forge_check("a made clip is saved",
                    app_made_put(made, at->library, "made", got, &id, &error), &error);
    } else {
        forge_check("a made clip is written",
                    marey_clip_save_with(made->made.clip, outs[way % 6], made->origin, &error),
                    &error);
    }
}

static void warn(void *user, const char *message)
{
    (void)user;
    forge_require(*message != 0, "a warning says something");
}

static bool reserve(void *user, size_t bytes)
{
    (void)user;
    return bytes < forge_most_said;
}

static marey_status take(void *user, const char *stem, const app_made *made, char *file,
                         size_t room, marey_error *error)
{
    (void)user, (void)made, (void)error;
    snprintf(file, room, "%s.bvh", stem);
    return MAREY_OK;
}

static const app_operation *find(const char *name)
{
    if (strcmp(name, "info") == 0) return &mcp_info;
    if (strcmp(name, "export") == 0) return &app_export;
    return app_operation_find(name);
}

static marey_status run_call(forge_choices *from, forge_place *at, app_call *call, const char *body,
                             marey_error *error)
{
    const app_operation *operation = call->operation;
    json_error_t why;
    json_t *root = json_loads(body, 0, &why);
    if (!root) fprintf(stderr, "%s %s: %s\n", operation->name, body, why.text);
    forge_require(root != NULL, "a body is JSON");
    bool is_puppet = strcmp(operation->name, "puppet run") == 0; /* with a body it makes a clip */
    app_env env = { .ctx = at->ctx,
                    .library = at->library,
                    .wants_clip =
                        operation->made && (is_puppet ? json_object_get(root, "graph") != NULL
                                                      : !operation->clip_option),
                    .reads_files = forge_below(from, 4),
                    .warn = warn,
                    .reserve = reserve,
                    .take = take };
    marey_status status =
        app_params_json(&call->scope, operation->params, root, call->params, error);
    json_decref(root);
    if (status == MAREY_OK) status = app_call_check(call, APP_BODY, error);
    call->library_path = at->path;
    if (status == MAREY_OK) status = app_call_run(call, env, error);
    if (status != MAREY_OK) return status;
    check_answer(call, &at->def, operation->name);
    app_made *made = operation->made ? operation->made(call->result) : NULL;
    if (made && made->made.clip) save_made(from, at, made);
    if (operation->pictures && forge_below(from, 400) == 0) {
        const app_drawing *row = operation->pictures;
        for (uint32_t skip = forge_below(from, 4); skip > 0 && row[1].name; skip--) row++;
        marey_error drawn = { 0 };
        forge_check("a result is drawn", app_call_draw(call, env, row->name, NULL, "o.png", &drawn),
                    &drawn);
    }
    status = app_call_commit(call, env, error);
    if (status == MAREY_OK && operation->names_follow)
        check_answer(call, &at->def, operation->name);
    return status;
}

static void use_operation(forge_choices *from, forge_place *at, const names *of, int number)
{
    char body[2048];
    app_call call;
    marey_error error = { 0 };
    const app_operation *operation = find(uses[number].operation);
    forge_require(operation != NULL, uses[number].operation);
    fill_body(from, of, uses[number].body, body, sizeof body);
    forge_clock_start(at->ctx, uses[number].body);
    marey_status status = app_call_open(&call, operation, &at->def, &error);
    if (status == MAREY_OK) status = run_call(from, at, &call, body, &error);
    app_call_close(&call);
    forge_clock_stop(at->ctx);
    forge_check(uses[number].operation, status, &error);
}

/* A new operation must be tried, too. */
void forge_check_operations(void)
{
    const app_operation *operation;
    for (int i = 0; (operation = app_operation_at(i)); i++) {
        bool there = false;
        for (int k = 0; k < USES; k++) there |= strcmp(uses[k].operation, operation->name) == 0;
        forge_require(there, operation->name);
    }
}

void forge_use_operations(forge_choices *from, forge_place *at, double start)
{
    static names of;
    forge_clock_start(at->ctx, "names");
    list_names(at->library, &of);
    forge_clock_stop(at->ctx);
    for (int i = 0; i < USES;) {
        int first = i, count = 1;
        while (i + count < USES && strcmp(uses[i + count].operation, uses[i].operation) == 0)
            count++;
        i += count;
        int chosen = first + (int)forge_below(from, (uint32_t)count);
        int seldom = uses[chosen].seldom;
        if (!forge_picks(from, OPERATION_ONE_IN)) continue;
        if (seldom && forge_below(from, (uint32_t)seldom)) continue;
        if (forge_seconds() - start > MOST_OF_ONE_S) {
            forge_tallied.cut_short++;
            return;
        }
        use_operation(from, at, &of, chosen);
    }
}
