/* reach_demo.c - a demo library with a family of reaches. */
#include "reach_demo.h"

static void make_demo(void)
{
    test_run_well("marey demo . --take reach_right --take kicks --quiet");
}

int test_reach_demo_make(void **state)
{
    return test_enter_copy(state, make_demo);
}

void test_reach_names(int count, const char *side, char *text, size_t room)
{
    size_t bytes, used = 0;
    FREED char *truth = test_file_read("truth.json", &bytes);
    const char *take = strstr(truth, side ? "\"reach_right\"" : "\"kicks\"");
    const char *label =
        side ? "\"label\":\"reach\",\"side\":\"right\"" : "\"label\":\"kick\",\"side\":\"right\"";
    if (!take) fail_msg("no take");
    for (const char *at = take; count > 0 && (at = strstr(at, label)); at++, count--) {
        used += (size_t)snprintf(text + used, room - used, "%s%s#%d-%d", used ? "," : "",
                                 side ? "reach_right" : "kicks", (int)test_number(at, "start"),
                                 (int)test_number(at, "end"));
    }
}
