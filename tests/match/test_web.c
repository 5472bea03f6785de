/* test_web.c - match webs of small grids against the judge, in slabs, by threads, turned over, with
   little memory. */
#include "plain_web.h"
#include "web_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static plain_web *judge(const field *f)
{
    const marey_web_def *def = &f->def;
    double shortest = def->shortest_s > 0 ? def->shortest_s : 0.25;
    double reach = def->bridge_s > 0 ? def->bridge_s : 2;
    return plain_web_make(f->rows, f->self, def->slope ? def->slope : 2,
                          (float)(1 + (def->valid > 0 ? def->valid : 0.15)),
                          def->ceiling > 0 ? (float)def->ceiling : INFINITY,
                          (int)round(shortest * FIELD_FPS), (int)round(reach * FIELD_FPS));
}

static void check_cells(const marey_cell *a, const marey_cell *b, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(a[i].row, b[i].row);
        assert_int_equal(a[i].col, b[i].col);
    }
}

/* The tails of one end of a chain: two, or one if they are the same. */
static void check_end(const plain_grid *grid, const marey_web *web, int chain, int way, int *next)
{
    marey_web_path of = marey_web_path_at(web, chain);
    marey_cell cells[2][200], end = of.cells[way > 0 ? of.count - 1 : 0];
    int counts[2], first_joint = web->chain_count + web->bridge_count - web->tail_count;
    int first_tail = web->chain_count - web->tail_count;
    assert_true(grid->reach <= 200);
    for (int axis = 0; axis < 2; axis++) {
        counts[axis] = plain_tail(grid, end, way, axis, cells[axis]);
        bool again = axis == 1 && counts[0] == counts[1] &&
                     memcmp(cells[0], cells[1], sizeof cells[0][0] * (size_t)counts[0]) == 0;
        if (counts[axis] == 0 || again) continue;
        marey_web_path tail = marey_web_path_at(web, first_tail + *next);
        marey_web_path joint = marey_web_path_at(web, first_joint + (*next)++);
        assert_true(tail.tail && !tail.bridge && joint.bridge);
        assert_int_equal(tail.count, counts[axis]);
        check_cells(tail.cells, cells[axis], tail.count);
        assert_int_equal(joint.count, 0);
        assert_int_equal(way > 0 ? joint.from : joint.to, chain);
        assert_int_equal(way > 0 ? joint.to : joint.from, first_tail + *next - 1);
        assert_int_equal(joint.from_cell, way > 0 ? of.count - 1 : tail.count - 1);
        assert_int_equal(joint.to_cell, 0);
    }
}

/* The web is the judge's, cell by cell. */
static void check_judged(const field *f, int *chains, int *bridges)
{
    OWNED(marey_ctx) *ctx = test_ctx();
    OWNED(marey_web) *web = field_web(ctx, f, 0);
    plain_web *plain = judge(f);
    int own = f->self; /* the diagonal */
    assert_int_equal(web->chain_count - web->tail_count - own, plain->chain_count);
    for (int i = 0; i < plain->chain_count; i++) {
        marey_web_path path = marey_web_path_at(web, i + own);
        assert_int_equal(path.count, plain->counts[i]);
        check_cells(path.cells, plain->cells + plain->starts[i], path.count);
    }
    assert_int_equal(web->bridge_count - web->tail_count, plain->bridge_count);
    for (int i = 0; i < plain->bridge_count; i++) {
        const plain_bridge *b = &plain->bridges[i];
        marey_web_path path = marey_web_path_at(web, web->chain_count + i);
        assert_int_equal(path.from, b->from + own);
        assert_int_equal(path.to, b->to + own);
        assert_int_equal(path.from_cell, b->from_cell);
        assert_int_equal(path.to_cell, b->to_cell);
        assert_int_equal(path.count, b->count);
        check_cells(path.cells, b->cells, b->count);
    }
    double reach = f->def.bridge_s > 0 ? f->def.bridge_s : 2;
    double tail = f->def.tail_s < 0 ? 0 : f->def.tail_s > 0 ? f->def.tail_s : 1;
    plain_grid grid = { f->rows, plain->valid, f->def.slope ? f->def.slope : 2,
                        (int)round(reach * FIELD_FPS), (int)round(tail * FIELD_FPS) };
    int tails = 0;
    if (grid.tail >= grid.reach) grid.tail = grid.reach - 1;
    for (int i = f->self; i < web->chain_count - web->tail_count; i++) {
        check_end(&grid, web, i, 1, &tails);
        check_end(&grid, web, i, -1, &tails);
    }
    assert_int_equal(tails, web->tail_count);
    assert_true(tails >= plain->chain_count || f->def.tail_s < 0 || plain->chain_count < 5);
    for (int64_t i = f->self ? web->rows : 0; i < web->cell_count; i++) {
        float cost =
            f->values[(size_t)web->cells[i].row * f->rows.stride + (size_t)web->cells[i].col];
        assert_true(fabsf(web->costs[i] - cost) <= 0.001f * cost);
    }
    *chains += plain->chain_count;
    *bridges += plain->bridge_count;
    plain_web_free(plain);
}

/* ---- the judge ------------------------------------------------------------------------------- */

TEST(webs_are_what_the_rules_say)
{
    int chains = 0, bridges = 0;
    for (uint32_t seed = 0; seed < 12; seed++) {
        OWNED(field) f = seed % 3 == 2 ? field_self(130, 23, 4 + seed, seed)
                                       : field_make(110 + (int)seed, 150, 25, 3 + 2 * seed, seed);
        f.def = (marey_web_def){ .slope = 1 + (int)(seed % 4),
                                 .valid = seed % 2 ? 0.4 : 0,
                                 .shortest_s = 0.1,
                                 .bridge_s = seed % 4 ? 0.5 : 0.25,
                                 .tail_s = seed % 3    ? 0.12
                                           : seed == 9 ? -1
                                                       : 0,
                                 .ceiling = seed % 5 == 4 ? 80 : 0 };
        check_judged(&f, &chains, &bridges);
    }
    assert_true(chains > 200);
    assert_true(bridges > 200);
}

TEST(so_are_those_of_noise)
{
    int chains = 0, bridges = 0;
    for (uint32_t seed = 0; seed < 12; seed++) {
        OWNED(field) f = seed % 3 == 2 ? field_self(40, 0, 100, seed)
                                       : field_make(20 + 5 * (int)seed, 40, 0, 100, seed);
        f.def = (marey_web_def){ .slope = 1 + (int)(seed % 3),
                                 .valid = 0.8,
                                 .shortest_s = 0.05,
                                 .bridge_s = 0.25,
                                 .ceiling = seed % 2 ? 60 : 0 };
        check_judged(&f, &chains, &bridges);
    }
    assert_true(chains > 200);
    assert_true(bridges > 200);
}

TEST(chains_longer_than_a_piece_are_bridged_from_every_piece)
{
    int chains = 0, bridges = 0;
    OWNED(field) f = field_make(260, 240, 31, 0.3, 5);
    f.def = (marey_web_def){ .valid = 9, .bridge_s = 0.8 };
    check_judged(&f, &chains, &bridges);
    assert_true(chains >= 5);
    assert_true(bridges >= 5);
}

TEST(a_grid_of_one_row_or_column_has_a_web)
{
    int chains = 0, bridges = 0;
    for (int i = 0; i < 3; i++) {
        OWNED(field) f = field_make(i == 1 ? 1 : 50, i == 0 ? 1 : i == 1 ? 50 : 1, 9, 5, 3);
        check_judged(&f, &chains, &bridges);
    }
    OWNED(field) f = field_self(1, 9, 0, 3);
    check_judged(&f, &chains, &bridges);
}

/* ---- slabs, threads, turning over ------------------------------------------------------------ */

TEST(slabs_and_threads_do_not_matter)
{
    OWNED(marey_ctx) *one = test_ctx();
    OWNED(marey_ctx) *four = NULL;
    assert_int_equal(marey_ctx_open(&(marey_ctx_def){ .threads = 4 }, &four), MAREY_OK);
    for (int turn = 0; turn < 2; turn++) {
        OWNED(field) f = turn ? field_self(600, 40, 20, 1) : field_make(700, 330, 30, 20, 2);
        f.def = (marey_web_def){ .shortest_s = 0.15, .bridge_s = 0.6, .valid = 0.3 };
        OWNED(marey_web) *whole = field_web(one, &f, f.rows.rows);
        OWNED(marey_web) *thin = field_web(one, &f, 1);
        OWNED(marey_web) *many = field_web(four, &f, 0);
        assert_true(whole->chain_count > 100);
        assert_true(whole->bridge_count > 100);
        check_same_web(whole, thin);
        check_same_web(whole, many);
    }
}

static int find_chain(const marey_web *web, marey_cell first)
{
    for (int i = 0; i < web->chain_count - web->tail_count; i++) {
        marey_cell cell = marey_web_path_at(web, i).cells[0];
        if (cell.row == first.row && cell.col == first.col) return i;
    }
    fail_msg("no chain begins at row %d, column %d", first.row, first.col);
    return -1;
}

static void check_turned(marey_web_path path, marey_web_path other)
{
    assert_int_equal(path.count, other.count);
    assert_int_equal(path.from_cell, other.from_cell);
    assert_int_equal(path.to_cell, other.to_cell);
    for (int i = 0; i < path.count; i++) {
        assert_int_equal(path.cells[i].row, other.cells[i].col);
        assert_int_equal(path.cells[i].col, other.cells[i].row);
        assert_true(path.costs[i] == other.costs[i]);
    }
}

static int find_bridge(const marey_web *web, int from, int to)
{
    for (int i = web->chain_count; i < marey_web_paths(web); i++) {
        marey_web_path path = marey_web_path_at(web, i);
        if (path.from == from && path.to == to) return i;
    }
    fail_msg("no bridge leads from chain %d to %d", from, to);
    return -1;
}

/* Rows and columns change places, and so do the two tails of an end. */
static void check_turned_tail(const marey_web *web, const marey_web *turned, marey_web_path joint,
                              int from, int to)
{
    marey_web_path tail = marey_web_path_at(web, from < 0 ? joint.from : joint.to);
    int tries = 0;
    for (int i = marey_web_paths(turned) - turned->tail_count; i < marey_web_paths(turned); i++) {
        marey_web_path other = marey_web_path_at(turned, i);
        if (from >= 0 ? other.from != from : other.to != to) continue;
        marey_web_path end = marey_web_path_at(turned, from < 0 ? other.from : other.to);
        marey_cell last = tail.cells[from < 0 ? 0 : tail.count - 1];
        marey_cell turned_last = end.cells[from < 0 ? 0 : end.count - 1];
        if (last.row != turned_last.col || last.col != turned_last.row) continue;
        check_turned(tail, end);
        tries++;
    }
    assert_int_equal(tries, 1);
}

TEST_CTX(a_grid_turned_over_has_the_same_web_turned_over)
{
    OWNED(field) f = field_make(210, 330, 30, 20, 4), t = field_make(330, 210, 30, 20, 4);
    f.def = t.def = (marey_web_def){ .shortest_s = 0.1, .bridge_s = 0.6, .valid = 0.3 };
    for (int r = 0; r < 330; r++) {
        for (int c = 0; c < 210; c++) t.values[r * 210 + c] = f.values[c * 330 + r];
    }
    OWNED(marey_web) *web = field_web(ctx, &f, 0);
    OWNED(marey_web) *turned = field_web(ctx, &t, 0);
    assert_int_equal(web->chain_count, turned->chain_count);
    assert_int_equal(web->bridge_count, turned->bridge_count);
    assert_true(web->bridge_count > 50);
    FREED int *other = malloc(sizeof *other * (size_t)web->chain_count);
    int chains = web->chain_count - web->tail_count;
    int joints = marey_web_paths(web) - web->tail_count;
    for (int i = 0; i < chains; i++) {
        marey_web_path path = marey_web_path_at(web, i);
        other[i] = find_chain(turned, (marey_cell){ path.cells[0].col, path.cells[0].row });
        check_turned(path, marey_web_path_at(turned, other[i]));
    }
    for (int i = web->chain_count; i < joints; i++) {
        marey_web_path path = marey_web_path_at(web, i);
        int same = find_bridge(turned, other[path.from], other[path.to]);
        check_turned(path, marey_web_path_at(turned, same));
    }
    assert_int_equal(web->tail_count, turned->tail_count);
    for (int i = joints; i < marey_web_paths(web); i++) {
        marey_web_path joint = marey_web_path_at(web, i);
        check_turned_tail(web, turned, joint, joint.from < chains ? other[joint.from] : -1,
                          joint.to < chains ? other[joint.to] : -1);
    }
}

/* ---- what can go wrong ----------------------------------------------------------------------- */

TEST_CTX(what_cannot_be_asked_for_is_said)
{
    OWNED(field) f = field_make(30, 30, 9, 5, 1);
    const marey_web_def wrong[] = {
        { .slope = 9 },     { .slope = -1 },       { .valid = 11 },       { .valid = NAN },
        { .ceiling = -1 },  { .ceiling = NAN },    { .bridge_s = 100 },   { .bridge_s = NAN },
        { .bridge_s = -1 }, { .shortest_s = 2.1 }, { .shortest_s = NAN }, { .tail_s = NAN }
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        marey_web *web = NULL;
        marey_error error = { 0 };
        assert_int_equal(
            mry_web_from_rows(ctx, f.rows, false, FIELD_FPS, &wrong[i], 0, &web, &error),
            MAREY_ERR_REQUEST);
        assert_null(web);
        assert_true(error.message[0] != 0);
    }
}

TEST(running_out_of_memory_is_reported_and_writes_nothing)
{
    OWNED(field) f = field_make(400, 70, 30, 20, 7);
    f.def = (marey_web_def){ .shortest_s = 0.1, .bridge_s = 0.4, .valid = 0.3 };
    OWNED(test_memory) memory = { .refuse = -1 };
    OWNED(marey_ctx) *ctx = test_ctx_refusing(&memory);
    marey_status status = MAREY_OK;
    for (test_refusals sweep = { .memory = &memory }; test_refuse(&sweep, status);) {
        OWNED(marey_web) *web = NULL;
        status = mry_web_from_rows(ctx, f.rows, false, FIELD_FPS, &f.def, 1, &web, NULL);
        assert_true((web != NULL) == (status == MAREY_OK));
    }
}

typedef struct patience {
    marey_ctx *ctx;
    int64_t most;
} patience;

static void lose_patience(void *user, const char *what, int64_t done, int64_t total)
{
    patience *p = user;
    (void)what;
    (void)total;
    if (done >= p->most) marey_ctx_cancel(p->ctx);
}

TEST(a_cancelled_build_ends_and_writes_nothing)
{
    OWNED(field) f = field_make(900, 100, 30, 20, 7);
    patience p = { .most = 300 };
    marey_web *web = NULL;
    marey_ctx_def def = { .threads = 1, .progress = lose_patience, .progress_user = &p };
    assert_int_equal(marey_ctx_open(&def, &p.ctx), MAREY_OK);
    assert_int_equal(mry_web_from_rows(p.ctx, f.rows, false, FIELD_FPS, &f.def, 1, &web, NULL),
                     MAREY_ERR_CANCELLED);
    assert_null(web);
    assert_int_equal(marey_ctx_bytes(p.ctx), 0);
    marey_ctx_close(p.ctx);
}

TEST_GROUP_OF_CASES(test_web, NULL, NULL)
