/* shared_options.h - options that several commands have, as rows for their tables. Read by the
   tables alone. */
#ifndef MAREY_TOOL_SHARED_OPTIONS_H
#define MAREY_TOOL_SHARED_OPTIONS_H

#include "options.h"

#define LIBRARY_OPTION                                                                             \
    {                                                                                              \
        .name = "library", .letter = 'L', .value = "FILE",                                         \
        .help = "take clips by name from this library instead of files", .key = OPTION_LIBRARY     \
    }

#define PROVENANCE_OPTION(text)                                                                    \
    {                                                                                              \
        .name = "provenance", .help = (text), .key = OPTION_PROVENANCE                             \
    }

#define CLIP_OUTPUT_OPTION(text)                                                                   \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "OUT", .help = (text), .key = OPTION_OUTPUT      \
    }

#define NEEDED_OUTPUT_OPTION(text)                                                                 \
    {                                                                                              \
        .name = "output", .letter = 'o', .value = "OUT", .help = (text), .key = OPTION_OUTPUT,     \
        .needed = true                                                                             \
    }

#define OUT_PROVENANCE_OPTION                                                                      \
    PROVENANCE_OPTION("also write OUT.provenance.json: sources, their frames and licences, "       \
                      "settings")

#endif
