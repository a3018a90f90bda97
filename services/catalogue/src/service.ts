import { auditMigrations } from '@switchboard/audit';
import { defineService, openAuditTrail } from '@switchboard/http';
import { createCompanies } from './companies/companies.ts';
import { companiesRoutes } from './companies/routes.ts';
import { createWriteRate, WRITES_PER_MINUTE } from './companies/write-rate.ts';
import { catalogueSettings, erasingServices } from './config.ts';
import { createBeginnings } from './erasures/beginnings.ts';
import { createMemberChanges } from './member-changes/consumer.ts';
import { createMembers } from './members/members.ts';
import { membersRoutes } from './members/routes.ts';
import { createMemberships } from './memberships/memberships.ts';
import { membershipsRoutes } from './memberships/routes.ts';
import { createProjectKeys } from './project-keys/project-keys.ts';
import { projectKeysRoutes } from './project-keys/routes.ts';
import { createProjects } from './projects/projects.ts';
import { projectsRoutes } from './projects/routes.ts';
import { createReports } from './reports/reports.ts';
import { reportsRoutes } from './reports/routes.ts';
import { openRetention } from './retention/retention.ts';
import { catalogueMigrations } from './schema/migrations.ts';
import { openAudit } from './wiring/audit.ts';
import { openOwnDirectory } from './wiring/directory.ts';
import { openErasures } from './wiring/erasures.ts';
import { openOutbox } from './wiring/outbox.ts';
import { openPublishedLists } from './wiring/published-lists.ts';
import { openRemovals } from './wiring/removals.ts';
import { openThrottles } from './wiring/throttles.ts';
import { openTokens } from './wiring/tokens.ts';
import { openUsage } from './wiring/usage.ts';

/** Constants that tests replace. */
export interface CatalogueConstants {
  writesPerMinute?: number;
}

/** Owns plans, AI models, the directory and the audit trail, and publishes the topic `directory`. */
export const catalogueService = defineService({
  name: 'catalogue',
  settings: catalogueSettings,
  migrations: [auditMigrations, catalogueMigrations],
  directory: openOwnDirectory,
  audit: openAuditTrail,
  create(service, { writesPerMinute }: CatalogueConstants = {}) {
    const { app, config, db, run } = service;
    const outbox = openOutbox(service);
    const beginnings = createBeginnings({
      region: config.REGION,
      regions: config.ERASURE_REGIONS,
      services: erasingServices(config),
    });
    const rate = createWriteRate(writesPerMinute ?? WRITES_PER_MINUTE * config.RATE_LIMITS_MULTIPLIER);

    openPublishedLists(service, outbox);
    openRemovals(service, { outbox, beginnings, rate });
    const companies = createCompanies({ db, outbox });
    companiesRoutes(app, { companies, rate });
    openUsage(service, companies);
    const members = createMembers({ db, outbox, companies });
    membersRoutes(app, { members, rate });
    run(createMemberChanges({ ...service, members }));
    openTokens(service, { outbox, companies, rate });

    const projects = createProjects({ db, outbox, companies });
    projectsRoutes(app, { projects, rate });
    projectKeysRoutes(app, { projectKeys: createProjectKeys({ db, outbox, projects }), rate });
    reportsRoutes(app, { reports: createReports({ db, outbox, projects }), rate });
    openThrottles(service, outbox);
    membershipsRoutes(app, { memberships: createMemberships({ db }) });

    openErasures(service, { outbox, beginnings });
    openAudit(service, projects);
    openRetention(service);
  },
});
