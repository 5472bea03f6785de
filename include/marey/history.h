/* history.h - what was changed in a library, step by step, and how to take it back. Read after
   library.h. */
#ifndef MAREY_HISTORY_H
#define MAREY_HISTORY_H

#include <marey/library.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every change of what people make in a library is a step of its history, in the same transaction:
   clips that are added, cut, renamed, labelled, described, repaired, removed and restored, their
   contacts, and saved things. A step can be undone and then redone; a new change ends that: what
   was undone and not redone is forgotten. Steps are kept in the file, for all programs that open
   it: the last 200, and of these as many as fit into 64 MiB with the saved things that they alone
   still hold, but always the last one. A purge is final, and clears the history: its steps name
   the clips that go. Pictures, flaws and indexes follow from the clips and are no steps; undoing
   brings them up to date. */

/* Room for the title of a step with its end. */
enum { MAREY_TITLE_ROOM = 512 };

/* A step. */
typedef struct marey_history_step {
    /* Its number: higher for later ones, and never given twice. */
    int64_t id;
    /* When it was made, in seconds since 1970 (UTC). */
    int64_t time_s;
    /* In words: "rename walk to stroll", "label wave on 3 clips". */
    const char *title;
    /* Undone, and can be redone. */
    bool undone;
    /* Rows of tables that it changed. */
    int64_t rows;
} marey_history_step;

typedef struct marey_history marey_history;

/* Lists the steps, the latest first: those that are undone come before the others.
   Ownership: free with marey_history_free. */
MAREY_API marey_status marey_library_history(marey_library *library, marey_history **out,
                                             marey_error *error);
/* Borrowed until it is freed. */
MAREY_API const marey_history_step *marey_history_steps(const marey_history *history, int *count);
MAREY_API void marey_history_free(marey_history *history); /* NULL is allowed */

/* What an undo or a redo did. */
typedef struct marey_history_move {
    /* Steps that were undone or redone; 0: there was nothing to do. */
    int count;
    /* The last one of them. */
    int64_t step;
    char title[MAREY_TITLE_ROOM];
} marey_history_move;

/* Undoes one step: the last that is not undone, where `step` is 0, or this one. If it is not the
   last, what it changed is taken back by a new step ("undo: remove idles"), and the later ones
   stay.
   Errors: NOT_FOUND: no such step, or nothing to undo. STALE: later steps changed the same; the
     message names which to undo first. REQUEST: it is undone already. DAMAGED: the history is
     damaged. Nothing is changed then. */
MAREY_API marey_status marey_library_undo(marey_library *library, int64_t step,
                                          marey_history_move *done, marey_error *error);

/* Redoes the step that was undone last.
   Errors: NOT_FOUND: nothing to redo. DAMAGED. */
MAREY_API marey_status marey_library_redo(marey_library *library, marey_history_move *done,
                                          marey_error *error);

/* Makes `step` the last one that is not undone (0: undoes all): undoes those behind it, or redoes
   what is undone up to it, by one transaction.
   Errors: NOT_FOUND: no such step. DAMAGED. */
MAREY_API marey_status marey_library_go_to(marey_library *library, int64_t step,
                                           marey_history_move *done, marey_error *error);

/* The number of the step that this library object made last; 0: none yet. */
MAREY_API int64_t marey_library_step(const marey_library *library);

/* From now on all changes by this library object are one step of this title (cut to
   MAREY_TITLE_ROOM), until it is called with NULL. A change by another program in between begins
   another step of the same title. */
MAREY_API void marey_library_group(marey_library *library, const char *title);

#ifdef __cplusplus
}
#endif

#endif
