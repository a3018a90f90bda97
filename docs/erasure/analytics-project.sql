-- Database analytics. Variables: project.
BEGIN;
DELETE FROM cohorts WHERE project_id = :'project';
DELETE FROM people WHERE project_id = :'project';
DELETE FROM groups WHERE project_id = :'project';
DELETE FROM saved_reports WHERE project_id = :'project';
COMMIT;
