/* fuzz_asf.c - any bytes, read as an ASF skeleton. What loads must survive being written as BVH and
   read again, and must bear every edit. */
#include "clip_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    disk d = { 0 };
    check_bytes(&d, "fuzz.asf", data, size);
    disk_clear(&d);
    return 0;
}
