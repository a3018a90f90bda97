import { runInProcess } from '@switchboard/cli/testing';
import { brokerUsers, deadLettersOf, type EventLogAccess, eventLogAccess } from '@switchboard/contracts';
import { type EventLog, openKafkaLog } from '@switchboard/event-log';
import { eventually, freePort, type KafkaServer, startKafka } from '@switchboard/testkit';
import kafkajs, { type Admin, Kafka, type Producer } from 'kafkajs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const PASSWORD = 'correct-horse';
const TOPIC = { partitions: 1, replication: 1, cleanup: 'delete' } as const;
const USERS = brokerUsers();
const GROUPS = [...new Set(USERS.flatMap(([, { reads }]) => reads.map(({ group }) => groupNamed(group))))];
const TOPICS = [...new Set(USERS.flatMap(([, { creates }]) => creates.flatMap(withDeadLetters)))];

let kafka: KafkaServer | undefined;
let brokers: string[];
beforeAll(async () => {
  const port = await freePort();
  brokers = [`127.0.0.1:${port}`];
  const restrictedUsers = USERS.map(([user]) => user);
  kafka = await startKafka({ port, username: 'admin', password: PASSWORD, restrictedUsers });
});
afterAll(() => kafka?.stop());

const credentials = (username: string) =>
  ({ mechanism: 'scram-sha-512', username, password: PASSWORD }) as const;
const logOf = (user: string) => openKafkaLog({ brokers, clientId: user, sasl: credentials(user) });

/** Runs the command as an operator does, as the broker's administrator or as another user. */
const acls = (verb: string, user = 'admin') =>
  runInProcess(['acls', verb], {
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_USERNAME: user,
    KAFKA_PASSWORD: PASSWORD,
  });

async function withLog<T>(user: string, work: (log: EventLog) => Promise<T>): Promise<T> {
  const log = logOf(user);
  try {
    return await work(log);
  } finally {
    await log.close();
  }
}

describe('the ACLs of the broker users', () => {
  it('an administrator applies the ACLs once', async () => {
    if (kafka === undefined) return;
    const listed = (await acls('list')).out.trim().split('\n');
    expect(listed).toContain('catalogue WRITE topic directory');
    expect(await acls('apply')).toEqual({ code: 0, out: `${listed.length} added, 0 removed\n`, err: '' });
    expect(await acls('apply')).toEqual({ code: 0, out: '0 added, 0 removed\n', err: '' });
    const refused = await acls('apply', 'flags');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Cluster authorization failed')]);
  });

  it('applying the ACLs again removes extra rights, and leaves other users alone', async () => {
    if (kafka === undefined) return;
    const admin = client('admin').admin();
    await admin.connect();
    const given = (user: string) => ({
      principal: `User:${user}`,
      host: '*',
      permissionType: kafkajs.AclPermissionTypes.ALLOW,
      resourceType: kafkajs.AclResourceTypes.TOPIC,
      resourceName: 'directory',
      resourcePatternType: kafkajs.ResourcePatternTypes.LITERAL,
      operation: kafkajs.AclOperationTypes.WRITE,
    });
    await admin.createAcls({ acl: [given('flags'), given('metrics')] });
    await admin.disconnect();
    await eventually(async () => expect((await acls('apply')).out).toBe('0 added, 1 removed\n'));
  });

  it('the ACLs let each user do what its program does', async () => {
    if (kafka === undefined) return;
    // Users that create topics come first, because others read from these.
    for (const [user, { creates }] of USERS.filter(([, access]) => access.creates.length > 0))
      await withLog(user, (log) => log.createTopics(creates.map((name) => ({ name, ...TOPIC }))));
    await Promise.all(USERS.map(([user, access]) => withLog(user, (log) => use(user, log, access))));
  });

  it('the ACLs refuse everything else', async () => {
    if (kafka === undefined) return;
    for (const [user, access] of USERS) {
      const admin = client(user).admin();
      const producer = client(user).producer({ allowAutoTopicCreation: false });
      await Promise.all([admin.connect(), producer.connect()]);
      const allowed = {
        topics: await writable(producer),
        creatable: await creatable(admin),
        groups: await readable(admin),
      };
      await Promise.all([admin.disconnect(), producer.disconnect()]);
      const letters = access.reads.flatMap(({ topics }) => topics.map(deadLettersOf));
      expect(allowed, user).toEqual({
        topics: TOPICS.filter((topic) => access.writes.includes(topic) || letters.includes(topic)),
        creatable: TOPICS.filter((topic) => access.creates.flatMap(withDeadLetters).includes(topic)),
        groups: GROUPS.filter((group) =>
          [...access.reads, ...access.watches].some((one) => groupNamed(one.group) === group),
        ),
      });
    }
  });

  it('the ACLs refuse a user the records of a topic when it may only watch the offsets', async () => {
    if (kafka === undefined) return;
    expect(eventLogAccess.catalogue.watches).toContainEqual({ group: 'archive.events', topics: ['events'] });
    const consumer = client('catalogue').consumer({ groupId: 'catalogue.audit' });
    const crashed = Promise.withResolvers<Error>();
    consumer.on(consumer.events.CRASH, ({ payload }) => crashed.resolve(payload.error));
    await consumer.connect();
    await consumer.subscribe({ topics: ['events'], fromBeginning: true });
    await consumer.run({ eachMessage: async () => crashed.reject(new Error('read a record')) });
    expect(await crashed.promise).toMatchObject({
      message: expect.stringMatching(/Topic authorization failed/),
    });
    await consumer.disconnect();
  });

  it('a service names an ACL that it lacks', async () => {
    if (kafka === undefined) return;
    const record = { partition: 0, key: null, value: Buffer.from('x'), headers: {} };
    await expect(withLog('flags', (log) => log.publish('directory', [record]))).rejects.toThrow(
      /not authorized/i,
    );
  });
});

/** Writes, reads, dead-letters and watches everything that the access allows. */
async function use(user: string, log: EventLog, { writes, reads, watches }: EventLogAccess): Promise<void> {
  const record = { partition: 0, key: 'k', value: Buffer.from('x'), headers: {} };
  for (const topic of writes) await log.publish(topic, [record]);
  for (const { group, topics } of reads) {
    const waiting = new Set(topics);
    const read = Promise.withResolvers<void>();
    const consumption = await log.consume({
      // Makes the group unique: two users have groups with the same prefix, and only one member of a group gets the
      // partition.
      group: groupNamed(group, user),
      topics: [...topics],
      async handle(batch) {
        const [first] = batch.records;
        if (first !== undefined && !batch.topic.endsWith('.dead-letter'))
          await batch.deadLetter(first, 'test');
        waiting.delete(batch.topic);
        if (waiting.size === 0) read.resolve();
      },
    });
    await read.promise;
    await consumption.stop();
  }
  for (const { group, topics } of watches) {
    expect(await log.lag(groupNamed(group), [...topics])).toHaveLength(topics.length);
    for (const topic of topics) expect(await log.endOffsets(topic)).toHaveLength(1);
  }
}

/** Returns the topics that the broker lets the user write to. */
async function writable(producer: Producer): Promise<string[]> {
  return those(TOPICS, (topic) => producer.send({ topic, messages: [{ value: 'x' }] }));
}

/** Returns the topics that the broker would let the user create. */
async function creatable(admin: Admin): Promise<string[]> {
  return those(TOPICS, (topic) =>
    admin.createTopics({ validateOnly: true, topics: [{ topic, numPartitions: 1, replicationFactor: 1 }] }),
  );
}

/** Returns the groups with offsets that the broker lets the user read. */
async function readable(admin: Admin): Promise<string[]> {
  return those(GROUPS, (groupId) => admin.fetchOffsets({ groupId }));
}

async function those(
  names: readonly string[],
  attempt: (name: string) => Promise<unknown>,
): Promise<string[]> {
  const allowed: string[] = [];
  for (const name of names) {
    const error = await attempt(name).then(
      () => undefined,
      (failure: Error) => failure,
    );
    if (error === undefined) allowed.push(name);
    else
      expect(JSON.stringify(error) + error.message, name).toMatch(
        /not authorized|authorization.failed|GroupCoordinatorNotFound/i,
      );
  }
  return allowed;
}

function client(user: string): Kafka {
  const retry = { retries: 0, initialRetryTime: 50, maxRetryTime: 50, factor: 0, multiplier: 1 };
  return new Kafka({ brokers, clientId: user, sasl: credentials(user), retry, logCreator: () => () => {} });
}

function withDeadLetters(topic: string): string[] {
  return [topic, deadLettersOf(topic)];
}

/** Returns the name of a group that the access allows. */
function groupNamed(group: string, ending = 'one'): string {
  return group.replace(/\*$/, ending);
}
