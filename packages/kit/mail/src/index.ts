export { mailPage } from './mail-page.ts';
export { type Mail, type Mailer, messageIdOf, openMailer, smtpMailer } from './mailer.ts';
export { hasMailSettings, mailSettings } from './settings.ts';
export { DeliveryFailed, requireAccepted, Undeliverable, unanswered } from './undeliverable.ts';
export { PAGE_HEADERS, unsubscribePage } from './unsubscribe-page.ts';
