select * from customers;
select sum(cents) from orders;
