import { randomUUID } from 'node:crypto';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createDirectoryLink,
  createReportLink,
  directoryRecord,
  directoryTombstone,
  ERASURE_REPORTS_TOPIC,
  erasureReportsSpec,
  type LateEntry,
  outgoingRecord,
  parseLateEntry,
} from './index.ts';
import { kafkaBrokers, logs, testLog, testService } from './testing/test-directory.ts';

const REVOKED = `pk_us_${'r'.repeat(32)}`;

const project = (id: string) =>
  directoryRecord('project', { id, companyId: 'c', name: id, region: 'us', defaultLanguage: 'en' });
const key = (name: string, projectId: string) => directoryRecord('key', { key: name, projectId });

describe.each(logs)('a directory link from %s', (kind) => {
  const skip = kind === 'Kafka' && kafkaBrokers === undefined;

  /** Creates a home log of this kind, and another region with the same topic name. */
  async function twoRegions() {
    const home = await testLog(kind);
    const region = await testLog('PostgreSQL', home.topic);
    const link = (entriesAtOnce?: number) => {
      const one = createDirectoryLink({
        ...(entriesAtOnce && { entriesAtOnce }),
        home: home.log,
        region: region.log,
        replication: 1,
        topic: home.topic,
      });
      onTestFinished(one.stop);
      return one;
    };
    onTestFinished(async () => {
      await home.close();
      await region.close();
    });
    return { home, region, link };
  }

  const contents = (records: Awaited<ReturnType<Awaited<ReturnType<typeof testLog>>['stored']>>) =>
    records
      .map(({ partition, key: name, value, headers }) => ({
        partition,
        name,
        value: value === null ? null : String(value),
        revision: headers['revision'],
      }))
      .sort((a, b) => Number(a.revision) - Number(b.revision));

  test.skipIf(skip)('copies existing and new records unchanged, tombstones included', async () => {
    const { home, region, link } = await twoRegions();
    await home.publish(project('a'), project('b'), key('k', 'a'));
    const linked = link();
    await linked.start();
    expect(linked.isComplete()).toBe(true);
    expect(contents(await region.stored())).toEqual(contents(await home.stored()));
    await home.publish(project('a'), directoryTombstone('key', 'k'));
    await eventually(async () => {
      const copied = contents(await region.stored());
      expect(copied.at(-1)).toMatchObject({ name: 'key:k', value: null, revision: '5' });
    });
    await eventually(async () => expect(await linked.behind()).toBe(0n));
  });

  test.skipIf(skip)(
    'carries a report of a late record to the home region, and what the home region then publishes',
    async () => {
      const { home, region, link } = await twoRegions();
      const name = `pk_us_${randomUUID()}`;
      const gone = directoryTombstone('key', name);
      await home.publish(project('a'), key(name, 'a'), gone);
      await link().start();
      await home.log.createTopics([erasureReportsSpec(1)]);
      const reports = createReportLink({ home: home.log, region: region.log, replication: 1 });
      onTestFinished(reports.stop);
      await reports.start();
      const service = await testService(region);
      onTestFinished(service.close);
      await service.instance().directory.start();
      await region.publish({ ...key(name, 'a'), revision: 2n });
      await eventually(async () => {
        const reported: (LateEntry | undefined)[] = [];
        await readTopic(home.log, ERASURE_REPORTS_TOPIC, {
          onRecord: (record) => reported.push(parseLateEntry(record)),
        });
        expect(reported).toContainEqual({ key: gone.key, kind: 'key', identifiers: [name] });
      });
      await home.publish(gone);
      await eventually(async () => {
        const last = (await region.stored()).findLast((record) => record.key === gone.key);
        expect(last).toMatchObject({ value: null, headers: { revision: '4' } });
      });
    },
  );

  test.skipIf(skip)('starts once the home region has a directory, and creates no topic before', async () => {
    const { home, region } = await twoRegions();
    const topic = `later-${home.topic}`;
    const linked = createDirectoryLink({ home: home.log, region: region.log, replication: 1, topic });
    onTestFinished(linked.stop);
    await expect(linked.start()).rejects.toThrow(/does not exist yet/);
    await home.log.createTopics([{ ...home.spec, name: topic }]);
    await linked.start();
    await home.log.publish(topic, [outgoingRecord(project('a'), 1n, home.spec.partitions)]);
    await eventually(async () => expect(await linked.behind()).toBe(0n));
  });

  test.skipIf(skip)('copies missed records after a restart, and duplicates none', async () => {
    const { home, region, link } = await twoRegions();
    await home.publish(project('a'), project('b'));
    const first = link();
    await first.start();
    await first.stop();
    await home.publish(project('b'));
    await link().start();
    expect(contents(await region.stored()).map(({ revision }) => revision)).toEqual(
      expect.arrayContaining(['1', '3']),
    );
    const before = await region.log.endOffsets(home.topic);
    await link().start();
    expect(await region.log.endOffsets(home.topic)).toEqual(before);
  });

  test.skipIf(skip)(
    'removes entries that were deleted at home, and copies them when they return',
    async () => {
      const { home, region, link } = await twoRegions();
      await home.publish(project('a'));
      // Copied long ago. Compaction has since dropped the tombstone that followed at home.
      const old = [project('a'), project('old'), key(REVOKED, 'a')];
      for (const [at, record] of old.entries())
        await region.log.publish(home.topic, [
          outgoingRecord(record, BigInt(at + 1), region.spec.partitions),
        ]);
      const service = await testService({ log: region.log, topic: home.topic });
      onTestFinished(service.close);
      const { directory } = service.instance();
      await directory.start();
      expect(await directory.projectKey(REVOKED)).toBeDefined();
      await link().start();
      await eventually(async () => expect(await directory.projectKey(REVOKED)).toBeUndefined());
      await eventually(async () => expect(await directory.project('old')).toBeUndefined());
      expect(await directory.project('a')).toMatchObject({ id: 'a' });
      await home.publish({ ...key(REVOKED, 'a'), revision: 100n });
      await eventually(async () => expect(await directory.projectKey(REVOKED)).toBeDefined());
    },
  );

  test.skipIf(skip)('compares a directory that is larger than its memory bound', async () => {
    const { home, region, link } = await twoRegions();
    const names = Array.from({ length: 40 }, (_, number) => `p${number}`);
    await home.publish(...names.map(project));
    const first = link();
    await first.start();
    await first.stop();
    const isGone = (name: string) => Number(name.slice(1)) % 4 === 0;
    // Compaction at home has dropped these with their tombstones before they were copied.
    const gone = names.map((name) => `old-${name}`).filter((_, number) => number % 3 === 0);
    for (const name of gone)
      await region.log.publish(home.topic, [outgoingRecord(project(name), 50n, region.spec.partitions)]);
    await home.publish(...names.filter(isGone).map((name) => directoryTombstone('project', name)));
    const ends = await region.log.endOffsets(home.topic);
    const linked = link(20);
    await linked.start();
    const written = async () => {
      const after = await region.log.endOffsets(home.topic);
      return after.reduce((sum, end, partition) => sum + end - (ends[partition] ?? 0n), 0n);
    };
    expect(await written()).toBe(BigInt(gone.length + names.filter(isGone).length));
    const newest = new Map((await region.stored()).map(({ key, value }) => [key, value]));
    const there = [...newest].flatMap(([name, value]) => (value === null ? [] : [name])).sort();
    expect(there).toEqual(
      names
        .filter((name) => !isGone(name))
        .map((name) => `project:${name}`)
        .sort(),
    );
    await home.publish(...names.map(project));
    await eventually(async () =>
      expect(await written()).toBe(BigInt(gone.length + names.filter(isGone).length + names.length)),
    );
  });
});
