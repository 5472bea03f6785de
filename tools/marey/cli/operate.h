/* operate.h - a command that is an operation: from its options to its answer. Read after
   commands.h. */
#ifndef MAREY_TOOL_OPERATE_H
#define MAREY_TOOL_OPERATE_H

#include "commands.h"

/* Runs the operation of run->command. Returns the exit status. */
int operate(session *run, const request *parsed);

#endif
