/* doctor.h - flaws of capture in clips of a library or in files, and their repair: parameters and
   results. Read after files.h. */
#ifndef MAREY_APP_DOCTOR_H
#define MAREY_APP_DOCTOR_H

#include "failure_list.h"
#include "made.h"
#include "set_clips.h"
#include "shards.h"

typedef struct app_doctor_params {
    app_params given;
    app_segments clips; /* of the library; or files and folders */
    const char *label, *output;
    app_texts fix, undo; /* kinds of flaws, or "all" */
    const char *joint;   /* "-": the whole body; NULL: any */
    int place;
    bool dry_run, each;
    app_reading reading;
    app_shard_params share;
} app_doctor_params;

/* A finding of kind duplicate: which clip has the same motion, and where. */
typedef struct app_duplicate {
    int suspect; /* that it is a finding of */
    marey_flaw flaw;
    const char *other, *other_path; /* the path of a file, or NULL */
    int other_start, other_end;
    bool mirrored;
} app_duplicate;

/* A clip among which copies are looked for: of the library, or a file that is read again. */
typedef struct app_suspect {
    marey_copy_clip of;
    const char *name, *path;
    int64_t id;
    double fps;
    int patient; /* its number in a result; -1: findings of it are not asked for */
} app_suspect;

/* A clip, and those of its flaws and repairs that are asked for. */
typedef struct app_patient {
    const char *name;
    const char *path; /* of a file; NULL: it is a library's */
    int64_t id;       /* in the library, or 0 */
    int frames;
    int first;  /* as of app_choice_has */
    int places; /* of findings: how many it has, also those that are not asked for */
    const marey_flaw *flaws;
    const char *const *joints; /* of the flaws */
    int flaw_count;
    const marey_repair *repairs;
    int repair_count;
    const int *flaw_places, *repair_places; /* in the lists of all that the clip has */
    bool *fixed, *undone;                   /* of each flaw and repair: now */
    const app_duplicate **copies;           /* of each flaw, or NULL; NULL: of none */
    const char *written;                    /* the file that the repaired clip became; NULL: none */
} app_patient;

/* All findings of one kind. */
typedef struct app_flaw_sum {
    marey_flaw_kind kind;
    int findings, clips, mendable; /* mendable: findings that can be fixed */
    double severity;
} app_flaw_sum;

typedef struct app_doctor_result {
    const char *library; /* its path; NULL: they are files */
    app_patient *items;
    int count;
    app_flaw_sum kinds[MAREY_FLAW_COUNT]; /* the most severe first */
    int kind_count;
    int flaws, mendable, repairs; /* of all: found, that --fix all fixes, that were there before */
    int fixed, undone;
    const marey_repair_def *changes; /* of the library */
    int change_count;
    bool joint_seen;       /* that was asked for, in a file */
    app_suspect *suspects; /* files among which copies are looked for: the items */
    app_stale_list stale;  /* once they are made */
    app_texts skipped;     /* files of no known format in a folder */
    app_failures failures;
} app_doctor_result;

/* Which flaws and repairs are asked for. Operands that name one clip go together: `same` of each is
   the first of them. `starts` and `ends` are the frames of those that have some. */
typedef struct app_choice {
    const app_doctor_params *request;
    int place; /* -1: any */
    int *same, *starts, *ends;
} app_choice;

/* The caller fills in `same`. MEMORY. */
marey_status app_choice_make(const app_env *env, const app_doctor_params *request, app_choice *out,
                             marey_error *error);
/* Finds the frames of operands that name a clip. REQUEST: some are outside the clip. */
marey_status app_choice_frames(app_choice *choice, int first, const char *name, int frames,
                               double fps, marey_error *error);
/* Is it asked for? `first`: the clip's first operand, -1: it was not named. A joint of "" is the
   whole body; NULL: of any, and meant by all frames that it touches. */
bool app_choice_has(const app_choice *choice, int first, int place, const char *joint, int start,
                    int end);

bool app_has_joint(const marey_clip *clip, const char *name);
/* REQUEST: there is nothing of the joint that is asked for because no clip has it. */
marey_status app_choice_joint(const app_env *env, const app_doctor_params *request,
                              const app_doctor_result *out, marey_error *error);

/* How much of its clip a flaw spoils, and how surely: 0 to 1. */
double app_flaw_severity(const marey_flaw *flaw, int frames);

/* Adds the flaws of one clip to the sums by kind, which are zeroed at first. */
void app_flaws_sum(app_flaw_sum sums[MAREY_FLAW_COUNT], const marey_flaw *flaws, int count,
                   int frames);
/* The kinds that were found come first: those that can be fixed, then the others, each by how much
   they spoil. How many there are. */
int app_flaw_sums_sort(app_flaw_sum sums[MAREY_FLAW_COUNT]);
void app_flaw_sums_write(const app_flaw_sum *sums, int count, json *out); /* "kinds" */

/* Bits of the kinds of flaws in a list of names, which may have commas, or of all; `set` (may be
   NULL): whether "set" is among them, or all. REQUEST: there is no such kind. */
marey_status app_flaw_kinds(const app_texts *names, uint64_t *kinds, bool *set, marey_error *error);

/* For each of the clips the rate that all clips of its subject claim wrongly together, if it does not
   say so itself; its certainty is 0 otherwise. */
marey_status app_subjects_judge(const app_env *env, const marey_conditions *all, marey_flaw *rates,
                                marey_error *error);

/* Behind the names of clips those of all others of the same subjects. */
marey_status app_subjects_join(const app_env *env, app_texts *names, marey_error *error);

/* Copies among clips; of a pair the finding is that of the shorter clip, if it is asked for, else of
   the other one. `reading`: how files are read. */
marey_status app_duplicates_find(const app_env *env, const app_suspect *list, int count,
                                 const marey_load_def *reading, app_duplicate **out, int *found,
                                 marey_error *error);
/* A list of all clips of the library that are known; those whose number is in `ids` are asked for,
   and are patients of that place. */
marey_status app_suspects_list(const app_env *env, const marey_conditions *all, const int64_t *ids,
                               int id_count, app_suspect **out, marey_error *error);
/* Puts the finding of a copy behind the patient's others, if it is asked for. */
marey_status app_duplicate_put(const app_env *env, const app_choice *choice, app_patient *patient,
                               const app_duplicate *copy, marey_error *error);
/* "other", "other_start", "other_end", "mirrored", and of files "other_path" */
void app_duplicate_write(const app_duplicate *copy, json *out);

/* The unit or the up axis that a repair of these would state, "m"; "" for all others. Lives forever. */
const char *app_flaw_to(const marey_flaw *flaw);

/* "kind", "joint", "start", "end", "size", "unit", "certainty", "fix", and "to" where there is one */
void app_flaw_write(const marey_flaw *flaw, const char *joint, json *out);

#endif
