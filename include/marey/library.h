/* library.h - one `.marey` file that holds a whole collection of motion: clips with their original
   numbers, labels, foot contacts, descriptions, licences and where each came from, and what was
   made of them. Read after demo.h and blend.h. Everything later keeps what it makes in the same
   file.

   Every change is one transaction: it is there whole or not at all, whatever happens to the
   program. Any number of programs may read while one writes. A library object may be used from one
   thread at a time.

   Clips are named by their names, or by their numbers: no name holds a '#', so wherever a clip is
   named here "#34" is the clip with the number (id) 34, whatever it is called when the call looks
   for it. Removed and used clips may share a name; numbers are never shared, and that of a purged
   clip is never given again.
   Errors: every call below can fail with MEMORY, IO (BUSY: another program is writing) and DAMAGED;
     every change of a library that is open for reading only with INPUT. Comments name what else can
     go wrong. */
#ifndef MAREY_LIBRARY_H
#define MAREY_LIBRARY_H

#include <marey/blend.h>
#include <marey/demo.h>
#include <marey/io.h>
#include <marey/repair.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open library. */
typedef struct marey_library marey_library;

/* Bytes that hold every clip's name, with the ending zero. */
enum { MAREY_NAME_ROOM = 201 };

/* A clip, and what it was called at the time. */
typedef struct marey_named {
    int64_t id;
    char name[MAREY_NAME_ROOM];
} marey_named;

/* How a library is opened. */
typedef enum marey_library_mode {
    MAREY_LIBRARY_READ,   /* must exist; a read-only folder will do */
    MAREY_LIBRARY_WRITE,  /* must exist */
    MAREY_LIBRARY_CREATE, /* made if it does not exist */
    /* As READ, but what is worked out of clips is kept where the file may be written and is of no
       earlier marey. */
    MAREY_LIBRARY_KEEP
} marey_library_mode;

/* Opens a library.
   Errors: INPUT: no such file, not a library, made by a newer marey, damaged, or with other tables
     than a library has (the message says which).
   Ownership: close with marey_library_close, before the context. */
MAREY_API marey_status marey_library_open(marey_ctx *ctx, const char *path, marey_library_mode mode,
                                          marey_library **out, marey_error *error);

/* Opens one more library in the context of one that is open. The same as marey_library_open in about
   a tenth of its time, 0.4 ms: that the first one is a library was found out before, and the other
   is compared with it. */
MAREY_API marey_status marey_library_open_beside(marey_library *beside, const char *path,
                                                 marey_library_mode mode, marey_library **out,
                                                 marey_error *error);

/* Closes a library. */
MAREY_API void marey_library_close(marey_library *library);

/* The path it was opened with. Borrowed until close. */
MAREY_API const char *marey_library_path(const marey_library *library);

/* ---- putting clips in ------------------------------------------------------------------------ */

/* What became of a file. */
typedef enum marey_add_outcome {
    MAREY_ADD_DONE,      /* the clip is in */
    MAREY_ADD_DUPLICATE, /* the same motion is there already; `name` is that clip's */
    /* No motion in a format that marey knows, or a skeleton that belongs to motion. */
    MAREY_ADD_SKIPPED,
    MAREY_ADD_FAILED /* a motion file that is not understood: `error` says why */
} marey_add_outcome;

/* One file's outcome. Borrowed during the call of `done`. */
typedef struct marey_add_result {
    marey_add_outcome outcome;
    /* A take of the demo, not a file. */
    bool demo;
    /* Of a take: "demo:" and its name. */
    const char *path;
    /* Of the clip, or of the one it duplicates; "" and 0 otherwise. */
    const char *name;
    int64_t id;
    /* 0 unless it is in. */
    int frames;
    /* Of a failure; otherwise NULL. */
    const marey_error *error;
    /* As it was read, with its report, unless it was skipped or failed. */
    const marey_clip *clip;
    /* Of one that is in: what was found in it, and how many of these were mended at once. */
    const marey_flaw *flaws;
    int flaw_count, mended;
} marey_add_result;

/* How files are added: leave a field zero for its default. */
typedef struct marey_add_def {
    marey_load_def load;
    /* Each clip gets the name of its file's folder as a label. */
    bool label_from_folder;
    /* For every clip. */
    const char *const *labels;
    int label_count;
    /* For every clip; default: none. "CC BY-NC 4.0" and the like say NC themselves. */
    const char *licence;
    /* A file of lines "NAME <tab or blanks> DESCRIPTION"; default: none. */
    const char *index_path;
    /* A bit for each marey_flaw_kind whose flaws are mended at once; default: none. */
    uint64_t fix;
    /* Also the takes of the demo, before the files. The fields above are not for them. */
    bool demo;
    /* Called once per take and file, in the order given. */
    void (*done)(void *user, const marey_add_result *result);
    void *user;
} marey_add_def;

/* Reads files and puts them in by one transaction. A file that fails does not stop the others:
   `done` reports it.
   Errors: REQUEST: an invalid label, or too many. INPUT: the file at index_path. CANCELLED. Then
     the library is as it was.
   Cost: several threads read; memory does not grow with the number of files. */
MAREY_API marey_status marey_library_add(marey_library *library, const char *const *paths,
                                         int count, const marey_add_def *def, marey_error *error);

/* Frames [start, end) of a clip that have a label. */
typedef struct marey_stretch {
    const char *label;
    int start, end;
} marey_stretch;

/* What is stored with a clip: leave a field zero for nothing. */
typedef struct marey_put_def {
    /* A JSON object that says which clips, frames and settings made it. */
    const char *provenance;
    const char *description, *licence;
    const char *const *labels;
    int label_count;
    /* Stored if contacts_set. */
    const marey_contact *contacts;
    int contact_count;
    bool contacts_set;
    const marey_stretch *stretches;
    int stretch_count;
    int64_t *id; /* the clip's number is written here; NULL: nowhere */
} marey_put_def;

/* Puts in one clip that is in memory, with everything about it, by one transaction: under `name`
   or, if that is taken, under name-2, name-3 ... The name it got is written to got_name (room
   bytes, may be NULL).
   Errors: REQUEST: an invalid name, label, contact, stretch or provenance. INPUT: the clip is not sound. */
MAREY_API marey_status marey_library_put(marey_library *library, const marey_clip *clip,
                                         const char *name, const marey_put_def *def, char *got_name,
                                         size_t room, marey_error *error);

/* Puts in one take of the demo, as it was built with `seed`: with labels, description, licence,
   provenance and foot contacts, under its own name or the next free one, as marey_library_put. */
MAREY_API marey_status marey_library_put_demo(marey_library *library, const marey_demo_take *take,
                                              uint64_t seed, char *got_name, size_t room,
                                              marey_error *error);

/* Puts in all takes of the demo (seed 1) by one transaction. A take that is there already, whatever
   it is called or labelled now, is a duplicate. Of `def` only done and user are used.
   Errors: CANCELLED. Then the library is as it was. */
MAREY_API marey_status marey_library_add_demo(marey_library *library, const marey_add_def *def,
                                              marey_error *error);

/* Writes a take's description: "walk, kick left, reach right x 12", cut to `room` bytes with the
   ending zero (text may be NULL if room is 0). Returns the length of the whole. */
MAREY_API size_t marey_demo_describe(const marey_demo_take *take, char *text, size_t room);

/* ---- what is in it --------------------------------------------------------------------------- */

/* A clip of a library. */
typedef struct marey_entry {
    /* Its number: never given to another, also when it is purged. */
    int64_t id;
    const char *name;
    int frames;
    double fps;
    /* A short name that clips with the same joints share: "cmu-31-5f3a". */
    const char *skeleton;
    const char *description;
    const char *licence;
    /* The path it was read from, or "". */
    const char *source;
    /* A JSON object, parsed and written again, or "". */
    const char *provenance;
    const char *const *labels;
    int label_count;
    /* Labels of some of its frames, by where they begin; those of one label neither overlap nor
       touch. */
    const marey_stretch *stretches;
    int stretch_count;
    /* Its repairs, a JSON array of objects: kind, joint, start, end, flaw, size, unit, certainty. */
    const char *repairs;
    int repair_count;
    /* Flaws that are left, without a first frame that is ignored anyway; -1: it was not examined, or
       by earlier checks. */
    int flaw_count;
    /* By marey_library_remove, and can be restored. */
    bool removed;
    /* The stored provenance is not a JSON object, so provenance is "". */
    bool provenance_damaged;
} marey_entry;

/* Which clips are listed: leave a field zero for its default. */
typedef struct marey_list_def {
    /* Words that must all begin words of the name, labels or description. */
    const char *text;
    /* Only clips with this label, or with frames that have it. */
    const char *label;
    /* List the removed clips instead of the others. */
    bool removed;
    /* Only the clip of this name, or number ("#34"); where there is none the list is empty. */
    const char *clip;
} marey_list_def;

/* Clips of a library as they were when it was listed. */
typedef struct marey_listing marey_listing;

/* Lists clips.
   Cost: some 15 microseconds a clip.
   Ownership: free with marey_listing_free; it may outlive the library object. */
MAREY_API marey_status marey_library_list(marey_library *library, const marey_list_def *def,
                                          marey_listing **out, marey_error *error);

/* The clips, in the order of their names. Borrowed until free. */
MAREY_API const marey_entry *marey_listing_entries(const marey_listing *listing, int *count);

/* Counts the clips, or the removed ones, without listing them. */
MAREY_API marey_status marey_library_count(marey_library *library, bool removed, int *count,
                                           marey_error *error);

/* Frees a listing. */
MAREY_API void marey_listing_free(marey_listing *listing);

/* Whether a licence has "NC" as a word, or "non-commercial", in letters of any case. */
MAREY_API bool marey_licence_is_non_commercial(const char *licence);

/* Whether labels, description and licence of an entry are as marey_library_put_demo wrote them. */
MAREY_API bool marey_entry_is_as_made(const marey_entry *entry, const marey_demo_take *take);

/* Finds the name a clip has now (at most 200 bytes), by its id; *removed (may be NULL): whether it
   is removed.
   Errors: NOT_FOUND: no such clip. */
MAREY_API marey_status marey_library_name(marey_library *library, int64_t id, char *name,
                                          size_t room, bool *removed, marey_error *error);

/* Reads a number above 0 that is another one whenever any program changed clips, labels, texts,
   contacts or saved things. Kept pictures do not count. It belongs to the file, so all objects that
   have it open see the same; only one that reads a file of an older schema sees it as it was when
   it was opened.
   Cost: microseconds. */
MAREY_API marey_status marey_library_version(marey_library *library, int64_t *version,
                                             marey_error *error);

/* Reads a number that says what the clips are: names, motion with its repairs, labels, also those of
   frames, descriptions, and contacts that were set. It is the same for libraries of the same clips, in
   whatever order these were put in, and again once a change was undone; what is saved does not
   count. So what was worked out of clips is good for as long as the number is the same.
   Cost: some 15 microseconds a clip. */
MAREY_API marey_status marey_library_sum(marey_library *library, uint64_t *sum, marey_error *error);

/* Loads a clip with its repairs; where it has none, the file's own numbers, and every track derived
   from them, as marey_clip_load gave it.
   Errors: NOT_FOUND: no clip of that name; the message has the nearest name. INPUT: it is damaged.
   Ownership: free with marey_clip_free, before the context; it may outlive the library object. */
MAREY_API marey_status marey_library_load(marey_library *library, const char *name,
                                          marey_clip **out, marey_error *error);

/* The same without its repairs: as it was captured. */
MAREY_API marey_status marey_library_load_captured(marey_library *library, const char *name,
                                                   marey_clip **out, marey_error *error);

/* ---- changing it ----------------------------------------------------------------------------- */

/* Each is one transaction, all or none, for all the clips it names. NOT_FOUND: no clip of that
   name; the message has the nearest name. */

/* Renames a clip.
   Errors: NOT_FOUND. REQUEST: the new name is empty, too long, has a '/' or '#' or a control
     character, or is taken. */
MAREY_API marey_status marey_library_rename(marey_library *library, const char *name,
                                            const char *new_name, marey_error *error);

/* Puts a label on clips, or takes it off (on: false). Labels that are there (or not there) already
   are fine.
   Errors: NOT_FOUND. REQUEST: an invalid label. */
MAREY_API marey_status marey_library_label(marey_library *library, const char *const *names,
                                           int count, const char *label, bool on,
                                           marey_error *error);

/* Replaces all labels of clips by one.
   Errors: NOT_FOUND. REQUEST: an invalid label. */
MAREY_API marey_status marey_library_relabel(marey_library *library, const char *const *names,
                                             int count, const char *label, marey_error *error);

/* What is changed: leave a field zero to change nothing. */
typedef struct marey_edit_def {
    /* Labels taken off, before others are put on. */
    const char *const *drop;
    int drop_count;
    const char *const *add;
    int add_count;
    /* NULL: as they were. */
    const char *description, *licence;
} marey_edit_def;

/* Changes labels, description and licence of clips. `def` is required.
   Errors: NOT_FOUND. REQUEST: an invalid label. CANCELLED. */
MAREY_API marey_status marey_library_edit(marey_library *library, const char *const *names,
                                          int count, const marey_edit_def *def, marey_error *error);

/* Frames [start, end) of a clip, or all of it if `end` is 0. */
typedef struct marey_clip_range {
    const char *clip;
    int start, end;
} marey_clip_range;

/* The same for labels of frames: where `end` is not 0 the labels are put on these frames, or taken
   off them, and those of the clip as a whole stay as they are.
   Errors: NOT_FOUND. REQUEST: an invalid label; frames outside the clip; a description or a licence
     for frames. CANCELLED. */
MAREY_API marey_status marey_library_edit_frames(marey_library *library,
                                                 const marey_clip_range *frames, int count,
                                                 const marey_edit_def *def, marey_error *error);

/* Removes clips from every list and search; they stay in the file until they are restored or
   purged.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_remove(marey_library *library, const char *const *names,
                                            int count, marey_error *error);

/* Restores removed clips. One whose name was taken meanwhile gets the next free one.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_restore(marey_library *library, const char *const *names,
                                             int count, marey_error *error);

/* Restores removed clips and writes which: restored (may be NULL) has room for `count`; restored[i]
   is the clip that names[i] was, with the name it has now. On failure they are undefined.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_restore_clips(marey_library *library, const char *const *names,
                                                   int count, marey_named *restored,
                                                   marey_error *error);

/* Restores exactly this removed clip; the name it got is written to got_name (room bytes, may be
   NULL).
   Errors: NOT_FOUND: no removed clip with this id. */
MAREY_API marey_status marey_library_restore_clip(marey_library *library, int64_t id,
                                                  char *got_name, size_t room, marey_error *error);

/* Deletes the named clips, removed or not, for good; count 0: all removed ones. *purged: how many.
   Their names, labels, descriptions, sources, pictures, repairs and motion are overwritten in the
   file, and its log is emptied. What else remembers such a clip calls it by its number ("#34") from then on:
   parts of saved things, the licences of what a puppet was trained on and the text about that
   puppet, the provenance of clips that were made of it (by the name it had last). What stays: clips
   that were cut from it, with labels and description of their own; saved things, which open as far
   as they can without it, under their names and with the labels they were built with; names that
   another clip has too.
   Errors: NOT_FOUND. */
MAREY_API marey_status marey_library_purge(marey_library *library, const char *const *names,
                                           int count, int *purged, marey_error *error);

/* Whether purged data is still in the log beside the file, because another program was reading (it
   was waited for up to a second). Every later change tries to empty the log, and it goes when the
   last program closes the library. */
MAREY_API bool marey_library_purge_pending(const marey_library *library);

/* Cuts frames [start, end) out of a clip as a new clip, with labels, also those of the frames,
   licence, description and provenance. The name it got is written to got_name (room bytes, may be NULL).
   Errors: NOT_FOUND. REQUEST: frames outside the clip; an invalid name. */
MAREY_API marey_status marey_library_cut(marey_library *library, const char *name, int start,
                                         int end, const char *new_name, char *got_name, size_t room,
                                         marey_error *error);

/* The same; *got (may be NULL) is the new clip. */
MAREY_API marey_status marey_library_cut_clip(marey_library *library, const char *name, int start,
                                              int end, const char *new_name, marey_named *got,
                                              marey_error *error);

/* Frames [start, end) of a clip, and the name of the new clip. */
typedef struct marey_clip_cut {
    const char *clip;
    int start, end;
    const char *name;
    /* Left and right change places. */
    bool mirrored;
} marey_clip_cut;

/* Labels for cuts: leave a field zero for none. */
typedef struct marey_clip_cuts_def {
    /* For every new clip, beside those it takes over. */
    const char *const *labels;
    int label_count;
    /* For every clip that was cut; the new ones do not take them over. */
    const char *const *source_labels;
    int source_label_count;
} marey_clip_cuts_def;

/* Cuts several clips at once, each as by marey_library_cut. got (may be NULL) has room for `count`:
   the new clips, in the order of the cuts; on failure they are undefined.
   Errors: as marey_library_cut. CANCELLED.
   Cost: quickest where cuts that follow each other are of one clip. */
MAREY_API marey_status marey_library_cut_clips(marey_library *library, const marey_clip_cut *cuts,
                                               int count, const marey_clip_cuts_def *def,
                                               marey_named *got, marey_error *error);

/* ---- foot contacts --------------------------------------------------------------------------- */

/* Replaces the stored contacts of a clip; a count of -1 forgets them, so that they are found in the
   motion again.
   Errors: NOT_FOUND. REQUEST: outside the clip, empty, or overlapping for one joint. */
MAREY_API marey_status marey_library_set_contacts(marey_library *library, const char *name,
                                                  const marey_contact *contacts, int count,
                                                  marey_error *error);

/* Reads the stored contacts of a clip: *count is how many there are, or -1 if none were ever set
   (an empty set is 0); the first `room` of them are written, by joint and start.
   Errors: NOT_FOUND. INPUT: the stored contacts are invalid. */
MAREY_API marey_status marey_library_contacts(marey_library *library, const char *name,
                                              marey_contact *contacts, int room, int *count,
                                              marey_error *error);

/* ---- kept pictures --------------------------------------------------------------------------- */

/* A library keeps pictures of its clips so that they are drawn once: PNG files, or any bytes, each
   under a `kind` that says how it was drawn ("strip-480x96-1", at most 63 bytes). They go when the
   clip is purged and when its contacts are set, since a strip shows them. */

/* Keeps a picture, in place of one of that kind. `version` is the marey_library_version from before
   the clip was read: if the library was changed since then, the picture may be outdated and is not
   kept, which is no failure. 0: keep it in any case.
   Errors: NOT_FOUND: no such clip. REQUEST: the library is open for reading only; an invalid kind;
     no bytes. LIMIT: more than 16 MiB. BUSY: at once, as a picture is not worth waiting for. */
MAREY_API marey_status marey_library_keep_picture(marey_library *library, int64_t id,
                                                  const char *kind, int64_t version,
                                                  const void *bytes, size_t count,
                                                  marey_error *error);

/* Reads a kept picture: *count is how many bytes it has, 0 if none was kept or there is no such
   clip; they are written if they fit in `room`.
   Errors: INPUT: the kept picture is damaged; draw it again and keep that. */
MAREY_API marey_status marey_library_picture(marey_library *library, int64_t id, const char *kind,
                                             void *bytes, size_t room, size_t *count,
                                             marey_error *error);

/* ---- check ----------------------------------------------------------------------------------- */

/* Checks every stored byte. found(user, problem) is called for each problem with a sentence that
   names the clip where there is one. Works on files too damaged to be opened. OK: the check was
   made; *problems is how many there were.
   Errors: INPUT: no such file. IO, MEMORY, CANCELLED. */
MAREY_API marey_status marey_library_verify(marey_ctx *ctx, const char *path,
                                            void (*found)(void *user, const char *problem),
                                            void *user, int64_t *problems, marey_error *error);

/* What a library holds, as hashes: equal for equal content, whatever the order in which it came, how
   often it was changed on the way, and the numbers of clips. Against accidents, not against forgers. */
typedef struct marey_content {
    /* Of all that follows. */
    uint64_t hash;
    /* Clips that are not removed, with all that is said of them: labels, contacts, repairs. */
    uint64_t clips;
    /* Match webs and their settings. */
    uint64_t webs;
    /* Saved things. */
    uint64_t kept;
    /* Flaws that were found. */
    uint64_t findings;
} marey_content;

/* Reads the content's hashes. Poses, pictures and the history do not count.
   Errors: IO, MEMORY.
   Cost: reads all webs, of clips only what tables say. */
MAREY_API marey_status marey_library_content(marey_library *library, marey_content *out,
                                             marey_error *error);

/* Reads a hash of the clips and their numbers, by which shards of long work know the state that they
   are of (shard.h): of the motion alone, or with labels, contacts and maps of joints too.
   Errors: IO, MEMORY.
   Cost: microseconds a clip. */
MAREY_API marey_status marey_library_state(marey_library *library, bool motion_only,
                                           uint64_t *state, marey_error *error);

#ifdef __cplusplus
}
#endif
#endif
