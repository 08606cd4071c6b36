// files: records in files of a folder, read (storage/file_source.c) and written (storage/file_sink.c).
#include "storage/file_sink.h"
#include "storage/file_source.h"

const lt_connector lt_connectors_files = {
    .name    = "files",
    .options = lt_file_options,
    .source  = &lt_file_source,
    .sink    = &lt_file_sink,
    .summary = "Files of a folder: read once each, written exactly once.",
    .example = "CREATE STREAM s (id INT) WITH (connector = 'files', format = 'json', path = 'in')",
};
