-- Database messenger. Variables: project and person.
SELECT object_key FROM attachments JOIN conversations c ON c.id = conversation_id
WHERE c.project_id = :'project' AND c.distinct_id = :'person';
