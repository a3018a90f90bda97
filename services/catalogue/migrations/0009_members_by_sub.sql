-- brief: one row per membership; a hundred thousand take well under a second.
CREATE INDEX "members_by_sub" ON "members" USING btree ("sub","company_id");