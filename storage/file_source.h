// file_source: files of a folder as a source of connector 'files'; each file is taken once, whole, in the order of
// modification time and path. The kind's contract is in storage/connector.h.
#ifndef LT_STORAGE_FILE_SOURCE_H
#define LT_STORAGE_FILE_SOURCE_H

#include "storage/connector.h"

extern const lt_source_kind lt_file_source;
// Of the paths, sizes and modification times that a source with this setup would read whole; equal: nothing has changed.
leat_status            lt_file_fingerprint(const lt_source_setup *setup, uint64_t *out, leat_error *err);
extern const lt_option lt_file_options[]; // of source and sink, ended by {0}

#endif
