export { accounts, passkeys, recoveryCodes } from './accounts.ts';
export { unpublishedMemberships } from './memberships.ts';
export { mails, oidcRecords, sessions, signingKeys, tickets } from './sign-in.ts';
