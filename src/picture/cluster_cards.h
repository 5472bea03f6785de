/* cluster_cards.h - drawing a cluster graph whose nodes have places. Read after cluster_picture.h and graph/cluster_data.h. */
#ifndef MRY_CLUSTER_CARDS_H
#define MRY_CLUSTER_CARDS_H

#include "graph/cluster_data.h"
#include "picture/cluster_picture.h"

enum { MRY_CLUSTER_MARGIN = 28, MRY_CLUSTER_TOP = 58 };

typedef struct mry_cluster_plan {
    const marey_clusters *of;
    const marey_cluster_picture_def *def;
    int width;
    int cards_px; /* how high the part with the cards is */
    mry_card_graph graph;
    int shown_rows; /* frames of the nodes that are drawn */
    int *clip_of;   /* of each clip: the first of its name */
    int *colours;   /* of each clip */
    int legend;     /* lines that their names take */
} mry_cluster_plan;

/* Sets the card's size: share is the root of its frames over the most that any has; few cards are larger than many. */
void mry_card_size(mry_card *card, double share, int count);

/* How many lines the names take. */
int mry_cluster_legend(const mry_cluster_plan *p);
int mry_cluster_height(const mry_cluster_plan *p);
void mry_cluster_draw(const mry_cluster_plan *p, cairo_t *cr);

#endif
