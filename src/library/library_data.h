/* library_data.h - the inside of a library: its tables and the steps that several files share. */
#ifndef MRY_LIBRARY_DATA_H
#define MRY_LIBRARY_DATA_H

#include "library/clip_record.h"
#include "store/store.h"

#include <marey/condition.h>
#include <marey/history.h>
#include <marey/kept.h>

enum { MRY_LONGEST_CLIP_NAME = MAREY_NAME_ROOM - 1 };

struct marey_library {
    marey_ctx *ctx;
    mry_store *store;
    mry_arena index_about; /* what marey_library_index_state said last */
    /* By the numbers of clips: which layers each had when it was last opened as a part of what may
       be saved; -1: none, 0: it was not opened. */
    mry_arena seen_mem;
    int64_t *seen;
    int seen_room;
    /* The step that was made last, and what the next one is called. */
    int64_t step;
    char title[MAREY_TITLE_ROOM];
    /* All changes are one step. */
    bool grouped;
    int64_t group_step;
    char group_title[MAREY_TITLE_ROOM];
};

extern const mry_schema mry_library_schema;

/* ---- inside a transaction: each returns a status and fills `error` --------------------------- */

/* Runs a statement for its effect: ?1 is the number, ?2 the text, where there is one. */
marey_status mry_run_for(marey_library *library, const char *sql, int64_t id, const char *text,
                         marey_error *error);

/* Begins a change that will be a step of the history. (history_rows.c) */
marey_status mry_library_begin(marey_library *library, marey_error *error);

/* What the step is called; at any time before its end. */
__attribute__((format(printf, 2, 3))) void mry_title(marey_library *library, const char *format,
                                                     ...);
/* "remove walk" where it is one clip, else "remove 3 clips". */
void mry_title_clips(marey_library *library, const char *verb, int64_t clip, int count);

/* Ends a change: commits it as a new version, and as a step of the history if it began as one and
   changed anything, if `status` is OK, and gives it back otherwise. */
marey_status mry_library_end(marey_library *library, marey_status status, marey_error *error);

/* Notes the highest numbers there are, of clips, saved things and steps, so that none is given
   twice. */
marey_status mry_remember_numbers(marey_library *library, marey_error *error);

/* Forgets all steps, and the blobs that only they need. */
marey_status mry_history_clear(marey_library *library, marey_error *error);

/* DAMAGED: its parts are not what was written, or no changes of the tables that have a history. */
marey_status mry_check_step(marey_library *library, int64_t step, marey_error *error);

/* The tables whose changes are steps; NULL behind the last. */
extern const char *const mry_recorded_tables[];

/* The id of a clip by name or "#number", among the removed ones or the others. INPUT if there is
   none, with the nearest name. */
marey_status mry_clip_id(marey_library *library, const char *name, bool removed, int64_t *id,
                         marey_error *error);

/* The same with the stored name, never "#34". */
marey_status mry_clip_find(marey_library *library, const char *name, bool removed, marey_named *out,
                           marey_error *error);

/* The other way round; as marey_library_name. */
marey_status mry_clip_name(marey_library *library, int64_t id, char *name, size_t room,
                           bool *removed, marey_error *error);

/* `name`, or the first of name-2, name-3 ... that is free. */
marey_status mry_free_name(marey_library *library, const char *name, char *free_name, size_t room,
                           marey_error *error);

/* REQUEST if this is not valid as a name of a clip. */
marey_status mry_check_name(const char *name, marey_error *error);

marey_status mry_check_label(const char *label, marey_error *error); /* likewise */

/* What is known about a clip beside its motion. */
typedef struct mry_card {
    const char *name;                                        /* wished for */
    const char *source, *description, *licence, *provenance; /* never NULL */
    const char *const *labels;
    int label_count;
    const marey_contact *contacts;
    int contact_count;
    bool contacts_set;
    const marey_stretch *stretches;
    int stretch_count;
    /* What is mended at once; the poses and flaws of the record are those of the repaired clip. */
    const marey_clip *repaired;
    const marey_repair *repairs;
    int repair_count;
} mry_card;

/* Stores a record. If the same clip is there (and not removed), *duplicate is true and *got that
   one. */
marey_status mry_store_record(marey_library *library, const mry_record *record,
                              const mry_card *card, bool *duplicate, marey_named *got,
                              marey_error *error);

/* Stores a record under a new name even if the same motion is there already. */
marey_status mry_insert_clip(marey_library *library, const mry_record *record, const mry_card *card,
                             marey_named *got, marey_error *error);

/* The name for the caller, where it asked for one. */
void mry_copy_name(const marey_named *got, char *got_name, size_t room);

marey_status mry_add_label(marey_library *library, int64_t clip, const char *label,
                           marey_error *error);

/* Puts a label on frames [start, end) of a clip, or takes it off. REQUEST: outside the clip.
   (stretch_rows.c) */
marey_status mry_label_frames(marey_library *library, int64_t clip, int start, int end,
                              const char *label, bool on, marey_error *error);

/* The labels of frames [start, end) of a clip, cut to these and counted from `start`, by where they
   begin. What is not inside the clip is left out: marey_library_verify reports it. */
marey_status mry_read_stretches(marey_library *library, int64_t clip, int start, int end,
                                mry_arena *mem, marey_stretch **out, int *count,
                                marey_error *error);

/* INPUT: some are outside the clip, or overlap or touch each other. */
marey_status mry_check_stretches(marey_library *library, int64_t clip, marey_error *error);

/* Brings the words that text search looks at up to date with a clip's row and labels. */
marey_status mry_update_words(marey_library *library, int64_t clip, marey_error *error);

/* Loads a clip by its id, with its repairs. */
marey_status mry_load_clip(marey_library *library, int64_t id, const char *name, marey_clip **out,
                           marey_error *error);

/* The same for who looks at so many frames a second: one without repairs is opened as by
   mry_record_open. */
marey_status mry_load_clip_within(marey_library *library, int64_t id, double most_fps,
                                  marey_clip **out, marey_error *error);

typedef enum mry_open_as {
    MRY_OPEN_WHOLE,
    MRY_OPEN_FOR_POSES, /* a clip without repairs: as mry_record_open */
    MRY_OPEN_CAPTURED   /* without its repairs */
} mry_open_as;

/* Loads clips for a moment: they are read here and opened by all threads. `opened` is called once
   for each, from any thread; the clip is borrowed until it returns. The first failure by their order
   is reported, and then nothing says which of the others were opened. */
typedef marey_status mry_clip_opened_fn(void *user, int i, const marey_clip *clip,
                                        marey_error *error);
marey_status mry_load_clips(marey_library *library, const int64_t *ids, int count, mry_open_as as,
                            mry_clip_opened_fn *opened, void *user, marey_error *error);

/* ---- repairs and flaws (layer_rows.c) -------------------------------------------------------- */

/* The repairs of a clip, in their order. INPUT: damaged, or of a kind that is not known. */
marey_status mry_read_repairs(marey_library *library, int64_t clip, mry_arena *mem,
                              marey_repair **out, int *count, marey_error *error);

/* In place of those that it has, with clip.layer_sum. `shape` knows its joints. */
marey_status mry_put_repairs(marey_library *library, int64_t clip, const marey_clip *shape,
                             const marey_repair *repairs, int count, marey_error *error);

/* Its layer_sum, or -1 if it has no layers. */
marey_status mry_clip_layers(marey_library *library, int64_t clip, int64_t *layers,
                             marey_error *error);

/* STALE: it has other layers than when it was last opened as a part. */
marey_status mry_check_seen(marey_library *library, int64_t clip, const char *name,
                            marey_error *error);

/* A clip with these layers, which is sound. REQUEST, MEMORY. */
marey_status mry_repair_clip(const marey_clip *clip, const marey_repair *repairs, int count,
                             marey_clip **out, marey_error *error);

/* INPUT: they are not what they were, or not for this captured clip. */
marey_status mry_check_repairs(marey_library *library, int64_t id, const marey_clip *captured,
                               marey_error *error);

/* How many flaws there are to look after: a first frame that is ignored anyway is none. */
int mry_flaws_counted(const marey_flaw *flaws, int count);

/* The flaws of a clip as bytes, in mem, and how many count. False: out of memory. */
bool mry_flaw_bytes(const marey_clip *clip, mry_arena *mem, const uint8_t **bytes, size_t *size,
                    int *count);

/* Bytes to flaws, in mem. DAMAGED: they make no sense. MEMORY. */
marey_status mry_flaw_items(const void *bytes, size_t size, mry_arena *mem, marey_condition *out);

/* In place of what the clip has, if its layers are still those of layer_sum. */
marey_status mry_flaw_row_put(marey_library *library, int64_t clip, int64_t layer_sum,
                              const uint8_t *bytes, size_t size, int count, marey_error *error);

/* The flaws that are kept of this edition; *known: there are some that can be read. */
marey_status mry_flaw_row_read(marey_library *library, int64_t clip, mry_arena *mem,
                               marey_condition *out, bool *known, marey_error *error);

/* What mry_flaw_row_put says they are of: the checks, and how many kinds there are. */
enum { MRY_FLAW_EDITION = 1000 * MAREY_FLAW_EDITION + MAREY_FLAW_COUNT };

/* Columns of queries that read `clip`: its repairs as JSON. */
#define MRY_REPAIRS_JSON                                                                           \
    "(SELECT json_group_array(json(one)) FROM (SELECT json_object('kind', kind, 'joint',"          \
    " nullif(joint_name, ''), 'start', start, 'end', stop, 'flaw', nullif(flaw, ''), 'size',"      \
    " CASE flaw WHEN '' THEN NULL ELSE size END, 'unit', nullif(unit, ''), 'certainty',"           \
    " CASE flaw WHEN '' THEN NULL ELSE certainty END) AS one FROM layer"                           \
    " WHERE layer.clip = clip.id ORDER BY place))"

/* Replaces the contacts of a clip that has `frames` frames. */
marey_status mry_set_contacts(marey_library *library, int64_t clip, int frames,
                              const marey_contact *contacts, int count, marey_error *error);

/* Reads them; as marey_library_contacts. */
marey_status mry_read_contacts(marey_library *library, int64_t clip, marey_contact *contacts,
                               int room, int *count, marey_error *error);

/* How many bytes must be changed, put in or left out to get from one name to the other; long names
   are cut. */
int mry_edit_distance(const char *a, const char *b);

/* ---- kept things ----------------------------------------------------------------------------- */

/* Before the transaction, so that no other writer waits for it: REQUEST and LIMIT of
   marey_library_keep, and the bytes packed. */
marey_status mry_keep_pack(marey_library *library, const char *kind, const char *name,
                           const void *bytes, size_t count, const marey_keep_def *def,
                           mry_arena *mem, mry_packed *out, marey_error *error);
/* .. and the rest of it inside. */
marey_status mry_keep(marey_library *library, const char *kind, const char *name,
                      const mry_packed *packed, const marey_keep_def *def, marey_error *error);

/* Deletes a kept thing with its bytes; *there: there was one. */
marey_status mry_forget_kept(marey_library *library, const char *kind, const char *name,
                             bool *there, marey_error *error);

/* Inside a snapshot or transaction; as marey_library_kept and marey_library_parts. */
marey_status mry_read_kept(marey_library *library, const char *kind, const char *name,
                           marey_kept **out, marey_error *error);
marey_status mry_open_parts(marey_library *library, const marey_part *parts, int count, int most,
                            int64_t onto, marey_parts **out, marey_error *error);
enum { MRY_MOST_PARTS = 256 }; /* of what is blended as a whole */

/* Inside a snapshot or transaction: the map that is kept for the skeletons of two clips; *there: there is
   one. As marey_library_map. (map_rows.c) */
marey_status mry_read_map(marey_library *library, const marey_clip *clip, const marey_clip *onto,
                          marey_body_map *out, bool *there, marey_error *error);

/* Are its rows sound? Of its bytes nothing is said. INPUT: no. */
marey_status mry_check_kept(marey_library *library, const char *kind, const char *name,
                            marey_error *error);

/* INPUT only if the bytes that are kept are wrong where all else that belongs to it is right; OK if
   that is not known. */
marey_status mry_check_made(marey_library *library, const char *kind, const char *name,
                            marey_error *error);

/* Reports to `found` what is damaged of the index. (index_rows.c) */
marey_status mry_check_index(marey_library *library, void (*found)(void *user, const char *problem),
                             void *user, marey_error *error);

/* What the store calls the blobs of kept things: this, then the kind. */
#define MRY_KEPT_PREFIX "kept/"

/* The largest table of motion that is believed. */
static const size_t mry_most_motion_bytes = (size_t)8 << 30;

#endif
