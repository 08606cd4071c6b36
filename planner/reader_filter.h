// reader_filter: which conditions over a stream count as part of reading it. Spark gives plain tests of columns against
// constants to the JSON and CSV readers, so that rows which they reject are no input rows in its progress
// (spark-semantics: numInputRows). Answers are the same either way; only what is counted differs.
#ifndef LT_PLANNER_READER_FILTER_H
#define LT_PLANNER_READER_FILTER_H

#include "planner/plan.h"

// `filter` stands right above a stream scan whose format filters while it reads. Terms that its reader can test move
// into a filter of their own below the others, with as.filter.is_in_reader; *out is the upper one. Plans in `arena`.
leat_status lt_reader_filter_split(lt_arena *arena, lt_plan *filter, lt_plan **out, leat_error *err);

#endif
