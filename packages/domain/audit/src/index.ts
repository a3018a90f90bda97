export { auditMigrations } from './migrations.ts';
export { createAuditRelay } from './relay.ts';
export { appendEntry, auditLagSeconds, createAuditSource } from './store.ts';
export { AUDIT_TOPIC, auditTopic, parseAuditRecord } from './topic.ts';
