/* cmd_param_check.c - `marey param check`: how near a family's answers are, tried on what blends with fresh random weights
   do. */
#include "commands.h"
#include "param_family.h"

#define DEFAULT_COUNT 1000

static void write_json(const kept_family *of, const marey_family_check *got, int64_t seed, json *to)
{
    const marey_family *family = of->family;
    json_open(to, NULL, '{');
    json_put_string(to, "name", of->name);
    json_put_integer(to, "count", got->count);
    json_put_integer(to, "seed", seed);
    json_put_cm(to, "median_error_cm", family, got->median);
    json_put_cm(to, "p95_error_cm", family, got->p95);
    json_put_cm(to, "worst_error_cm", family, got->worst);
    json_put_cm(to, "table_median_error_cm", family, got->table_median);
    json_put_cm(to, "table_p95_error_cm", family, got->table_p95);
    json_put_cm(to, "table_worst_error_cm", family, got->table_worst);
    json_put_number(to, "median_error", got->median);
    json_put_number(to, "p95_error", got->p95);
    json_put_number(to, "worst_error", got->worst);
    json_put_number(to, "table_median_error", got->table_median);
    json_put_number(to, "table_p95_error", got->table_p95);
    json_put_number(to, "table_worst_error", got->table_worst);
    json_put_string(to, "error_unit", family_unit(family));
    json_put_integer(to, "invalid", got->invalid);
    json_close(to, '}');
    buffer_byte(to->out, '\n');
}

static void write_text(const kept_family *of, const marey_family_check *got, buffer *out)
{
    const char *unit = family_unit(of->family);
    buffer_print(out, "%d requests that can be met, errors in %s\n", got->count, unit);
    buffer_text(out, "                    median      95 %     worst\n");
    buffer_print(out, "  answers         %8.3f  %8.3f  %8.3f\n", got->median, got->p95, got->worst);
    buffer_print(out, "  the table alone %8.3f  %8.3f  %8.3f\n", got->table_median, got->table_p95,
                 got->table_worst);
    if (got->invalid) buffer_print(out, "%d answers are not valid\n", got->invalid);
}

int command_param_check(session *run, const request *asked)
{
    kept_family of;
    marey_family_check got;
    marey_error error;
    int64_t count = DEFAULT_COUNT, seed = 1;
    int status = options_whole(run, asked, OPTION_COUNT, 1, 1000000, &count);
    if (status == PROGRAM_DONE)
        status = options_whole(run, asked, OPTION_SEED, 1, INT64_MAX, &seed);
    if (status != PROGRAM_DONE) return status;
    if (kept_family_open(run, asked, MAREY_LIBRARY_READ, &of, &error) != MAREY_OK)
        return session_fail(run, &error);
    marey_status tried =
        marey_family_try(run->ctx, of.family, (int)count, (uint64_t)seed, NULL, &got, &error);
    json to = json_make(&run->out);
    if (tried == MAREY_OK && run->json) write_json(&of, &got, seed, &to);
    if (tried == MAREY_OK && !run->json) write_text(&of, &got, &run->out);
    return kept_family_end(&of, tried, &error);
}
