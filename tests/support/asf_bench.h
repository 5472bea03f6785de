/* asf_bench.h - a small skeleton as ASF, in parts that tests put together. */
#ifndef MAREY_TEST_ASF_BENCH_H
#define MAREY_TEST_ASF_BENCH_H

#include "support.h"

#define HEAD ":version 1.10\n:name odd\n:units\n mass 1\n length 0.45\n angle deg\n"
#define ROOT ":root\n order TX TY TZ RX RY RZ\n axis XYZ\n position 0 0 0\n orientation 0 0 0\n"
#define HIP                                                                                        \
    " begin\n id 1\n name hip\n direction 0 -1 0\n length 4\n axis 0 0 20 XYZ\n dof rx rz\n"       \
    " limits (-160 20)\n        (-70 70)\n end\n"
#define FOOT " begin\n id 2\n name foot\n direction 0 0 1\n length 2\n axis 0 0 0 XYZ\n end\n"
#define BONES ":bonedata\n" HIP FOOT
#define TREE ":hierarchy\n begin\n root hip\n hip foot\n end\n"
#define GOOD HEAD ROOT BONES TREE

#endif
