export { aiMarkup, aiModels } from './ai-models.ts';
export { companies, members } from './companies.ts';
export { erasureParts, erasures } from './erasures.ts';
export { outbox, publishedOffsets } from './outbox.ts';
export { plans } from './plans.ts';
export { projectKeys, projects, reports } from './projects.ts';
