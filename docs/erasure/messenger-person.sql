-- Database messenger. Variables: project and person.
BEGIN;
DELETE FROM attachments USING conversations c
WHERE c.id = conversation_id AND c.project_id = :'project' AND c.distinct_id = :'person';
DELETE FROM turns USING conversations c
WHERE c.id = conversation_id AND c.project_id = :'project' AND c.distinct_id = :'person';
DELETE FROM conversations WHERE project_id = :'project' AND distinct_id = :'person';
DELETE FROM reads WHERE project_id = :'project' AND distinct_id = :'person';
DELETE FROM recipients WHERE project_id = :'project' AND distinct_id = :'person';
COMMIT;
