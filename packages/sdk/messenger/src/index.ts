export { CHOICES } from './core/config.ts';
export { type Messenger, type MessengerError, type MessengerOptions, startMessenger } from './messenger.tsx';
