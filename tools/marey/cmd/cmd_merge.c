/* cmd_merge.c - how shards that were put together are shown. */
#include "commands.h"
#include "merge_shards.h"

/* Then what the operation itself would have shown. */
void show_merged(session *run, const void *params, const void *result, buffer *out)
{
    const app_merge_params *asked = params;
    const app_merge_result *of = result;
    const command *at;
    int all = of->items[0].count;
    if (!run->quiet || asked->missing) {
        buffer_print(out, "%d of %d shards of ", all - of->missing_count, all);
        buffer_shown(out, of->call->operation->name);
        if (of->missing_count > 0) {
            buffer_text(out, "; missing: ");
            app_merge_list_missing(of, out);
        }
        buffer_byte(out, '\n');
    }
    for (int i = 0; of->ran && (at = command_page(i)); i++) {
        if (at->operation == of->call->operation && at->show)
            at->show(run, of->call->params, of->call->result, out);
    }
}
