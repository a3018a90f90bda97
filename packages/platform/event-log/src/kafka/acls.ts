import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import { createAdmin } from './admin.ts';
import { createClient, type KafkaConnection } from './client.ts';

/** A rule of Kafka's authorizer that allows a user one operation from any host. */
export interface KafkaAcl {
  user: string;
  resource: 'topic' | 'group';
  name: string;
  pattern: 'literal' | 'prefixed';
  operation: 'READ' | 'WRITE' | 'CREATE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';
}

export interface AppliedAcls {
  added: number;
  removed: number;
}

const TIMEOUT_MS = 30_000;

/**
 * Replaces the ACLs of the given users: adds missing ones and removes all others. ACLs of other users stay. The
 * connection's user must be allowed to alter the cluster. Throws EventLogUnavailable if the broker refuses, for
 * example because it has no authorizer.
 */
export async function applyKafkaAcls(
  connection: KafkaConnection,
  users: readonly string[],
  acls: readonly KafkaAcl[],
): Promise<AppliedAcls> {
  const admin = createAdmin(createClient(connection, TIMEOUT_MS), TIMEOUT_MS);
  try {
    return await admin.use('writing ACLs', async (connected) => {
      const wanted = new Map(acls.map((acl) => entryOf(acl)).map((entry) => [keyOf(entry), entry]));
      const found = await entriesOf(connected, users);
      const missing = [...wanted].filter(([key]) => !found.has(key)).map(([, entry]) => entry);
      const surplus = [...found].filter(([key]) => !wanted.has(key)).map(([, entry]) => entry);
      // Add before removing, so that a running service never lacks a permission.
      if (missing.length > 0) await connected.createAcls({ acl: missing });
      if (surplus.length > 0) await connected.deleteAcls({ filters: surplus });
      return { added: missing.length, removed: surplus.length };
    });
  } finally {
    await admin.close();
  }
}

async function entriesOf(admin: Admin, users: readonly string[]): Promise<Map<string, AclEntry>> {
  const found = new Map<string, AclEntry>();
  for (const user of users) {
    const { resources } = await admin.describeAcls({
      principal: principalOf(user),
      resourceType: kafkajs.AclResourceTypes.ANY,
      resourcePatternType: kafkajs.ResourcePatternTypes.ANY,
      operation: kafkajs.AclOperationTypes.ANY,
      permissionType: kafkajs.AclPermissionTypes.ANY,
    });
    for (const { resourceType, resourceName, resourcePatternType, acls } of resources) {
      for (const acl of acls) {
        const entry = { resourceType, resourceName, resourcePatternType, ...acl };
        found.set(keyOf(entry), entry);
      }
    }
  }
  return found;
}

function entryOf({ user, resource, name, pattern, operation }: KafkaAcl): AclEntry {
  return {
    principal: principalOf(user),
    host: '*',
    permissionType: kafkajs.AclPermissionTypes.ALLOW,
    resourceType: resource === 'topic' ? kafkajs.AclResourceTypes.TOPIC : kafkajs.AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType:
      pattern === 'prefixed' ? kafkajs.ResourcePatternTypes.PREFIXED : kafkajs.ResourcePatternTypes.LITERAL,
    operation: kafkajs.AclOperationTypes[operation],
  };
}

const principalOf = (user: string) => `User:${user}`;

const keyOf = (entry: AclEntry) =>
  JSON.stringify([
    entry.principal,
    entry.host,
    entry.permissionType,
    entry.resourceType,
    entry.resourceName,
    entry.resourcePatternType,
    entry.operation,
  ]);
