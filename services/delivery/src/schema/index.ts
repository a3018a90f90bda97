export { cohortStates, publishedWatches, unpublishedWatches } from './cohorts.ts';
export { attempts, messages } from './messages.ts';
export { type WebhookRow, webhooks } from './webhooks.ts';
