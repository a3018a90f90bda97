const docs = new URL('../../docs/', import.meta.url);

/** The generated pages. */
export const settingsFile = new URL('reference/settings.md', docs);
export const permissionsFile = new URL('permissions.md', docs);
export const brokerUsersFile = new URL('broker-users.md', docs);
