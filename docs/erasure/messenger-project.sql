-- Database messenger. Variables: project.
BEGIN;
DELETE FROM attachments USING conversations c WHERE c.id = conversation_id AND c.project_id = :'project';
DELETE FROM turns USING conversations c WHERE c.id = conversation_id AND c.project_id = :'project';
DELETE FROM conversations WHERE project_id = :'project';
DELETE FROM reads WHERE project_id = :'project';
DELETE FROM recipients WHERE project_id = :'project';
DELETE FROM messages WHERE project_id = :'project';
DELETE FROM configurations WHERE project_id = :'project';
DELETE FROM identity_secrets WHERE project_id = :'project';
DELETE FROM teammates WHERE project_id = :'project';
DELETE FROM avatars WHERE project_id = :'project';
DELETE FROM article_searches WHERE project_id = :'project';
DELETE FROM help_sites WHERE project_id = :'project';
COMMIT;
