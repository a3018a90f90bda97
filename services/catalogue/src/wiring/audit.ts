import { createAudit } from '../audit/audit.ts';
import { createAuditConsumer } from '../audit/consumer.ts';
import { auditRoutes } from '../audit/routes.ts';
import { createAuditStore } from '../audit/store.ts';
import type { Catalogue } from '../config.ts';
import type { Projects } from '../projects/projects.ts';

/** Opens the audit trail of all services: stores the entries that they publish, and lists them. */
export function openAudit(service: Catalogue, projects: Projects): void {
  const { app, db, logger, run } = service;
  const store = createAuditStore(db);
  run(createAuditConsumer({ ...service, store }));
  auditRoutes(app, { audit: createAudit({ store }), projects, logger });
}
