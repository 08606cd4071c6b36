// estimate: about how many rows and values there are, for rules that choose between plans with the same answer.
//
// Tables in memory are known; files and streams are not. A figure below 0 says so.
//
// Ownership  nothing.   Threads  one at a time.   Cost  O(plan), and a look at 256 rows for each column asked for, at 512
// for each condition over a table.
#ifndef LT_PLANNER_RULES_ESTIMATE_H
#define LT_PLANNER_RULES_ESTIMATE_H

#include "planner/bind/binder.h"

// Rows that a plan gives.
double lt_estimate_rows(const lt_binder *binder, const lt_plan *plan);
// Different values that a column of a plan has in the table that it comes from. `column`: an expression; only columns
// and casts of them are known.
double lt_estimate_distinct(const lt_binder *binder, const lt_plan *plan, const lt_expression *column);
// The part of its left rows that a semi join gives; 1 where nothing is known.
double lt_estimate_semi(const lt_binder *binder, const lt_plan *join);
bool   lt_is_equality(const lt_expression *condition); // a = b or a <=> b

#endif
