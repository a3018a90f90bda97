export { accounts, passkeys, recoveryCodes } from './accounts.ts';
export { unpublishedMemberships } from './memberships.ts';
export { oidcRecords, sessions, signingKeys, tickets } from './sign-in.ts';
