-- contract: only the removal of a cohort relied on it; rows that the running version leaves go when the cohort is made again
ALTER TABLE "cohort_people" DROP CONSTRAINT "cohort_people_cohort";
--> statement-breakpoint
ALTER TABLE "people" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "groups" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE "unpublished_cohorts" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, vacuum_truncate = false);
