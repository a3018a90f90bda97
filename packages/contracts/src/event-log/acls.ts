import { deadLettersOf, type EventLogAccess, eventLogAccess, isRepartitionable } from './access.ts';

/** A rule of Kafka's authorizer that allows one operation. */
export interface BrokerAcl {
  user: string;
  resource: 'topic' | 'group';
  name: string;
  /** `prefixed` matches every name that begins with it. */
  pattern: 'literal' | 'prefixed';
  operation: 'READ' | 'WRITE' | 'CREATE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';
}

/**
 * Returns the minimum permissions that each user needs on the broker. The prefix goes before the name of every user.
 */
export function brokerAcls(prefix = ''): BrokerAcl[] {
  return brokerUsers(prefix).flatMap(([user, access]) => aclsOf(user, access));
}

/** Returns the broker users, each with its access. */
export function brokerUsers(prefix = ''): [user: string, EventLogAccess][] {
  return Object.entries(eventLogAccess).map(([user, access]) => [`${prefix}${user}`, access]);
}

function aclsOf(user: string, { creates, writes, reads, watches }: EventLogAccess): BrokerAcl[] {
  const acls = new Map<string, BrokerAcl>();
  function allow(
    resource: BrokerAcl['resource'],
    nameOrPrefix: string,
    ...operations: BrokerAcl['operation'][]
  ) {
    const isPrefix = nameOrPrefix.endsWith('*');
    const name = isPrefix ? nameOrPrefix.slice(0, -1) : nameOrPrefix;
    const pattern = isPrefix ? 'prefixed' : 'literal';
    for (const operation of operations) {
      acls.set(`${resource} ${nameOrPrefix} ${operation}`, { user, resource, name, pattern, operation });
    }
  }
  function allowToPublish(topic: string, ...operations: BrokerAcl['operation'][]) {
    allow('topic', topic, ...operations);
    // A repartition pauses publishing while this topic exists.
    if (isRepartitionable(topic)) allow('topic', `${topic}.next`, 'DESCRIBE');
  }
  for (const topic of creates) {
    allowToPublish(topic, 'CREATE', 'DESCRIBE', 'DESCRIBE_CONFIGS');
    allow('topic', deadLettersOf(topic), 'CREATE', 'DESCRIBE', 'DESCRIBE_CONFIGS');
  }
  for (const topic of writes) allowToPublish(topic, 'WRITE');
  for (const { group, topics } of reads) {
    allow('group', group, 'READ');
    for (const topic of topics) {
      allow('topic', topic, 'READ');
      // Dead-letter topics have no dead-letter topic.
      if (!topic.endsWith(deadLettersOf(''))) allow('topic', deadLettersOf(topic), 'WRITE');
    }
  }
  for (const { group, topics } of watches) {
    allow('group', group, 'DESCRIBE');
    for (const topic of topics) allow('topic', topic, 'DESCRIBE');
  }
  return [...acls.values()];
}
