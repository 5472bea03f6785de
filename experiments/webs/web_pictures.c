/* web_pictures.c - pictures like those of the chapter: alignments and minima (6.3), the valid
   region (6.4), webs (6.6), and a web at a low rate beside the refined one (6.8). */
#include "web_drawings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double alpha = 0.15, white_cm2 = 2500;

enum { MARGIN = 24 };

/* ---- minima and the valid region ------------------------------------------------------------- */

enum { CELL_MINIMUM = 1, CELL_VALID = 2 };

static double at(marey_rows cost, int r, int c)
{
    if (r < 0 || r >= cost.rows || c < 0 || c >= cost.cols) return INFINITY;
    return cost.values[(size_t)r * cost.stride + (size_t)c];
}

/* From a minimum along one direction, both ways, as long as cells are less than alpha above it. */
static void extend(marey_rows cost, uint8_t *cells, int r, int c, int down, int right)
{
    for (int way = -1; way <= 1; way += 2) {
        double bound = at(cost, r, c) * (1 + alpha);
        int y = r, x = c;
        while (at(cost, y, x) < bound) {
            cells[(size_t)y * (size_t)cost.cols + (size_t)x] |= CELL_VALID;
            y += way * down;
            x += way * right;
        }
    }
}

static uint8_t *mark_cells(marey_rows cost)
{
    uint8_t *cells = web_room((size_t)cost.rows * (size_t)cost.cols);
    for (int r = 0; r < cost.rows; r++) {
        for (int c = 0; c < cost.cols; c++) {
            double d = at(cost, r, c);
            if (d > MAREY_WEB_CEILING) continue; /* as webs are built */
            bool in_row = d < at(cost, r, c - 1) && d < at(cost, r, c + 1);
            bool in_column = d < at(cost, r - 1, c) && d < at(cost, r + 1, c);
            if (in_row || in_column)
                cells[(size_t)r * (size_t)cost.cols + (size_t)c] |= CELL_MINIMUM;
            if (in_row) extend(cost, cells, r, c, 0, 1);
            if (in_column) extend(cost, cells, r, c, 1, 0);
        }
    }
    return cells;
}

/* ---- one pair of segments -------------------------------------------------------------------- */

typedef struct compared {
    marey_segment a, b;
    marey_grid *grid;
    marey_rows cost;
    uint8_t *cells;
    marey_path
        path; /* the plain alignment, whose rows and columns count from the segments' starts */
} compared;

static compared compare(const web_set *set, marey_segment a, marey_segment b)
{
    compared out = { .a = a, .b = b };
    marey_error error;
    web_must(
        marey_grid_build(set->ctx, set->features[a.clip], set->features[b.clip], &out.grid, &error),
        &error);
    out.cost = marey_grid_cost(out.grid);
    out.cells = mark_cells(out.cost);
    marey_rows part = { out.cost.values + (size_t)a.start * out.cost.stride + b.start,
                        a.end - a.start, b.end - b.start, out.cost.stride };
    web_must(marey_align(set->ctx, part, NULL, &out.path, &error), &error);
    for (int i = 0; i < out.path.count; i++) {
        out.path.cells[i].row += a.start;
        out.path.cells[i].col += b.start;
    }
    return out;
}

static void compared_free(compared *gone)
{
    marey_path_free(&gone->path);
    free(gone->cells);
    marey_grid_free(gone->grid);
}

static double share(const compared *c, int kind)
{
    int count = 0;
    for (int i = 0; i < c->path.count; i++) {
        marey_cell cell = c->path.cells[i];
        count += (c->cells[(size_t)cell.row * (size_t)c->cost.cols + (size_t)cell.col] & kind) != 0;
    }
    return (double)count / c->path.count;
}

static panel panel_of(cairo_t *to, const compared *c, double x, double y, double px)
{
    return (panel){
        to, x, y, px, c->a.start, c->b.start, c->a.end - c->a.start, c->b.end - c->b.start
    };
}

static void draw_marked(const panel *p, const compared *c, int kind, ink colour)
{
    for (int r = p->row; r < p->row + p->rows; r++) {
        for (int k = p->col; k < p->col + p->cols; k++) {
            if (c->cells[(size_t)r * (size_t)c->cost.cols + (size_t)k] & kind)
                panel_cell(p, r, k, colour);
        }
    }
}

/* ---- figures 6.3 and 6.4 --------------------------------------------------------------------- */

enum { MOST_EXAMPLES = 6 };

/* Where examples are: of walking, `first` is the first time that the left foot comes down. */
typedef struct example_source {
    const char *label, *side, *clip;
    int first;
} example_source;

static const example_source walk_straight = { "walk", "", "16_15", 0 },
                            walk_eights = { "walk", "", "144_03", 1 },
                            kick_front = { "kick", "right", "144_05", 0 },
                            kick_side = { "kick", "right", "135_11", 0 };

/* The first occurrences in a clip; of walking, whole cycles. */
static int list_examples(const web_set *set, const truth *of, const example_source *from,
                         marey_segment *out)
{
    int count = 0;
    for (int i = 0; i < of->count; i++) {
        const truth_segment *s = &of->segments[i];
        if (s->doubtful || strcmp(s->label, from->label) != 0) continue;
        if (strcmp(set->names[s->at.clip], from->clip) != 0) continue;
        if (strcmp(s->side, from->side) != 0) continue;
        if (s->strike_count == 0 && count < MOST_EXAMPLES) out[count++] = s->at;
        for (int k = from->first; k + 2 < s->strike_count && count < MOST_EXAMPLES; k += 2) {
            out[count++] = (marey_segment){ s->at.clip, s->strikes[k], s->strikes[k + 2] };
        }
    }
    return count;
}

static void draw_alignments(const web_set *set, const truth *of)
{
    marey_segment walks[MOST_EXAMPLES], kicks[MOST_EXAMPLES];
    list_examples(set, of, &walk_straight, walks);
    list_examples(set, of, &kick_front, kicks);
    compared walk = compare(set, walks[0], walks[1]), kick = compare(set, kicks[0], kicks[2]);
    const compared *both[2] = { &walk, &kick };
    double px = 4, y = MARGIN;
    cairo_t *to = drawing_begin(
        640, (int)(px * (walk.a.end - walk.a.start + kick.a.end - kick.a.start)) + 3 * MARGIN);
    for (int i = 0; i < 2; i++) {
        panel left = panel_of(to, both[i], MARGIN, y, px);
        panel right = panel_of(to, both[i], 320 + MARGIN / 2, y, px);
        panel_cost(&left, both[i]->cost, white_cm2);
        panel_path(&left, both[i]->path.cells, both[i]->path.count, ink_yellow);
        panel_frame(&left, i ? "two kicks: alignment" : "two walk cycles: alignment");
        panel_cost(&right, both[i]->cost, white_cm2);
        draw_marked(&right, both[i], CELL_MINIMUM, ink_magenta);
        panel_frame(&right, "1D minima");
        y += px * left.rows + MARGIN + 4;
    }
    drawing_end(to, set->folder, "webs-minima");
    to = drawing_begin((int)(8 * (kick.b.end - kick.b.start)) + 2 * MARGIN,
                       (int)(8 * (kick.a.end - kick.a.start)) + 2 * MARGIN);
    panel whole = panel_of(to, &kick, MARGIN, MARGIN, 8);
    panel_cost(&whole, kick.cost, white_cm2);
    draw_marked(&whole, &kick, CELL_VALID, ink_yellow);
    draw_marked(&whole, &kick, CELL_MINIMUM, ink_magenta);
    panel_frame(&whole, "two kicks: 1D minima and the valid region around them");
    drawing_end(to, set->folder, "webs-valid");
    compared_free(&walk);
    compared_free(&kick);
}

/* Means over all pairs of examples of one clip with those of another, or of its own. */
static void print_pairs(const web_set *set, const truth *of, const example_source *one,
                        const example_source *other)
{
    marey_segment a[MOST_EXAMPLES], b[MOST_EXAMPLES];
    int first = list_examples(set, of, one, a);
    int second = list_examples(set, of, other, b), pairs = 0;
    double mean = 0, minima = 0, valid = 0;
    for (int i = 0; i < first; i++) {
        for (int j = one == other ? i + 1 : 0; j < second; j++) {
            compared c = compare(set, a[i], b[j]);
            mean += c.path.mean;
            minima += share(&c, CELL_MINIMUM);
            valid += share(&c, CELL_VALID);
            pairs++;
            compared_free(&c);
        }
    }
    printf("| %s | %s | %s | %d | %.1f | %.2f | %.2f |\n", one->label, one->clip, other->clip,
           pairs, mean / pairs, minima / pairs, valid / pairs);
}

static void print_alignments(const web_set *set, const truth *of)
{
    printf(
        "\n## Alignments and minima (figure 6.3)\n\nMeans over pairs of the first marked "
        "occurrences of two clips.\n\n"
        "| what | of | with | pairs | mean distance, cm2 | share of the alignment's cells that are "
        "1D minima | in the valid region |\n|---|---|---|---|---|---|---|\n");
    print_pairs(set, of, &walk_straight, &walk_straight);
    print_pairs(set, of, &walk_eights, &walk_eights);
    print_pairs(set, of, &walk_straight, &walk_eights);
    print_pairs(set, of, &kick_front, &kick_front);
    print_pairs(set, of, &kick_front, &kick_side);
}

/* ---- figures 6.6 and 6.8 --------------------------------------------------------------------- */

static void draw_web(const panel *p, const marey_web *web, bool flipped)
{
    for (int pass = 1; pass >= 0; pass--) { /* chains over bridges */
        for (int i = 0; i < marey_web_paths(web); i++) {
            marey_web_path path = marey_web_path_at(web, i);
            if (path.bridge != pass) continue;
            for (int k = 0; k < path.count; k++) {
                int row = flipped ? path.cells[k].col : path.cells[k].row;
                int col = flipped ? path.cells[k].row : path.cells[k].col;
                panel_cell(p, row, col, pass ? ink_orange : ink_yellow);
            }
        }
    }
}

typedef struct two_clips {
    const marey_clip *clips[2];
    marey_layout *layout;
    marey_features *features[2];
    marey_grid *grid;
    marey_web *web;
} two_clips;

static two_clips two_open(const web_set *set, int a, int b, double fps, bool levels)
{
    two_clips out = { .clips = { set->clips[a], set->clips[b] } };
    marey_metric_def metric = { .fps = fps, .bounded = true };
    marey_web_def def = { .levels = levels };
    marey_error error;
    web_must(marey_layout_build(set->ctx, out.clips, 2, &metric, &out.layout, &error), &error);
    for (int i = 0; i < 2; i++) {
        web_must(marey_features_build(out.layout, out.clips[i], &out.features[i], &error), &error);
    }
    web_must(marey_grid_build(set->ctx, out.features[0], out.features[1], &out.grid, &error),
             &error);
    web_must(marey_web_build(set->ctx, out.features[0], out.features[1], &def, &out.web, &error),
             &error);
    return out;
}

static void two_free(two_clips *gone)
{
    marey_web_free(gone->web);
    marey_grid_free(gone->grid);
    for (int i = 0; i < 2; i++) marey_features_free(gone->features[i]);
    marey_layout_free(gone->layout);
}

/* So many seconds of two clips, of the second from `from` on: at a low rate, refined from it, and
   at the full rate at once. */
static void draw_levels(const web_set *set, const char *a, const char *b, double from,
                        double seconds, const char *name)
{
    static const char *const titles[3] = { "10 a second", "refined by levels to 60",
                                           "at 60 a second at once" };
    int first = set_find(set, a), second = set_find(set, b);
    double side = 330;
    cairo_t *to = drawing_begin((int)(3 * (side + MARGIN)) + MARGIN, (int)side + 2 * MARGIN);
    for (int i = 0; i < 3; i++) {
        two_clips two = two_open(set, first, second, i == 0 ? 10 : 60, i == 1);
        double fps = marey_layout_fps(two.layout);
        marey_rows cost = marey_grid_cost(two.grid);
        int span = (int)(seconds * fps), col = (int)(from * fps);
        panel p = { to,
                    MARGIN + i * (side + MARGIN),
                    MARGIN,
                    side / span,
                    0,
                    col,
                    span < cost.rows ? span : cost.rows,
                    span < cost.cols - col ? span : cost.cols - col };
        panel_cost(&p, cost, white_cm2);
        draw_web(&p, two.web, false);
        panel_frame(&p, titles[i]);
        two_free(&two);
    }
    drawing_end(to, set->folder, name);
}

static void draw_whole_web(const web_set *set, const char *a, const char *b, const char *title,
                           const char *name)
{
    two_clips two = two_open(set, set_find(set, a), set_find(set, b), 60, false);
    marey_rows cost = marey_grid_cost(two.grid);
    int rows = cost.rows < 400 ? cost.rows : 400, cols = cost.cols < 700 ? cost.cols : 700;
    cairo_t *to = drawing_begin(cols + 2 * MARGIN, rows + 2 * MARGIN);
    panel p = { to, MARGIN, MARGIN, 1, 0, 0, rows, cols };
    panel_cost(&p, cost, white_cm2);
    draw_web(&p, two.web, false);
    panel_frame(&p, title);
    drawing_end(to, set->folder, name);
    two_free(&two);
}

void experiment_pictures(const web_set *set, const truth *of)
{
    print_alignments(set, of);
    draw_alignments(set, of);
    draw_whole_web(set, "16_15", "144_03", "a straight walk against figures of eight",
                   "webs-chains-walk");
    draw_whole_web(set, "144_05", "135_11", "front kicks against side kicks", "webs-chains-kick");
    draw_levels(set, "16_15", "91_01", 8, 3.9, "webs-levels");
    draw_match_graph(set, of);
}
