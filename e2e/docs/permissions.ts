import { managementOperations, permissionGrants, ROLES } from '@switchboard/contracts';

/** docs/permissions.md. */
export function permissionsPage(): string {
  return `${[
    '# Permissions',
    '<!-- Generated from the contracts by `pnpm run docs`; a test fails when it is stale. -->',
    'Every management operation needs one permission. A member has those of their role in the company that owns the project, and of every role before it; PUT of a member sets the role, which is in force everywhere within a second. An access token can carry permissions for all companies: `service.manage` has every permission, and `service.directory`, `service.support` and `service.secrets` include `service.read`.',
    `Roles, least first: ${ROLES.map((role) => `\`${role}\``).join(', ')}. The default is the first. Admins neither give nor take the roles \`admin\` and \`owner\`; an owner cannot leave the company without one.`,
    [
      '| permission | allows | least role | in the token | operations |',
      '|---|---|---|---|---|',
      ...rows(),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

function rows(): string[] {
  return Object.entries(permissionGrants).map(([name, { allows, role, deployment }]) => {
    const cells = [`\`${name}\``, allows, codeOr(role, 'none'), codeOr(deployment, '`service.manage` only')];
    return `| ${[...cells, operationsOf(name)].join(' | ')} |`;
  });
}

const codeOr = (name: string | null, otherwise: string) => (name === null ? otherwise : `\`${name}\``);

function operationsOf(permission: string): string {
  return managementOperations
    .filter((operation) => operation.permission === permission)
    .map(({ operationId }) => operationId)
    .sort()
    .join(', ');
}
