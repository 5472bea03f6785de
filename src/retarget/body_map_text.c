/* body_map_text.c - maps of joints as JSON: written a pair a line, and read again. Joints are named as
   scene files name them, so that no two of a body have one name. */
#include "base/bytes.h"
#include "base/fail.h"
#include "base/names.h"
#include "io/joint_names.h"
#include "motion/clip_data.h"
#include "retarget/body_map.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const size_t most_bytes = (size_t)4 << 20;
static const char *const conflict_words[] = { "", "sides", "order" };

/* ---- conflicts ------------------------------------------------------------------------------- */

/* -1: left, 1: right; 0: neither. */
static int role_side(int role)
{
    if (role < MAREY_ROLE_LEFT_COLLAR || role >= MAREY_ROLE_COUNT) return 0;
    return role < MAREY_ROLE_RIGHT_COLLAR ? -1 : 1;
}

/* Behind the last joint below each: joints below j are j + 1 .. end[j] - 1. */
static int *ends_below(const marey_skeleton *skeleton, mry_arena *mem)
{
    int *end = MRY_NEW_RAW(mem, int, skeleton->joint_count);
    for (int j = 0; end && j < skeleton->joint_count; j++) end[j] = j + 1;
    for (int j = skeleton->joint_count - 1; end && j > 0; j--) {
        int parent = skeleton->joints[j].parent;
        if (end[parent] < end[j]) end[parent] = end[j];
    }
    return end;
}

marey_status marey_body_map_conflicts(const marey_clip *clip, const marey_clip *onto,
                                      const marey_body_map *map, marey_map_conflict *out)
{
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    const int *from_end = ends_below(&clip->skeleton, &tmp);
    const int *to_end = ends_below(&onto->skeleton, &tmp);
    const int *from_role = mry_roles_above(&clip->skeleton, &tmp);
    const int *to_role = mry_roles_above(&onto->skeleton, &tmp);
    bool there = from_end && to_end && from_role && to_role;
    for (int i = 0; i < map->count && there; i++) {
        const marey_joint_pair one = map->pairs[i];
        int sides[] = { role_side(one.role), role_side(from_role[one.source]),
                        role_side(to_role[one.target]) };
        out[i] = MAREY_MAP_FINE;
        for (int k = 0; k < 3; k++)
            if (sides[k] * sides[(k + 1) % 3] < 0) out[i] = MAREY_MAP_SIDES;
    }
    for (int i = 0; i < map->count && there; i++) {
        const marey_joint_pair one = map->pairs[i];
        for (int k = 0; k < map->count; k++) { /* of those that are below it .. */
            const marey_joint_pair other = map->pairs[k];
            if (other.source <= one.source || other.source >= from_end[one.source]) continue;
            /* .. one that is above it in the other body */
            if (one.target <= other.target || one.target >= to_end[other.target]) continue;
            if (!out[i]) out[i] = MAREY_MAP_ORDER;
            if (!out[k]) out[k] = MAREY_MAP_ORDER;
        }
    }
    mry_arena_free(&tmp);
    return there ? MAREY_OK : MAREY_ERR_MEMORY;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put(mry_bytes_writer *out, const char *text)
{
    mry_put_bytes(out, text, strlen(text));
}

/* "key": "text"; UTF-8. */
static void put_string(mry_bytes_writer *out, const char *key, const char *text)
{
    char code[8];
    put(out, key);
    put(out, "\"");
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') put(out, "\\");
        snprintf(code, sizeof code, (unsigned char)*p < 0x20 ? "\\u%04x" : "%c", *p);
        put(out, code);
    }
    put(out, "\"");
}

/* The joints that no pair has. */
static void put_others(mry_bytes_writer *out, const char *key, const char *const *names,
                       const bool *paired, int count)
{
    const char *before = "";
    put(out, key);
    for (int j = 0; j < count; j++) {
        if (paired[j]) continue;
        put_string(out, before, names[j]);
        before = ", ";
    }
    put(out, "]");
}

marey_status marey_body_map_text(const marey_clip *clip, const marey_clip *onto,
                                 const marey_body_map *map, char *text, size_t room, size_t *length)
{
    int sources = clip->skeleton.joint_count, targets = onto->skeleton.joint_count;
    mry_arena tmp = mry_arena_make(clip->mem.ctx);
    mry_bytes_writer out = { .mem = &tmp };
    bool *from_paired = MRY_NEW(&tmp, bool, sources), *to_paired = MRY_NEW(&tmp, bool, targets);
    const char *const *from = mry_joint_names(clip, "", &tmp);
    const char *const *to = from ? mry_joint_names(onto, "", &tmp) : NULL;
    marey_map_conflict *conflicts = MRY_NEW(&tmp, marey_map_conflict, map->count + 1);
    out.failed = !from_paired || !to_paired || !to || !conflicts ||
                 marey_body_map_conflicts(clip, onto, map, conflicts) != MAREY_OK;
    put(&out, "{\"pairs\": [");
    for (int i = 0; i < map->count && !out.failed; i++) {
        const marey_joint_pair *one = &map->pairs[i];
        put(&out, i ? ",\n  {" : "\n  {");
        if (one->role < MAREY_ROLE_COUNT) {
            put_string(&out, "\"role\": ", marey_role_name(one->role));
            put(&out, ", ");
        }
        put_string(&out, "\"from\": ", from[one->source]);
        put_string(&out, ", \"to\": ", to[one->target]);
        if (conflicts[i]) put_string(&out, ", \"conflict\": ", conflict_words[conflicts[i]]);
        put(&out, "}");
        from_paired[one->source] = to_paired[one->target] = true;
    }
    if (!out.failed) put_others(&out, "],\n \"only_from\": [", from, from_paired, sources);
    if (!out.failed) put_others(&out, ",\n \"only_to\": [", to, to_paired, targets);
    put(&out, "}\n");
    if (!out.failed) {
        *length = out.used;
        size_t used = out.used < room ? out.used : room - 1;
        if (room > 0) memcpy(text, out.bytes, used);
        if (room > 0) text[used] = 0;
    }
    mry_arena_free(&tmp);
    return out.failed ? MAREY_ERR_MEMORY : MAREY_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reading {
    const char *name;
    marey_body_map *map;
    mry_names from, to; /* by number, their joints */
    bool roles[MAREY_ROLE_COUNT];
    marey_error *error;
} reading;

static bool list_names(mry_names *table, const char *const *names, int count, mry_arena *mem)
{
    if (!names || !mry_names_make(table, mem, count)) return false;
    for (int j = 0; j < count; j++)
        *mry_names_find(table, names[j], strlen(names[j])) = (mry_name){ names[j], j };
    return true;
}

/* The text of a member, quoted for messages; NULL: it has none. */
static const char *text_of(const json_t *pair, const char *key, char shown[80])
{
    const char *text = json_string_value(json_object_get(pair, key));
    if (text) mry_quote(shown, 80, text, strlen(text));
    return text;
}

static marey_status find_joint(reading *in, const json_t *pair, int number, const char *key,
                               const mry_names *table, bool *used, int *joint)
{
    char shown[80];
    const char *text = text_of(pair, key, shown);
    if (!text)
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d needs \"%s\", a joint's name", number, key);
    const mry_name *slot = mry_names_find(table, text, strlen(text));
    if (!slot->name)
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d: \"%s\": no joint is called %s", number, key, shown);
    *joint = slot->number;
    if (used[*joint])
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d: \"%s\": %s is in a pair before", number, key, shown);
    used[*joint] = true;
    return MAREY_OK;
}

static marey_status find_role(reading *in, const json_t *pair, int number, marey_role *role)
{
    char shown[80] = "no text";
    const json_t *value = json_object_get(pair, "role");
    *role = MAREY_ROLE_COUNT;
    if (!value) return MAREY_OK;
    const char *text = text_of(pair, "role", shown);
    for (int r = 0; r < MAREY_ROLE_COUNT && text; r++)
        if (strcmp(text, marey_role_name((marey_role)r)) == 0) *role = (marey_role)r;
    if (*role == MAREY_ROLE_COUNT)
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d: \"role\" must be one of marey's roles, such as left_knee, got %s",
                        number, shown);
    if (in->roles[*role])
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d: \"role\": %s is in a pair before", number, text);
    in->roles[*role] = true;
    return MAREY_OK;
}

static marey_status read_pair(reading *in, const json_t *pair, bool *from_used, bool *to_used)
{
    static const char *const keys[] = { "role", "from", "to", "conflict" };
    int number = in->map->count + 1;
    marey_joint_pair one;
    const char *key;
    json_t *value;
    if (!json_is_object(pair))
        return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                        "pair %d must be {\"role\": ..., \"from\": ..., \"to\": ...}", number);
    json_object_foreach((json_t *)(uintptr_t)pair, key, value)
    {
        char shown[80];
        int k = 0;
        while (k < 4 && strcmp(key, keys[k]) != 0) k++;
        mry_quote(shown, sizeof shown, key, strlen(key));
        if (k == 4)
            return mry_fail(in->error, MAREY_ERR_INPUT, in->name,
                            "pair %d: \"%s\" is no key of a pair: role, from, to", number, shown);
    }
    marey_status status = find_role(in, pair, number, &one.role);
    if (!status) status = find_joint(in, pair, number, "from", &in->from, from_used, &one.source);
    if (!status) status = find_joint(in, pair, number, "to", &in->to, to_used, &one.target);
    if (!status) in->map->pairs[in->map->count++] = one;
    return status;
}

marey_status marey_body_map_parse(const marey_clip *clip, const marey_clip *onto, const char *name,
                                  const char *text, marey_body_map *out, marey_error *error)
{
    marey_ctx *ctx = clip->mem.ctx;
    int sources = clip->skeleton.joint_count, targets = onto->skeleton.joint_count;
    if (strlen(text) > most_bytes)
        return mry_fail(error, MAREY_ERR_LIMIT, name, "a map has at most 4 MiB");
    mry_arena tmp = mry_arena_make(ctx);
    marey_body_map map = { .ctx = ctx, .bytes = (size_t)targets * sizeof *map.pairs };
    reading in = { .name = name, .map = &map, .error = error };
    bool *used = MRY_NEW(&tmp, bool, sources + targets);
    bool there = used && list_names(&in.from, mry_joint_names(clip, "", &tmp), sources, &tmp) &&
                 list_names(&in.to, mry_joint_names(onto, "", &tmp), targets, &tmp);
    map.pairs = there ? mry_alloc(ctx, map.bytes) : NULL;
    marey_status status = map.pairs ? MAREY_OK : mry_fail_memory(error, name);
    json_error_t why;
    json_t *root = status ? NULL : json_loads(text, JSON_REJECT_DUPLICATES, &why);
    const json_t *pairs = json_object_get(root, "pairs");
    if (!status && !root)
        status = json_error_code(&why) == json_error_out_of_memory
                     ? mry_fail_memory(error, name)
                     : mry_fail_at(error, MAREY_ERR_INPUT, name, why.line, 0, "%.200s", why.text);
    if (!status && !json_is_array(pairs))
        status = mry_fail(error, MAREY_ERR_INPUT, name,
                          "a map must be an object with a list of pairs: {\"pairs\": [...]}");
    /* A list of more pairs than joints has one twice before its room ends. */
    for (size_t i = 0; !status && i < json_array_size(pairs); i++)
        status = read_pair(&in, json_array_get(pairs, i), used, used + sources);
    json_decref(root);
    mry_arena_free(&tmp);
    if (status)
        marey_body_map_free(&map);
    else
        *out = map;
    return status;
}
