-- Totals per month leave out cancelled orders. The list of months comes first, so that a month without
-- orders appears, with a total of zero.
WITH RECURSIVE months(first_day) AS (
  SELECT '2026-01-01' UNION ALL SELECT date(first_day, '+1 month') FROM months WHERE first_day < '2026-12-01'
)
SELECT first_day, coalesce(sum(orders.cents), 0) AS total
FROM months
LEFT JOIN orders
  ON orders.placed_on >= first_day AND orders.placed_on < date(first_day, '+1 month') AND orders.cancelled = 0
GROUP BY first_day;
