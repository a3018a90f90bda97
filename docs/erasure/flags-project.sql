-- Database flags. Variables: project.
BEGIN;
DELETE FROM cohort_people WHERE project_id = :'project';
DELETE FROM cohorts WHERE project_id = :'project';
DELETE FROM flag_versions WHERE project_id = :'project';
DELETE FROM flags WHERE project_id = :'project';
DELETE FROM rulesets WHERE project_id = :'project';
DELETE FROM people WHERE project_id = :'project';
DELETE FROM groups WHERE project_id = :'project';
COMMIT;
