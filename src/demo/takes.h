/* takes.h - the script of the demo library: which actions each take strings together. */
#ifndef MRY_DEMO_TAKES_H
#define MRY_DEMO_TAKES_H

/* One line of a script. For gaits `seconds` says how long; other actions know it themselves. */
typedef struct mry_line {
    const char *action; /* NULL ends a script */
    char side;          /* 'l', 'r', or 0 where it does not matter */
    double seconds;
    double wish[4]; /* for a body of size 1 */
} mry_line;

typedef struct mry_script {
    const char *name;
    double size; /* of the body */
    const mry_line *lines;
} mry_script;

extern const mry_script mry_scripts[];
extern const int mry_script_count;

#endif
