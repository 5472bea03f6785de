/* program_lines.c - command lines run inside a test. */
#include "program_lines.h"

#include <jansson.h>

/* Fonts are loaded once for the whole process by fontconfig, which keeps them. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

char *test_answer(const char *line)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != 0) fail_msg("%s: %s", line, run.err.bytes);
    if (strstr(line, "--json")) {
        json_error_t why;
        json_t *root = json_loads(run.out.bytes, JSON_REJECT_DUPLICATES, &why);
        if (!root) fail_msg("%s: %s: %s", line, why.text, run.out.bytes);
        json_decref(root);
        if (!is_one_json_object(run.out.bytes)) fail_msg("%s: %s", line, run.out.bytes);
    }
    free(run.err.bytes);
    return run.out.bytes;
}

void test_run_well(const char *line)
{
    free(test_answer(line));
}

char *test_failure(const char *line, int status)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != status) fail_msg("%s: %d", line, run.status);
    free(run.out.bytes);
    return run.err.bytes;
}

/* In place of the oldest one. */
static char *keep_text(char *text)
{
    static char *texts[64];
    static int next;
    free(texts[next]);
    texts[next] = text;
    next = (next + 1) % 64;
    return text;
}

char *test_reply(const char *line)
{
    return keep_text(test_answer(line));
}

char *test_refusal(const char *line, int status)
{
    return keep_text(test_failure(line, status));
}

void test_fails(const char *line, int status, const char *message)
{
    test_run run = test_run_make();
    if (test_run_line(&run, line) != status)
        fail_msg("%s: %d, %s", line, run.status, run.err.bytes);
    if (!strstr(run.err.bytes, message)) fail_msg("%s: %s, not %s", line, run.err.bytes, message);
    test_run_free(&run);
}

void test_fail_all(const test_wrong_line *wrong, size_t count)
{
    for (size_t i = 0; i < count; i++) test_fails(wrong[i].line, wrong[i].status, wrong[i].message);
}

void test_fail_files(const test_wrong_file *wrong, size_t count, const char *path, const char *line)
{
    for (size_t i = 0; i < count; i++) {
        test_file_write(path, wrong[i].text, strlen(wrong[i].text));
        test_fails(line, 1, wrong[i].message);
    }
}

void test_full_output(const char *line)
{
    test_run run = test_run_make();
    run.out.room = 10;
    if (test_run_line(&run, line) != 3) fail_msg("%s: %d", line, run.status);
    test_run_free(&run);
}

void test_cancelled(const char *line)
{
    test_run run = test_run_make();
    run.cancel = true;
    if (test_run_line(&run, line) != 130) fail_msg("%s: %d", line, run.status);
    test_run_free(&run);
}

const char *test_value(const char *from, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(from, quoted);
    if (!at) fail_msg("no %s in %s", key, from);
    return at + strlen(quoted);
}

double test_number(const char *from, const char *key)
{
    return strtod(test_value(from, key), NULL);
}

void test_numbers(const char *from, const char *key, int count, double *out)
{
    const char *at = test_value(from, key);
    assert_true(*at == '[');
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(at + 1, &end);
        at = end;
    }
    assert_true(*at == ']');
}

int test_parts_count(const char *text, const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) count++;
    return count;
}

void test_file_has(const char *path, const char *part)
{
    FREED char *text = test_file_read(path, NULL);
    if (!strstr(text, part)) fail_msg("no %s in %s", part, path);
}

void test_write_dropouts(const char *path, int frames, int start, int end)
{
    FREED char *bvh = test_person(frames);
    char *at = strstr(bvh, "Frame Time:");
    FILE *file = fopen(path, "wb");
    at = strchr(at, '\n') + 1;
    fwrite(bvh, 1, (size_t)(at - bvh), file);
    for (int i = 0; i < frames; i++) {
        char *line_end = strchr(at, '\n'), *rest = at;
        if (i >= start && i < end) {
            for (int k = 0; k < 3; k++) strtod(rest, &rest);
            fputs("0 0 0", file);
        }
        fwrite(rest, 1, (size_t)(line_end + 1 - rest), file);
        at = line_end + 1;
    }
    fclose(file);
}

enum { MOST_MADE = 4 };
static struct {
    void (*make)(void);
    test_place place;
} made_once[MOST_MADE];

static void made_remove(void)
{
    for (int i = 0; i < MOST_MADE && made_once[i].make; i++)
        test_folder_remove(made_once[i].place.folder);
}

int test_enter_copy(void **state, void (*make)(void))
{
    static test_place place;
    char line[1024];
    int i = 0;
    while (i < MOST_MADE && made_once[i].make && made_once[i].make != make) i++;
    assert_true(i < MOST_MADE);
    test_place *made = &made_once[i].place;
    if (!made_once[i].make) {
        place_enter(made);
        make();
        if (chdir(made->before) != 0) fail_msg("cannot go back to %s", made->before);
        if (i == 0) atexit(made_remove);
        made_once[i].make = make;
    }
    place_enter(&place);
    snprintf(line, sizeof line, "cp -R '%s/.' .", made->folder);
    assert_int_equal(system(line), 0);
    *state = &place;
    return 0;
}

int test_leave_place(void **state)
{
    place_leave(*state);
    return 0;
}

void sweep_change(const char *list, const char *line, const char *mark, const char *undo)
{
    for (long refuse = 0;; refuse = test_next(refuse)) {
        test_run run = test_run_make();
        run.memory.refuse = refuse;
        test_run_line(&run, line);
        bool done = run.memory.calls <= refuse;
        if (run.status != 0) check_refusal(&run, line);
        char *listed = test_answer(list);
        assert_true((strstr(listed, mark) != NULL) == (run.status == 0));
        free(listed);
        if (run.status == 0) test_run_well(undo);
        test_run_free(&run);
        if (done) break;
    }
}
