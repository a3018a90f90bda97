-- Database flags. Variables: project and person.
DELETE FROM people WHERE project_id = :'project' AND distinct_id = :'person';
