export { personIds } from '@switchboard/person-ids/schema';
export { aiMarkup, aiModels } from './ai-models.ts';
export { auditEntries } from './audit.ts';
export { appliedMemberships, companies, members } from './companies.ts';
export { erasureParts, erasures } from './erasures.ts';
export { outbox, publishedOffsets } from './outbox.ts';
export { plans } from './plans.ts';
export { projectKeys, projects, reports, throttles } from './projects.ts';
export { apiTokens } from './tokens.ts';
