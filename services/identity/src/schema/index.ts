export { accounts, passkeys, recoveryCodes } from './accounts.ts';
export { oidcRecords, sessions, signingKeys, tickets } from './sign-in.ts';
