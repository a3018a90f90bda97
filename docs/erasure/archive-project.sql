-- Database archive. Variables: project.
BEGIN;
DELETE FROM replay_chunks WHERE project_id = :'project';
DELETE FROM replay_people WHERE project_id = :'project';
DELETE FROM replays WHERE project_id = :'project';
INSERT INTO erased_projects (project_id) VALUES (:'project') ON CONFLICT DO NOTHING;
COMMIT;
