/* operation_table.c - all operations, in the order of the manual. */
#include "operations.h"

static const app_operation *const table[] = {
    /* the library */
    &app_contacts,
    &app_quality,
    &app_ls,
    &app_label,
    &app_set,
    &app_rename,
    &app_rm,
    &app_restore,
    &app_cut_clips,
    &app_history,
    &app_undo,
    &app_redo,
    &app_verify,
    &app_merge,
    /* files */
    &app_add,
    &app_doctor,
    &app_convert,
    &app_positions,
    &app_solve,
    &app_render,
    &app_formats,
    /* how alike frames are */
    &app_grid,
    &app_similar,
    &app_compare,
    &app_weights,
    /* motion out of motion */
    &app_align,
    &app_transition,
    &app_blend,
    &app_clean,
    &app_retarget,
    &app_map_joints,
    &app_loop,
    &app_curves,
    /* finding */
    &app_index,
    &app_search,
    &app_motifs,
    &app_example,
    /* families */
    &app_param_features,
    &app_param_build,
    &app_param_make,
    &app_param_check,
    &app_param_examine,
    &app_param_prune,
    &app_param_show,
    &app_param_ls,
    &app_param_rm,
    /* motion graphs */
    &app_graph_build,
    &app_graph_sweep,
    &app_graph_stats,
    &app_graph_path,
    &app_graph_walk,
    &app_graph_train,
    &app_graph_control,
    &app_graph_ls,
    &app_graph_rm,
    /* cluster graphs */
    &app_cluster_build,
    &app_cluster_show,
    &app_cluster_stitch,
    &app_cluster_loop,
    &app_cluster_ls,
    &app_cluster_rm,
    /* puppets */
    &app_puppet_train,
    &app_puppet_run,
    &app_puppet_show,
    &app_puppet_ls,
    &app_puppet_rename,
    &app_puppet_rm,
};

const app_operation *app_operation_at(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? table[index] : NULL;
}
