-- Database flags. Variables: project.
BEGIN;
-- Has the topic `cohorts` say that they are gone.
INSERT INTO unpublished_cohorts (project_id, cohort_id)
SELECT project_id, id FROM cohorts WHERE project_id = :'project' ON CONFLICT DO NOTHING;
DELETE FROM cohort_people WHERE project_id = :'project';
DELETE FROM cohorts WHERE project_id = :'project';
DELETE FROM scheduled_changes WHERE project_id = :'project';
DELETE FROM flag_versions WHERE project_id = :'project';
DELETE FROM flags WHERE project_id = :'project';
DELETE FROM rulesets WHERE project_id = :'project';
DELETE FROM people WHERE project_id = :'project';
DELETE FROM groups WHERE project_id = :'project';
COMMIT;
