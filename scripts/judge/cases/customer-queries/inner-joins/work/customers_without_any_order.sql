-- This query lists customers without any order.
SELECT customers.name
FROM customers
JOIN orders ON orders.customer_id = customers.id
WHERE orders.id IS NULL;
