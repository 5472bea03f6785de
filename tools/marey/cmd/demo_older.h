/* demo_older.h - is the library that `marey demo` is about to replace its own work only? Read by cmd_demo.c. */
#ifndef MAREY_TOOL_DEMO_OLDER_H
#define MAREY_TOOL_DEMO_OLDER_H

#include "session.h"

/* Nobody's work is thrown away: all that is in it must be as demo made it, and nobody may have it open. None is fine. REQUEST:
   what it holds that stays. */
marey_status demo_check_older(session *run, const char *path, marey_error *error);

/* A log beside a library means that a program has it open; the last one to close it takes the log away. */
bool demo_has_log(const char *path);

/* Fills the error. */
__attribute__((format(printf, 4, 5))) marey_status
demo_fail(marey_error *error, marey_status status, const char *path, const char *format, ...);

#endif
