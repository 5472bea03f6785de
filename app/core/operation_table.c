/* operation_table.c - all operations, in the order of the manual. */
#include "operations.h"

static const app_operation *const table[] = {
    &app_contacts,   &app_quality,    &app_ls,
    &app_label,      &app_rename,     &app_rm,
    &app_restore,    &app_cut_clips,  &app_verify,
    &app_transition, &app_clean,      &app_loop,
    &app_index,      &app_search,     &app_param_rm,
    &app_graph_rm,   &app_cluster_rm, &app_puppet_rename,
    &app_puppet_rm,
};

const app_operation *app_operation_at(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? table[index] : NULL;
}
