-- booknest_data: makes data/raw/order_events.jsonl, the first 3,000 events of a shop, in the current folder.
--
--     leat examples/booknest_data.sql
--
-- The types are spread by a permutation of the row numbers (1237 and 387 have no divisor in common with 2,000 and
-- 1,000), so that the first 2,000 events hold exactly 31 cancelled, 959 paid, 1,009 placed and 1 shipped order, and
-- the last 1,000 hold 24, 455, 492 and 29.
.mkdir data/raw

CREATE OR REPLACE VIEW order_events AS
SELECT id + 1 AS event_id,
       timestamp_seconds(1709280000 + 90 * id) AS ts,
       CASE WHEN id < 2000 THEN
                CASE WHEN id * 1237 % 2000 < 31 THEN 'order_cancelled'
                     WHEN id * 1237 % 2000 < 990 THEN 'order_paid'
                     WHEN id * 1237 % 2000 < 1999 THEN 'order_placed'
                     ELSE 'order_shipped' END
            ELSE
                CASE WHEN id * 387 % 1000 < 24 THEN 'order_cancelled'
                     WHEN id * 387 % 1000 < 479 THEN 'order_paid'
                     WHEN id * 387 % 1000 < 971 THEN 'order_placed'
                     ELSE 'order_shipped' END
       END AS type,
       1000 + id DIV 2 AS order_id,
       CAST(1 + id * 7 % 400 AS INT) AS customer_id
FROM range(3000);

COPY (SELECT * FROM order_events ORDER BY event_id) TO 'data/raw/order_events.jsonl' (FORMAT json);
DROP VIEW order_events;
