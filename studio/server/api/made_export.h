/* made_export.h - what was asked for as a made clip, as a file instead: a job that reads the same body again. Read after
   made_answer.h. */
#ifndef STUDIO_MADE_EXPORT_H
#define STUDIO_MADE_EXPORT_H

#include "made_answer.h"

/* Makes what the body asks for into out->made, and notes in out->from where it comes from. */
typedef marey_status (*made_by_body)(studio_worker *by, const uint8_t *body, size_t count,
                                     made_answer *out, marey_error *error);

/* Starts the job, or says why not: the format is none that motion is written in. `verb` is noted as the command that makes the
   same, and lives forever; the file is called `name`. */
void made_export_start(studio_worker *worker, made_by_body make, const char *verb, const char *name,
                       const char *format, const studio_request *request,
                       studio_response *response);

#endif
