// shapes: the table of a standing query without a mode equals its SELECT over all rows so far, after every batch.
//
//     equivalence_shapes [--seed N] [--seeds N] [--rounds N] [--shape TEXT] [-v]
//
// Even seeds take rows back too. A difference prints the seed, the shape, and both answers; the same seed and shape give
// the same run again. See rig.h.
#include "tests/equivalence/rig.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    const char *name, *sql;
} shape;

static const shape shapes[] = {
    {"filter", "SELECT * FROM $a WHERE n > 1 AND s <> ''"},
    {"filter_null", "SELECT id, d FROM $a WHERE d IS NULL OR d >= 0.0 OR NOT (f < 1)"},
    {"project",
     "SELECT upper(s) AS u, n * 2 AS n, coalesce(m, 0) + 1 AS m, CAST(d AS STRING) AS d, id % 3 AS r FROM $a"},
    {"count_sum_avg", "SELECT k, count(*) AS c, count(s) AS cs, sum(n) AS sn, avg(n) AS an, sum(m) AS sm, avg(m) AS am,"
                      " sum(e) AS se, avg(e) AS ae, count_if(n > 1) AS ci FROM $a GROUP BY k"},
    {"specials", "SELECT k, sum(d) AS sd, avg(d) AS ad, min(d) AS lo, max(d) AS hi, sum(f) AS sf FROM $a GROUP BY k"},
    {"extremes",
     "SELECT k, min(s) AS s1, max(s) AS s2, min(l) AS l1, max(l) AS l2, min(d) + 0.0D AS d1, max(d) + 0.0D AS d2,"
     " min(t) AS t1, max(t) AS t2, min(m) AS m1, max(m) AS m2, min(f) + 0.0D AS f1, max(f) + 0.0D AS f2 FROM $a GROUP "
     "BY k"},
    {"places", "SELECT k, first(s) AS a, last(s) AS b, any_value(n) AS c, first(d, true) AS d, last(l, true) AS e,"
               " min_by(s, n) AS f, max_by(s, n) AS g FROM $a GROUP BY k"},
    {"collect", "SELECT k, collect_list(s) AS a, sort_array(collect_set(n)) AS b, array_agg(d) AS c,"
                " listagg(s, '|') AS f FROM $a GROUP BY k"},
    {"tops_and_bins",
     "SELECT k, approx_top_k(s, 2) AS a, histogram_numeric(n, 3) AS b,"
     " bitmap_count(bitmap_construct_agg(id)) AS c, bitmap_count(bitmap_or_agg(CAST(s AS BINARY))) AS d,"
     " bitmap_count(bitmap_and_agg(CAST(s AS BINARY))) AS e FROM $a GROUP BY k"},
    {"logic_bits", "SELECT k, bool_and(n > 0) AS a, bool_or(n > 2) AS b, every(s = 'a') AS c, bit_and(n) AS d,"
                   " bit_or(n) AS e, bit_xor(l) AS f FROM $a GROUP BY k"},
    {"moments", "SELECT k, round(stddev(e), 6) AS a, round(var_pop(e), 6) AS b, round(skewness(e), 6) AS c,"
                " round(kurtosis(n), 6) AS d, round(corr(n, e), 6) AS e, round(covar_samp(n, e), 6) AS f,"
                " round(regr_slope(e, n), 6) AS g, regr_count(e, n) AS h FROM $a GROUP BY k"},
    {"percentiles", "SELECT k, percentile(n, 0.3) AS a, median(n) AS b, mode(n) AS c, approx_count_distinct(n) AS d,"
                    " percentile_cont(0.5) WITHIN GROUP (ORDER BY n) AS e,"
                    " percentile_disc(0.4) WITHIN GROUP (ORDER BY n DESC) AS f FROM $a GROUP BY k"},
    {"distinct_aggregates", "SELECT k, count(DISTINCT s) AS a, sum(DISTINCT n) AS b, count(DISTINCT d) AS c,"
                            " count(DISTINCT s, n) AS d, avg(DISTINCT n) FILTER (WHERE id > 3) AS e,"
                            " count(*) FILTER (WHERE s = 'a') AS f FROM $a GROUP BY k"},
    {"global",
     "SELECT count(*) AS a, sum(n) AS b, max(s) AS c, count(DISTINCT k) AS d, min(d) AS e FROM $a WHERE n < 3"},
    {"keys_of_all_kinds", "SELECT s, d, m, count(*) AS c FROM $a GROUP BY s, d, m"},
    {"keys_float_time", "SELECT f, t, l, count(*) AS c FROM $a GROUP BY f, t, l"},
    {"distinct", "SELECT DISTINCT k, d, s FROM $a"},
    {"distinct_over_group", "SELECT DISTINCT c, hi FROM (SELECT k, count(*) AS c, max(n) AS hi FROM $a GROUP BY k)"},
    {"having", "SELECT k, s, count(*) AS c FROM $a GROUP BY k, s HAVING count(*) BETWEEN 2 AND 3 AND min(n) < 2"},
    {"group_of_group",
     "SELECT c, count(*) AS groups, sum(total) AS total, min(lo) AS lo, max(lo) AS hi, avg(total) AS av,"
     " count(DISTINCT lo) AS dl, bool_or(total > 3) AS bo FROM (SELECT k, count(*) AS c,"
     " sum(n) AS total, min(s) AS lo FROM $a GROUP BY k) GROUP BY c"},
    {"group_of_group_doubles", "SELECT c, sum(sd) AS s, avg(sd) AS a, min(sd) AS lo, max(sd) AS hi,"
                               " round(stddev(c), 6) AS dev, bit_xor(c) AS bx, median(c) AS med, mode(hi) AS mo,"
                               " sort_array(collect_list(hi)) AS cl, max_by(hi, k) AS mb FROM (SELECT k, count(*) AS c,"
                               " sum(d) AS sd, max(n) AS hi FROM $a GROUP BY k) GROUP BY c"},
    {"inner_join", "SELECT x.id, y.id AS other, x.s, y.n FROM $a AS x JOIN $b AS y ON x.k = y.k AND x.n < y.n"},
    {"inner_join_keys", "SELECT x.id, y.id AS other FROM $a AS x JOIN $b AS y ON x.d = y.d AND x.s <=> y.s"},
    {"left_join",
     "SELECT x.id, y.id AS other, y.s FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k AND y.n > 1 AND x.s = 'a'"},
    {"right_join", "SELECT x.id, y.id AS other FROM $a AS x RIGHT JOIN $b AS y ON x.s = y.s AND x.n >= y.n"},
    {"full_join", "SELECT x.id, y.id AS other FROM $a AS x FULL JOIN $b AS y ON x.k = y.k AND x.s = y.s"},
    {"cross_join", "SELECT x.n, y.c FROM $a AS x CROSS JOIN (SELECT count(*) AS c FROM $b) AS y WHERE x.n > 2"},
    {"semi_join", "SELECT * FROM $a AS x LEFT SEMI JOIN $b AS y ON x.k = y.k AND x.n <= y.n"},
    {"anti_join", "SELECT * FROM $a AS x LEFT ANTI JOIN $b AS y ON x.k = y.k AND x.s = y.s"},
    {"self_join", "SELECT x.id, y.id AS other FROM $a AS x JOIN $a AS y ON x.k = y.k AND x.id < y.id"},
    {"three_joins",
     "SELECT x.id, y.id AS i2, z.name FROM $a AS x JOIN $b AS y ON x.k = y.k JOIN still AS z ON y.n = z.n"},
    {"full_join_residual", "SELECT x.id, y.id AS other, x.s FROM $a AS x FULL JOIN $b AS y ON x.k = y.k AND x.n < y.n"},
    {"full_join_null_safe", "SELECT x.id, y.id AS other FROM $a AS x FULL JOIN $b AS y ON x.d <=> y.d AND x.k <=> y.k"},
    {"left_join_no_key", "SELECT x.id, y.id AS other FROM $a AS x LEFT JOIN $b AS y ON x.n > y.n + 1"},
    {"full_join_of_doubles", "SELECT x.d, y.d AS other, x.list FROM $a AS x FULL JOIN $b AS y ON x.d = y.d"},
    {"semi_join_keys", "SELECT x.id, x.d FROM $a AS x LEFT SEMI JOIN $b AS y ON x.s = y.s"},
    {"anti_join_residual", "SELECT x.id FROM $a AS x LEFT ANTI JOIN $b AS y ON x.k = y.k AND x.n <> y.n"},
    {"full_join_values",
     "SELECT x.id, v.w FROM $a AS x FULL JOIN (VALUES (1, 'p'), (2, 'q'), (2, 'q'), (NULL, 'r')) AS v(n, w) ON x.n = "
     "v.n"},
    {"left_join_values",
     "SELECT x.id, v.w FROM (VALUES (1, 'p'), (2, 'q'), (2, 'q'), (NULL, 'r')) AS v(n, w) LEFT JOIN $a AS x ON x.n = "
     "v.n AND x.s <> v.w"},
    {"join_of_groups_full",
     "SELECT x.s, x.c, y.t FROM (SELECT s, count(*) AS c FROM $a GROUP BY s) AS x FULL JOIN (SELECT s, sum(n) AS t FROM"
     " $a GROUP BY s) AS y ON x.s = y.s AND x.c >= y.t"},
    {"join_of_joins",
     "SELECT x.id, y.id AS i2, z.id AS i3 FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k FULL JOIN $a AS z ON y.s = z.s"
     " AND x.n > z.n"},
    {"static_inner", "SELECT x.id, z.name FROM $a AS x JOIN still AS z ON x.n = z.n"},
    {"static_left", "SELECT x.id, z.name FROM $a AS x LEFT JOIN still AS z ON x.n = z.n AND z.name <> 'two'"},
    {"static_right", "SELECT x.id, z.name FROM $a AS x RIGHT JOIN still AS z ON x.n = z.n"},
    {"static_full", "SELECT x.id, z.name FROM still AS z FULL JOIN $a AS x ON x.n = z.n"},
    {"static_semi", "SELECT x.id FROM $a AS x LEFT SEMI JOIN still AS z ON x.n = z.n"},
    {"static_anti", "SELECT z.name FROM still AS z LEFT ANTI JOIN $a AS x ON x.n = z.n"},
    {"join_of_groups", "SELECT x.k, x.c, y.c AS other FROM (SELECT k, count(*) AS c FROM $a GROUP BY k) AS x LEFT JOIN"
                       " (SELECT k, count(*) AS c FROM $b GROUP BY k) AS y ON x.k <=> y.k"},
    {"group_of_join",
     "SELECT y.s, count(*) AS c, sum(x.n) AS t, max(x.s) AS m FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k"
     " GROUP BY y.s"},
    {"over_view", "SELECT c, count(*) AS n, max(s) AS m FROM $g GROUP BY c"},
    {"columns_of_view", "SELECT hi FROM $g WHERE k > 1 OR k IS NULL"},
    {"join_of_views", "SELECT x.k, x.c, y.hi FROM $g AS x LEFT JOIN $g AS y ON x.k = y.k AND x.c < y.c"},
    {"join_with_view", "SELECT x.id, y.c FROM $b AS x FULL JOIN $g AS y ON x.k = y.k AND x.s = y.s"},
    {"union_all", "SELECT k, s FROM $a UNION ALL SELECT n, s FROM $b UNION ALL SELECT n, name FROM still"},
    {"union", "SELECT k, d FROM $a UNION SELECT k, d FROM $b"},
    {"except", "SELECT k, s FROM $a EXCEPT SELECT k, s FROM $b"},
    {"except_all", "SELECT k, n FROM $a EXCEPT ALL SELECT k, n FROM $b"},
    {"intersect", "SELECT d, n FROM $a INTERSECT SELECT d, n FROM $b"},
    {"intersect_all", "SELECT k, n FROM $a INTERSECT ALL SELECT k, n FROM $b"},
    {"order_limit", "SELECT n, s, id FROM $a ORDER BY n DESC NULLS LAST, s, id LIMIT 4"},
    {"order_limit_inside",
     "SELECT s, count(*) AS c FROM (SELECT s FROM $a ORDER BY d, id LIMIT 5 OFFSET 1) GROUP BY s"},
    {"order_limit_group", "SELECT k, count(*) AS c FROM $a GROUP BY k ORDER BY c DESC, k LIMIT 2"},
    {"order_limit_list",
     "SELECT array_agg(id) AS ids, listagg(s, '|') AS texts, first(n) AS f FROM (SELECT id, s, n FROM $a"
     " ORDER BY n DESC, id LIMIT 4 OFFSET 2)"},
    {"order_limit_projected",
     "SELECT m, count(*) AS c FROM (SELECT n * 2 AS m, id FROM $a ORDER BY s DESC, d, id LIMIT 3)"
     " GROUP BY m"},
    {"order_limit_of_join",
     "SELECT y.id, z.n FROM (SELECT * FROM $a ORDER BY t DESC, id LIMIT 5) AS y JOIN $b AS z ON y.k ="
     " z.k"},
    {"order_limit_of_groups",
     "SELECT max(c) AS hi, min(k) AS lo FROM (SELECT k, count(*) AS c FROM $a GROUP BY k ORDER BY c,"
     " k LIMIT 1 OFFSET 1)"},
    {"row_number",
     "SELECT * FROM (SELECT k, id, n, row_number() OVER (PARTITION BY k ORDER BY n DESC, id) AS r FROM $a)"
     " WHERE r <= 2"},
    {"rank", "SELECT * FROM (SELECT s, n, rank() OVER (PARTITION BY s ORDER BY n) AS r FROM $a) WHERE r <= 2"},
    {"over",
     "SELECT id, sum(n) OVER (PARTITION BY k ORDER BY id) AS run, count(*) OVER (PARTITION BY s) AS c,"
     " lag(n) OVER (PARTITION BY k ORDER BY id) AS before, max(d) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1"
     " FOLLOWING) AS near FROM $a"},
    {"over_ranks",
     "SELECT id, row_number() OVER (PARTITION BY k ORDER BY n, id) AS a, rank() OVER (PARTITION BY k ORDER BY n) AS b,"
     " dense_rank() OVER (PARTITION BY k ORDER BY n) AS c, percent_rank() OVER (PARTITION BY s ORDER BY n) AS d,"
     " cume_dist() OVER (PARTITION BY s ORDER BY n) AS e, ntile(3) OVER (PARTITION BY s ORDER BY n, id) AS f FROM $a"},
    {"over_neighbours",
     "SELECT id, (lag(struct(s, n)) OVER (PARTITION BY k ORDER BY id)).n AS z, lag(list) OVER (ORDER BY id) AS y, "
     "lag(s, 2, 'none') OVER (PARTITION BY k ORDER BY id DESC) AS a, lead(n) OVER (PARTITION BY k ORDER BY "
     "id"
     " DESC) AS b, lag(s) IGNORE NULLS OVER (PARTITION BY k ORDER BY id) AS c, lead(d, -1) OVER (ORDER BY id) AS d"
     " FROM $a"},
    {"over_running", "SELECT id, sum(n) OVER (PARTITION BY k ORDER BY t, id) AS a, count(*) OVER (PARTITION BY k ORDER"
                     " BY t, id) AS b, sum(e) OVER (PARTITION BY k ORDER BY t, id ROWS UNBOUNDED PRECEDING) AS c,"
                     " row_number() OVER (PARTITION BY k ORDER BY t, id) AS d FROM $a"},
    {"over_running_peers",
     "SELECT id, sum(n) OVER (ORDER BY n DESC NULLS FIRST) AS a, count(s) OVER (ORDER BY n DESC"
     " NULLS FIRST) AS b, rank() OVER (ORDER BY n DESC NULLS FIRST) AS c, dense_rank() OVER (ORDER"
     " BY n DESC NULLS FIRST) AS d FROM $a"},
    {"over_running_filter",
     "SELECT id, sum(n) FILTER (WHERE s = 'a') OVER (ORDER BY id) AS a, min(n) OVER (ORDER BY id)"
     " AS b, max_by(s, n) OVER (ORDER BY id) AS c FROM $a"},
    {"over_values",
     "SELECT id, first_value(s) OVER (PARTITION BY k ORDER BY id) AS a, last_value(s) OVER (PARTITION BY"
     " k ORDER BY id) AS b, nth_value(n, 2) OVER (PARTITION BY k ORDER BY id) AS c, max(s) OVER (PARTITION"
     " BY k ORDER BY id) AS d FROM $a"},
    {"over_rows", "SELECT id, sum(n) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) AS a,"
                  " min(s) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING) AS b,"
                  " count(*) OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c FROM $a"},
    {"over_rows_running", "SELECT id, sum(n) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS a,"
                          " sum(n) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS b,"
                          " max(n) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS c FROM $a"},
    {"over_range", "SELECT id, sum(n) OVER (PARTITION BY k ORDER BY n RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS a,"
                   " count(*) OVER (PARTITION BY k ORDER BY n RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS b,"
                   " count(*) OVER (PARTITION BY k ORDER BY n RANGE BETWEEN CURRENT ROW AND CURRENT ROW) AS c,"
                   " max(s) OVER (PARTITION BY k ORDER BY n RANGE BETWEEN 2 PRECEDING AND 1 PRECEDING) AS d FROM $a"},
    {"over_range_time",
     "SELECT id, count(*) OVER (PARTITION BY k ORDER BY t RANGE BETWEEN INTERVAL 10 MINUTES PRECEDING"
     " AND CURRENT ROW) AS a FROM $a"},
    {"over_total",
     "SELECT id, n, sum(n) OVER (PARTITION BY k) AS a, count(*) OVER () AS b, max(s) OVER (PARTITION BY d,"
     " f) AS c FROM $a"},
    {"over_group",
     "SELECT k, c, rank() OVER (ORDER BY c DESC) AS r, sum(c) OVER (ORDER BY c DESC, k) AS run FROM (SELECT"
     " k, count(*) AS c FROM $a GROUP BY k)"},
    {"over_of_over",
     "SELECT r, count(*) AS c, min(run) AS lo FROM (SELECT r, sum(n) OVER (PARTITION BY r ORDER BY id) AS"
     " run FROM (SELECT id, n, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS r FROM $a)) GROUP"
     " BY r"},
    {"over_join",
     "SELECT x.id, y.id AS other, row_number() OVER (PARTITION BY x.k ORDER BY x.n, x.id, y.n DESC, y.id) AS"
     " r FROM $a AS x JOIN $b AS y ON x.k = y.k"},
    {"over_twins",
     "SELECT k, n, row_number() OVER (PARTITION BY k ORDER BY n) AS r, count(*) OVER (PARTITION BY k ORDER"
     " BY n ROWS 1 PRECEDING) AS c FROM (SELECT k, n FROM $a UNION ALL SELECT k, n FROM $a)"},
    {"first_of_key", "SELECT * FROM $a QUALIFY row_number() OVER (PARTITION BY k, s ORDER BY t, id) = 1"},
    {"last_of_key",
     "SELECT k, id, n FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY t DESC, id DESC) AS r FROM"
     " $a) WHERE r = 1"},
    {"top_ranks", "SELECT k, id, n, rank() OVER (PARTITION BY k ORDER BY n) AS r FROM $a QUALIFY r < 3"},
    {"top_dense", "SELECT k, id, n FROM $a QUALIFY 2 >= dense_rank() OVER (PARTITION BY k ORDER BY n DESC)"},
    {"top_texts", "SELECT * FROM (SELECT id, s, d, row_number() OVER (PARTITION BY k ORDER BY s DESC NULLS FIRST, d, "
                  "id) AS r FROM $a)"
                  " WHERE r <= 4"},
    {"top_and_ranks",
     "SELECT * FROM (SELECT k, n, rank() OVER (PARTITION BY k ORDER BY n DESC) AS r, dense_rank() OVER (PARTITION BY k"
     " ORDER BY n DESC) AS p FROM $a) WHERE r <= 3"},
    {"top_of_join", "SELECT * FROM (SELECT x.id, y.id AS other, y.n, row_number() OVER (PARTITION BY x.id ORDER BY y.n "
                    "DESC, y.id) AS r"
                    " FROM $a AS x JOIN $b AS y ON x.k = y.k) WHERE r = 1"},
    {"top_of_all", "SELECT id, n FROM $a QUALIFY row_number() OVER (ORDER BY n DESC, id) <= 5 AND n > 0"},
    {"top_of_groups",
     "SELECT k, c FROM (SELECT k, count(*) AS c FROM $a GROUP BY k) QUALIFY rank() OVER (ORDER BY c DESC)"
     " <= 1"},
    {"top_then_group",
     "SELECT s, count(*) AS c FROM (SELECT s FROM $a QUALIFY row_number() OVER (PARTITION BY k ORDER BY n"
     " DESC, id) <= 3) GROUP BY s"},
    {"asof", "SELECT x.id, y.id AS other FROM $a AS x ASOF JOIN $b AS y MATCH_CONDITION (x.t >= y.t) USING (k)"},
    {"asof_next", "SELECT x.id, y.n FROM $a AS x LEFT ASOF JOIN $b AS y MATCH_CONDITION (x.d < y.d) ON x.s <=> y.s"},
    {"asof_strict",
     "SELECT x.id, y.id AS other FROM $a AS x LEFT ASOF JOIN $b AS y MATCH_CONDITION (x.n > y.n) ON x.k = y.k"},
    {"asof_ahead", "SELECT x.id, y.id AS other FROM $a AS x LEFT ASOF JOIN $b AS y MATCH_CONDITION (x.n <= y.n)"},
    {"asof_of_groups",
     "SELECT x.k, x.c, y.lo FROM (SELECT k, count(*) AS c FROM $a GROUP BY k) AS x LEFT ASOF JOIN (SELECT s, min(n) AS "
     "lo FROM $b GROUP BY s) AS y MATCH_CONDITION (x.c >= y.lo)"},
    {"asof_static", "SELECT x.id, y.name FROM $a AS x LEFT ASOF JOIN still AS y MATCH_CONDITION (x.n >= y.n)"},
    {"in", "SELECT id FROM $a WHERE k IN (SELECT k FROM $b WHERE n > 0)"},
    {"not_in", "SELECT id FROM $a WHERE n NOT IN (SELECT n FROM $b WHERE s = 'a')"},
    {"not_in_correlated", "SELECT id FROM $a AS x WHERE n NOT IN (SELECT n FROM $b AS y WHERE x.s = y.s)"},
    {"exists", "SELECT id FROM $a AS x WHERE EXISTS (SELECT 1 FROM $b AS y WHERE x.k = y.k AND y.n > 1)"},
    {"not_exists", "SELECT id FROM $a AS x WHERE NOT EXISTS (SELECT 1 FROM $b AS y WHERE x.s = y.s AND x.n < y.n)"},
    {"in_or", "SELECT id, k IN (SELECT k FROM $b) AS hit FROM $a WHERE n = 1 OR s IN (SELECT s FROM $b)"},
    {"not_in_rows", "SELECT id FROM $a WHERE (n, s) NOT IN (SELECT n, s FROM $b WHERE k > 0)"},
    {"not_in_rows_correlated",
     "SELECT id FROM $a AS x WHERE (n, s) NOT IN (SELECT n, s FROM $b AS y WHERE x.k = y.k AND y.id < x.id)"},
    {"not_in_rows_or", "SELECT id FROM $a WHERE (n, s) NOT IN (SELECT n, s FROM $b) OR s = 'a'"},
    {"not_in_or", "SELECT id FROM $a WHERE n NOT IN (SELECT n FROM $b) OR s = 'a'"},
    {"not_in_or_correlated",
     "SELECT id FROM $a AS x WHERE n NOT IN (SELECT n FROM $b AS y WHERE x.s = y.s) OR x.k = 1"},
    {"scalar_single", "SELECT id, (SELECT max(y.n) FROM $b AS y WHERE y.k = x.k GROUP BY y.k) AS m FROM $a AS x"},
    {"scalar", "SELECT id, n - (SELECT min(n) FROM $b) AS over FROM $a"},
    {"scalar_correlated", "SELECT id, (SELECT count(*) FROM $b AS y WHERE y.k = x.k) AS c FROM $a AS x"},
    {"having_exists", "SELECT k, sum(n) AS t FROM $a AS x GROUP BY k HAVING EXISTS (SELECT 1 FROM $b AS y WHERE y.n >"
                      " sum(x.n))"},
    {"group_by_exists",
     "SELECT EXISTS (SELECT 1 FROM $b AS y WHERE y.k = x.k) AS g, count(*) AS c FROM $a AS x GROUP BY"
     " g"},
    {"left_join_in_on",
     "SELECT x.id, y.id AS other FROM $a AS x LEFT JOIN $b AS y ON x.k = y.k AND x.n IN (SELECT n FROM $b WHERE s ="
     " 'a')"},
    {"full_join_in_on",
     "SELECT x.id, y.id AS other FROM $a AS x FULL JOIN $b AS y ON x.k = y.k AND y.n > (SELECT min(n) FROM $a)"},
    {"lateral_count",
     "SELECT x.id, l.c FROM $a AS x, LATERAL (SELECT count(*) AS c FROM $b AS y WHERE y.n > x.n) AS l"},
    {"lateral_top", "SELECT x.id, l.other FROM $a AS x LEFT JOIN LATERAL (SELECT id AS other FROM $b AS y WHERE y.k ="
                    " x.k ORDER BY n DESC, id LIMIT 2) AS l"},
    {"lateral_with", "SELECT x.id, l.c FROM $a AS x, LATERAL (WITH w AS (SELECT n FROM $b AS y WHERE y.k = x.k) SELECT"
                     " max(n) AS c FROM w) AS l"},
    {"above_average", "SELECT id FROM $a WHERE n > (SELECT avg(n) FROM $a)"},
    {"rollup", "SELECT k, s, grouping(k) AS g, count(*) AS c, sum(n) AS t FROM $a GROUP BY ROLLUP (k, s)"},
    {"cube", "SELECT k, s, count(*) AS c FROM $a GROUP BY CUBE (k, s)"},
    {"grouping_sets", "SELECT k, s, n, count(*) AS c FROM $a GROUP BY GROUPING SETS ((k, s), (n), ())"},
    {"explode", "SELECT id, word FROM $a LATERAL VIEW explode(split(s, '')) t AS word"},
    {"explode_outer", "SELECT word, count(*) AS c FROM (SELECT explode_outer(list) AS word FROM $a) GROUP BY word"},
    {"nested_keys", "SELECT list, count(*) AS c, max(struct(n, s)) AS hi FROM $a GROUP BY list"},
    {"nested_rows", "SELECT id, list, struct(k, s) AS both, map(coalesce(s, 'none'), d) AS m FROM $a"},
    {"window",
     "SELECT w.start, w.end, k, count(*) AS c, sum(n) AS t FROM (SELECT window(t, '10 minutes') AS w, k, n FROM"
     " $a) GROUP BY w, k"},
    {"window_sliding", "SELECT window.start, count(*) AS c FROM $a GROUP BY window(t, '10 minutes', '5 minutes')"},
    {"window_cumulate",
     "SELECT window_start, window_end, count(*) AS c FROM CUMULATE(TABLE $a, DESCRIPTOR(t), '5 minutes',"
     " '20 minutes') GROUP BY window_start, window_end"},
    {"sessions",
     "SELECT k, session_window.start AS a, session_window.end AS b, count(*) AS c, sum(n) AS t, max(s) AS m FROM"
     " $a GROUP BY k, session_window(t, '7 minutes')"},
    {"sessions_gaps",
     "SELECT session_window.start AS a, session_window.end AS b, count(*) AS c, min(s) AS m FROM $a GROUP"
     " BY session_window(t, CASE WHEN n = 1 THEN '20 minutes' WHEN s = 'a' THEN '1 minute' ELSE '4"
     " minutes' END)"},
    {"cte_twice", "WITH g AS (SELECT k, count(*) AS c FROM $a GROUP BY k) SELECT x.k, x.c FROM g AS x WHERE x.c ="
                  " (SELECT max(c) FROM g)"},
    {"recursion_closure",
     "WITH RECURSIVE r(f, g, h) AS (SELECT k, n, 0 FROM $a WHERE k IS NOT NULL UNION ALL SELECT r.f, e.n, h + 1 FROM r"
     " JOIN (SELECT DISTINCT k, n FROM $a) AS e ON r.g = e.k WHERE h < 3) SELECT DISTINCT f, g FROM r"},
    {"recursion_levels",
     "WITH RECURSIVE r(id, n, depth) AS (SELECT id, n, 0 FROM $a UNION ALL SELECT r.id, y.k, r.depth + 1 FROM r JOIN"
     " (SELECT DISTINCT k, n FROM $b) AS y ON r.n = y.n WHERE r.depth < 2) SELECT depth, count(*) AS c, max(id) AS hi "
     "FROM r GROUP BY depth"},
    {"pivot", "SELECT * FROM (SELECT k, s, n FROM $a) PIVOT (sum(n) FOR s IN ('a', 'b'))"},
    {"limit_zero", "SELECT id FROM $a LIMIT 0"},
    {"constant", "SELECT 1 AS one, 'x' AS s UNION ALL SELECT count(*), max(s) FROM $a"},
};
enum { SHAPE_COUNT = sizeof shapes / sizeof shapes[0] };

int main(int argument_count, char **arguments) {
    uint64_t    first_seed = 1, seeds = 3;
    uint32_t    rounds     = 6;
    bool        is_verbose = false;
    const char *only       = NULL;
    for (int i = 1; i < argument_count; i++) {
        bool has_value = i + 1 < argument_count;
        if (strcmp(arguments[i], "-v") == 0) {
            is_verbose = true;
        } else if (strcmp(arguments[i], "--seed") == 0 && has_value) {
            first_seed = strtoull(arguments[++i], NULL, 10);
            seeds      = 1;
        } else if (strcmp(arguments[i], "--seeds") == 0 && has_value) {
            seeds = strtoull(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--rounds") == 0 && has_value) {
            rounds = (uint32_t)strtoul(arguments[++i], NULL, 10);
        } else if (strcmp(arguments[i], "--shape") == 0 && has_value) {
            only = arguments[++i];
        } else {
            fprintf(stderr, "usage: equivalence_shapes [--seed N] [--seeds N] [--rounds N] [--shape NAME] [-v]\n");
            return 2;
        }
    }
    size_t ran = 0, failed = 0;
    printf("seeds %" PRIu64 " to %" PRIu64 "\n", first_seed, first_seed + seeds - 1);
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++)
        for (size_t i = 0; i < SHAPE_COUNT; i++) {
            if (only != NULL && strcmp(only, shapes[i].name) != 0) continue;
            ran++;
            if (rig_query_run(shapes[i].name, shapes[i].sql, seed, rounds, seed % 2 == 0, is_verbose) == RIG_EQUAL)
                continue;
            failed++;
            printf("  again: equivalence_shapes --seed %" PRIu64 " --rounds %" PRIu32 " --shape %s\n", seed, rounds,
                   shapes[i].name);
        }
    printf("%zu runs, %zu failed\n", ran, failed);
    return ran == 0 || failed > 0;
}
