/* test_web_forged.c - webs whose bytes are whole, with the right sum, but say what no web can be:
   they are not believed. What is written here is made by spoiling webs before they are written. */
#include "search_judge.h"

#include "match/web_data.h"

#include <math.h>

/* Two lines and a bridge each way between them; of a clip with itself also the diagonal. */
static marey_web *sound_web(marey_ctx *ctx, bool self)
{
    hand_web web = hand_web_start(ctx, 60, 60, self);
    int first = hand_line(&web, 2, 12, 20, 3), second = hand_line(&web, 2, 20, 20, 4);
    int third = hand_line(&web, 4, 30, 20, 5);
    hand_bridge(&web, first, 3, second, 9, 6);
    hand_bridge(&web, first, 4, third, 12, 6);
    hand_bridge(&web, second, 2, third, 8, 6);
    return hand_web_make(&web);
}

static mry_web_path *chain_at(marey_web *web, int i)
{
    return &web->paths[web->self + i];
}

static mry_web_path *bridge_at(marey_web *web, int i)
{
    return &web->paths[web->chain_count + i];
}

static void leave_it(marey_web *web)
{
    (void)web;
}

static void to_no_chain(marey_web *web)
{
    bridge_at(web, 2)->to = web->chain_count;
}

/* A bridge without cells from one cell of a chain to the next: a step like any other, but no
   bridge. */
static void to_itself(marey_web *web)
{
    mry_web_path *bridge = bridge_at(web, 2);
    bridge->to = bridge->from;
    bridge->to_cell = bridge->from_cell + 1;
    bridge->count = 0;
}

static void from_no_chain(marey_web *web)
{
    bridge_at(web, 2)->from = web->chain_count;
    bridge_at(web, 2)->to = web->chain_count - 1;
}

static void to_no_cell(marey_web *web)
{
    bridge_at(web, 0)->to_cell = 1 << 28;
}

static void from_no_cell(marey_web *web)
{
    bridge_at(web, 0)->from_cell = 20;
}

static void to_a_cell_that_is_no_step_away(marey_web *web)
{
    bridge_at(web, 0)->to_cell++;
}

static void the_same_bridge_twice(marey_web *web)
{
    *bridge_at(web, 1) = *bridge_at(web, 0);
}

static void chains_in_another_order(marey_web *web)
{
    mry_web_path first = *chain_at(web, 0);
    *chain_at(web, 0) = *chain_at(web, 1);
    *chain_at(web, 1) = first;
    web->bridge_count = 0;
}

static void out_of_the_rows(marey_web *web)
{
    web->rows = 23;
    if (web->self) web->cols = 23;
}

static void out_of_the_columns(marey_web *web)
{
    web->cols = 45;
    if (web->self) web->rows = 45;
}

static void no_rate(marey_web *web)
{
    web->fps = NAN;
}

static void a_rate_that_runs_back(marey_web *web)
{
    web->fps = -60;
}

static void a_ceiling_of_nothing(marey_web *web)
{
    web->ceiling = 0;
}

static void across_the_diagonal(marey_web *web)
{
    if (!web->self) {
        web->cols = 1;
        return;
    }
    mry_web_path *last =
        chain_at(web, 2); /* to the right of it, and then down until it is crossed */
    for (int i = 0; i < last->count; i++)
        web->cells[last->first + i] = (marey_cell){ 4 + i, i == 0 ? 6 : 7 };
    web->bridge_count = 0;
}

/* So that nothing else gives it away. */
static void count_cells(marey_web *web)
{
    web->cell_count = 0;
    for (int i = 0; i < web->chain_count + web->bridge_count; i++)
        web->cell_count += web->paths[i].count;
}

static const struct {
    void (*spoil)(marey_web *web);
    bool fine;
} cases[] = {
    { leave_it, true },
    { to_no_chain, false },
    { to_itself, false },
    { from_no_chain, false },
    { to_no_cell, false },
    { from_no_cell, false },
    { to_a_cell_that_is_no_step_away, false },
    { the_same_bridge_twice, false },
    { chains_in_another_order, false },
    { out_of_the_rows, false },
    { out_of_the_columns, false },
    { no_rate, false },
    { a_rate_that_runs_back, false },
    { a_ceiling_of_nothing, false },
    { across_the_diagonal, false },
};

TEST_CTX(webs_that_cannot_be_are_refused)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int self = 0; self < 2; self++) {
            OWNED(marey_web) *web = sound_web(ctx, self), *read = NULL;
            uint8_t *bytes = NULL;
            size_t size = 0;
            cases[i].spoil(web);
            count_cells(web);
            assert_int_equal(marey_web_write(web, &bytes, &size, NULL), MAREY_OK);
            marey_status status = marey_web_read(ctx, bytes, size, &read, NULL);
            if (status != (cases[i].fine ? MAREY_OK : MAREY_ERR_INPUT))
                fail_msg("case %zu, self %d: %d", i, self, (int)status);
            assert_true((read == NULL) != cases[i].fine);
            marey_web_bytes_free(ctx, bytes, size);
        }
    }
}

TEST_GROUP_OF_CASES(test_web_forged, NULL, NULL)
