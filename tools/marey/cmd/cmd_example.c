/* cmd_example.c - `marey example`: clips that do what a clip does, or a curve that somebody drew (clusters, 3.1), and the best
   way through them as a clip. */
#include "asked_example.h"
#include "commands.h"
#include "graph_open.h"
#include "param_family.h"
#include "played_clip.h"

#include <math.h>
#include <string.h>

typedef struct exampling {
    session *run;
    asked_example of;
    shelf at;
    marey_listing *listing;
    marey_parts *parts; /* of the clips that the path uses */
    buffer pieces;      /* marey_piece */
    int path;           /* that is made; -1: none */
    played_clip play;
} exampling;

/* ---- a path as pieces -------------------------------------------------------------------------------- */

/* Clips can be put together that have the same joints. */
static bool can_be_made(const asked_example *of, const marey_example_path *path, int count)
{
    const char *skeleton = asked_example_entry(of, path->parts[0].clip)->skeleton;
    for (int i = 1; i < count; i++) {
        if (strcmp(asked_example_entry(of, path->parts[i].clip)->skeleton, skeleton) != 0)
            return false;
    }
    return true;
}

static marey_status choose_path(exampling *all, marey_error *error)
{
    int count, fragments;
    const marey_example_path *paths = marey_example_paths(all->of.found, &count);
    marey_example_fragments(all->of.found, &fragments);
    for (int i = 0; i < count && all->path < 0; i++) {
        if (can_be_made(&all->of, &paths[i], fragments)) all->path = i;
    }
    if (all->path > 0 && !all->run->quiet) {
        session_say(all->run,
                    "the %d best ways go through clips with different joints; this is "
                    "the next one",
                    all->path);
    }
    if (all->path >= 0) return MAREY_OK;
    return fail_graph(error, MAREY_ERR_REQUEST, all->of.text,
                      count == 0
                          ? "nothing was found that a clip could be made of"
                          : "the best ways go through clips with different joints; --in or "
                            "--label chooses clips with the same, --best asks for more ways");
}

/* The parts of the clips that are used, the first one first: the made clip is on its bones. */
static marey_status open_parts(exampling *all, const marey_example_path *path, int count,
                               marey_error *error)
{
    buffer ids = buffer_make(&all->run->host->def);
    for (int i = 0; i < count; i++) {
        int64_t id = asked_example_entry(&all->of, path->parts[i].clip)->id;
        bool known = false;
        for (size_t at = 0; at < ids.used && !known; at += sizeof id)
            known = memcmp(ids.bytes + at, &id, sizeof id) == 0;
        if (!known) buffer_bytes(&ids, (const char *)&id, sizeof id);
    }
    marey_status status = ids.failed
                              ? fail_for_memory(error)
                              : marey_library_captured_parts(
                                    all->at.library, (const int64_t *)(const void *)ids.bytes,
                                    (int)(ids.used / sizeof(int64_t)), &all->parts, error);
    buffer_free(&ids);
    return status;
}

static int part_of(const marey_parts *parts, int64_t id, double start, double end)
{
    for (int i = 0; i < parts->count; i++) {
        const marey_part *part = &parts->parts[i];
        if (part->clip == id && start >= part->start && end <= part->end) return i;
    }
    return -1;
}

/* What is made has two frames of each piece at least. */
static double seconds_for(const exampling *all, const marey_fragment *fragment)
{
    const marey_clip *first = all->parts->clips[0];
    return fmax((fragment->end - fragment->start) / all->of.fps, 2.5 / marey_clip_fps(first));
}

static marey_status make(exampling *all, marey_error *error)
{
    int count;
    const marey_fragment *fragments = marey_example_fragments(all->of.found, &count);
    marey_status status = choose_path(all, error);
    if (status != MAREY_OK) return status;
    const marey_example_path *path = &marey_example_paths(all->of.found, &(int){ 0 })[all->path];
    status = open_parts(all, path, count, error);
    for (int i = 0; i < count && status == MAREY_OK; i++) {
        const marey_example_part *from = &path->parts[i];
        int64_t id = asked_example_entry(&all->of, from->clip)->id;
        int part = part_of(all->parts, id, from->at.start, from->at.end);
        if (part < 0) {
            return fail_graph(error, MAREY_ERR_REQUEST, all->of.text,
                              "the library was changed just now; again");
        }
        int first = all->parts->parts[part].start;
        marey_piece piece = { .clip = part,
                              .start = from->at.start - first,
                              .end = from->at.end - first,
                              .seconds = seconds_for(all, &fragments[i]) };
        buffer_bytes(&all->pieces, (const char *)&piece, sizeof piece);
    }
    if (status == MAREY_OK && all->pieces.failed) status = fail_for_memory(error);
    if (status != MAREY_OK) return status;
    return played_clip_make(&all->play, all->parts, all->listing, all->at.path,
                            (const marey_piece *)(const void *)all->pieces.bytes, count, error);
}

/* ---- the command ------------------------------------------------------------------------------------- */

static void answer(exampling *all)
{
    bool made = all->play.out.target != NULL;
    if (all->run->json) {
        json to = json_make(&all->run->out);
        json_open(&to, NULL, '{');
        asked_example_json(&all->of, &to);
        if (made) json_put_integer(&to, "made_path", all->path);
        if (made) played_clip_json(&all->play, &to);
    } else if (!all->run->quiet || !made) {
        asked_example_text(&all->of, &all->run->out);
        if (made) played_clip_text(&all->play, &all->run->out);
    }
}

static void close_library(exampling *all)
{
    marey_parts_free(all->parts);
    marey_listing_free(all->listing);
    if (all->at.library) shelf_close(&all->at, true);
    all->parts = NULL;
    all->listing = NULL;
    all->at.library = NULL;
}

static marey_status find(exampling *all, marey_error *error)
{
    marey_status status = marey_library_list(all->at.library, NULL, &all->listing, error);
    if (status == MAREY_OK)
        status = asked_example_find(&all->of, all->at.library, all->listing, error);
    if (status == MAREY_OK && all->play.out.target) status = make(all, error);
    return status;
}

static int run_all(exampling *all, const request *asked)
{
    marey_error error;
    if (shelf_open(all->run, asked->operands[0], MAREY_LIBRARY_READ, &all->at, &error) != MAREY_OK)
        return session_fail(all->run, &error);
    if (find(all, &error) != MAREY_OK) {
        all->run->out.used = 0;
        return session_fail(all->run, &error);
    }
    answer(all);
    close_library(all);
    return played_clip_save(&all->play);
}

/* What does nothing is refused. */
static int check_use(session *run, const request *asked)
{
    static const struct {
        option_key key;
        const char *name;
    } of_clip[] = { { OPTION_FPS, "fps" },
                    { OPTION_ROUGH, "rough" },
                    { OPTION_NO_CLEAN, "leave-feet" },
                    { OPTION_STRETCH, "stretch" },
                    { OPTION_PROVENANCE, "provenance" } };
    for (size_t i = 0; i < sizeof of_clip / sizeof *of_clip; i++) {
        if (request_has(asked, of_clip[i].key) && !request_has(asked, OPTION_OUTPUT))
            return session_usage(run, "--%s is for -o OUT", of_clip[i].name);
    }
    return PROGRAM_DONE;
}

int command_example(session *run, const request *asked)
{
    exampling all = { .run = run, .path = -1, .pieces = buffer_make(&run->host->def) };
    int status = asked_example_options(&all.of, run, asked, asked->operands[1]);
    if (status == PROGRAM_DONE) status = check_use(run, asked);
    if (status == PROGRAM_DONE) {
        status = played_clip_open(&all.play, run, asked);
        if (status == PROGRAM_DONE) status = run_all(&all, asked);
        played_clip_close(&all.play);
    }
    asked_example_free(&all.of);
    close_library(&all);
    buffer_free(&all.pieces);
    return status;
}
