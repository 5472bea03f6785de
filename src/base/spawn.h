/* spawn.h - another program, started without a shell. Read by those who leave work to one. */
#ifndef MRY_SPAWN_H
#define MRY_SPAWN_H

#include <sys/types.h>

/* Starts a program, looked for on the PATH unless its name has a '/', in a process group of its own: the
   interrupt key is for this program, which then stops it. Its handle i is `handles[i]`, -1: nothing
   goes in or comes out; these must be `count` or more. Returns 0, or an errno. */
int mry_spawn(const char *program, char *const *words, const int *handles, int count, pid_t *pid);

#endif
