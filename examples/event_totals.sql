-- event_totals: a bounded streaming job: JSON Lines files that appear while the query runs, sums by event in a table
-- that is always whole, two batches, progress, a clean stop.
--
--     leat examples/event_totals.sql
--
-- It works in a folder of its own, which `.cd -` removes at the end.
.cd --temporary
.mkdir input
.format csv
.headers off

CREATE STREAM events (event STRING, amount INT) USING json OPTIONS (path 'input');

CREATE MATERIALIZED VIEW event_totals
WITH (outputMode = 'complete', checkpointLocation = 'checkpoint') AS
SELECT event, sum(amount) AS total FROM events GROUP BY event;

SELECT concat('query_name=', name) FROM leat_queries;
SELECT concat('query_active=', initcap(CAST(state = 'RUNNING' AS STRING))) FROM leat_queries;

-- COPY writes a hidden file and renames it: a reader never sees half a batch.
COPY (SELECT * FROM VALUES ('checkout', 4), ('search', 2), ('checkout', 3) AS batch(event, amount))
TO 'input/batch-001.json' (FORMAT json);
PROCESS ALL AVAILABLE event_totals;

.print after_batch_1
SELECT concat(event, '=', total) FROM event_totals ORDER BY event;

COPY (SELECT * FROM VALUES ('search', 5), ('view', 8) AS batch(event, amount))
TO 'input/batch-002.json' (FORMAT json);
PROCESS ALL AVAILABLE event_totals;

.print after_batch_2
SELECT concat(event, '=', total) FROM event_totals ORDER BY event;

SELECT concat('last_progress_batch=', batchId) FROM leat_progress ORDER BY batchId DESC LIMIT 1;
SELECT concat('last_progress_input_rows=', numInputRows) FROM leat_progress ORDER BY batchId DESC LIMIT 1;

STOP QUERY event_totals;
SELECT concat('query_active_after_stop=', initcap(CAST(state = 'RUNNING' AS STRING))) FROM leat_queries;
SELECT concat('active_streams_after_stop=', count(*)) FROM leat_queries WHERE state = 'RUNNING';

-- The script ends with an error here if the folder cannot be removed.
.cd -
.print cleanup_exists_after_stop=False
