-- filter: the first lesson: a finite snapshot of products as a stream, a filter, a table that takes every row once.
.cd --temporary
.mkdir input
.format table

COPY (SELECT * FROM VALUES
        (201, 'Wireless keyboard', 'Electronics'), (202, 'Laptop stand', 'Office'), (203, 'Desk lamp', 'Home'),
        (204, 'USB-C hub', 'Electronics'), (205, 'Travel backpack', 'Travel'), (206, 'Notebook set', 'Office')
      AS products(product_id, product_name, category))
TO 'input/products.json' (FORMAT json);

CREATE STREAM products (product_id INT, product_name STRING, category STRING) USING json OPTIONS (path 'input');

CREATE MATERIALIZED VIEW electronics WITH (outputMode = 'append', checkpointLocation = 'checkpoint') AS
SELECT * FROM products WHERE category = 'Electronics';

PROCESS ALL AVAILABLE electronics TIMEOUT INTERVAL 45 SECONDS;
SELECT product_id, product_name FROM electronics ORDER BY product_id, product_name;
STOP QUERY electronics;
DROP MATERIALIZED VIEW electronics;
