/* cmd_files.c - how motion that goes into files is shown. */
#include "commands.h"
#include "files.h"

void wrote_converted(const void *result, buffer *out)
{
    const app_convert_result *of = result;
    buffer_print(out, ", %d joints, %s, %s up",
                 marey_clip_skeleton(of->made.made.clip)->joint_count, of->units, of->up);
}
