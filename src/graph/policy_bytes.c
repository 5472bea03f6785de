/* policy_bytes.c - a policy as bytes and back. What follows from the graph is not kept.

       "MRYP"  version
       graph        nodes, transitions, 64-bit hash
       settings     directions, speeds, discount, poor, close;  rounds
       choices      rows x speeds x directions bytes
       a 64-bit hash of all this */
#include "base/bytes.h"
#include "base/fail.h"
#include "graph/control_data.h"
#include "store/store.h"

#include <string.h>

enum { VERSION = 1, MOST_VERSIONS = 1000, SUM_BYTES = 8 };

static const char MAGIC[4] = { 'M', 'R', 'Y', 'P' };

static size_t state_count(const marey_policy *policy)
{
    return (size_t)policy->rows * (size_t)policy->def.speed_count * (size_t)policy->def.directions;
}

/* ---- writing ------------------------------------------------------------------------------------------ */

marey_status marey_policy_write(const marey_policy *policy, uint8_t **bytes, size_t *size,
                                marey_error *error)
{
    mry_arena tmp = mry_arena_make(policy->ctx);
    mry_bytes_writer out = { .mem = &tmp };
    /* The definition, the graph it is for, and the choices. */
    const marey_policy_def *def = &policy->def;
    mry_put_bytes(&out, MAGIC, sizeof MAGIC);
    mry_put_integer(&out, VERSION);
    mry_put_integer(&out, policy->mark.nodes);
    mry_put_integer(&out, policy->mark.transitions);
    mry_put_fixed(&out, policy->mark.hash, 8);
    mry_put_integer(&out, def->directions);
    mry_put_integer(&out, def->speed_count);
    for (int i = 0; i < def->speed_count; i++) mry_put_number(&out, def->speeds[i]);
    mry_put_number(&out, def->discount);
    mry_put_number(&out, def->poor);
    mry_put_number(&out, def->close);
    mry_put_integer(&out, policy->rounds);
    mry_put_bytes(&out, policy->choice, state_count(policy));
    if (!out.failed) mry_put_fixed(&out, mry_hash64(out.bytes, out.used, VERSION), SUM_BYTES);
    uint8_t *made = out.failed ? NULL : mry_alloc(policy->ctx, out.used);
    if (made) {
        memcpy(made, out.bytes, out.used);
        *bytes = made;
        *size = out.used;
    }
    mry_arena_free(&tmp);
    return made ? MAREY_OK : mry_fail_memory(error, NULL);
}

/* ---- reading -------------------------------------------------------------------------------------------- */

typedef struct head {
    mry_graph_mark mark;
    marey_policy_def def;
    double speeds[MRY_POLICY_MOST_SPEEDS];
    int rounds;
} head;

/* The version of bytes that are whole, whichever wrote them; 0: they are not. Every version's sum begins with its number. */
static int find_version(mry_bytes_reader *in, const uint8_t *bytes, size_t size)
{
    mry_bytes_reader sum = { .p = bytes + size - SUM_BYTES, .end = bytes + size };
    uint8_t magic[4];
    for (int i = 0; i < 4; i++) magic[i] = (uint8_t)mry_get_fixed(in, 1);
    uint64_t version = (uint64_t)mry_get_integer(in, 0, MOST_VERSIONS);
    bool whole = mry_get_fixed(&sum, SUM_BYTES) == mry_hash64(bytes, size - SUM_BYTES, version);
    return whole && !in->failed && memcmp(magic, MAGIC, 4) == 0 ? (int)version : 0;
}

/* Every choice must be one of its node's. */
static bool get_choices(mry_bytes_reader *in, marey_policy *policy)
{
    size_t count = state_count(policy), each = policy->rows ? count / (size_t)policy->rows : 0;
    if ((size_t)(in->end - in->p) != count) return false;
    if (count) memcpy(policy->choice, in->p, count);
    for (int n = 0; n < policy->mark.nodes; n++) {
        if (policy->row[n] < 0) continue;
        const uint8_t *choice = policy->choice + (size_t)policy->row[n] * each;
        int options = policy->option_first[n + 1] - policy->option_first[n];
        for (size_t i = 0; i < each; i++) {
            if (choice[i] >= options) return false;
        }
    }
    return true;
}

static marey_status damaged(marey_error *error)
{
    return mry_fail(error, MAREY_ERR_INPUT, NULL, "the kept policy is damaged");
}

marey_status marey_policy_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               const marey_graph *graph, marey_policy **out, marey_error *error)
{
    if (size < SUM_BYTES) return damaged(error);
    mry_bytes_reader in = { .p = bytes, .end = bytes + size - SUM_BYTES };
    head h = { 0 };
    int version = find_version(&in, bytes, size);
    if (version > 0 && version != VERSION)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the kept policy is of version %d of its format and this program reads "
                        "version %d: train it again",
                        version, (int)VERSION);
    if (version == 0) return damaged(error);
    /* The graph it is for, and the definition. */
    h.mark.nodes = (int)mry_get_integer(&in, 1, MRY_GRAPH_MOST_NODES);
    h.mark.transitions = (int)mry_get_integer(&in, 0, INT32_MAX);
    h.mark.hash = mry_get_fixed(&in, 8);
    h.def.directions = (int)mry_get_integer(&in, 8, MRY_POLICY_MOST_DIRECTIONS);
    h.def.speed_count = (int)mry_get_integer(&in, 1, MRY_POLICY_MOST_SPEEDS);
    for (int i = 0; i < h.def.speed_count; i++) h.speeds[i] = mry_get_number(&in);
    h.def.speeds = h.speeds;
    h.def.discount = mry_get_number(&in);
    h.def.poor = mry_get_number(&in);
    h.def.close = mry_get_number(&in);
    h.rounds = (int)mry_get_integer(&in, 0, INT32_MAX);
    if (in.failed) return damaged(error);
    mry_graph_mark mark = mry_graph_mark_of(graph);
    if (mark.nodes != h.mark.nodes || mark.transitions != h.mark.transitions ||
        mark.hash != h.mark.hash)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the kept policy is for another graph: train it again");
    marey_policy *policy = NULL;
    marey_status status = mry_policy_make(ctx, graph, &h.def, &policy, error);
    if (status == MAREY_ERR_REQUEST) return damaged(error);
    if (status) return status;
    policy->rounds = h.rounds;
    if (!get_choices(&in, policy)) {
        marey_policy_free(policy);
        return damaged(error);
    }
    *out = policy;
    return MAREY_OK;
}
