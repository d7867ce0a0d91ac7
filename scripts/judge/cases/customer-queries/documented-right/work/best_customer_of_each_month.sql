-- The best customer of each month is found by rank(), which gives ties the same rank, so they are included.
SELECT month, customer_id FROM (
  SELECT substr(placed_on, 1, 7) AS month, customer_id,
    rank() OVER (PARTITION BY substr(placed_on, 1, 7) ORDER BY sum(cents) DESC) AS place
  FROM orders WHERE cancelled = 0 GROUP BY 1, 2
) WHERE place = 1;
