-- brief: tickets are few, and expire within days
CREATE INDEX "tickets_by_company" ON "tickets" USING btree (("data" ->> 'companyId')) WHERE "tickets"."kind" = 'invitation';