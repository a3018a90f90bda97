import type { EventLogAccess, GroupAccess } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';

/** The program does with the event log what its access in the contracts does not say. */
export class UndeclaredAccess extends Error {
  override name = 'UndeclaredAccess';
}

/**
 * The log, which refuses what the access does not declare. A broker with ACLs refuses the same, but tests and small
 * installations have none: without this, the ACLs would lag behind the code.
 */
export function restrictLog(log: EventLog, access: EventLogAccess, user: string): EventLog {
  const { creates, writes, reads, watches } = access;
  const known = new Set([...creates, ...writes, ...[...reads, ...watches].flatMap(({ topics }) => topics)]);

  function allow(isAllowed: boolean, what: string): void {
    if (!isAllowed) throw new UndeclaredAccess(undeclared(what));
  }

  const undeclared = (what: string) =>
    `${user} must not ${what}: eventLogAccess in the contracts does not say so`;

  return {
    ...log,
    async createTopics(specs) {
      for (const { name } of specs) allow(creates.includes(name), `create the topic ${name}`);
      await log.createTopics(specs);
    },
    // Neither is async: they run for every request.
    publish: (topic, records, holder) =>
      writes.includes(topic)
        ? log.publish(topic, records, holder)
        : Promise.reject(new UndeclaredAccess(undeclared(`publish to ${topic}`))),
    placement(topic) {
      allow(writes.includes(topic), `publish to ${topic}`);
      return log.placement(topic);
    },
    async consume(options) {
      const { group, topics } = options;
      allow(isIn(reads, group, topics), `read ${topics.join(', ')} as ${group}`);
      return log.consume(options);
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
        allow(isIn([...reads, ...watches], group, []), `look at the group ${group}`);
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
