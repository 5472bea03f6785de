/* operations.h - every operation by its name. Read after operation.h; the program's table of
   commands and the studio's addresses point to them. */
#ifndef MAREY_APP_OPERATIONS_H
#define MAREY_APP_OPERATIONS_H

#include "operation.h"

extern const app_operation app_align;      /* make_align.c */
extern const app_operation app_curves;     /* make_align.c */
extern const app_operation app_blend;      /* make_blend.c */
extern const app_operation app_clean;      /* make_clean.c */
extern const app_operation app_retarget;   /* make_retarget.c */
extern const app_operation app_map_joints; /* body_maps.c */
extern const app_operation app_loop;       /* make_loop.c */
extern const app_operation app_transition; /* make_transition.c */
extern const app_operation app_index;      /* find_index.c */
extern const app_operation app_search;     /* find_search.c */
extern const app_operation app_motifs;     /* find_motifs.c */
extern const app_operation app_example;    /* find_example_clip.c */

extern const app_operation app_graph_rm; /* saved_things.c */
extern const app_operation app_param_rm;
extern const app_operation app_cluster_rm;
extern const app_operation app_puppet_rm;
extern const app_operation app_puppet_rename;

extern const app_operation app_contacts; /* foot_plants.c */
extern const app_operation app_quality;
extern const app_operation app_ls;     /* entries.c */
extern const app_operation app_verify; /* check_library.c */
extern const app_operation app_merge;  /* merge_shards.c */
extern const app_operation app_label;  /* clip_changes.c */
extern const app_operation app_rename;
extern const app_operation app_rm;
extern const app_operation app_restore;
extern const app_operation app_cut_clips; /* clip_cuts.c */
extern const app_operation app_set;       /* set_clips.c */
extern const app_operation app_history;   /* history_steps.c */
extern const app_operation app_undo;
extern const app_operation app_redo;

extern const app_operation app_add;       /* add_files.c */
extern const app_operation app_doctor;    /* doctor.c */
extern const app_operation app_convert;   /* convert_clips.c */
extern const app_operation app_export;    /* export_clips.c; not in the table */
extern const app_operation app_render;    /* render_clips.c */
extern const app_operation app_positions; /* joint_positions.c */
extern const app_operation app_formats;   /* format_list.c */
extern const app_operation app_solve;     /* solve_points_file.c */

/* app/compare */
extern const app_operation app_grid;                 /* compare_grid.c */
extern const app_operation app_similar;              /* compare_similar.c */
extern const app_operation app_compare, app_weights; /* compare_metrics.c */

/* app/family */
extern const app_operation app_param_build, app_param_prune;                 /* family_building.c */
extern const app_operation app_param_make;                                   /* family_making.c */
extern const app_operation app_param_check, app_param_examine;               /* family_judging.c */
extern const app_operation app_param_features, app_param_ls, app_param_show; /* family_listing.c */

/* app/graph */
extern const app_operation app_graph_build, app_graph_sweep; /* graph_building.c */
extern const app_operation app_graph_stats;                  /* graph_measuring.c */
extern const app_operation app_graph_ls;                     /* graph_listing.c */
extern const app_operation app_graph_train;                  /* graph_training.c */
extern const app_operation app_graph_path;                   /* graph_paths.c */
extern const app_operation app_graph_walk;                   /* graph_walking.c */
extern const app_operation app_graph_control;                /* graph_steering.c */

/* app/cluster */
extern const app_operation app_cluster_build;                /* cluster_building.c */
extern const app_operation app_cluster_show, app_cluster_ls; /* cluster_showing.c */
extern const app_operation app_cluster_stitch;               /* cluster_stitching.c */
extern const app_operation app_cluster_loop;                 /* cluster_looping.c */

/* app/puppet */
extern const app_operation app_puppet_train;               /* puppet_training.c */
extern const app_operation app_puppet_run;                 /* puppet_running.c */
extern const app_operation app_puppet_show, app_puppet_ls; /* puppet_showing.c */

#endif
