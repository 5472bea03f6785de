/* takes.c - the takes of the demo library. Between two lines stands a moment of idling, put in by the builder. */
#include "demo/takes.h"

#include <stddef.h>

#define SCRIPT(name) static const mry_line name[]
#define END                                                                                        \
    {                                                                                              \
        NULL, 0, 0,                                                                                \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

SCRIPT(walk_straight) = { { "walk", 'l', 6, { 128, 0 } }, { "walk", 'r', 5, { 118, 0 } }, END };
SCRIPT(walk_slow) = { { "walk", 'l', 7, { 78, 0 } }, { "walk", 'r', 6, { 88, 0 } }, END };
SCRIPT(walk_fast) = { { "walk", 'l', 5, { 150, 0 } }, { "walk", 'r', 5, { 142, 0 } }, END };
SCRIPT(walk_left) = { { "walk", 'l', 6, { 115, 1.6 } }, { "walk", 'r', 6, { 120, 2.6 } }, END };
SCRIPT(walk_right) = { { "walk", 'r', 6, { 115, -1.6 } }, { "walk", 'l', 6, { 120, -2.6 } }, END };
SCRIPT(walk_eight) = { { "walk", 'l', 9, { 125, 4.2 } }, { "walk", 'r', 9, { 125, -4.2 } }, END };
SCRIPT(jog_straight) = { { "jog", 'l', 5, { 225, 0 } }, { "jog", 'r', 5, { 205, 0 } }, END };
SCRIPT(jog_curve) = { { "jog", 'l', 5, { 205, 2.4 } }, { "jog", 'r', 5, { 205, -2.4 } }, END };
SCRIPT(run_straight) = { { "run", 'l', 4.5, { 345, 0 } }, { "run", 'r', 4.5, { 320, 0 } }, END };
SCRIPT(run_curve) = { { "run", 'l', 4.5, { 310, 1.8 } }, { "run", 'r', 4.5, { 310, -1.8 } }, END };
SCRIPT(sneak_straight) = { { "sneak", 'l', 9, { 48, 0 } }, { "sneak", 'r', 8, { 55, 0 } }, END };
SCRIPT(sneak_curve) = { { "sneak", 'l', 9, { 48, 1.3 } }, { "sneak", 'r', 9, { 48, -1.3 } }, END };
SCRIPT(turns) = { { "turn", 'l', 0, { 1.57 } },
                  { "turn", 'r', 0, { -1.57 } },
                  { "turn", 'l', 0, { 3.1 } },
                  { "turn", 'r', 0, { -3.1 } },
                  { "turn", 'l', 0, { 0.8 } },
                  { "turn", 'r', 0, { -0.8 } },
                  END };
SCRIPT(reach_right) = {
    { "reach", 'r', 0, { -20, 125, 48 } }, { "reach", 'r', 0, { -45, 150, 35 } },
    { "reach", 'r', 0, { 10, 140, 50 } },  { "reach", 'r', 0, { -25, 185, 28 } },
    { "reach", 'r', 0, { -30, 70, 55 } },  { "reach", 'r', 0, { -5, 95, 60 } },
    { "reach", 'r', 0, { -55, 105, 30 } }, { "reach", 'r', 0, { -15, 165, 42 } },
    { "reach", 'r', 0, { -35, 45, 45 } },  { "reach", 'r', 0, { 5, 115, 58 } },
    { "reach", 'r', 0, { -50, 130, 15 } }, { "reach", 'r', 0, { -20, 60, 62 } },
    { "reach", 'r', 0, { -30, 56, 50 } },  END
};
SCRIPT(reach_left) = { { "reach", 'l', 0, { 20, 125, 48 } },
                       { "reach", 'l', 0, { 45, 150, 35 } },
                       { "reach", 'l', 0, { -10, 140, 50 } },
                       { "reach", 'l', 0, { 25, 185, 28 } },
                       { "reach", 'l', 0, { 30, 70, 55 } },
                       { "reach", 'l', 0, { 5, 95, 60 } },
                       { "reach", 'l', 0, { 55, 105, 30 } },
                       { "reach", 'l', 0, { 15, 165, 42 } },
                       END };
SCRIPT(punches) = { { "punch", 'r', 0, { 140 } },
                    { "punch", 'l', 0, { 140 } },
                    { "punch", 'r', 0, { 120 } },
                    { "punch", 'l', 0, { 150 } },
                    { "punch", 'r', 0, { 150 } },
                    { "punch", 'l', 0, { 125 } },
                    END };
SCRIPT(kicks) = { { "kick", 'r', 0, { 90 } },
                  { "kick", 'l', 0, { 90 } },
                  { "kick", 'r', 0, { 60 } },
                  { "kick", 'l', 0, { 110 } },
                  { "kick", 'r', 0, { 110 } },
                  { "kick", 'l', 0, { 65 } },
                  END };
SCRIPT(jumps) = { { "jump", 0, 0, { 22, 0 } },
                  { "jump", 0, 0, { 30, 0 } },
                  { "jump", 0, 0, { 18, 55 } },
                  { "jump", 0, 0, { 24, 90 } },
                  END };
SCRIPT(hops) = { { "hop", 'r', 0, { 4, 25 } },
                 { "hop", 'l', 0, { 4, 25 } },
                 { "hop", 'r', 0, { 6, 0 } },
                 { "hop", 'l', 0, { 3, 35 } },
                 END };
SCRIPT(sits) = { { "sit", 0, 0, { 44 } }, { "sit", 0, 0, { 40 } }, { "sit", 0, 0, { 48 } }, END };
SCRIPT(steps) = { { "step_up", 'r', 0, { 20, 36 } },
                  { "step_up", 'l', 0, { -20, 36 } },
                  { "step_up", 'l', 0, { 20, 36 } },
                  { "step_up", 'r', 0, { -20, 36 } },
                  { "step_up", 'l', 0, { 15, 34 } },
                  { "step_up", 'r', 0, { -15, 34 } },
                  { "step_up", 'r', 0, { 15, 34 } },
                  { "step_up", 'l', 0, { -15, 34 } },
                  END };
SCRIPT(cartwheels) = { { "cartwheel", 'r', 0, { 0 } },
                       { "cartwheel", 'l', 0, { 0 } },
                       { "cartwheel", 'r', 0, { 0 } },
                       END };
SCRIPT(idles) = { { "idle", 0, 6, { 0 } }, { "idle", 0, 7, { 0 } }, END };
SCRIPT(mixed_fight) = {
    { "walk", 'l', 4, { 120, 0 } }, { "punch", 'r', 0, { 140 } },     { "punch", 'l', 0, { 135 } },
    { "kick", 'r', 0, { 95 } },     { "turn", 'l', 0, { 3.1 } },      { "kick", 'l', 0, { 80 } },
    { "punch", 'r', 0, { 130 } },   { "walk", 'r', 4, { 125, 0.9 } }, END
};
SCRIPT(mixed_play) = { { "run", 'l', 4, { 300, 0 } },
                       { "jump", 0, 0, { 26, 70 } },
                       { "hop", 'l', 0, { 3, 30 } },
                       { "cartwheel", 'r', 0, { 0 } },
                       { "jog", 'r', 4, { 205, 1.2 } },
                       { "jump", 0, 0, { 20, 0 } },
                       END };
SCRIPT(mixed_home) = { { "walk", 'r', 4, { 110, 0.8 } },
                       { "reach", 'r', 0, { -20, 160, 40 } },
                       { "turn", 'r', 0, { -1.57 } },
                       { "sit", 0, 0, { 44 } },
                       { "reach", 'l', 0, { 25, 75, 52 } },
                       { "sneak", 'l', 6, { 50, 0.5 } },
                       { "step_up", 'r', 0, { 20, 36 } },
                       { "step_up", 'l', 0, { -20, 36 } },
                       END };
SCRIPT(small_walk) = { { "walk", 'l', 6, { 118, 0 } }, { "walk", 'r', 6, { 110, -1.4 } }, END };
SCRIPT(small_fight) = { { "kick", 'r', 0, { 85 } },
                        { "punch", 'l', 0, { 138 } },
                        { "kick", 'l', 0, { 100 } },
                        { "punch", 'r', 0, { 130 } },
                        END };
SCRIPT(small_play) = { { "jog", 'l', 4, { 190, 0.6 } }, { "jump", 0, 0, { 22, 50 } },
                       { "hop", 'r', 0, { 4, 22 } },    { "cartwheel", 'l', 0, { 0 } },
                       { "sit", 0, 0, { 42 } },         END };
SCRIPT(small_reach) = { { "reach", 'r', 0, { -22, 130, 46 } },
                        { "reach", 'l', 0, { 35, 75, 50 } },
                        { "reach", 'r', 0, { -40, 100, 40 } },
                        { "reach", 'l', 0, { 15, 170, 35 } },
                        END };

const mry_script mry_scripts[] = {
    { "walk_straight", 1, walk_straight },
    { "walk_slow", 1, walk_slow },
    { "walk_fast", 1, walk_fast },
    { "walk_left", 1, walk_left },
    { "walk_right", 1, walk_right },
    { "walk_eight", 1, walk_eight },
    { "jog_straight", 1, jog_straight },
    { "jog_curve", 1, jog_curve },
    { "run_straight", 1, run_straight },
    { "run_curve", 1, run_curve },
    { "sneak_straight", 1, sneak_straight },
    { "sneak_curve", 1, sneak_curve },
    { "turns", 1, turns },
    { "reach_right", 1, reach_right },
    { "reach_left", 1, reach_left },
    { "punches", 1, punches },
    { "kicks", 1, kicks },
    { "jumps", 1, jumps },
    { "hops", 1, hops },
    { "sits", 1, sits },
    { "steps", 1, steps },
    { "cartwheels", 1, cartwheels },
    { "idles", 1, idles },
    { "mixed_fight", 1, mixed_fight },
    { "mixed_play", 1, mixed_play },
    { "mixed_home", 1, mixed_home },
    { "small_walk", 0.86, small_walk },
    { "small_fight", 0.86, small_fight },
    { "small_play", 0.86, small_play },
    { "small_reach", 0.86, small_reach },
};
const int mry_script_count = sizeof mry_scripts / sizeof *mry_scripts;
