-- The orders of each plan.
select p.traits->>'plan' as plan, count(*) as orders
from events
join people as p using (person_id)
where name = $name
group by all
order by orders desc
