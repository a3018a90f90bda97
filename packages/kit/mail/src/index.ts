export { mailPage } from './mail-page.ts';
export { type Mailer, openMailer, smtpMailer } from './mailer.ts';
export { hasMailSettings, mailSettings } from './settings.ts';
export { DeliveryFailed, Undeliverable } from './undeliverable.ts';
