/* owned.h - what a block of a test owns: it is freed where the block ends, whichever way it is
   left, the last declared first. So a context comes before what lives in it.

       OWNED(marey_ctx) *ctx = test_ctx();
       OWNED(marey_clip) *clip = test_clip(ctx, text);
       FREED char *line = malloc(80);

   A test that fails frees nothing: it jumps. */
#ifndef MAREY_TEST_OWNED_H
#define MAREY_TEST_OWNED_H

#include <marey/marey.h>

#include "base/arena.h"

#include <stdlib.h>

#define OWNED(type) __attribute__((cleanup(type##_owned_end))) type
#define FREED __attribute__((cleanup(test_freed_end)))

/* What OWNED takes: types that are handed about by pointer, and types that are filled in place. */
#define OWNED_POINTER(type, release)                                                               \
    static inline void type##_owned_end(type **object)                                             \
    {                                                                                              \
        release(*object);                                                                          \
    }
#define OWNED_VALUE(type, release)                                                                 \
    static inline void type##_owned_end(type *object)                                              \
    {                                                                                              \
        release(object);                                                                           \
    }

static inline void test_freed_end(void *memory)
{
    free(*(void **)memory);
}

OWNED_POINTER(marey_body, marey_body_free)
OWNED_POINTER(marey_body_ground, marey_body_ground_free)
OWNED_POINTER(marey_clip, marey_clip_free)
OWNED_POINTER(marey_clusters, marey_clusters_free)
OWNED_VALUE(marey_contacts, marey_contacts_free)
OWNED_VALUE(marey_flaws, marey_flaws_free)
OWNED_VALUE(marey_copies, marey_copies_free)
OWNED_POINTER(marey_controller, marey_controller_free)
OWNED_POINTER(marey_ctx, marey_ctx_close)
OWNED_POINTER(marey_demo_take, marey_demo_free)
OWNED_POINTER(marey_example_found, marey_example_found_free)
OWNED_POINTER(marey_examples, marey_examples_free)
OWNED_POINTER(marey_features, marey_features_free)
OWNED_POINTER(marey_finding, marey_finding_free)
OWNED_POINTER(marey_motifs, marey_motifs_free)
OWNED_POINTER(marey_graph, marey_graph_free)
OWNED_POINTER(marey_grid, marey_grid_free)
OWNED_POINTER(marey_history, marey_history_free)
OWNED_POINTER(marey_kept, marey_kept_free)
OWNED_POINTER(marey_layout, marey_layout_free)
OWNED_POINTER(marey_library, marey_library_close)
OWNED_POINTER(marey_listing, marey_listing_free)
OWNED_VALUE(marey_made, marey_made_free)
OWNED_POINTER(marey_match_graph, marey_match_graph_free)
OWNED_POINTER(marey_matching, marey_matching_free)
OWNED_POINTER(marey_parts, marey_parts_free)
OWNED_VALUE(marey_path, marey_path_free)
OWNED_POINTER(marey_paths, marey_paths_free)
OWNED_POINTER(marey_policy, marey_policy_free)
OWNED_POINTER(marey_puppet, marey_puppet_free)
OWNED_POINTER(marey_puppet_sources, marey_puppet_sources_free)
OWNED_POINTER(marey_reactor, marey_reactor_free)
OWNED_POINTER(marey_registration, marey_registration_free)
OWNED_VALUE(marey_route, marey_route_free)
OWNED_POINTER(marey_searcher, marey_searcher_free)
OWNED_VALUE(marey_solve_report, marey_solve_report_free)
OWNED_VALUE(marey_walk, marey_walk_free)
OWNED_POINTER(marey_web, marey_web_free)
OWNED_VALUE(mry_arena, mry_arena_free)

#endif
