select name from customers left join orders on customer_id = customers.id where orders.id is null;

select substr(placed_on, 1, 7) as m, sum(cents) from orders where cancelled = 0 group by m;

select substr(placed_on, 1, 7) as m, customer_id, sum(cents) from orders where cancelled = 0 group by 1, 2 order by 1, 3 desc;
