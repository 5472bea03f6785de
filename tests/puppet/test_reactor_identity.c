/* test_reactor_identity.c - who is answered by its own demonstration does as was shown: sixty
   demonstrations of three kinds, recorded at 30 to 120 Hz, each played on the main path it was
   trained on, with everything as by default.

   Ready: the ready five, from the middle of what they do. Late: begins at rest, pauses, and reacts
   0.2 to 0.6 s later. Noisy: either of these with white noise of 2 cm on both paths; what was meant
   to be shown is the path below the noise, so that is what it is compared with. */
#include "puppet_bench.h"

#include <math.h>
#include <stdlib.h>

enum { READY = 5, RATE = 60, KINDS = 3, EACH = 20, SECONDS = 25, STEPS = SECONDS * RATE };
enum { MOST = SECONDS * 120 }; /* samples */

#define NOISE_CM 2.0
#define PI 3.14159265358979323846

static const double HERTZ[] = { 30, 45, 60, 75, 90, 100, 120 }; /* recorded at */

/* ---- demonstrations -------------------------------------------------------------------------- */

static double draw(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
    double far = sqrt(-2 * log(1 - draw(seed)));
    return far * cos(2 * PI * draw(seed));
}

/* Stands, walks, stands: never the same twice. Half of them start and stop from one sample to the
   next; a third rest at the start alone, a third once more; a fifth walk in circles. */
static void go_and_rest(int n, marey_entity *main)
{
    marey_entity at = { 0 };
    double speed = 0, turn = 0, to_speed = 0, to_turn = 0, left = 0.4 + 0.2 * (n % 7);
    uint64_t seed = 0x9e3779b97f4a7c15U * (uint64_t)(n + 1);
    bool rests = true;
    int rested = 0;
    for (int i = 0; i < STEPS; i++, left -= 1.0 / RATE) {
        main[i] = at;
        if (left <= 0) {
            bool rested_before = rests;
            rests = !rests && (n % 3 == 2 || rested++ < n % 3);
            left = rests ? 0.5 + 1.5 * draw(&seed) : 1 + 2 * draw(&seed);
            to_speed = rests ? 0 : n % 5 == 2 ? 120 : 60 + 100 * draw(&seed);
            to_turn = rests ? 0 : n % 5 == 2 ? 1.4 : 2 * draw(&seed) - 1;
            if (n / 4 % 2 && rests != rested_before) {
                speed = to_speed;
                turn = to_turn;
            }
        }
        speed += (to_speed - speed) / (0.3 * RATE);
        turn += (to_turn - turn) / (0.3 * RATE);
        if (rests && speed < 1) speed = turn = 0;
        at.direction_rad = mry_wrap(at.direction_rad + turn / RATE);
        at.x_cm += speed * cos(at.direction_rad) / RATE;
        at.y_cm += speed * sin(at.direction_rad) / RATE;
    }
}

/* What number n of that kind does: beside the main character as it went, the mirror image of it,
   half as far or a rule, each so much later. */
static void react_late(int n, const marey_entity *main, marey_entity *react)
{
    static marey_entity then[STEPS];
    int late = (int)(RATE * (0.2 + 0.1 * (n % 5)));
    for (int i = 0; i < STEPS; i++) then[i] = main[i < late ? 0 : i - late];
    if (n % 4 == 3) {
        marey_ready_puppet_react(marey_ready_puppet_find((n / 4 + 3) % READY), then, STEPS, react);
        return;
    }
    double across = n % 4 == 1 ? -1 : 1, share = n % 4 == 2 ? 0.5 : 1;
    for (int i = 0; i < STEPS; i++)
        react[i] = (marey_entity){ share * then[i].x_cm - 80, across * share * then[i].y_cm + 90,
                                   across * then[i].direction_rad };
}

/* Between the samples at 60 Hz, as smoothly as they are. */
static marey_entity on_curve(const marey_entity *path, double at)
{
    int i = (int)fmin(at, STEPS - 2), a = i > 0 ? i - 1 : 0, b = i + 2 < STEPS ? i + 2 : i + 1;
    double t = at - i, p[4][2] = { { path[a].x_cm, path[a].y_cm },
                                   { path[i].x_cm, path[i].y_cm },
                                   { path[i + 1].x_cm, path[i + 1].y_cm },
                                   { path[b].x_cm, path[b].y_cm } };
    double on[2];
    for (int k = 0; k < 2; k++) /* Catmull & Rom */
        on[k] = p[1][k] + t / 2 *
                              (p[2][k] - p[0][k] +
                               t * (2 * p[0][k] - 5 * p[1][k] + 4 * p[2][k] - p[3][k] +
                                    t * (3 * (p[1][k] - p[2][k]) + p[3][k] - p[0][k])));
    marey_entity turned = puppet_bench_between(&path[i], &path[i + 1], t);
    return (marey_entity){ on[0], on[1], turned.direction_rad };
}

/* Number n of a kind, as it was recorded, and the path below the noise. Returns how many samples
   there are. */
static int record(int kind, int n, marey_puppet_sample *s, marey_entity *meant)
{
    static marey_entity main[STEPS], react[STEPS];
    double rate = HERTZ[n % (int)(sizeof HERTZ / sizeof *HERTZ)];
    uint64_t seed = 0x9e3779b97f4a7c15U * (uint64_t)(n + 1);
    if (kind == 1 || (kind == 2 && n % 2)) {
        go_and_rest(n, main);
        react_late(n, main, react);
    } else {
        int count, first = 317 * n;
        FREED marey_puppet_sample *all = puppet_bench_ready(n % READY, &count);
        for (int i = 0; i < STEPS; i++) {
            main[i] = all[first + i].main;
            react[i] = all[first + i].react;
        }
    }
    int count = (int)((STEPS - 1) * rate / RATE) + 1;
    for (int i = 0; i < count; i++) {
        double at = i * RATE / rate;
        s[i] = (marey_puppet_sample){ i / rate, on_curve(main, at), on_curve(react, at) };
        meant[i] = s[i].react;
        if (kind < 2) continue;
        s[i].main.x_cm += NOISE_CM * normal(&seed);
        s[i].main.y_cm += NOISE_CM * normal(&seed);
        s[i].react.x_cm += NOISE_CM * normal(&seed);
        s[i].react.y_cm += NOISE_CM * normal(&seed);
    }
    return count;
}

/* ---- as was shown ---------------------------------------------------------------------------- */

/* How far it gets from what was meant, as a share of that path's extent. */
static double strays(puppet_bench *bench, int kind, int n)
{
    static marey_puppet_sample s[MOST];
    static marey_entity meant[MOST];
    double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, most = 0;
    int count = record(kind, n, s, meant);
    OWNED(marey_puppet) *puppet =
        puppet_bench_train(bench, &(marey_demonstration){ s, count }, 1, NULL);
    assert_int_equal(marey_puppet_play(bench->ctx, puppet, s, count, NULL, NULL, NULL), MAREY_OK);
    for (int i = 0; i < count; i++) {
        most = fmax(most, puppet_bench_apart(&s[i].react, &meant[i]));
        low[0] = fmin(low[0], meant[i].x_cm);
        high[0] = fmax(high[0], meant[i].x_cm);
        low[1] = fmin(low[1], meant[i].y_cm);
        high[1] = fmax(high[1], meant[i].y_cm);
    }
    return most / hypot(high[0] - low[0], high[1] - low[1]);
}

TEST_BENCH(sixty_demonstrations_come_back)
{
    int astray[KINDS] = { 0 };
    double worst[KINDS] = { 0 };
    for (int kind = 0; kind < KINDS; kind++) {
        for (int n = 0; n < EACH; n += test_is_long() ? 1 : 3) {
            double share = strays(bench, kind, n);
            worst[kind] = fmax(worst[kind], share);
            astray[kind] += !(share <= 0.02);
        }
    }
    if (astray[0] + astray[1] + astray[2])
        fail_msg("astray: %d, %d and %d; the worst by %.3f, %.3f and %.3f of the extent", astray[0],
                 astray[1], astray[2], worst[0], worst[1], worst[2]);
}

TEST_GROUP_OF_CASES(test_reactor_identity, NULL, NULL)
