-- upper: the second lesson: an expression that needs no state, row by row; NULL stays NULL.
.cd --temporary
.mkdir input
.format table

COPY (SELECT * FROM VALUES (1, 'Ana'), (2, 'bo Li'), (3, NULL) AS customers(customer_id, customer_name))
TO 'input/customers.json' (FORMAT json);

CREATE STREAM customers (customer_id INT, customer_name STRING) USING json OPTIONS (path 'input');

CREATE MATERIALIZED VIEW labels WITH (outputMode = 'append', checkpointLocation = 'checkpoint') AS
SELECT customer_id, upper(customer_name) AS label FROM customers;

PROCESS ALL AVAILABLE labels TIMEOUT INTERVAL 45 SECONDS;
SELECT customer_id, label FROM labels ORDER BY customer_id, label;
STOP QUERY labels;
DROP MATERIALIZED VIEW labels;
