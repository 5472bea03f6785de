/* json_reserve.h - memory for jansson where the machine has none. Version 2.14 does not look whether the
   text that it collects could grow: where that was refused it leaves out a letter, and reads and writes
   past the end where the letter was a closing quote. So the program lends it a reserve: what was asked
   comes to its end, and the next thing that is asked for memory says that there is none. Read alone. */
#ifndef MAREY_APP_JSON_RESERVE_H
#define MAREY_APP_JSON_RESERVE_H

/* From now on, for the whole process: a program's main calls it before any thread begins and before
   any JSON is read. The reserve of 4 MiB takes memory only once it is used; it is whole again when
   all of it was given back. */
void json_reserve_lend(void);

#endif
