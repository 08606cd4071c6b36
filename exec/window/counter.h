// counter: counter_diff(value [, start]) over a partition: how much a counter that only grows has grown since the row
// before. NULL for the first row and where the counter began anew: its value fell, or its start moved on.
//
// Rows whose value is NULL give NULL and are passed over. Contract of lt_window_compute; the partition has to be whole.
// Errors  COUNTER_DIFF_NEGATIVE_COUNTER_VALUE, COUNTER_DIFF_START_TIME_DECREASED, LEAT_NO_MEMORY.
// Source  Spark SQL 4.3.
#ifndef LT_EXEC_WINDOW_COUNTER_H
#define LT_EXEC_WINDOW_COUNTER_H

#include "exec/window/function.h"

leat_status lt_window_counter_diff(const lt_window_rows *rows, leat_error *err);

#endif
