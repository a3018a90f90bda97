import type { EventLogAccess, GroupAccess } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';

/** The program uses the event log in a way that its access in the contracts does not declare. */
export class UndeclaredAccess extends Error {
  override name = 'UndeclaredAccess';
}

/**
 * Returns a log that rejects undeclared uses. A broker with ACLs does the same, but tests and small installations
 * have none. Without this check, the ACLs would lag behind the code.
 */
export function restrictLog(log: EventLog, access: EventLogAccess, user: string): EventLog {
  const { creates, writes, reads, watches } = access;
  const known = new Set([...creates, ...writes, ...[...reads, ...watches].flatMap(({ topics }) => topics)]);

  function allow(isAllowed: boolean, what: string): void {
    if (!isAllowed) throw new UndeclaredAccess(undeclared(what));
  }

  const undeclared = (what: string) =>
    `${user} must not ${what}: eventLogAccess in the contracts does not allow it`;

  return {
    ...log,
    async createTopics(specs) {
      for (const { name } of specs) allow(creates.includes(name), `create the topic ${name}`);
      await log.createTopics(specs);
    },
    // Neither is async, since they run for every request.
    publish: (topic, records, fairnessKey) =>
      writes.includes(topic)
        ? log.publish(topic, records, fairnessKey)
        : Promise.reject(new UndeclaredAccess(undeclared(`publish to ${topic}`))),
    partitions(topic) {
      allow(writes.includes(topic), `publish to ${topic}`);
      return log.partitions(topic);
    },
    async consume(options) {
      const { group, topics } = options;
      allow(isIn(reads, group, topics), `read ${topics.join(', ')} as ${group}`);
      return log.consume(options);
    },
    async follow(options) {
      const { group, topic } = options;
      allow(isIn(reads, `${group}.`, [topic]), `follow ${topic} as ${group}`);
      return log.follow(options);
    },
    async endOffsets(topic) {
      allow(known.has(topic), `read the offsets of ${topic}`);
      return log.endOffsets(topic);
    },
    async committedOffsets(group, topic) {
      allow(isIn([...reads, ...watches], group, [topic]), `read the offsets of ${group} in ${topic}`);
      return log.committedOffsets(group, topic);
    },
    async members(groups) {
      for (const group of groups)
        allow(isIn([...reads, ...watches], group, []), `describe the group ${group}`);
      return log.members(groups);
    },
    async lag(group, topics) {
      allow(isIn([...reads, ...watches], group, topics), `read the lag of ${group} in ${topics.join(', ')}`);
      return log.lag(group, topics);
    },
  };
}

function isIn(declared: readonly GroupAccess[], group: string, topics: readonly string[]): boolean {
  const ofGroup = declared.filter((one) =>
    one.group.endsWith('*') ? group.startsWith(one.group.slice(0, -1)) : group === one.group,
  );
  return ofGroup.length > 0 && topics.every((topic) => ofGroup.some((one) => one.topics.includes(topic)));
}
