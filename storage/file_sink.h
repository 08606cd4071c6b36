// file_sink: batches as complete files of a folder, each exactly once, as a sink of connector 'files'. The kind's
// contract is in storage/connector.h.
//
//     out/part-00000000000000000007-00-<query id>.json    batch 7, renamed from out/_leat/ when it was whole and synced
//     out/_leat/manifest                                   a line for each part: name, bytes, hash
#ifndef LT_STORAGE_FILE_SINK_H
#define LT_STORAGE_FILE_SINK_H

#include "storage/connector.h"

extern const lt_sink_kind lt_file_sink;

#endif
