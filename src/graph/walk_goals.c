/* walk_goals.c - a walk that is at places on the floor at times, waits where it is early, and goes
   round obstacles: what is asked for, how long ways round obstacles are, what frames cost, and what
   the rest of a walk costs. The search is that of walk_path.c, with time for arc length.

   What it costs, in centimetres of a frame, as on paths. A frame of a body on its way costs what
   its speed is off from the usual one, and what it looks away from where it moves. A frame of a
   body that waits costs how much it stirs, and more the farther it is from its next goal. Whichever
   is less counts: so a body walks, or it stands, and does not drift. Every centimetre that it moves
   costs TRAVEL: going in circles until it is time is dearer than standing. What nodes and transitions
   cost is in walk_goal_nodes.c. At the time of a goal the error e, distance and angle taken together, costs

       G(e) = MISS e^2 / (e + SOFT)

   The bound. Let d be the distance to the next goal, D_k the one from goal k to the next, w TRAVEL,
   e_k the errors that will be. The body moves at least d - e_1 up to the next goal, and at least
   D_k - e_k - e_(k+1) from one to the other (triangle inequality). All other costs are not
   negative, so that the rest costs at least

       w (d + sum of D_k) + sum of (G(e_k) - 2 w e_k)

   in which every error is taken off twice, though that of the last one is off once. G(e) - 2 w e is
   convex, and is least at LEAST = SOFT (1 / sqrt(1 - 2 w / MISS) - 1), where it is -c. So every goal
   counts -c, but for the next one: no step is longer than the longest, so that e_1 is at least
   d - longest * frames left, and from LEAST on a greater error costs more. Obstacles make ways
   longer, never shorter. */
#include "base/fail.h"
#include "graph/walk_path.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define TRAVEL 3.0
#define MISS 80.0
#define SOFT_CM 8.0
#define TURN_CM 38.0  /* an angle of one radian is as bad as so many centimetres */
#define FAR_CM 15.0   /* for standing far from the goal .. */
#define NEAR_CM 100.0 /* .. at this distance half of it */
#define BEND_CM 60.0 /* a turn of one radian is a way of so many centimetres; for the guess alone */
#define TURN_RAD_S 1.2 /* how fast a body turns about; for the guess alone */

enum { MOST_CELLS = 256, MOST_SWEEPS = 64 };
#define LEAST_CELL_CM 8.0
#define MARGIN_CM 60.0
/* The field keeps a little farther off than the body must. */
#define FIELD_HALF_CM (MAREY_WALK_HALF_WIDTH_CM + 5)
#define SLOW 10.0 /* a way through an obstacle is as long as so many round it */

static double miss(double error)
{
    return MISS * error * error / (error + SOFT_CM);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool is_place(double x, double z)
{
    return fabs(x) <= MRY_FLOOR_PATH_MOST_CM && fabs(z) <= MRY_FLOOR_PATH_MOST_CM;
}

marey_status mry_obstacles_check(const marey_walk_def *def, marey_error *error)
{
    if (def->obstacle_count < 0 || def->obstacle_count > MAREY_WALK_MOST_OBSTACLES ||
        (def->obstacle_count > 0 && !def->obstacles))
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "a walk may have up to %d obstacles, got %d", MAREY_WALK_MOST_OBSTACLES,
                        def->obstacle_count);
    for (int i = 0; i < def->obstacle_count; i++) {
        const marey_walk_obstacle *one = &def->obstacles[i];
        if (!is_place(one->x_cm, one->z_cm))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "obstacle %d must be within %.0f km",
                            i + 1, MRY_FLOOR_PATH_MOST_CM * 1e-5);
        if (!(one->radius_cm > 0 && one->radius_cm <= MRY_FLOOR_PATH_MOST_CM))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "radius of obstacle %d must be positive and at most %.0f km, got %g cm",
                            i + 1, MRY_FLOOR_PATH_MOST_CM * 1e-5, one->radius_cm);
    }
    return MAREY_OK;
}

/* REQUEST: a body that stands there is in an obstacle. */
static marey_status check_room(const marey_walk_def *def, const char *what, double x, double z,
                               marey_error *error)
{
    for (int i = 0; i < def->obstacle_count; i++) {
        const marey_walk_obstacle *one = &def->obstacles[i];
        double off = hypot(x - one->x_cm, z - one->z_cm) - one->radius_cm;
        if (off < MAREY_WALK_HALF_WIDTH_CM)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "%s must be at least %.0f cm from the edge of obstacle %d, got %s%.0f "
                            "cm",
                            what, MAREY_WALK_HALF_WIDTH_CM, i + 1, off < 0 ? "inside by " : "",
                            fabs(off));
    }
    return MAREY_OK;
}

static marey_status take_goals(mry_goals *goals, const marey_walk_def *def, marey_error *error)
{
    double fps = goals->tracks->graph->fps;
    for (int i = 0; i < def->goal_count; i++) {
        const marey_walk_goal *from = &def->goals[i];
        mry_goal *to = &goals->goals[i];
        char what[32];
        snprintf(what, sizeof what, "goal %d", i + 1);
        if (!is_place(from->x_cm, from->z_cm))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "%s must be within %.0f km", what,
                            MRY_FLOOR_PATH_MOST_CM * 1e-5);
        if (from->heading_given && !isfinite(from->heading_rad))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL, "heading of %s must be finite", what);
        if (!(from->at_s >= 0 && from->at_s <= MAREY_WALK_MOST_S))
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "time of %s must be 0 to %.0f s, got %g", what, MAREY_WALK_MOST_S,
                            from->at_s);
        *to = (mry_goal){ .frame = (int)lround(from->at_s * fps),
                          .x = from->x_cm,
                          .z = from->z_cm,
                          .heads = from->heading_given,
                          .face_x = cos(from->heading_rad),
                          .face_z = -sin(from->heading_rad) };
        if (i > 0 && to->frame <= to[-1].frame)
            return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                            "times of goals must rise by a frame of the graph (%.3f s) at least: "
                            "%g s comes behind %g s",
                            1 / fps, from->at_s, from[-1].at_s);
        marey_status status = check_room(def, what, to->x, to->z, error);
        if (status) return status;
    }
    goals->end = goals->goals[def->goal_count - 1].frame;
    if (goals->end < 1)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the last goal must be at a time after 0 s");
    for (int i = def->goal_count - 2; i >= 0; i--) {
        mry_goal *at = &goals->goals[i];
        at->legs = at[1].legs + hypot(at[1].x - at->x, at[1].z - at->z);
    }
    return MAREY_OK;
}

/* ---- how long ways round obstacles are -------------------------------------------------------- */

/* On a grid over all places and the obstacles among them, at most MOST_CELLS wide and high, the
   length of the shortest way to a goal: |grad T| = 1, and SLOW inside obstacles, so that it is
   finite everywhere and leads out of them. Fast sweeping: Zhao 2005. */

static void find_grid(mry_goals *goals, const marey_walk_def *def)
{
    double low[2] = { goals->x, goals->z }, high[2] = { goals->x, goals->z };
    for (int i = 0; i < goals->count; i++) {
        const double at[2] = { goals->goals[i].x, goals->goals[i].z };
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    /* Those that reach into it may lead a way out of it, where there may be others. */
    for (int again = 0; again < def->obstacle_count; again++) {
        for (int i = 0; i < def->obstacle_count; i++) {
            const marey_walk_obstacle *one = &def->obstacles[i];
            const double at[2] = { one->x_cm, one->z_cm };
            double reach = one->radius_cm + FIELD_HALF_CM + MARGIN_CM;
            if (at[0] + reach < low[0] || at[0] - reach > high[0] || at[1] + reach < low[1] ||
                at[1] - reach > high[1])
                continue;
            for (int k = 0; k < 2; k++) {
                low[k] = fmin(low[k], at[k] - reach);
                high[k] = fmax(high[k], at[k] + reach);
            }
        }
    }
    double most = fmax(high[0] - low[0], high[1] - low[1]) + 2 * MARGIN_CM;
    goals->cell = fmax(LEAST_CELL_CM, most / (MOST_CELLS - 1));
    goals->left = low[0] - MARGIN_CM;
    goals->top = low[1] - MARGIN_CM;
    goals->cols = (int)ceil((high[0] - low[0] + 2 * MARGIN_CM) / goals->cell) + 1;
    goals->rows = (int)ceil((high[1] - low[1] + 2 * MARGIN_CM) / goals->cell) + 1;
    goals->cols = goals->cols > MOST_CELLS ? MOST_CELLS : goals->cols;
    goals->rows = goals->rows > MOST_CELLS ? MOST_CELLS : goals->rows;
}

/* Lengths through all cells in one of four orders; the most that one got shorter by. */
static double sweep(const mry_goals *goals, const uint8_t *slow, float *field, int order)
{
    int cols = goals->cols, rows = goals->rows;
    double most = 0;
    for (int j = 0; j < rows; j++) {
        int row = order & 1 ? rows - 1 - j : j;
        for (int i = 0; i < cols; i++) {
            int col = order & 2 ? cols - 1 - i : i;
            float *at = field + (size_t)row * (size_t)cols + col;
            double a = INFINITY, b = INFINITY;
            if (col > 0) a = at[-1];
            if (col < cols - 1) a = fmin(a, at[1]);
            if (row > 0) b = at[-cols];
            if (row < rows - 1) b = fmin(b, at[cols]);
            double h = goals->cell * (slow[at - field] ? SLOW : 1);
            double one = fmin(a, b) + h;
            if (isfinite(a) && isfinite(b) && fabs(a - b) < h)
                one = 0.5 * (a + b + sqrt(2 * h * h - (a - b) * (a - b)));
            if (!(one < (double)*at)) continue;
            most = fmax(most, (double)*at - one);
            *at = (float)one;
        }
    }
    return most;
}

static void fill_field(const mry_goals *goals, const mry_goal *goal, const uint8_t *slow)
{
    enum { AROUND = 2 };
    int cells = goals->cols * goals->rows;
    for (int i = 0; i < cells; i++) {
        double x = goals->left + i % goals->cols * goals->cell;
        double z = goals->top + i / goals->cols * goals->cell;
        double away = hypot(x - goal->x, z - goal->z);
        goal->field[i] = away <= AROUND * goals->cell ? (float)away : INFINITY;
    }
    for (int k = 0, quiet = 0; k < MOST_SWEEPS && quiet < 4; k++)
        quiet = sweep(goals, slow, goal->field, k % 4) > 0.1 ? 0 : quiet + 1;
}

static bool find_fields(mry_goals *goals, mry_arena *mem, const marey_walk_def *def)
{
    find_grid(goals, def);
    size_t cells = (size_t)goals->cols * (size_t)goals->rows;
    uint8_t *slow = MRY_NEW(mem, uint8_t, cells);
    if (!slow) return false;
    for (size_t i = 0; i < cells; i++) {
        double x = goals->left + (int)(i % (size_t)goals->cols) * goals->cell;
        double z = goals->top + (int)(i / (size_t)goals->cols) * goals->cell;
        for (int k = 0; k < def->obstacle_count && !slow[i]; k++) {
            const marey_walk_obstacle *one = &def->obstacles[k];
            slow[i] = hypot(x - one->x_cm, z - one->z_cm) < one->radius_cm + FIELD_HALF_CM;
        }
    }
    for (int i = 0; i < goals->count; i++) {
        mry_goal *goal = &goals->goals[i];
        for (int k = 0; k < i && !goal->field; k++) {
            const mry_goal *same = &goals->goals[k];
            if (same->x == goal->x && same->z == goal->z) goal->field = same->field;
        }
        if (goal->field) continue;
        goal->field = MRY_NEW_RAW(mem, float, cells);
        if (!goal->field) return false;
        fill_field(goals, goal, slow);
    }
    return true;
}

double mry_goals_way(const mry_goals *goals, int goal, double x, double z)
{
    const mry_goal *to = &goals->goals[goal];
    if (!to->field) return hypot(x - to->x, z - to->z);
    double col = fmin(fmax((x - goals->left) / goals->cell, 0), goals->cols - 1);
    double row = fmin(fmax((z - goals->top) / goals->cell, 0), goals->rows - 1);
    int i = (int)fmin(col, goals->cols - 2), j = (int)fmin(row, goals->rows - 2);
    double u = col - i, v = row - j;
    const float *at = to->field + (size_t)j * (size_t)goals->cols + i, *below = at + goals->cols;
    double upper = (double)at[0] + u * ((double)at[1] - (double)at[0]);
    double lower = (double)below[0] + u * ((double)below[1] - (double)below[0]);
    /* From outside the grid straight to its edge. */
    double off_x = x - (goals->left + col * goals->cell),
           off_z = z - (goals->top + row * goals->cell);
    return upper + v * (lower - upper) + hypot(off_x, off_z);
}

/* ---- where it begins -------------------------------------------------------------------------- */

/* Towards the first goal that is elsewhere, along the way there; where none is, as the first one
   that says looks; else along x. */
static void find_start(mry_goals *goals)
{
    goals->ahead_x = 1;
    goals->ahead_z = 0;
    const mry_goal *first = &goals->goals[0];
    goals->faces = first->frame == 0 && first->heads;
    for (int i = 0; i < goals->count && !goals->faces; i++) {
        const mry_goal *to = &goals->goals[i];
        if (hypot(to->x - goals->x, to->z - goals->z) <= NEAR_CM) continue;
        /* Of some directions that with the shortest way from a little on. */
        enum { DIRECTIONS = 72 };
        double best = INFINITY, step = NEAR_CM;
        double straight = atan2(to->z - goals->z, to->x - goals->x);
        for (int k = 0; k < DIRECTIONS; k++) {
            double angle = straight + (k % 2 ? 1 : -1) * (k + 1) / 2 * 2 * PI / DIRECTIONS;
            double x = cos(angle), z = sin(angle);
            double way = mry_goals_way(goals, i, goals->x + step * x, goals->z + step * z);
            if (!(way < best - 0.01)) continue;
            best = way;
            goals->ahead_x = x;
            goals->ahead_z = z;
        }
        return;
    }
    for (int i = 0; i < goals->count; i++) {
        if (!goals->goals[i].heads) continue;
        goals->ahead_x = goals->goals[i].face_x;
        goals->ahead_z = goals->goals[i].face_z;
        return;
    }
}

marey_status mry_goals_open(mry_goals *goals, mry_arena *mem, const mry_tracks *tracks,
                            const marey_walk_def *def, marey_error *error)
{
    if (def->goal_count < 1 || def->goal_count > MAREY_WALK_MOST_GOALS || !def->goals)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL, "a walk must have 1 to %d goals, got %d",
                        MAREY_WALK_MOST_GOALS, def->goals ? def->goal_count : 0);
    *goals = (mry_goals){ .tracks = tracks,
                          .count = def->goal_count,
                          .goals = MRY_NEW(mem, mry_goal, def->goal_count) };
    if (!goals->goals) return mry_fail_memory(error, NULL);
    marey_status status = take_goals(goals, def, error);
    if (status) return status;
    if (goals->goals[0].frame == 0) {
        goals->x = goals->goals[0].x;
        goals->z = goals->goals[0].z;
    } else {
        status = check_room(def, "the origin, where the walk begins,", 0, 0, error);
        if (status) return status;
    }
    goals->next = MRY_NEW_RAW(mem, uint16_t, (size_t)goals->end + 1);
    if (!goals->next || !mry_goals_find_nodes(goals, mem)) return mry_fail_memory(error, NULL);
    for (int f = 0, k = 0; f <= goals->end; f++) {
        if (f > goals->goals[k].frame) k++;
        goals->next[f] = (uint16_t)k;
    }
    if (def->obstacle_count > 0 && !find_fields(goals, mem, def))
        return mry_fail_memory(error, NULL);
    find_start(goals);
    return MAREY_OK;
}

/* ---- what it costs ---------------------------------------------------------------------------- */

/* The angle between where a node that is laid so looks and a direction; 0: it looks nowhere. */
static double turn_left(const mry_goals *goals, int node, double c, double s, double to_x,
                        double to_z)
{
    double x = goals->look_x[node], z = goals->look_z[node];
    if (x == 0 && z == 0) return 0;
    double look_x = x * c + z * s, look_z = z * c - x * s;
    return fabs(atan2(look_x * to_z - look_z * to_x, look_x * to_x + look_z * to_z));
}

/* From the heading that a goal wants; 0: any will do. */
static double turn_at(const mry_goals *goals, const mry_goal *goal, const mry_path_at *at)
{
    if (!goal->heads) return 0;
    return turn_left(goals, at->node, at->turn_cos, at->turn_sin, goal->face_x, goal->face_z);
}

void mry_goals_arrive(const mry_goals *goals, mry_path_at *at, int node, double x, double z,
                      double step)
{
    at->arc += 1;
    at->node = node;
    at->x = x;
    at->z = z;
    int frame = (int)at->arc;
    const mry_goal *goal = &goals->goals[goals->next[frame]];
    double off = sqrt((x - goal->x) * (x - goal->x) + (z - goal->z) * (z - goal->z));
    double wait = (double)goals->wait[node] +
                  goals->tracks->frame * FAR_CM * off * off / (off * off + NEAR_CM * NEAR_CM);
    at->cost += fmin((double)goals->go[node], wait) + TRAVEL * step;
    if (frame == goal->frame) {
        at->cost += miss(hypot(off, TURN_CM * turn_at(goals, goal, at)));
    }
}

bool mry_goals_missed(const mry_goals *goals, const mry_path_at *at, double *off)
{
    const mry_goal *goal = &goals->goals[goals->next[(int)at->arc]];
    *off = 0;
    if ((int)at->arc != goal->frame) return false;
    *off = hypot(at->x - goal->x, at->z - goal->z);
    return *off > MAREY_WALK_GOAL_CM || turn_at(goals, goal, at) > MAREY_WALK_GOAL_DEG * PI / 180;
}

/* Where the body of a state is. */
static mry_vec body_of(const mry_goals *goals, const mry_path_state *state)
{
    mry_vec body = mry_node_at(goals->tracks->graph, state->node);
    mry_floor_apply(state->place, &body.x, &body.z);
    return body;
}

double mry_goals_bound(const mry_goals *goals, const mry_path_state *state)
{
    int frame = (int)state->arc;
    if (frame >= goals->end) return 0;
    int next = goals->next[frame + 1];
    const mry_goal *goal = &goals->goals[next];
    mry_vec body = body_of(goals, state);
    double away = hypot(body.x - goal->x, body.z - goal->z);
    double least = SOFT_CM * (1 / sqrt(1 - 2 * TRAVEL / MISS) - 1);
    double each = miss(least) - 2 * TRAVEL * least;
    double error = fmax(away - goals->tracks->longest * (goal->frame - frame), least);
    return TRAVEL * (away + goal->legs) + miss(error) - 2 * TRAVEL * error +
           each * (goals->count - next - 1);
}

/* Where the way from a place to a goal leads, unit length; 0, 0: it is there. */
static void way_ahead(const mry_goals *goals, int goal, double x, double z, double *ahead_x,
                      double *ahead_z)
{
    const mry_goal *to = &goals->goals[goal];
    double step = goals->cell;
    *ahead_x = to->x - x;
    *ahead_z = to->z - z;
    if (to->field) {
        *ahead_x =
            mry_goals_way(goals, goal, x - step, z) - mry_goals_way(goals, goal, x + step, z);
        *ahead_z =
            mry_goals_way(goals, goal, x, z - step) - mry_goals_way(goals, goal, x, z + step);
    }
    double size = hypot(*ahead_x, *ahead_z);
    *ahead_x = size > 0 ? *ahead_x / size : 0;
    *ahead_z = size > 0 ? *ahead_z / size : 0;
}

/* What orders the states that wait: the way round obstacles instead of the distance, the bend that
   a body takes that looks elsewhere, and the error that there will be if it then goes on at the
   usual speed. */
double mry_goals_guess(const mry_goals *goals, const mry_path_state *state)
{
    int frame = (int)state->arc;
    if (frame >= goals->end) return 0;
    int next = goals->next[frame + 1];
    const mry_goal *goal = &goals->goals[next];
    mry_vec body = body_of(goals, state);
    double c = cos(state->place.angle), s = sin(state->place.angle), ahead_x, ahead_z;
    double way = mry_goals_way(goals, next, body.x, body.z);
    double left_s = (goal->frame - frame) / goals->tracks->graph->fps;
    /* Close to it, it need not look at it. */
    double share = way * way / (way * way + NEAR_CM * NEAR_CM);
    way_ahead(goals, next, body.x, body.z, &ahead_x, &ahead_z);
    double bend = share * turn_left(goals, state->node, c, s, ahead_x, ahead_z);
    double turn = goal->heads ? turn_left(goals, state->node, c, s, goal->face_x, goal->face_z) : 0;
    double walks_s = fmax(left_s - bend / TURN_RAD_S, 0);
    double behind = fmax(way - goals->tracks->usual * walks_s, 0);
    double askew = TURN_CM * fmax(turn - TURN_RAD_S * left_s, 0);
    return TRAVEL * (way + goal->legs + BEND_CM * (bend + (1 - share) * turn)) +
           miss(hypot(behind, askew));
}

/* ---- where it was ----------------------------------------------------------------------------- */

marey_status marey_walk_reached(marey_ctx *ctx, const marey_graph *graph, const marey_clip *made,
                                const marey_walk_def *def, marey_goal_reached *reached,
                                double *clearance_cm, marey_error *error)
{
    const marey_skeleton *skeleton = &graph->motion->skeleton;
    if (made->skeleton.joint_count != skeleton->joint_count)
        return mry_fail(error, MAREY_ERR_REQUEST, NULL,
                        "the clip must have the %d joints of the graph, got %d",
                        skeleton->joint_count, made->skeleton.joint_count);
    mry_arena tmp = mry_arena_make(ctx);
    float *body = MRY_NEW_RAW(&tmp, float, 3 * (size_t)skeleton->joint_count);
    if (!body) {
        mry_arena_free(&tmp);
        return mry_fail_memory(error, NULL);
    }
    for (int i = 0; i < def->goal_count; i++) {
        const marey_walk_goal *goal = &def->goals[i];
        double when = fmin(fmax(round(goal->at_s * made->fps), 0), made->frames - 1);
        mry_vec at = mry_carrier_at(&graph->body, made, (int)when);
        double face_x = 0, face_z = 0;
        marey_clip_positions_float(made, (int)when, 1, body);
        bool faces = mry_body_faces(skeleton, body, &face_x, &face_z);
        double heading = faces ? atan2(-face_z, face_x) : NAN;
        double off = goal->heading_given ? remainder(heading - goal->heading_rad, 2 * PI) : NAN;
        reached[i] = (marey_goal_reached){ .x_cm = at.x,
                                           .z_cm = at.z,
                                           .heading_rad = heading,
                                           .error_cm = hypot(at.x - goal->x_cm, at.z - goal->z_cm),
                                           .error_rad = fabs(off) };
    }
    mry_arena_free(&tmp);
    *clearance_cm = NAN;
    for (int i = 0; i < def->obstacle_count; i++) {
        const marey_walk_obstacle *one = &def->obstacles[i];
        for (int f = 0; f < made->frames; f++) {
            mry_vec at = mry_carrier_at(&graph->body, made, f);
            double off = hypot(at.x - one->x_cm, at.z - one->z_cm) - one->radius_cm;
            *clearance_cm = isnan(*clearance_cm) ? off : fmin(*clearance_cm, off);
        }
    }
    return MAREY_OK;
}
