/* solve_presets.h - orders in which people store points. solve_tree.c looks points up in this table;
   help texts and tests list it. */
#ifndef MRY_SOLVE_PRESETS_H
#define MRY_SOLVE_PRESETS_H

#include <marey/retarget.h>

typedef struct mry_solve_preset {
    const char *name, *about;
    const char *points; /* their names in order, with blanks between; NULL: of any points */
    const char *map;    /* as in marey_solve_def */
} mry_solve_preset;

const mry_solve_preset *mry_solve_preset_at(int index); /* NULL past the last; lives forever */

#endif
