/* cmd_graph_control.c - `marey graph control`: a policy steers a motion graph by a script of wishes, without a screen. */
#include "commands.h"
#include "graph_clip.h"
#include "param_family.h"
#include "table_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 3 };

typedef struct controlling {
    graph_clip base;
    buffer wishes; /* time, direction, speed */
    int wish_count;
    marey_policy *policy;
    marey_controller *controller;
    marey_control_score score;
    size_t node_bytes;
} controlling;

/* ---- the script ------------------------------------------------------------------------------------ */

static void name_column(int column, char *text, size_t room)
{
    static const char *const names[COLUMNS] = { "a time in seconds", "a direction in radians",
                                                "a speed in cm/s" };
    snprintf(text, room, "%s", names[column]);
}

static const char *check_row(const double *row, int columns, const double *before, char *text,
                             size_t room)
{
    (void)columns;
    if (before && !(row[0] > before[0])) {
        snprintf(text, room, "times must rise: %g s comes behind %g s", row[0], before[0]);
        return text;
    }
    if (row[0] < 0) return "times count from 0 on";
    return row[2] < 0 ? "a speed is not negative; to go back, turn the direction by pi" : NULL;
}

static int read_script(controlling *all)
{
    static const table_def form = {
        .what = "a script of wishes",
        .row = "line of wishes",
        .more = "a wish has a time, a direction and a speed, and nothing more",
        .columns = COLUMNS,
        .name = name_column,
        .check = check_row
    };
    session *run = all->base.run;
    const char *path = all->base.asked->values[OPTION_SCRIPT];
    marey_error error;
    if (!path)
        return session_usage(run, "--script FILE.csv is needed: lines of time,direction,speed");
    if (table_read(run, path, &form, &all->wishes, &error) != MAREY_OK)
        return session_fail(run, &error);
    all->wish_count = (int)(all->wishes.used / (COLUMNS * sizeof(double)));
    return PROGRAM_DONE;
}

static const double *wish_row(const controlling *all, int i)
{
    return (const double *)(const void *)all->wishes.bytes + (size_t)COLUMNS * (size_t)i;
}

/* The last wish lasts as long as the one before it. */
static double script_seconds(const controlling *all)
{
    static const double alone_s = 2;
    int last = all->wish_count - 1;
    double end = wish_row(all, last)[0];
    return end + (last > 0 ? end - wish_row(all, last - 1)[0] : alone_s);
}

/* ---- where it starts ------------------------------------------------------------------------------- */

/* How a body is turned and moved on the floor that has come from `a` to `b`: the sums of a best fit over its joints. */
static marey_placement fit(const double *a, const double *b, int joints)
{
    double ax = 0, az = 0, bx = 0, bz = 0, along = 0, across = 0;
    for (int j = 0; j < joints; j++) {
        ax += a[3 * j] / joints;
        az += a[3 * j + 2] / joints;
        bx += b[3 * j] / joints;
        bz += b[3 * j + 2] / joints;
    }
    for (int j = 0; j < joints; j++) {
        double x = a[3 * j] - ax, z = a[3 * j + 2] - az;
        double u = b[3 * j] - bx, v = b[3 * j + 2] - bz;
        along += x * u + z * v;
        across += z * u - x * v;
    }
    double angle = atan2(across, along);
    return (marey_placement){ .angle_rad = angle,
                              .x_cm = bx - (ax * cos(angle) + az * sin(angle)),
                              .z_cm = bz - (-ax * sin(angle) + az * cos(angle)),
                              .sure = true };
}

/* The clip stands where the controller's first frame stands, so that its directions are those of the wishes. */
static marey_status place_start(controlling *all, const marey_controller_frame *first,
                                marey_error *error)
{
    const marey_clip *motion = marey_graph_motion(all->base.of.graph);
    const marey_skeleton *skeleton = marey_clip_skeleton(motion);
    size_t joints = (size_t)skeleton->joint_count;
    size_t bytes = joints * (9 * sizeof(double) + 4 * sizeof(float));
    double *room = session_resize(all->base.run, NULL, 0, bytes);
    if (!room) return fail_for_memory(error);
    double *own = room + 3 * joints, *now = own + 3 * joints;
    float *turns = (float *)(void *)(now + 3 * joints);
    marey_clip_sample(motion, first->node / marey_clip_fps(motion), room, turns);
    marey_pose_positions(skeleton, room, turns, own);
    marey_pose_positions(skeleton, first->places, first->turns, now);
    /* A root that stays, while the pelvis below it moves, says nothing about where the body is. */
    bool stays = skeleton->roles[MAREY_ROLE_HIPS] > 0 && memcmp(own, now, 3 * sizeof *own) == 0;
    size_t skip = stays ? 1 : 0;
    all->base.def.place_given = true;
    all->base.def.place = fit(own + 3 * skip, now + 3 * skip, (int)(joints - skip));
    session_resize(all->base.run, room, bytes, 0);
    return MAREY_OK;
}

/* ---- steering -------------------------------------------------------------------------------------- */

static marey_status open_controller(controlling *all, marey_error *error)
{
    const graph_clip *base = &all->base;
    const char *from = base->asked->values[OPTION_FROM];
    /* Rough: its poses then are the graph's own, and say where it stands. The clip is smoothed when it is made. */
    marey_controller_def def = { .from_given = from != NULL, .rough = true };
    marey_status status = kept_graph_policy(&base->of, &all->policy, error);
    if (status == MAREY_OK && from) status = graph_node_at(&base->of, from, &def.from, error);
    if (status != MAREY_OK) return status;
    return marey_controller_open(base->run->ctx, base->of.graph, all->policy, &def,
                                 &all->controller, error);
}

static marey_status steer(controlling *all, int frames, marey_error *error)
{
    graph_clip *base = &all->base;
    double fps = marey_graph_fps(base->of.graph);
    size_t bytes = (size_t)frames * sizeof(int);
    base->walk.nodes = session_resize(base->run, NULL, 0, bytes);
    if (!base->walk.nodes) return fail_for_memory(error);
    all->node_bytes = bytes;
    base->walk.count = frames;
    for (int i = 0, row = 0; i < frames; i++) {
        marey_controller_frame frame;
        while (row + 1 < all->wish_count && wish_row(all, row + 1)[0] <= i / fps + 1e-9) row++;
        marey_wish wish = { .direction_rad = wish_row(all, row)[1],
                            .speed_cm_s = wish_row(all, row)[2] };
        marey_controller_step(all->controller, &wish, &frame);
        base->walk.nodes[i] = frame.node;
        marey_status status = i == 0 ? place_start(all, &frame, error) : MAREY_OK;
        if (status != MAREY_OK) return status;
    }
    all->score = marey_controller_score(all->controller);
    return MAREY_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void answer(const controlling *all)
{
    session *run = all->base.run;
    const marey_control_score *score = &all->score;
    json to = json_make(&run->out);
    if (run->json) {
        json_open(&to, NULL, '{');
        json_put_string(&to, "name", all->base.of.name);
        json_put_integer(&to, "wishes", all->wish_count);
        json_put_number(&to, "control", score->control);
        json_put_number(&to, "transition", score->transition);
        json_put_number(&to, "total", score->total);
        graph_clip_json(&all->base, &to);
    } else if (!run->quiet) {
        buffer_print(&run->out,
                     "  control   %.3f, how well %d wish%s %s followed\n"
                     "  transition %.3f, how good the transitions were\n"
                     "  total     %.3f\n",
                     score->control, all->wish_count, all->wish_count == 1 ? "" : "es",
                     all->wish_count == 1 ? "was" : "were", score->transition, score->total);
        graph_clip_text(&all->base, &run->out);
    }
}

static int control(controlling *all)
{
    graph_clip *base = &all->base;
    double seconds = fmin(script_seconds(all), 1e5);
    int frames = 2;
    marey_error error;
    int status =
        graph_clip_length(base, (int)fmax(round(seconds * graph_clip_fps(base)), 2), &frames);
    if (status != PROGRAM_DONE) return status;
    if (open_controller(all, &error) != MAREY_OK || steer(all, frames, &error) != MAREY_OK ||
        graph_clip_make(base, &error) != MAREY_OK) {
        return graph_clip_fail(base, &error);
    }
    answer(all);
    marey_controller_free(
        all->controller); /* before the graph, which goes when the clip is written */
    marey_policy_free(all->policy);
    all->controller = NULL;
    all->policy = NULL;
    return graph_clip_save(base);
}

int command_graph_control(session *run, const request *asked)
{
    controlling all = { .wishes = buffer_make(&run->host->def) };
    all.base = (graph_clip){ .run = run, .asked = asked };
    int status = read_script(&all);
    if (status == PROGRAM_DONE) {
        status = graph_clip_open(&all.base, run, asked);
        if (status == PROGRAM_DONE) status = control(&all);
        marey_controller_free(all.controller);
        marey_policy_free(all.policy);
        session_resize(run, all.base.walk.nodes, all.node_bytes, 0);
        graph_clip_close(&all.base);
    }
    buffer_free(&all.wishes);
    return status;
}
