/* fuzz_amc.c - any bytes, read as an AMC motion. What stands in front of the first zero byte is its
   skeleton; without one, a small skeleton is given. */
#include "clip_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char small[] = ":version 1.10\n:units\n angle deg\n:root\n order TX TY TZ RX RY RZ\n"
                            " axis XYZ\n position 0 1 0\n orientation 0 0 10\n:bonedata\n"
                            " begin\n name hip\n direction 0 -1 0\n length 4\n axis 0 0 20 XYZ\n"
                            " dof rx ry rz\n limits (-1 1)\n (-1 1)\n (-1 1)\n end\n"
                            " begin\n name knee\n direction 0 -1 0\n length 3\n axis 5 0 9 ZYX\n"
                            " dof rz rx\n end\n"
                            " begin\n name foot\n direction 0 0 1\n length 1\n axis 0 0 0 XYZ\n"
                            " end\n:hierarchy\n begin\n root hip\n hip knee\n knee foot\n end\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    disk d = { 0 };
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t before = zero ? (size_t)(zero - data) : 0, from = zero ? before + 1 : 0;
    if (zero) {
        disk_put(&d, "fuzz.asf", data, before);
    } else {
        disk_put(&d, "fuzz.asf", small, sizeof small - 1);
    }
    check_bytes(&d, "fuzz_1.amc", data + from, size - from);
    disk_clear(&d);
    return 0;
}
