# formats: each format, byte for byte, over NULL, the empty text, quotes, separators, wide characters, nested values.
. "$(dirname "$0")/check.sh"

cat >q.sql <<'SQL'
SELECT * FROM VALUES
  (1, 'a,b', 1.5D, array(1, NULL), DATE '2024-02-29'),
  (20, '', 100.25D, NULL, NULL),
  (-3, NULL, CAST('NaN' AS DOUBLE), array(), DATE '2024-01-01'),
  (4, 'say "東京"', -0.0D, array(2), NULL)
AS t(id, text, `x|y`, list, day);
SQL

run --format csv q.sql
expect_code 0
expect_out 'id,text,x|y,list,day
1,"a,b",1.5,"[1, null]",2024-02-29
20,"",100.25,,
-3,,NaN,[],2024-01-01
4,"say ""東京""",-0.0,[2],'
expect_err ''

run --format tsv -c "SELECT 'a\\tb' AS t, 'c\\\\d' AS b, NULL AS n"
expect_out 't	b	n
a\tb	c\\d	\N'

run --format json q.sql
expect_out '[
{"id":1,"text":"a,b","x|y":1.5,"list":[1,null],"day":"2024-02-29"},
{"id":20,"text":"","x|y":100.25,"list":null,"day":null},
{"id":-3,"text":null,"x|y":"NaN","list":[],"day":"2024-01-01"},
{"id":4,"text":"say \"東京\"","x|y":-0.0,"list":[2],"day":null}
]'

run --format jsonl q.sql
expect_out '{"id":1,"text":"a,b","x|y":1.5,"list":[1,null],"day":"2024-02-29"}
{"id":20,"text":"","x|y":100.25,"list":null,"day":null}
{"id":-3,"text":null,"x|y":"NaN","list":[],"day":"2024-01-01"}
{"id":4,"text":"say \"東京\"","x|y":-0.0,"list":[2],"day":null}'

run --format json -c 'SELECT 1 AS x WHERE false'
expect_out '[]'

run --format markdown q.sql
expect_out '| id | text | x\|y | list | day |
|---:|---|---:|---|---|
| 1 | a,b | 1.5 | [1, NULL] | 2024-02-29 |
| 20 |  | 100.25 | NULL | NULL |
| -3 | NULL | NaN | [] | 2024-01-01 |
| 4 | say "東京" | -0.0 | [2] | NULL |'

# Spark's show(truncate = false): left-aligned, wide characters count two, an empty line behind.
run --format table q.sql
expect_out '+---+----------+------+---------+----------+
|id |text      |x|y   |list     |day       |
+---+----------+------+---------+----------+
|1  |a,b       |1.5   |[1, NULL]|2024-02-29|
|20 |          |100.25|NULL     |NULL      |
|-3 |NULL      |NaN   |[]       |2024-01-01|
|4  |say "東京"|-0.0  |[2]      |NULL      |
+---+----------+------+---------+----------+
'

# Numbers stand under each other by their point; cells of a terminal are counted by grapheme cluster.
run --format box q.sql
expect_out '┌─────┬────────────┬────────┬────────────┬────────────┐
│  id │ text       │    x|y │ list       │ day        │
│ INT │ STRING     │ DOUBLE │ ARRAY<INT> │ DATE       │
├─────┼────────────┼────────┼────────────┼────────────┤
│   1 │ a,b        │   1.5  │ [1, NULL]  │ 2024-02-29 │
│  20 │            │ 100.25 │ NULL       │ NULL       │
│  -3 │ NULL       │ NaN    │ []         │ 2024-01-01 │
│   4 │ say "東京" │  -0.0  │ [2]        │ NULL       │
└─────┴────────────┴────────┴────────────┴────────────┘'

printf "SELECT * FROM VALUES ('e\\\\u0301'), ('\\\\uD83D\\\\uDE00'), ('tab\\\\there'), ('esc\\\\u001b[31m') AS t(t);" >w.sql
run --format box w.sql
expect_code 0
expect_out '┌───────────────┐
│ t             │
│ STRING        │
├───────────────┤
│ é             │
│ 😀            │
│ tab\there     │
│ esc\u{1B}[31m │
└───────────────┘'

run --format line -c "SELECT 1 AS x, NULL AS long_name UNION ALL SELECT 2, 'b'"
expect_out '        x = 1
long_name = NULL

        x = 2
long_name = b'

# Nothing is cut off a terminal.
run --format box -c 'SELECT id FROM range(500)'
[ "$(wc -l <"$folder/stdout")" -eq 505 ] || fail 'box off a terminal leaves out rows'
run -c "SELECT repeat('x', 5000) AS t"
[ "$(tail -1 "$folder/stdout" | wc -c)" -eq 5001 ] || fail 'csv cuts a value'

# Defaults off a terminal: csv for a result that ends.
run -c 'SELECT 1 AS x; SELECT 2 AS y'
expect_out 'x
1
y
2'

finish
