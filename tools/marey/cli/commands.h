/* commands.h - the table of commands. The program runs by it; help, man pages and completions are
   written from it; the tests walk it. Read after options.h. */
#ifndef MAREY_TOOL_COMMANDS_H
#define MAREY_TOOL_COMMANDS_H

#include "operations.h"
#include "options.h"

struct shelf;

typedef struct command {
    const char *verb;           /* NULL ends a table */
    const char *usage;          /* operands, as in "IN... OUT" */
    const char *summary;        /* no capital, no full stop */
    const char *description[6]; /* paragraphs; NULL behind the last */
    const char *examples[6];    /* command lines; NULL behind the last */
    /* What it does, and how that is shown to people, with anything worth a warning said; both NULL: `run` does it all.
       Summary, description and usage are the operation's then. */
    const app_operation *operation;
    void (*show)(session *run, const void *params, const void *result, buffer *out);
    void (*warn)(session *run, const void *params,
                 const void *result); /* with --json too; may be NULL */
    int (*exit)(const void *result);  /* the exit status of what was done; NULL: PROGRAM_DONE */
    /* What the program does with the result by its own options, such as files that it writes, before anything is shown;
       `more` gets members of the JSON object, or with --json lacking lines behind what `show` wrote. `check` refuses options
       that do nothing, as session_usage does. NULL: nothing. */
    marey_status (*finish)(session *run, const request *asked, const app_call *call,
                           struct shelf *at, buffer *more, marey_error *error);
    int (*check)(session *run, const request *asked, const void *params);
    /* Draws what the command line asks for beside the answer, once that is put together; NULL: nothing. */
    marey_status (*draw)(session *run, const request *asked, app_call *call, marey_error *error);
    /* What more is said of a generated clip that is saved; NULL: nothing. */
    void (*wrote)(const void *result, buffer *out);
    /* Saves what was made as the command line says, in place of the operation's commit, with the library closed; NULL: the
       operation does. */
    marey_status (*save)(session *run, const request *asked, app_call *call, marey_error *error);
    /* What --json says of a generated clip when it is there; NULL: "path". */
    void (*write_wrote)(const void *result, const char *path, json *out);
    const option_row *options; /* its own, beside options_common; NULL: none */
    int operands_least;
    int operands_most;                              /* 0: any number */
    int (*run)(session *run, const request *asked); /* returns the exit status */
    /* A family of commands has no options and no run, but these: their verbs are two words, "param build". */
    const struct command *actions;
} command;

extern const command commands[];
extern const command param_actions[];   /* in param_commands.c */
extern const command graph_actions[];   /* in graph_commands.c */
extern const command cluster_actions[]; /* in cluster_commands.c */
extern const command puppet_actions[];  /* in puppet_commands.c */

const char *command_summary(const command *of);
const char *command_paragraph(const command *of, int index); /* NULL behind the last */
void command_usage(const command *of, buffer *out);          /* "LIB NAME [CLIP...]" */

const command *command_find(const char *verb); /* of one word; NULL if there is none */

/* The action of a family by its second word; NULL if there is none. */
const command *command_action(const command *family, const char *word);
const char *command_last_word(const command *of); /* "build" of "param build" */

/* All of them in order, each family before its actions; NULL past the last. */
const command *command_page(int index);

int command_demo(session *run, const request *asked);
int command_info(session *run, const request *asked);
int command_export(session *run, const request *asked);
int command_studio(session *run, const request *asked);

/* How results are shown, in the files of their commands. */
typedef void show_result(session *run, const void *params, const void *result, buffer *out);
show_result show_clean, show_loop, show_transition, show_blend; /* cmd_make.c */
show_result show_align, show_curves;
int check_align(session *run, const request *asked, const void *params);
marey_status finish_align(session *run, const request *asked, const app_call *call,
                          struct shelf *at, buffer *more, marey_error *error);
marey_status draw_align(session *run, const request *asked, app_call *call, marey_error *error);
struct app_made;
struct app_pieces;
void show_figures(const struct app_made *made, buffer *out);    /* two lines: feet, jump */
void show_pieces(const struct app_pieces *pieces, buffer *out); /* what a clip is made of */
marey_status draw_transition(session *run, const request *asked, app_call *call,
                             marey_error *error);
show_result show_forgotten, show_renamed;          /* cmd_saved.c */
show_result show_index, show_search, show_example; /* cmd_find.c */
int check_example(session *run, const request *asked, const void *params);
int check_search(session *run, const request *asked, const void *params);
marey_status finish_search(session *run, const request *asked, const app_call *call,
                           struct shelf *at, buffer *more, marey_error *error);
void wrote_converted(const void *result, buffer *out); /* cmd_files.c */
show_result show_added, show_rendered, show_positions;
void warn_added(session *run, const void *params, const void *result);
int exit_added(const void *result);
int check_rendering(session *run, const request *asked, const void *params);
int exit_rendered(const void *result);
show_result show_contacts, show_quality; /* cmd_feet.c */
show_result show_labelled, show_removed, show_restored, show_cuts, show_ls,
    show_verified; /* cmd_library.c */
void warn_purged(session *run, const void *params, const void *result);
int exit_verified(const void *result);

show_result show_puppet_played, show_puppet, show_puppets; /* cmd_puppet.c */
int exit_puppets(const void *result);
void warn_puppets(session *run, const void *params, const void *result);
typedef int check_options(session *run, const request *asked, const void *params);
check_options check_puppet_train, check_puppet_run, check_puppet_show;
typedef marey_status finish_answer(session *run, const request *asked, const app_call *call,
                                   struct shelf *at, buffer *more, marey_error *error);
finish_answer finish_puppet_train, finish_puppet_run, finish_puppet_show;
typedef marey_status save_result(session *run, const request *asked, app_call *call,
                                 marey_error *error);
save_result save_puppet_train, draw_puppet_run, draw_puppet_show;
void write_puppet_body(const void *result, const char *path, json *out);
show_result show_param_features, show_params, show_param, show_param_built; /* cmd_param.c */
show_result show_param_pruned, show_param_checked, show_param_examined, show_param_made;
int exit_param_build(const void *result);
int check_param_make(session *run, const request *asked, const void *params);
marey_status finish_param_make(session *run, const request *asked, const app_call *call,
                               struct shelf *at, buffer *more, marey_error *error);
marey_status draw_param_grid(session *run, const request *asked, app_call *call,
                             marey_error *error);
show_result show_grid, show_similar, show_compare, show_weights; /* cmd_compare.c */
int check_grid(session *run, const request *asked, const void *params);
int check_similar(session *run, const request *asked, const void *params);
marey_status finish_picture(session *run, const request *asked, const app_call *call,
                            struct shelf *at, buffer *more, marey_error *error);
marey_status draw_grid(session *run, const request *asked, app_call *call, marey_error *error);
marey_status draw_similar(session *run, const request *asked, app_call *call, marey_error *error);
void wrote_cut(const void *result, buffer *out);
void write_cut(const void *result, const char *path, json *out);

show_result show_graph_built, show_graph_swept, show_graph_stats; /* cmd_graph.c */
show_result show_graph_trained, show_graphs, show_graph_walk, show_graph_control;
marey_status draw_graph(session *run, const request *asked, app_call *call, marey_error *error);
int check_graph_pictures(session *run, const request *asked, const void *params);

show_result show_cluster_built, show_cluster, show_cluster_stitched, show_cluster_looped,
    show_clusters; /* cmd_cluster.c */
int check_cluster_picture(session *run, const request *asked, const void *params);
int check_cluster_stitch(session *run, const request *asked, const void *params);
marey_status draw_cluster(session *run, const request *asked, app_call *call, marey_error *error);
marey_status draw_stitch(session *run, const request *asked, app_call *call, marey_error *error);

#endif
