export { auditMigrations } from './migrations.ts';
export { createRelay, type Relay } from './relay.ts';
export { appendEntry, createOutboxStore } from './store.ts';
export { AUDIT_TOPIC, auditTopic, parseAuditRecord } from './topic.ts';
