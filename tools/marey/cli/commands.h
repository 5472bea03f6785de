/* commands.h - the table of commands. The program runs by it; help, man pages and completions are
   written from it; the tests walk it. Read after options.h. */
#ifndef MAREY_TOOL_COMMANDS_H
#define MAREY_TOOL_COMMANDS_H

#include "operations.h"
#include "options.h"

struct library_file;

/* How a result is shown to people. */
typedef void show_result(session *run, const void *params, const void *result, buffer *out);
/* What is worth a warning, with --json too. */
typedef void warn_result(session *run, const void *params, const void *result);
/* The exit status of what was done. */
typedef int exit_result(const void *result);
/* Refuses options that do nothing, as session_usage does. */
typedef int check_options(session *run, const request *options, const void *params);
/* What the program does with the result by its own options, such as files that it writes, before
   anything is shown; `more` gets members of the JSON object, or with --json lacking lines behind
   what was shown. */
typedef marey_status finish_answer(session *run, const request *options, const app_call *call,
                                   struct library_file *at, buffer *more, marey_error *error);
/* Draws or saves what the command line asks for. */
typedef marey_status save_result(session *run, const request *options, app_call *call,
                                 marey_error *error);

typedef struct command {
    const char *verb;           /* NULL ends a table */
    const char *usage;          /* operands, as in "IN... OUT" */
    const char *summary;        /* no capital, no full stop */
    const char *description[6]; /* paragraphs; NULL behind the last */
    const char *examples[8];    /* command lines; NULL behind the last */
    /* What it does; summary, description and usage are its own then. NULL: `run` does it all.
       All hooks may be NULL. */
    const app_operation *operation;
    show_result *show;
    warn_result *warn;
    exit_result *exit; /* NULL: PROGRAM_DONE */
    finish_answer *finish;
    check_options *check;
    /* Beside the answer, once that is put together. */
    save_result *draw;
    /* In place of the operation's commit, with the library closed. */
    save_result *save;
    /* What more is said of a generated clip that is saved. */
    void (*wrote)(const void *result, buffer *out);
    /* What --json says of a generated clip when it is there; NULL: "path". */
    void (*write_wrote)(const void *result, const char *path, json *out);
    const option_row *options; /* its own, beside options_common; NULL: none */
    int operands_least;
    int operands_most;                                /* 0: any number */
    int (*run)(session *run, const request *options); /* returns the exit status */
    bool serves; /* until it is stopped: --max-seconds is for each request */
    /* A family of commands has no options and no run, but these: their verbs are two words,
       "param build". */
    const struct command *actions;
} command;

extern const command commands[];
extern const command param_actions[];   /* in param_commands.c */
extern const command graph_actions[];   /* in graph_commands.c */
extern const command cluster_actions[]; /* in cluster_commands.c */
extern const command puppet_actions[];  /* in puppet_commands.c */

const char *command_summary(const command *cmd);
const char *command_paragraph(const command *cmd, int index); /* NULL behind the last */
void command_usage(const command *cmd, buffer *out);          /* "LIB NAME [CLIP...]" */

const command *command_find(const char *verb); /* of one word; NULL if there is none */

/* The action of a family by its second word; NULL if there is none. */
const command *command_action(const command *family, const char *word);
const char *command_last_word(const command *cmd); /* "build" of "param build" */

/* All of them in order, each family before its actions; NULL past the last. */
const command *command_page(int index);

int command_demo(session *run, const request *options);
int command_info(session *run, const request *options);
int command_studio(session *run, const request *options);
int command_mcp(session *run, const request *options);

/* Draws a picture of a result (operation.h), in operate.c. `at` may be NULL: no library is needed. */
marey_status draw_result(session *run, const app_call *call, const struct library_file *at,
                         const char *kind, const app_drawing_def *def, const char *path,
                         marey_error *error);

/* ---- hooks, in the files of their commands --------------------------------------------------- */

/* cmd_make.c */
struct app_made;
struct app_pieces;
void show_figures(const struct app_made *made, buffer *out);    /* two lines: feet, jump */
void show_pieces(const struct app_pieces *pieces, buffer *out); /* what a clip is made of */
show_result show_clean, show_retargeted, show_map, show_loop, show_transition, show_blend,
    show_align, show_curves;
check_options check_align, check_retargeting;
exit_result exit_retargeted;
finish_answer finish_align;
save_result draw_align, draw_transition;

/* cmd_find.c */
show_result show_index, show_search, show_example;
check_options check_example, check_search;
finish_answer finish_search;

/* cmd_motifs.c */
show_result show_motifs;
check_options check_motifs;
finish_answer finish_motifs;

/* cmd_files.c */
void wrote_converted(const void *result, buffer *out);
show_result show_converted, show_exported, show_formats, show_added, show_rendered, show_positions,
    show_solve;
warn_result warn_added;
exit_result exit_converted, exit_exported, exit_added, exit_rendered;
check_options check_converting, check_rendering;
struct app_batch;
void show_batch(session *run, const struct app_batch *of, buffer *out); /* what was written */
struct app_failures;
int failures_exit(const struct app_failures *failures); /* the worst exit status of them */

/* cmd_doctor.c */
struct app_stale_list;
/* What must be made again, in a line. */
void show_stale(const struct app_stale_list *list, const char *library, buffer *out);
show_result show_doctor, show_set;
exit_result exit_doctor;

/* cmd_library.c */
show_result show_contacts, show_quality, show_forgotten, show_renamed, show_labelled, show_removed,
    show_restored, show_cuts, show_ls, show_verified, show_history, show_undone, show_redone;
warn_result warn_purged;
exit_result exit_verified;

/* cmd_merge.c */
show_result show_merged;

/* cmd_puppet.c */
show_result show_puppet_played, show_puppet, show_puppets;
exit_result exit_puppets;
warn_result warn_puppets;
check_options check_puppet_train, check_puppet_run, check_puppet_show;
finish_answer finish_puppet_train, finish_puppet_run, finish_puppet_show;
save_result save_puppet_train, draw_puppet_run, draw_puppet_show;
void write_puppet_body(const void *result, const char *path, json *out);

/* cmd_param.c */
show_result show_param_features, show_params, show_param, show_param_built, show_param_pruned,
    show_param_checked, show_param_examined, show_param_made;
exit_result exit_param_build;
check_options check_param_make;
finish_answer finish_param_make;
save_result draw_param_grid;

/* cmd_compare.c */
struct app_comparison;
void show_compared(const struct app_comparison *compared, buffer *out); /* the two clips */
show_result show_grid, show_similar, show_compare, show_weights;
check_options check_grid, check_similar;
finish_answer finish_picture;
save_result draw_grid, draw_similar;
void wrote_cut(const void *result, buffer *out);
void write_cut(const void *result, const char *path, json *out);

/* cmd_graph.c */
show_result show_graph_built, show_graph_swept, show_graph_stats, show_graph_trained, show_graphs,
    show_graph_path, show_graph_walk, show_graph_control;
check_options check_graph_pictures;
save_result draw_graph;

/* cmd_cluster.c */
show_result show_cluster_built, show_cluster, show_cluster_stitched, show_cluster_looped,
    show_clusters;
check_options check_cluster_picture, check_cluster_stitch;
save_result draw_cluster, draw_stitch;

#endif
