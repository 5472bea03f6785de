/* cut_list.h - the places at which `marey transition` can go from one clip to the other: both frames named, one of them, or
   none. Read after making.h. */
#ifndef MAREY_TOOL_CUT_LIST_H
#define MAREY_TOOL_CUT_LIST_H

#include "making.h"

typedef struct cut_list {
    session *run;
    int64_t most;    /* that are listed */
    double below;    /* 0: the default */
    double within_s; /* 0: the default */
    bool at_given;   /* --at .. */
    int64_t at[2];   /* .. in frames of the files, as are the next */
    bool near_given[2];
    int64_t near[2];
    marey_cut *cuts; /* best first, in frames of the clips that are used; freed by cut_list_free */
    int count;
    size_t bytes;
    double
        cheapest; /* where none is below the limit: what the best one costs; infinite if there is no room for any */
} cut_list;

/* --at, --near, --within, --count, --below. Returns an exit status, the reason being said. */
int cut_list_options(cut_list *list, session *run, const request *asked);

/* Finds the cuts between the two clips of `of`. Where both frames are named there is one, whatever it costs. */
marey_status cut_list_find(cut_list *list, const making *of, marey_error *error);
void cut_list_free(cut_list *list);

/* The limit that cuts keep below; infinite: none. */
double cut_list_limit(const cut_list *list, const making *of);

/* Frames on each side of a cut, of the first clip. */
int making_half(const making *of);

#endif
