/* options_whole.c - whole numbers on the command line, up to sizes that a double would round. */
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int options_whole(session *run, const request *asked, option_key key, int64_t low, int64_t high,
                  int64_t *out)
{
    const char *text = asked->values[key];
    const option_row *row = run->command->options;
    char *end = NULL;
    if (!text) return PROGRAM_DONE;
    while (row->name && row->key != key) row++;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    /* strtoll alone also takes blanks. */
    bool is_number = *text && !*end && errno == 0 && text[strspn(text, "+-0123456789")] == 0;
    if (!is_number || value < low || value > high) {
        return session_usage(run, "--%s takes a whole number from %lld to %lld, not \"%s\"",
                             row->name, (long long)low, (long long)high, text);
    }
    *out = value;
    return PROGRAM_DONE;
}
