-- Lists customers without any order. A cancelled order counts as an order here.
SELECT customers.name
FROM customers
WHERE NOT EXISTS (SELECT 1 FROM orders WHERE orders.customer_id = customers.id);
