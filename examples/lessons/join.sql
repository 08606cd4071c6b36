-- join: the third lesson: a stream of order items joined to a static table of products. An inner join of this kind keeps
-- no state; an item whose product is unknown gives no row.
.cd --temporary
.mkdir input
.format table

CREATE TABLE products AS SELECT * FROM VALUES
    (201, 'Wireless keyboard', 'Electronics'), (202, 'Laptop stand', 'Office'), (203, 'Desk lamp', 'Home'),
    (204, 'USB-C hub', 'Electronics'), (205, 'Travel backpack', 'Travel'), (206, 'Notebook set', 'Office')
AS products(product_id, product_name, category);

COPY (SELECT * FROM VALUES
        (1, 10, 201, 1), (2, 10, 204, 2), (3, 11, 206, 5), (4, 12, 999, 3), (5, 12, 203, 2)
      AS order_items(order_item_id, order_id, product_id, quantity))
TO 'input/order_items.json' (FORMAT json);

CREATE STREAM order_items (order_item_id INT, order_id INT, product_id INT, quantity INT)
USING json OPTIONS (path 'input');

CREATE MATERIALIZED VIEW bulk_items WITH (outputMode = 'append', checkpointLocation = 'checkpoint') AS
SELECT order_item_id, product_name, quantity FROM order_items JOIN products USING (product_id) WHERE quantity >= 2;

PROCESS ALL AVAILABLE bulk_items TIMEOUT INTERVAL 45 SECONDS;
SELECT order_item_id, product_name, quantity FROM bulk_items ORDER BY order_item_id, product_name, quantity;
STOP QUERY bulk_items;
DROP MATERIALIZED VIEW bulk_items;
