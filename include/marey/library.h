/* library.h - one `.marey` file that holds a whole collection of motion: clips with their original numbers,
   labels, foot contacts, descriptions, licences and where each came from, and what was made of them.
   Read after demo.h and blend.h. Everything later keeps what it makes in the same file.

   Every change is one transaction: it is there whole or not at all, whatever happens to the program. Any
   number of programs may read while one writes. A library object may be used from one thread at a time.

   Clips are named by their names, or by their numbers: no name holds a '#', so wherever a clip is named here "#34" is the
   clip with the number (id) 34, whatever it is called when the call looks for it. Removed and used clips may share a
   name; numbers are never shared, and that of a purged clip is never given again. */
#ifndef MAREY_LIBRARY_H
#define MAREY_LIBRARY_H

#include <marey/align.h>
#include <marey/cluster.h>
#include <marey/demo.h>
#include <marey/graph.h>
#include <marey/io.h>
#include <marey/param.h>
#include <marey/puppet.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct marey_library marey_library;

enum { MAREY_NAME_ROOM = 201 }; /* bytes that hold every clip's name, with the ending zero */

typedef struct marey_named { /* a clip, and what it was called at the time */
    int64_t id;
    char name[MAREY_NAME_ROOM];
} marey_named;

typedef enum marey_library_mode {
    MAREY_LIBRARY_READ,  /* must exist; also from a folder that cannot be written */
    MAREY_LIBRARY_WRITE, /* must exist */
    MAREY_LIBRARY_CREATE /* made if it does not exist */
} marey_library_mode;

/* INPUT: not there, not a library, made by a newer marey, damaged, or with other tables
   than a library has (the message says which). IO, MEMORY. On failure *out is not
   written. */
MAREY_API marey_status marey_library_open(marey_ctx *ctx, const char *path, marey_library_mode mode,
                                          marey_library **out, marey_error *error);
MAREY_API void marey_library_close(marey_library *library);             /* NULL is allowed */
MAREY_API const char *marey_library_path(const marey_library *library); /* borrowed until close */

/* ---- putting clips in ------------------------------------------------------------------------ */

typedef enum marey_add_outcome {
    MAREY_ADD_DONE,      /* the clip is in */
    MAREY_ADD_DUPLICATE, /* the same motion is there already; `name` is that clip's */
    MAREY_ADD_SKIPPED, /* no motion in a format that marey knows, or a skeleton that belongs to motion */
    MAREY_ADD_FAILED /* a motion file that cannot be read: `error` says why */
} marey_add_outcome;

typedef struct marey_add_result { /* borrowed during the call of `done` */
    marey_add_outcome outcome;
    bool demo;                /* a take of the demo, not a file */
    const char *path;         /* of a take: "demo:" and its name */
    const char *name;         /* of the clip, or of the one it duplicates; "" otherwise */
    int64_t id;               /* of that clip; 0 otherwise */
    int frames;               /* 0 unless it is in */
    const marey_error *error; /* of a failure; otherwise NULL */
    const marey_clip *clip;   /* as it was read, with its report, unless it was skipped or failed */
} marey_add_result;

typedef struct marey_add_def { /* leave a field zero for its default */
    marey_load_def load;
    bool label_from_folder;    /* each clip gets the name of its file's folder as a label */
    const char *const *labels; /* for every clip; label_count of them */
    int label_count;
    const char
        *licence; /* for every clip; default: none. "CC BY-NC 4.0" and the like say NC themselves */
    const char *index_path; /* lines of "NAME <tab or blanks> DESCRIPTION"; default: none */
    /* Also the takes of the demo, before the files. What is said above is not for them. */
    bool demo;
    /* Once per take and file, in the order given. */
    void (*done)(void *user, const marey_add_result *result);
    void *user;
} marey_add_def;

/* Reads `count` files (by several threads, in memory that does not grow with their number) and puts them in
   by one transaction. A file that cannot be read does not stop the others. Fails, and leaves the library as
   it was, only for IO, MEMORY and CANCELLED, or if the index cannot be read. */
MAREY_API marey_status marey_library_add(marey_library *library, const char *const *paths,
                                         int count, const marey_add_def *def, marey_error *error);

typedef struct marey_put_def { /* leave a field zero for its default: nothing */
    const char *provenance; /* a JSON object that says which clips, frames and settings made it */
    const char *description, *licence;
    const char *const *labels;
    int label_count;
    const marey_contact *contacts; /* stored if contacts_set */
    int contact_count;
    bool contacts_set;
} marey_put_def;

/* Puts in one clip that is in memory, with everything about it, by one transaction: under `name` or, if there is
   one, under name-2, name-3 ... The name it got is written to got_name (room bytes, may be NULL). `def` may be
   NULL. REQUEST: the name, a label or a contact is invalid. */
MAREY_API marey_status marey_library_put(marey_library *library, const marey_clip *clip,
                                         const char *name, const marey_put_def *def, char *got_name,
                                         size_t room, marey_error *error);

/* Puts in one take of the demo, as it was built with `seed`: with labels, description, licence, provenance and foot
   contacts, under its own name or the next free one, by one transaction, as marey_library_put. */
MAREY_API marey_status marey_library_put_demo(marey_library *library, const marey_demo_take *take,
                                              uint64_t seed, char *got_name, size_t room,
                                              marey_error *error);

/* Puts in all takes of the demo (seed 1) by one transaction: all or none, also when cancelled. A take that is there
   already, whatever it is called or labelled now, is a duplicate. Of `def`, which may be NULL, only done and user
   are used. */
MAREY_API marey_status marey_library_add_demo(marey_library *library, const marey_add_def *def,
                                              marey_error *error);

/* What a library says about a take: "walk, kick left, reach right x 12", cut to room bytes with the ending zero (text
   may be NULL if room is 0). Returns the length of the whole. */
MAREY_API size_t marey_demo_describe(const marey_demo_take *take, char *text, size_t room);

/* ---- what is in it ---------------------------------------------------------------------------- */

typedef struct marey_entry {
    int64_t
        id; /* its number: stays its own, and is never given to another, also when it is purged */
    const char *name;
    int frames;
    double fps;
    const char *skeleton; /* a short name that clips with the same joints share: "cmu-31-5f3a" */
    const char *description;
    const char *licence;
    const char *source;     /* the path it was read from, or "" */
    const char *provenance; /* a JSON object, parsed and written again, or "" */
    const char *const *labels;
    int label_count;
    bool removed;            /* by marey_library_remove, and still to be had back */
    bool provenance_damaged; /* what is stored is no JSON object, so provenance is "" */
} marey_entry;

typedef struct marey_list_def { /* leave a field zero for its default */
    const char *text;  /* words that must all begin words of the name, labels or description */
    const char *label; /* only clips with this label */
    bool removed;      /* list the removed clips instead of the others */
} marey_list_def;

typedef struct marey_listing marey_listing; /* entries in the order of their names; free it */

MAREY_API marey_status marey_library_list(marey_library *library, const marey_list_def *def,
                                          marey_listing **out, marey_error *error);
MAREY_API const marey_entry *marey_listing_entries(const marey_listing *listing, int *count);
MAREY_API void marey_listing_free(marey_listing *listing); /* NULL is allowed */

/* "NC" as a word, or "non-commercial", in letters of any case. */
MAREY_API bool marey_licence_is_non_commercial(const char *licence);

/* Is what is said in this entry (labels, description, licence) as marey_library_put_demo wrote it? */
MAREY_API bool marey_entry_is_as_made(const marey_entry *entry, const marey_demo_take *take);

/* The name a clip has now (at most 200 bytes), by its id; *removed (may be NULL): is it removed? INPUT: there is no
   such clip. */
MAREY_API marey_status marey_library_name(marey_library *library, int64_t id, char *name,
                                          size_t room, bool *removed, marey_error *error);

/* A number above 0 that is another one whenever clips, labels, texts, contacts or kept things were changed by anybody:
   this object, another one, another program. Kept pictures do not count. It belongs to the file, so all objects
   that have it open see the same; only one that reads a file of an older schema sees it as it was when it was opened.
   Costs microseconds. */
MAREY_API marey_status marey_library_version(marey_library *library, int64_t *version,
                                             marey_error *error);

/* Loads a clip back: the file's own numbers, and every track derived from them, as marey_clip_load gave it.
   INPUT: no clip of that name, with the nearest name in the message; or it is damaged. */
MAREY_API marey_status marey_library_load(marey_library *library, const char *name,
                                          marey_clip **out, marey_error *error);

/* ---- changing it: each is one transaction ---------------------------------------------------- */

/* REQUEST: the new name is empty, too long, has a '/' or '#' or a control character, or is taken. */
MAREY_API marey_status marey_library_rename(marey_library *library, const char *name,
                                            const char *new_name, marey_error *error);

/* To every named clip; labels that are there (or not there) already are fine. All or none. */
MAREY_API marey_status marey_library_label(marey_library *library, const char *const *names,
                                           int count, const char *label, bool on,
                                           marey_error *error);

/* Every named clip has this label afterwards and no other. All or none. */
MAREY_API marey_status marey_library_relabel(marey_library *library, const char *const *names,
                                             int count, const char *label, marey_error *error);

typedef struct marey_edit_def { /* leave a field zero to change nothing */
    const char *const *drop;    /* labels taken off, before others are put on */
    int drop_count;
    const char *const *add;
    int add_count;
    const char *description, *licence; /* NULL: as they were */
} marey_edit_def;

/* All of this for every named clip, by one transaction. All or none. */
MAREY_API marey_status marey_library_edit(marey_library *library, const char *const *names,
                                          int count, const marey_edit_def *def, marey_error *error);

/* Removed clips are out of every list and search but still in the file, until they are restored or purged.
   A restored clip whose name was taken meanwhile gets the next free one. */
MAREY_API marey_status marey_library_remove(marey_library *library, const char *const *names,
                                            int count, marey_error *error);
MAREY_API marey_status marey_library_restore(marey_library *library, const char *const *names,
                                             int count, marey_error *error);

/* The same; restored (may be NULL) has room for `count`: the clip that names[i] was, with the name it has now. On failure
   they say nothing. */
MAREY_API marey_status marey_library_restore_clips(marey_library *library, const char *const *names,
                                                   int count, marey_named *restored,
                                                   marey_error *error);

/* Brings back exactly this removed clip; the name it got is written to got_name (room bytes, may be NULL). INPUT:
   there is no removed clip with this id. */
MAREY_API marey_status marey_library_restore_clip(marey_library *library, int64_t id,
                                                  char *got_name, size_t room, marey_error *error);

/* Deletes the named clips, removed or not, for good; count 0: all removed ones. *purged: how many. Their names, labels,
   descriptions, sources, pictures and motion are overwritten in the file, and its log is emptied. What else remembers such a
   clip calls it by its number ("#34") from then on: parts of kept things, the licences of what a puppet was trained on and the
   text about that puppet, the provenance of clips that were made of it (by the name it had last). What stays: clips that were
   cut from it, with labels and description of their own; kept things, which open as far as they can without it, under their
   names and with the labels they were built with; names that another clip has too. */
MAREY_API marey_status marey_library_purge(marey_library *library, const char *const *names,
                                           int count, int *purged, marey_error *error);

/* Another program was reading while this one purged (it was waited for up to a second), so that what was purged still is in the
   log beside the file. Every later change tries to empty it, and it goes when the last program closes the library. */
MAREY_API bool marey_library_purge_pending(const marey_library *library);

/* Frames [start, end) of a clip as a new clip, with labels, licence, description and provenance. */
MAREY_API marey_status marey_library_cut(marey_library *library, const char *name, int start,
                                         int end, const char *new_name, char *got_name, size_t room,
                                         marey_error *error);

/* The same; *got (may be NULL) is the new clip. */
MAREY_API marey_status marey_library_cut_clip(marey_library *library, const char *name, int start,
                                              int end, const char *new_name, marey_named *got,
                                              marey_error *error);

typedef struct marey_clip_cut { /* frames [start, end) of a clip, and what they are to be called */
    const char *clip;
    int start, end;
    const char *name;
} marey_clip_cut;

typedef struct marey_clip_cuts_def { /* leave a field zero for its default: none */
    const char *const *labels;       /* for every new clip, beside those it takes over */
    int label_count;
    const char *const
        *source_labels; /* for every clip that was cut; the new ones do not take them over */
    int source_label_count;
} marey_clip_cuts_def;

/* Several at once, each as by marey_library_cut: all or none. got (may be NULL) has room for `count`: the new clips, in the
   order of the cuts; on failure they say nothing. Cuts that follow each other in one clip are quickest. `def` may be
   NULL. CANCELLED too. */
MAREY_API marey_status marey_library_cut_clips(marey_library *library, const marey_clip_cut *cuts,
                                               int count, const marey_clip_cuts_def *def,
                                               marey_named *got, marey_error *error);

/* ---- foot contacts ---------------------------------------------------------------------------- */

/* Replaces the stored contacts of a clip; a count of -1 forgets them, so that they are found in the motion again.
   REQUEST: outside the clip, empty, or overlapping for one joint. */
MAREY_API marey_status marey_library_set_contacts(marey_library *library, const char *name,
                                                  const marey_contact *contacts, int count,
                                                  marey_error *error);

/* How many there are, or -1 if none were ever set (an empty set is 0); the first `room` of them are written, by
   joint and start. INPUT: what is stored is invalid. */
MAREY_API marey_status marey_library_contacts(marey_library *library, const char *name,
                                              marey_contact *contacts, int room, int *count,
                                              marey_error *error);

/* ---- kept pictures ---------------------------------------------------------------------------- */

/* A library keeps pictures of its clips so that they are drawn once: PNG files, or any bytes, each under a `kind`
   that says how it was drawn ("strip-480x96-1", at most 63 bytes). They go when the clip is purged and
   when its contacts are set, since a strip shows them. */

/* Keeps one, in place of one of that kind. `version` is what marey_library_version said before the clip was read: if
   the library was changed since then, the picture may be outdated and nothing is kept; that is no failure. 0: keep
   it in any case. INPUT: there is no such clip. REQUEST: the library is open for reading only, the kind is invalid,
   no bytes. LIMIT: more than 16 MiB. IO also when another
   program writes just now: a picture is not worth waiting for. */
MAREY_API marey_status marey_library_keep_picture(marey_library *library, int64_t id,
                                                  const char *kind, int64_t version,
                                                  const void *bytes, size_t count,
                                                  marey_error *error);

/* *count: how many bytes were kept, 0 if none (also if there is no such clip); they are written if they fit in room.
   INPUT: the kept picture is damaged; draw it again and keep that. */
MAREY_API marey_status marey_library_picture(marey_library *library, int64_t id, const char *kind,
                                             void *bytes, size_t room, size_t *count,
                                             marey_error *error);

/* ---- kept things ------------------------------------------------------------------------------ */

/* What was made of clips can be kept under a name and used again: registration curves, families, graphs, puppets. Each
   has a kind ("registration"), a name that is its own among those of its kind and follows the rules of clips' names, bytes that
   only its maker reads, a text for people, and the parts of clips that it is made of. */

typedef struct marey_part { /* frames [start, end) of a clip */
    int64_t clip;           /* its number, so that renaming it does not matter */
    int start, end;
} marey_part;

typedef struct marey_keep_def { /* leave a field zero for its default */
    const char *about;          /* JSON that says with which settings it was made; default: "" */
    const marey_part *parts;    /* what it is made of, in its order; default: nothing */
    int part_count;
} marey_keep_def;

/* Keeps bytes, in place of those of that kind and name, by one transaction. `def` may be NULL. INPUT: a part's clip is
   not there, or removed. REQUEST: the kind is not 1 to 31 small letters, digits and '-'; the name is invalid; a part is
   outside its clip. LIMIT: more than 1 GiB, or 1 MiB of text. */
MAREY_API marey_status marey_library_keep(marey_library *library, const char *kind,
                                          const char *name, const void *bytes, size_t count,
                                          const marey_keep_def *def, marey_error *error);

typedef struct marey_kept_entry {
    const char *kind, *name, *about;
    int64_t size; /* bytes */
    const marey_part *parts;
    const char *const
        *part_names; /* what their clips were called when it was kept; "#34": that one is purged */
    int part_count;
} marey_kept_entry;

typedef struct marey_kept marey_kept; /* free it */

MAREY_API const marey_kept_entry *marey_kept_entries(const marey_kept *kept, int *count);
MAREY_API void marey_kept_free(marey_kept *kept); /* NULL is allowed */

/* What there is of a kind (NULL: of all), in the order of kinds and names. */
MAREY_API marey_status marey_library_kept_list(marey_library *library, const char *kind,
                                               marey_kept **out, marey_error *error);

/* One of them: marey_kept_entries gives one entry, marey_kept_bytes what was kept. INPUT: there is none, with the
   nearest name in the message; or it is damaged. */
MAREY_API marey_status marey_library_kept(marey_library *library, const char *kind,
                                          const char *name, marey_kept **out, marey_error *error);
MAREY_API const void *marey_kept_bytes(const marey_kept *kept, size_t *count); /* NULL: a list */

/* Deletes it for good; what it was made of stays. INPUT: there is none. */
MAREY_API marey_status marey_library_forget(marey_library *library, const char *kind,
                                            const char *name, marey_error *error);

/* Calls one by another name (its own is fine), with what goes with it (a graph's policy), by one transaction. INPUT: there is
   none of that kind and name, with the nearest name in the message; or another has the new name already. REQUEST:
   an invalid name; a policy, which has the name of its graph. */
MAREY_API marey_status marey_library_rename_kept(marey_library *library, const char *kind,
                                                 const char *name, const char *to,
                                                 marey_error *error);

/* ---- parts of clips, ready to be mixed --------------------------------------------------------- */

/* Parts of clips as marey_registration_build wants them: without their marked frames, on the bones of the first. The
   plants are those the library keeps for the clip, or found in it; frames that were left out close up. Borrowed until
   free. */
typedef struct marey_parts {
    int count;
    const marey_part *parts;
    const marey_named *names; /* of their clips, as they are called now */
    const marey_clip *const *clips;
    const marey_contacts *contacts;
} marey_parts;

/* INPUT: a clip is not there, or removed, or damaged. REQUEST: fewer than 1 or more than 256 parts, outside the clip,
   or all marked. SHAPE: joints differ. */
MAREY_API marey_status marey_library_parts(marey_library *library, const marey_part *parts,
                                           int count, marey_parts **out, marey_error *error);
MAREY_API void marey_parts_free(marey_parts *parts); /* NULL is allowed */

/* ---- kept registrations ------------------------------------------------------------------------ */

#define MAREY_KEPT_REGISTRATION "registration" /* their kind */

/* Keeps a registration of these parts (their number is marey_registration_count's), which must have been opened by
   marey_library_parts or just so; `about` may be NULL. REQUEST: it is not of these parts. */
MAREY_API marey_status marey_library_keep_registration(marey_library *library, const char *name,
                                                       const marey_registration *registration,
                                                       const marey_part *parts, const char *about,
                                                       marey_error *error);

/* Opens it with its parts; free the registration before them. Its matches follow from the plants that the clips have
   now. INPUT: there is none of that name; a clip of it was removed or purged (the message names it), is not the one it
   was; damage. */
MAREY_API marey_status marey_library_registration(marey_library *library, const char *name,
                                                  marey_parts **parts, marey_registration **out,
                                                  marey_error *error);

/* ---- kept families ------------------------------------------------------------------------------ */

#define MAREY_KEPT_FAMILY "family" /* their kind */

/* As for registrations. A family keeps its registration itself. */
MAREY_API marey_status marey_library_keep_family(marey_library *library, const char *name,
                                                 const marey_family *family,
                                                 const marey_part *parts, const char *about,
                                                 marey_error *error);
MAREY_API marey_status marey_library_family(marey_library *library, const char *name,
                                            marey_parts **parts, marey_family **out,
                                            marey_error *error);

/* ---- kept graphs and policies --------------------------------------------------------------------- */

/* What a motion graph is made of: every stretch of these clips (by their numbers) that has no marked frame is a part, at
   least 2 frames long, in their order, so that frames that were not captured never appear and what is before a dropout
   does not go on behind it. Opened as by marey_library_parts: on the bones of the first. LIMIT: more than
   MAREY_GRAPH_MOST_CLIPS parts. REQUEST: there are none. Otherwise as marey_library_parts; CANCELLED. */
MAREY_API marey_status marey_library_captured_parts(marey_library *library, const int64_t *clips,
                                                    int count, marey_parts **out,
                                                    marey_error *error);

#define MAREY_KEPT_GRAPH "graph" /* their kind */
#define MAREY_KEPT_POLICY "policy"

/* As for registrations, of up to MAREY_GRAPH_MOST_CLIPS parts. A graph that takes the place of another, or is forgotten,
   takes its policy with it. */
MAREY_API marey_status marey_library_keep_graph(marey_library *library, const char *name,
                                                const marey_graph *graph, const marey_part *parts,
                                                const char *about, marey_error *error);
MAREY_API marey_status marey_library_graph(marey_library *library, const char *name,
                                           marey_parts **parts, marey_graph **out,
                                           marey_error *error);

/* A policy is kept under the name of its graph. REQUEST: it is not one of the graph that is kept under this name. INPUT:
   there is no such graph, or it cannot be opened. */
MAREY_API marey_status marey_library_keep_policy(marey_library *library, const char *name,
                                                 const marey_policy *policy, const char *about,
                                                 marey_error *error);
/* `graph` is the one that marey_library_graph gave for this name. INPUT: no policy was kept for it, or it is damaged, or one
   of another graph. */
MAREY_API marey_status marey_library_policy(marey_library *library, const char *name,
                                            const marey_graph *graph, marey_policy **out,
                                            marey_error *error);

/* ---- kept cluster graphs --------------------------------------------------------------------------- */

#define MAREY_KEPT_CLUSTERS "cluster" /* their kind */

/* As for graphs: of the parts that marey_library_captured_parts gives, up to MAREY_GRAPH_MOST_CLIPS. So a frame of one of
   the graph's clips is `start` of its part frames later in the library's. */
MAREY_API marey_status marey_library_keep_clusters(marey_library *library, const char *name,
                                                   const marey_clusters *clusters,
                                                   const marey_part *parts, const char *about,
                                                   marey_error *error);
/* Free the graph before its parts. */
MAREY_API marey_status marey_library_clusters(marey_library *library, const char *name,
                                              marey_parts **parts, marey_clusters **out,
                                              marey_error *error);

/* ---- kept puppets ----------------------------------------------------------------------------------- */

#define MAREY_KEPT_PUPPET "puppet" /* their kind */

/* A puppet needs no clips once it is trained. `parts` are those whose floor paths it was trained on, and `about` is a text for
   people; there may be none of either. A part is asked for only when it is kept, as by marey_library_keep. */
MAREY_API marey_status marey_library_keep_puppet(marey_library *library, const char *name,
                                                 const marey_puppet *puppet,
                                                 const marey_part *parts, int part_count,
                                                 const char *about, marey_error *error);
/* The same, and names further clips that it was trained on, which are not in this library: those of its parts that have a
   licence are named with it anyway, so that it stays when they go. One that is called as a part is and has another licence is
   another clip, NAME (another). */
MAREY_API marey_status marey_library_keep_puppet_from(marey_library *library, const char *name,
                                                      const marey_puppet *puppet,
                                                      const marey_puppet_source *sources,
                                                      int source_count, const marey_part *parts,
                                                      int part_count, const char *about,
                                                      marey_error *error);
/* INPUT: there is none of that name, or it is damaged. */
MAREY_API marey_status marey_library_puppet(marey_library *library, const char *name,
                                            marey_puppet **out, marey_error *error);
/* The clips with a licence that it was trained on: those that are in this library (also if removed) as they are called and licensed
   now, the others as they were. INPUT as above. */
MAREY_API marey_status marey_library_puppet_sources(marey_library *library, const char *name,
                                                    marey_puppet_sources **out, marey_error *error);

/* ---- check ------------------------------------------------------------------------------------ */

/* Checks every stored byte. found(user, problem) is called for each problem with a sentence that names the clip
   where there is one. Works on files too damaged to be opened. Returns OK if the check could be made;
   *problems is how many there were. */
MAREY_API marey_status marey_library_verify(marey_ctx *ctx, const char *path,
                                            void (*found)(void *user, const char *problem),
                                            void *user, int64_t *problems, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
