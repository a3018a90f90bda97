import {
  isGrantedByRole,
  managementOperations,
  type Operation,
  permissionGrants,
  publicOperations,
  ROLES,
  servedAs,
} from '@switchboard/contracts';

/** Returns the text of docs/reference/permissions.md. */
export function permissionsPage(): string {
  return `${[
    '# Permissions',
    '<!-- Generated from the contracts by `pnpm run docs`; a test fails when it is stale. -->',
    'The permission of every operation, the weakest role that has it, and the permission that an access token carries for all companies. [Manage](../manage.md#permissions) explains roles and tokens.',
    [
      '| permission | allows | lowest role | in the token | operations |',
      '|---|---|---|---|---|',
      ...rows(),
    ].join('\n'),
    'The console calls the same operations on the API host, where permissions in an access token have no effect. `-` marks operations that are not on that host.',
    [
      `| operation | on the API host | ${ROLES.join(' | ')} |`,
      `|---|---|${ROLES.map(() => ':-:').join('|')}|`,
      ...matrix(),
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Every operation with a permission, except the console counterparts of management operations. */
const listed: readonly Operation[] = [
  ...managementOperations,
  ...publicOperations.filter(({ credential }) => credential === 'access-token'),
];

function rows(): string[] {
  return Object.entries(permissionGrants).map(([name, { allows, role, deployment }]) => {
    const cells = [
      `\`${name}\``,
      allows,
      role === null ? 'none' : `\`${role}\``,
      deployment === null ? '-' : `\`${deployment}\``,
    ];
    return `| ${[...cells, operationsOf(name)].join(' | ')} |`;
  });
}

const byId = (one: Operation, other: Operation) => (one.operationId < other.operationId ? -1 : 1);

/** Returns a table of the operations that each role may call. */
function matrix(): string[] {
  // Sorts, because the order of a module's exports differs under the test runner.
  return listed.toSorted(byId).map((operation) => {
    const { operationId, method, permission } = operation;
    const onApi = servedAs(operation).find(({ host }) => host === 'api');
    const roles = ROLES.map((role) => permission !== undefined && isGrantedByRole(role, permission));
    const address = onApi === undefined ? '-' : `\`${method.toUpperCase()} ${onApi.path}\``;
    return `| ${[operationId, address, ...roles.map((is) => (is ? 'yes' : ''))].join(' | ')} |`;
  });
}

function operationsOf(permission: string): string {
  return listed
    .filter((operation) => operation.permission === permission)
    .map(({ operationId }) => operationId)
    .sort()
    .join(', ');
}
