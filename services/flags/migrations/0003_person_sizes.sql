-- brief: the migration before this one adds the table
ALTER TABLE "persons" ADD COLUMN "ids_count" integer GENERATED ALWAYS AS (cardinality(ids)) STORED NOT NULL;
