// partitions: columns of a relation over files that stand in the names of folders k=v (storage/partition_path.h). They
// are the relation's last columns, are not decoded, and are constant for the rows of a file.
//
// Ownership  the entry's and the source's.    Threads  the session's.    Errors  those of listing folders; a text that is
// no value of a declared type, with the file.
#ifndef LT_EXEC_PARTITIONS_H
#define LT_EXEC_PARTITIONS_H

#include "exec/session.h"
#include "storage/partition_path.h"

// Looks at the folders that are there: what they name becomes the entry's last columns, a declared column with its type.
leat_status lt_partitions_discover(leat_session *session, const lt_option_values *options, const char *using_name,
                                   lt_evaluation *evaluation, lt_catalog_entry *entry, leat_error *err);
// The same with `folders` that were looked at before: a struct of lt_partition_columns.
leat_status lt_partitions_append(lt_catalog_entry *entry, const lt_type *folders, lt_arena *arena, leat_error *err);
// Which columns of `stream`, whose options are set, come from folders: those of the entry's PARTITIONED BY and discovery.
leat_status lt_stream_partition(lt_stream *stream, const lt_catalog_entry *entry, lt_arena *arena, leat_error *err);
// The constants of a file of `stream`, by partition column, in `arena`. A file that stands in no folder of the column has
// NULL.
leat_status lt_partitions_make(const lt_stream *stream, const lt_catalog_entry *relation, const char *file,
                               lt_evaluation *evaluation, lt_arena *arena, lt_vector **out, leat_error *err);
// Those of the file that is being read; valid until the next file.
leat_status lt_partitions_of_file(lt_source *source, const lt_vector **out, leat_error *err);
// From here on the source leaves out files whose folders the condition of the scan rejects, if it has one; until close.
leat_status lt_partitions_skip_open(lt_source *source, const lt_plan *scan, leat_error *err);
void        lt_partitions_skip_close(lt_source *source);

#endif
