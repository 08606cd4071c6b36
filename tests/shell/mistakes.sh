# mistakes: habits of other systems and misspelt names are answered with what to write instead.
. "$(dirname "$0")/check.sh"

cat >people.sql <<'SQL'
CREATE TABLE people (id INT, name STRING, salary DECIMAL(8, 2));
INSERT INTO people VALUES (1, 'ann', 10), (2, 'bob', 20);
SQL

# The statement $1 fails, and its message has the text $2.
says() {
    run -f people.sql -c "$1"
    [ "$code" -eq 1 ] || fail "exit code $code, not 1"
    expect_err_has "$2"
}

# names
says 'SELECT nam FROM people' 'no column `nam`; did you mean `name`?'
says 'SELECT * FROM peple' 'no table or view `peple`; did you mean `people`?'
says 'DROP TABLE peple' 'no relation `peple`; did you mean `people`?'
says 'DESCRIBE peple' 'no relation `peple`; did you mean `people`?'
says 'ALTER TABLE peple RENAME TO x' 'did you mean `people`?'
says "INSERT INTO people (id, nme) VALUES (1, 'x')" 'has no column `nme`; did you mean `name`?'
says 'SELECT uper(name) FROM people' 'no function `uper`; did you mean `upper`?'
says 'SELECT cuont(*) FROM people' 'did you mean `count`?'
says 'SELECT CAST(1 AS INTEGR)' 'no type `INTEGR`; did you mean integer?'
says "SET memoryLimt = 1" 'did you mean `memoryLimit`?'
says 'SELECT * FROM jsn.`in/a.json`' 'no format `jsn` to read `in/a.json`'

# counts and positions
says 'SELECT upper(name, 2) FROM people' '`upper` takes 1 argument, not 2'
says 'SELECT replace(name) FROM people' '`replace` takes 2 to 3 arguments, not 1'
says 'SELECT name, count(*) FROM people GROUP BY 3' 'GROUP BY 3: the select list has 2 items'
says 'SELECT name FROM people ORDER BY 7' 'ORDER BY 7: the select list has 1 item'

# words of other systems
says 'PRAGMA table_info(people)' 'use SET, SHOW SETTINGS, SHOW TABLES or DESCRIBE t'
says 'BEGIN' 'each statement stands for itself'
says 'SELECT * FROM people LIMIT 5, 10' 'use LIMIT n OFFSET m'
says 'SELECT TOP 3 * FROM people' 'use LIMIT n OFFSET m'
says 'SELECT * FROM people FETCH FIRST 3 ROWS ONLY' 'use LIMIT n OFFSET m'
says 'SELECT DISTINCT ON (name) * FROM people' 'there is no DISTINCT ON, use row_number()'
says 'SELECT * EXCLUDE (id) FROM people' 'use * EXCEPT (a, b)'
says "SELECT * FROM 'in/a.json'" 'json.`in/a.json`'
says "SELECT * FROM read_csv_auto('in/a.csv')" 'files are read as json.`path`, csv.`path` or text.`path`'
says "SELECT strftime('%Y', now())" 'here it is date_format('
says 'CREATE TABLE x (id INT PRIMARY KEY)' 'are not checked, so they are not declared'
says 'CREATE INDEX i ON people (id)' 'there are no indexes'
says 'UPDATE people SET id = 1' 'use INSERT INTO .. REPLACE WHERE'
says "INSERT OR REPLACE INTO people VALUES (1, 'x', 2)" 'use INSERT INTO t REPLACE WHERE'
says 'ATTACH x.db' 'there is no database file'
says "SELECT 'it's'" "a quote inside of one is written \\'"
says "COPY people TO 'x.parquet'" 'no format has files `.parquet`'
says "CREATE STREAM s (v INT) WITH (connector = 'memory'); CREATE SINK k WITH (connector = 'kafka') AS SELECT v FROM s" 'leat_connectors lists them'

finish
