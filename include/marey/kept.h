/* kept.h - what a library saves that was made of its clips: alignments, families, graphs, puppets, maps of
   joints; and parts of clips on one body, which they are made of. Read after library.h. */
#ifndef MAREY_KEPT_H
#define MAREY_KEPT_H

#include <marey/align.h>
#include <marey/cluster.h>
#include <marey/graph.h>
#include <marey/library.h>
#include <marey/param.h>
#include <marey/puppet.h>
#include <marey/retarget.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- saved things ---------------------------------------------------------------------------- */

/* What was made of clips can be saved under a name and used again: registration curves, families,
   graphs, puppets. Each has a kind ("registration"), a name that is its own among those of its kind
   and follows the rules of clips' names, bytes that only its maker reads, a text for people, and
   the parts of clips that it is made of. */

/* Frames [start, end) of a clip. */
typedef struct marey_part {
    /* Its number, so that renaming it does not matter. */
    int64_t clip;
    int start, end;
} marey_part;

/* What is saved with the bytes: leave a field zero for its default. */
typedef struct marey_keep_def {
    /* JSON that says with which settings it was made; default: "". */
    const char *about;
    /* What it is made of, in its order; default: nothing. */
    const marey_part *parts;
    int part_count;
    /* The number of the clip whose body these have; default: the first part's. */
    int64_t onto;
} marey_keep_def;

/* Saves bytes, in place of those of that kind and name, by one transaction.
   Errors: INPUT: a part's clip does not exist or is removed; STALE: it has other repairs now than
     when this library object opened it as a part. REQUEST: the kind is not 1 to 31 small
     letters, digits and '-'; an invalid name; a part outside its clip. LIMIT: more than 1 GiB, or 1
     MiB of text. */
MAREY_API marey_status marey_library_keep(marey_library *library, const char *kind,
                                          const char *name, const void *bytes, size_t count,
                                          const marey_keep_def *def, marey_error *error);

/* A saved thing. */
typedef struct marey_kept_entry {
    const char *kind, *name, *about;
    /* Bytes. */
    int64_t size;
    const marey_part *parts;
    /* What their clips were called when it was saved; "#34": that one is purged. */
    const char *const *part_names;
    int part_count;
    /* The number of the clip whose body they have; 0: the first part's. */
    int64_t onto;
    /* One of these clips is removed, purged, or was repaired otherwise when it was saved. */
    bool stale;
} marey_kept_entry;

/* Saved things, or one with its bytes. */
typedef struct marey_kept marey_kept;

/* The entries. Borrowed until free. */
MAREY_API const marey_kept_entry *marey_kept_entries(const marey_kept *kept, int *count);

/* Frees a list, or one saved thing. */
MAREY_API void marey_kept_free(marey_kept *kept);

/* Lists what is saved of a kind (NULL: of all), in the order of kinds and names.
   Ownership: free with marey_kept_free. */
MAREY_API marey_status marey_library_kept_list(marey_library *library, const char *kind,
                                               marey_kept **out, marey_error *error);

/* Reads one saved thing: marey_kept_entries gives one entry, marey_kept_bytes its bytes.
   Errors: NOT_FOUND: the message has the nearest name. INPUT: it is damaged.
   Ownership: free with marey_kept_free. */
MAREY_API marey_status marey_library_kept(marey_library *library, const char *kind,
                                          const char *name, marey_kept **out, marey_error *error);

/* The saved bytes; NULL for a list. Borrowed until free. */
MAREY_API const void *marey_kept_bytes(const marey_kept *kept, size_t *count);

/* Deletes a saved thing for good; what it was made of stays.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_forget(marey_library *library, const char *kind,
                                            const char *name, marey_error *error);

/* Renames a saved thing (its own name is fine), with what goes with it (a graph's policy), by one
   transaction.
   Errors: NOT_FOUND: the message has the nearest name. INPUT: another has the new name already.
     REQUEST: an invalid name; a policy, which has the name of its graph. */
MAREY_API marey_status marey_library_rename_kept(marey_library *library, const char *kind,
                                                 const char *name, const char *new_name,
                                                 marey_error *error);

/* ---- parts of clips, ready to be mixed ------------------------------------------------------- */

/* A clip that does not fit the body of the others, and why. */
typedef struct marey_left_out {
    marey_named clip;
    char why[416];
} marey_left_out;

/* Parts of clips as marey_registration_build needs them: without their marked frames, on one
   body, as by marey_clip_fit. The plants are those the library has for the clip, or found in
   it; frames that were left out close up. Borrowed until free. */
typedef struct marey_parts {
    int count;
    const marey_part *parts;
    /* Of their clips, as they are called now. */
    const marey_named *names;
    const marey_clip *const *clips;
    const marey_contacts *contacts;
    /* The number of the clip whose body they have, 0 if it is the first's; how each came onto it. */
    int64_t onto;
    const marey_fit *fits;
    /* Of marey_library_captured_parts. */
    int left_out_count;
    const marey_left_out *left_out;
} marey_parts;

/* Opens parts of clips, on the body of the clip with the number `onto`; 0: of the first part's.
   Errors: INPUT: a clip does not exist, is removed or damaged. REQUEST: fewer than 1 or more than
     256 parts, outside the clip, or all marked. SHAPE: as marey_clip_fit. CANCELLED.
   Ownership: free with marey_parts_free, after all that is made of them. */
MAREY_API marey_status marey_library_parts(marey_library *library, const marey_part *parts,
                                           int count, int64_t onto, marey_parts **out,
                                           marey_error *error);

/* Frees parts and their clips. */
MAREY_API void marey_parts_free(marey_parts *parts);

/* ---- saved registrations --------------------------------------------------------------------- */

#define MAREY_KEPT_REGISTRATION "registration" /* their kind */

/* Saves a registration of these parts (their number is marey_registration_count's), which must have
   been opened by marey_library_parts or just so, with `onto`, where that is asked for; `about` may be NULL.
   Errors: REQUEST: it is not of these parts. Otherwise as marey_library_keep. */
MAREY_API marey_status marey_library_keep_registration(marey_library *library, const char *name,
                                                       const marey_registration *registration,
                                                       const marey_part *parts, const char *about,
                                                       marey_error *error);

/* Opens a saved registration with its parts. Its matches follow from the plants that the clips have
   now.
   Errors: NOT_FOUND: no such name. STALE: a clip of it was removed, purged or changed (the message
     names it). INPUT: a clip is not the one it was; damage.
   Ownership: free the registration, then its parts. */
MAREY_API marey_status marey_library_registration(marey_library *library, const char *name,
                                                  marey_parts **parts, marey_registration **out,
                                                  marey_error *error);

/* ---- saved families -------------------------------------------------------------------------- */

#define MAREY_KEPT_FAMILY "family" /* their kind */

/* Saves a family, its registration included.
   Errors: as marey_library_keep_registration. */
MAREY_API marey_status marey_library_keep_family(marey_library *library, const char *name,
                                                 const marey_family *family,
                                                 const marey_part *parts, int64_t onto,
                                                 const char *about, marey_error *error);

/* Opens a saved family with its parts.
   Errors, Ownership: as marey_library_registration. */
MAREY_API marey_status marey_library_family(marey_library *library, const char *name,
                                            marey_parts **parts, marey_family **out,
                                            marey_error *error);

/* ---- saved graphs and policies --------------------------------------------------------------- */

/* Opens what a motion graph is made of: every part of these clips, or of these frames of them (`end`
   0: of all), that has no marked frame and at least 2 frames, in their order, so that frames that
   were not captured never appear and what is before a dropout does not go on after it. Frames that a
   flaw spoils (repair.h) count as marked. Clips that do not fit the body are left out.
   Errors: REQUEST: no such part; frames outside a clip. LIMIT: more than MAREY_GRAPH_MOST_CLIPS parts.
   Otherwise, and Ownership: as marey_library_parts. */
MAREY_API marey_status marey_library_captured_parts(marey_library *library, const marey_part *of,
                                                    int count, int64_t onto, marey_parts **out,
                                                    marey_error *error);

#define MAREY_KEPT_GRAPH "graph" /* their kind */
#define MAREY_KEPT_POLICY "policy"

/* Saves a graph of up to MAREY_GRAPH_MOST_CLIPS parts. A graph that takes the place of another, or
   is forgotten, takes its policy with it.
   Errors: as marey_library_keep_registration. */
MAREY_API marey_status marey_library_keep_graph(marey_library *library, const char *name,
                                                const marey_graph *graph, const marey_part *parts,
                                                int64_t onto, const char *about,
                                                marey_error *error);

/* Opens a saved graph with its parts.
   Errors, Ownership: as marey_library_registration. */
MAREY_API marey_status marey_library_graph(marey_library *library, const char *name,
                                           marey_parts **parts, marey_graph **out,
                                           marey_error *error);

/* Saves a policy under the name of its graph.
   Errors: REQUEST: it is not of the graph that is saved under this name. INPUT: no such graph, or
     it does not open. */
MAREY_API marey_status marey_library_keep_policy(marey_library *library, const char *name,
                                                 const marey_policy *policy, const char *about,
                                                 marey_error *error);

/* Opens the policy of a graph, which marey_library_graph gave for this name.
   Errors: NOT_FOUND: none was saved for it. INPUT: it is damaged, or of another graph.
   Ownership: free with marey_policy_free. */
MAREY_API marey_status marey_library_policy(marey_library *library, const char *name,
                                            const marey_graph *graph, marey_policy **out,
                                            marey_error *error);

/* ---- saved cluster graphs -------------------------------------------------------------------- */

#define MAREY_KEPT_CLUSTERS "cluster" /* their kind */

/* Saves a cluster graph of the parts that marey_library_captured_parts gives, up to
   MAREY_GRAPH_MOST_CLIPS. A frame of one of the graph's clips is part.start frames later in the
   library's.
   Errors: as marey_library_keep_registration. */
MAREY_API marey_status marey_library_keep_clusters(marey_library *library, const char *name,
                                                   const marey_clusters *clusters,
                                                   const marey_part *parts, int64_t onto,
                                                   const char *about, marey_error *error);

/* Opens a saved cluster graph with its parts.
   Errors, Ownership: as marey_library_registration. */
MAREY_API marey_status marey_library_clusters(marey_library *library, const char *name,
                                              marey_parts **parts, marey_clusters **out,
                                              marey_error *error);

/* ---- saved puppets --------------------------------------------------------------------------- */

#define MAREY_KEPT_PUPPET "puppet" /* their kind */

/* Saves a puppet, which needs no clips once it is trained. `parts` are those whose floor paths it
   was trained on, checked now only, and `about` is a text for people; there may be none of either.
   Errors: as marey_library_keep. */
MAREY_API marey_status marey_library_keep_puppet(marey_library *library, const char *name,
                                                 const marey_puppet *puppet,
                                                 const marey_part *parts, int part_count,
                                                 const char *about, marey_error *error);

/* The same, and names further clips that it was trained on, which are not in this library: those of
   its parts that have a licence are named with it anyway, so that it stays when they go. One that
   is called as a part is and has another licence is another clip, NAME (another).
   Errors: as marey_library_keep. LIMIT: more than MAREY_PUPPET_MOST_SOURCES clips. */
MAREY_API marey_status marey_library_keep_puppet_from(marey_library *library, const char *name,
                                                      const marey_puppet *puppet,
                                                      const marey_puppet_source *sources,
                                                      int source_count, const marey_part *parts,
                                                      int part_count, const char *about,
                                                      marey_error *error);

/* Opens a saved puppet.
   Errors: NOT_FOUND. INPUT: it is damaged.
   Ownership: free with marey_puppet_free. */
MAREY_API marey_status marey_library_puppet(marey_library *library, const char *name,
                                            marey_puppet **out, marey_error *error);

/* Lists the clips with a licence that a puppet was trained on: those that are in this library (also
   if removed) as they are called and licensed now, the others as they were.
   Errors: as marey_library_puppet.
   Ownership: free with marey_puppet_sources_free. */
MAREY_API marey_status marey_library_puppet_sources(marey_library *library, const char *name,
                                                    marey_puppet_sources **out, marey_error *error);

/* ---- kept maps of joints --------------------------------------------------------------------- */

/* A library keeps maps by pair of skeletons, which go by the names of their joints and how
   they hang together, not by the lengths of bones. One map serves both ways. Clips need not be the
   library's. What was saved of clips of one skeleton on a body of the other is stale with another map,
   until it has that one again. */

#define MAREY_KEPT_MAP "map" /* their kind */

/* Keeps a map, in place of the one that is kept for these skeletons.
   Errors: as marey_library_keep. */
MAREY_API marey_status marey_library_keep_map(marey_library *library, const marey_clip *clip,
                                              const marey_clip *onto, const marey_body_map *map,
                                              marey_error *error);

/* Reads the map that is kept for the skeletons of two clips.
   Errors: NOT_FOUND: none is kept. INPUT: it is damaged.
   Ownership: free with marey_body_map_free. */
MAREY_API marey_status marey_library_map(marey_library *library, const marey_clip *clip,
                                         const marey_clip *onto, marey_body_map *out,
                                         marey_error *error);

/* Forgets it.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_forget_map(marey_library *library, const marey_clip *clip,
                                                const marey_clip *onto, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
