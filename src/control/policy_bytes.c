/* policy_bytes.c - policies as bytes and back, without the graph; what follows from that is not
   kept:

       graph        nodes, transitions, 64-bit hash
       settings     directions, speeds, discount, poor, close;  rounds
       choices      rows x speeds x directions bytes

   Bytes may come from anywhere: every number is checked that could lead astray. */
#include "base/fail.h"
#include "control/control_data.h"
#include "store/byte_form.h"

#include <string.h>

static const mry_byte_form policy_form = { "MRYP", 2, "the saved policy", "", "train" };

static size_t state_count(const marey_policy *policy)
{
    return (size_t)policy->rows * (size_t)policy->def.speed_count * (size_t)policy->def.directions;
}

marey_status marey_policy_write(const marey_policy *policy, uint8_t **bytes, size_t *size,
                                marey_error *error)
{
    mry_arena tmp = mry_arena_make(policy->ctx);
    mry_bytes_writer out = mry_form_begin(&policy_form, &tmp);
    const marey_policy_def *def = &policy->def;
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
    return mry_bytes_seal(&out, policy_form.version, bytes, size, error);
}

marey_status marey_policy_read(marey_ctx *ctx, const uint8_t *bytes, size_t size,
                               const marey_graph *graph, marey_policy **out, marey_error *error)
{
    mry_bytes_reader in;
    marey_status status = mry_form_open(&policy_form, bytes, size, &in, error);
    if (status) return status;
    mry_graph_mark kept;
    marey_policy_def def = { 0 };
    double speeds[MRY_POLICY_MOST_SPEEDS];
    kept.nodes = (int)mry_get_integer(&in, 1, MRY_GRAPH_MOST_NODES);
    kept.transitions = (int)mry_get_integer(&in, 0, INT32_MAX);
    kept.hash = mry_get_fixed(&in, 8);
    def.directions = (int)mry_get_integer(&in, 8, MRY_POLICY_MOST_DIRECTIONS);
    def.speed_count = (int)mry_get_integer(&in, 1, MRY_POLICY_MOST_SPEEDS);
    for (int i = 0; i < def.speed_count; i++) speeds[i] = mry_get_number(&in);
    def.speeds = speeds;
    def.discount = mry_get_number(&in);
    def.poor = mry_get_number(&in);
    def.close = mry_get_number(&in);
    int rounds = (int)mry_get_integer(&in, 0, INT32_MAX);
    if (in.failed) return mry_form_damaged(&policy_form, error);
    mry_graph_mark mark = mry_graph_mark_of(graph);
    if (mark.nodes != kept.nodes || mark.transitions != kept.transitions || mark.hash != kept.hash)
        return mry_fail(error, MAREY_ERR_INPUT, NULL,
                        "the saved policy is for another graph: train it again");
    marey_policy *policy = NULL;
    status = mry_policy_make(ctx, graph, &def, &policy, error);
    if (status == MAREY_ERR_REQUEST) return mry_form_damaged(&policy_form, error);
    if (status) return status;
    policy->rounds = rounds;
    /* Every choice must be one of its node's. */
    size_t states = state_count(policy), each = policy->rows ? states / (size_t)policy->rows : 0;
    bool sound = (size_t)(in.end - in.p) == states;
    if (sound && states) memcpy(policy->choice, in.p, states);
    for (int n = 0; n < policy->mark.nodes && sound; n++) {
        if (policy->row[n] < 0) continue;
        const uint8_t *choice = policy->choice + (size_t)policy->row[n] * each;
        int options = policy->option_first[n + 1] - policy->option_first[n];
        for (size_t i = 0; i < each; i++) sound = sound && choice[i] < options;
    }
    if (!sound) {
        marey_policy_free(policy);
        return mry_form_damaged(&policy_form, error);
    }
    *out = policy;
    return MAREY_OK;
}
