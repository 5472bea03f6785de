#!/bin/sh
# The manual page of marey-batch is its help text: ./manual.sh MAREY-BATCH marey-batch.1
set -eu
exec >"$2"
cat <<'ROFF'
.TH MAREY-BATCH 1 "" marey marey
.SH NAME
marey-batch \- share long work on a library among processors or machines
.SH DESCRIPTION
.nf
ROFF
"$1" --help | sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'\'']/\\\&&/'
cat <<'ROFF'
.fi
.SH SEE ALSO
.BR marey\-merge (1),
.BR marey\-index (1),
.BR marey (1)
ROFF
