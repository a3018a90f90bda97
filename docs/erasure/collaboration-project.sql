-- Database collaboration. Variables: project.
BEGIN;
DELETE FROM reactions WHERE comment_id IN
  (SELECT c.id FROM comments c JOIN threads t ON t.id = c.thread_id WHERE t.project_id = :'project');
DELETE FROM comments USING threads t WHERE t.id = thread_id AND t.project_id = :'project';
DELETE FROM threads WHERE project_id = :'project';
DELETE FROM annotations WHERE project_id = :'project';
DELETE FROM deliveries USING shares s WHERE s.id = share_id AND s.project_id = :'project';
DELETE FROM shares WHERE project_id = :'project';
DELETE FROM public_links WHERE project_id = :'project';
DELETE FROM report_run_failures WHERE project_id = :'project';
DELETE FROM report_run_cohorts WHERE project_id = :'project';
DELETE FROM report_runs WHERE project_id = :'project';
COMMIT;
