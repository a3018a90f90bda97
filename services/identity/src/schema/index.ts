export { accounts, passkeys, recoveryCodes } from './accounts.ts';
export { unpublishedMemberships } from './memberships.ts';
export { groupRoles, scimGroupMembers, scimGroups, scimTokens, scimUsers } from './scim.ts';
export { mails, oidcRecords, sessions, signingKeys, tickets } from './sign-in.ts';
export { companyDomains, upstreamAccounts, upstreamProviders } from './upstream.ts';
