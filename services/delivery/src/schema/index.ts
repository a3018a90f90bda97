export { attempts, messages } from './messages.ts';
export { type WebhookRow, webhooks } from './webhooks.ts';
