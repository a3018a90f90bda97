-- The orders of each plan, in the SQL of ClickHouse. properties, context, traits and groups are JSON text, {} if
-- absent. A parameter names its type.
select JSONExtractString(p.traits, 'plan') as plan, count() as orders
from events
join people as p using (person_id)
where name = {name:String}
group by all
order by orders desc
