-- booknest_counts: a scheduled job: counts by type over a folder of order events, as tables on the console. It runs
-- twice over one checkpoint; the second run reads only the new file, and yet prints totals over all of them.
--
--     leat examples/booknest_data.sql           makes data/raw/order_events.jsonl
--     leat examples/booknest_counts.sql         removes nothing: run it in a folder without out/
.mkdir out/stream_in
.format csv
.headers off

CREATE STREAM order_events (event_id BIGINT, ts TIMESTAMP, type STRING, order_id BIGINT, customer_id INT)
USING json OPTIONS (path 'out/stream_in');

CREATE TABLE recorded (event_id BIGINT, ts TIMESTAMP, type STRING, order_id BIGINT, customer_id INT)
USING json OPTIONS (path 'data/raw/order_events.jsonl');

-- A producer lands two files.
COPY (SELECT * FROM recorded WHERE event_id BETWEEN 1 AND 1000)
TO 'out/stream_in/events-0.jsonl' (FORMAT json);
COPY (SELECT * FROM recorded WHERE event_id BETWEEN 1001 AND 2000)
TO 'out/stream_in/events-1.jsonl' (FORMAT json);

-- What a scheduler would start: process what arrived, then stop.
CREATE SINK counts
WITH (connector = 'console', outputMode = 'complete', trigger = 'availableNow', checkpointLocation = 'out/stream_chk')
AS SELECT type, count(*) AS count FROM order_events GROUP BY type ORDER BY type;
AWAIT TERMINATION counts;
SELECT concat('batch ', batchId, ': ', numInputRows, ' new rows') FROM leat_progress ORDER BY batchId DESC LIMIT 1;

COPY (SELECT * FROM recorded WHERE event_id BETWEEN 2001 AND 3000)
TO 'out/stream_in/events-2.jsonl' (FORMAT json);

-- The next start reads only the new file.
START QUERY counts;
AWAIT TERMINATION counts;
SELECT concat('batch ', batchId, ': ', numInputRows, ' new rows') FROM leat_progress ORDER BY batchId DESC LIMIT 1;
