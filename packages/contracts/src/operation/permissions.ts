/** The roles of a company's members. Each role includes those before it. */
export const ROLES = ['viewer', 'support', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The role of a member for whom none is specified. */
export const DEFAULT_ROLE: Role = 'viewer';

/** The permission in an access token that includes all others, for every company. */
export const MANAGE_PERMISSION = 'service.manage';

/** Permissions in access tokens, for every company. The others include service.read. */
const DEPLOYMENT_PERMISSIONS = [
  'service.read',
  'service.directory',
  'service.support',
  'service.secrets',
] as const;
type DeploymentPermission = (typeof DEPLOYMENT_PERMISSIONS)[number];

interface Grant {
  allows: string;
  /** The lowest role that has it in its company. Null if no role has it. */
  role: Role | null;
  /** The lowest permission in an access token that includes it. Null if no management operation requires it. */
  deployment: DeploymentPermission | typeof MANAGE_PERMISSION | null;
}

const grants = {
  'directory.read': {
    allows: 'Read the company, its members, projects, reports and their public links.',
    role: 'viewer',
    deployment: 'service.read',
  },
  'flags.read': { allows: 'Read flags.', role: 'viewer', deployment: 'service.read' },
  'cohorts.read': { allows: 'Read cohorts.', role: 'viewer', deployment: 'service.read' },
  'messenger.read': {
    allows: 'Read the messenger settings, the help centre and the team.',
    role: 'viewer',
    deployment: 'service.read',
  },
  'dictionary.read': {
    allows: 'Read the dictionary of events and properties.',
    role: 'viewer',
    deployment: 'service.read',
  },
  'alerts.read': {
    allows: 'Read alerts and their incidents.',
    role: 'viewer',
    deployment: 'service.read',
  },
  'subscriptions.read': {
    allows: 'List the subscriptions of reports and dashboards.',
    role: 'viewer',
    deployment: 'service.read',
  },
  'tokens.own': {
    allows: 'Create, list, rotate and revoke your own personal access tokens.',
    role: 'viewer',
    deployment: 'service.secrets',
  },
  'insights.read': {
    allows: 'Query events, and list their names and properties.',
    role: 'viewer',
    deployment: null,
  },
  'events.read': { allows: 'Read single events.', role: 'viewer', deployment: 'service.read' },
  'imports.read': { allows: 'List imports of events.', role: 'viewer', deployment: 'service.read' },
  'people.read': {
    allows: 'List people and groups, and read their traits, cohorts and events.',
    role: 'viewer',
    deployment: MANAGE_PERMISSION,
  },
  'annotations.read': { allows: 'Read annotations.', role: 'viewer', deployment: null },
  'annotations.write': {
    allows: 'Add annotations, and change and delete your own.',
    role: 'viewer',
    deployment: null,
  },
  'comments.read': { allows: 'Read comment threads.', role: 'viewer', deployment: null },
  'comments.write': {
    allows: 'Start, answer and resolve threads, react, and change and delete your own comments.',
    role: 'viewer',
    deployment: null,
  },
  'conversations.read': { allows: 'Read conversations.', role: 'support', deployment: 'service.support' },
  'support.read': {
    allows: 'Read the settings of support and the counts of conversations, and show your presence.',
    role: 'support',
    deployment: 'service.support',
  },
  'conversations.reply': {
    allows: 'Reply in conversations as yourself, change them, add notes, and change the settings of support.',
    role: 'support',
    deployment: 'service.support',
  },
  'messages.send': {
    allows: 'Send and list in-app messages.',
    role: 'support',
    deployment: 'service.support',
  },
  'replays.read': { allows: 'Play recordings.', role: 'support', deployment: 'service.support' },
  'flags.write': {
    allows: 'Change and delete flags, and approve changes of others.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'cohorts.write': { allows: 'Change and delete cohorts.', role: 'editor', deployment: MANAGE_PERMISSION },
  'imports.write': {
    allows: 'Import events and conversations.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'people.write': {
    allows: 'Join and part the distinct ids of people.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'reports.write': {
    allows: 'Change and delete reports, and record their runs.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'reports.publish': {
    allows: 'Create, change and delete public links of reports and dashboards.',
    role: 'editor',
    deployment: null,
  },
  'reports.share': { allows: 'Send reports to members.', role: 'editor', deployment: null },
  'alerts.write': {
    allows: 'Change, snooze and delete alerts.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'subscriptions.write': {
    allows: 'Change, send and delete subscriptions.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'dictionary.write': {
    allows: 'Change and delete entries of the dictionary.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'messenger.write': {
    allows: 'Change the messenger settings, the help centre and the team, and translate texts.',
    role: 'editor',
    deployment: MANAGE_PERMISSION,
  },
  'members.read': {
    allows: "Read members' e-mail addresses and push services.",
    role: 'admin',
    deployment: 'service.read',
  },
  'members.write': {
    allows: 'Add, change and remove members up to the role editor. Includes members.read.',
    role: 'admin',
    deployment: 'service.directory',
  },
  'projects.write': {
    allows: 'Create, change and delete projects.',
    role: 'admin',
    deployment: 'service.directory',
  },
  'keys.write': {
    allows: 'List, create and revoke project keys.',
    role: 'admin',
    deployment: 'service.secrets',
  },
  'secrets.write': {
    allows: 'List, create and delete identity secrets.',
    role: 'admin',
    deployment: 'service.secrets',
  },
  'conversations.revoke': {
    allows: "Revoke visitors' conversation tokens.",
    role: 'admin',
    deployment: 'service.secrets',
  },
  'tokens.write': {
    allows: 'Create and rotate service tokens, and list and revoke all tokens. Includes tokens.own.',
    role: 'admin',
    deployment: 'service.secrets',
  },
  'replays.delete': { allows: 'Delete recordings.', role: 'admin', deployment: MANAGE_PERMISSION },
  'people.erase': {
    allows: "Erase a person's data from a project, and list the erasures of the company.",
    role: 'admin',
    deployment: MANAGE_PERMISSION,
  },
  'webhooks.read': {
    allows: 'List webhooks and their messages.',
    role: 'admin',
    deployment: 'service.read',
  },
  'webhookMessages.read': {
    allows: 'Read the body of a message that a webhook sent, and the responses.',
    role: 'admin',
    deployment: 'service.read',
  },
  'webhooks.write': {
    allows: 'Change, test and delete webhooks, replace their secrets and send messages again.',
    role: 'admin',
    deployment: 'service.secrets',
  },
  'signIn.write': {
    allows: 'Set up single sign-on, verified domains and SCIM.',
    role: 'owner',
    deployment: 'service.secrets',
  },
  'admins.write': {
    allows: 'Add, change and remove members with the roles admin and owner. Includes members.write.',
    role: 'owner',
    deployment: 'service.directory',
  },
  'company.write': {
    allows: 'Rename and delete the company.',
    role: 'owner',
    deployment: 'service.directory',
  },
  'audit.read': {
    allows: 'Read the audit trail of the company and its projects.',
    role: 'admin',
    deployment: 'service.read',
  },
  'companies.write': {
    allows: 'Create companies, and change their plans and entitlements.',
    role: null,
    deployment: 'service.directory',
  },
  'audit.list': {
    allows: 'Read the audit trail of the whole deployment.',
    role: null,
    deployment: 'service.read',
  },
  'companies.list': { allows: 'List all companies.', role: null, deployment: 'service.read' },
  'catalogue.read': { allows: 'Read plans and AI models.', role: null, deployment: 'service.read' },
  'catalogue.write': {
    allows: 'Change and delete plans and AI models.',
    role: null,
    deployment: 'service.directory',
  },
  'signingKeys.write': {
    allows: 'Rotate the signing keys of the identity service.',
    role: null,
    deployment: 'service.secrets',
  },
  'conversations.reply-as': {
    allows: 'Reply in conversations in the name of another person.',
    role: null,
    deployment: 'service.support',
  },
  'projects.throttle': {
    allows: 'Throttle projects and drop their events.',
    role: null,
    deployment: 'service.directory',
  },
  'deadLetters.list': {
    allows: 'List dead letters, without their contents.',
    role: null,
    deployment: 'service.read',
  },
  'deadLetters.read': { allows: 'Read dead letters.', role: null, deployment: MANAGE_PERMISSION },
  'deadLetters.replay': { allows: 'Replay dead letters.', role: null, deployment: MANAGE_PERMISSION },
  'erasures.read': { allows: 'Read erasures.', role: null, deployment: 'service.read' },
  'colleagues.erase': {
    allows: 'Erase a colleague from every company.',
    role: null,
    deployment: MANAGE_PERMISSION,
  },
} as const satisfies Record<string, Grant>;

/** For each permission, the wider permission that includes it in a token that carries only the wider one. */
const includedIn: { [P in Permission]?: Permission } = {
  'tokens.own': 'tokens.write',
  'members.read': 'members.write',
  'members.write': 'admins.write',
};

/** Returns whether a personal or service token that carries these permissions has this one. */
export function isCarried(carried: readonly string[], permission: Permission): boolean {
  const wider = includedIn[permission];
  return carried.includes(permission) || (wider !== undefined && isCarried(carried, wider));
}

/** The permission that an operation with an access token requires, on its company or on the whole deployment. */
export type Permission = keyof typeof grants;

/** A permission that a role has in its company. */
export type RolePermission = {
  [P in Permission]: (typeof grants)[P]['role'] extends null ? never : P;
}[Permission];

/** The holders of each permission. */
export const permissionGrants: Readonly<Record<Permission, Grant>> = grants;

/** Returns whether an access token with these permissions grants the permission in every company. */
export function isGrantedByToken(permissions: readonly string[], permission: Permission): boolean {
  if (permissions.includes(MANAGE_PERMISSION)) return true;
  const { deployment } = permissionGrants[permission];
  if (deployment === null) return false;
  if (permissions.includes(deployment)) return true;
  return deployment === 'service.read' && DEPLOYMENT_PERMISSIONS.some((one) => permissions.includes(one));
}

/** The permissions that roles have in their company. */
export const rolePermissions: readonly RolePermission[] = Object.keys(grants).filter(isOfRole);

function isOfRole(name: string): name is RolePermission {
  const known: Readonly<Record<string, Grant>> = grants;
  return (known[name]?.role ?? null) !== null;
}

/** Returns the permissions of a role in its company. An unknown role is treated as the lowest. */
export function permissionsOf(role: string | undefined): RolePermission[] {
  return rolePermissions.filter((permission) => isGrantedByRole(role, permission));
}

/**
 * Returns whether a member with this role has the permission in the company. An unknown role is treated as the
 * lowest.
 */
export function isGrantedByRole(role: string | undefined, permission: Permission): boolean {
  const least = permissionGrants[permission].role;
  return least !== null && rankOf(role) >= ROLES.indexOf(least);
}

/** Returns whether the first role allows less than the second. An unknown role is treated as the lowest. */
export function isLesserRole(role: string | undefined, than: string | undefined): boolean {
  return rankOf(role) < rankOf(than);
}

function rankOf(role: string | undefined): number {
  const known: readonly string[] = ROLES;
  return Math.max(0, known.indexOf(role ?? DEFAULT_ROLE));
}
