/* graph_plots.h - curves over thresholds or sizes, and pictures side by side, as PNG. */
#ifndef MAREY_EXPERIMENTS_GRAPH_PLOTS_H
#define MAREY_EXPERIMENTS_GRAPH_PLOTS_H

#include <stdbool.h>

enum { PLOT_MOST = 64 };

typedef struct plot_line {
    const char *name;
    int count;
    double x[PLOT_MOST], y[PLOT_MOST];
    double red, green, blue;
} plot_line;

typedef struct plot {
    const char *title, *across, *up;
    bool log_across, log_up;
    const plot_line *lines;
    int line_count;
} plot;

void plot_add(plot_line *line, double x, double y); /* what is not finite is left out */
void plot_save(const plot *of, const char *folder, const char *name); /* FOLDER/NAME.png */

/* FOLDER/NAME.png of pictures that are there, from left to right; they are removed. */
void pictures_beside(const char *folder, const char *const *names, int count, const char *name);

#endif
