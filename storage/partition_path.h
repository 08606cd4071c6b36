// partition_path: columns that stand in the names of folders.
//
//     in/year=2025/month=1/a.json     year INT, month INT; rows of the file have 2025 and 1
//     in/day=2025-01-02/b.json        day DATE
//     in/name=a%2Fb/c.json            name STRING: a/b; __HIVE_DEFAULT_PARTITION__ is NULL
//
// Types are the narrowest of INT, BIGINT, DECIMAL, DOUBLE, TIMESTAMP, DATE and STRING that hold all values of a column.
// Source: Spark SQL 4, PartitioningUtils.
//
// Ownership  texts and types in the caller's arena.    Threads  any.    Errors  LEAT_IO, LEAT_NO_MEMORY; LEAT_BINDING when
// folders of one depth have different names.    Cost  one read of each folder k=v and of the root.
#ifndef LT_STORAGE_PARTITION_PATH_H
#define LT_STORAGE_PARTITION_PATH_H

#include "storage/connector.h"

enum { LT_PARTITION_DEPTH_MAX = 32 };

typedef struct lt_partition_value {
    const char *name;
    const char *text; // NULL: the value is NULL
} lt_partition_value;

// The folders k=v between `root` and the last part of `path`, outermost first; not more than LT_PARTITION_DEPTH_MAX.
leat_status lt_partition_values(const char *root, const char *path, lt_arena *arena, lt_partition_value *out,
                                uint32_t *out_count, leat_error *err);
// The columns that the folders under option path give, outermost first; NULL: none. A glob, one file and
// recursiveFileLookup have none.
leat_status lt_partition_columns(const lt_source_setup *setup, lt_arena *arena, const lt_type **out_struct,
                                 leat_error *err);

#endif
