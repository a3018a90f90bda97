import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PartitionLost } from '../errors.ts';
import { adapters, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, RecordBatch } from '../types.ts';

const lease = { leaseMs: 1_500 };

describe.each(adapters)('consumer groups on $name', (adapter) => {
  describe.skipIf(!adapter.available)('an open event log', () => {
    let logs: TestLog;
    let log: EventLog;
    beforeAll(async () => {
      logs = await adapter.start();
      log = logs.open();
    });
    afterAll(() => logs.close());

    /** Joins an instance to the group and tracks the partitions it received records from since the last check. */
    async function join(instance: EventLog, group: string, topic: string) {
      const seen = new Map<string, number>();
      const partitions = new Set<number>();
      const handle = async (batch: RecordBatch): Promise<void> => {
        partitions.add(batch.partition);
        for (const one of batch.records) seen.set(String(one.value), (seen.get(String(one.value)) ?? 0) + 1);
      };
      const consumption = await instance.consume({ group, topics: [topic], handle, ...lease });
      return { ...consumption, seen, partitions };
    }

    it('the log returns the members of groups, including a group that has no members any more', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      const a = await join(log, group, topic);
      await log.publish(topic, [record('one', 0)]);
      await eventually(() => expect(a.seen.has('one')).toBe(true));
      expect(await log.members([group, newGroup()])).toEqual(new Map([[group, 1]]));
      await a.stop();
      await eventually(async () => expect(await log.members([group])).toEqual(new Map([[group, 0]])));
    });

    it('members share the partitions; when one leaves, the others take over without loss', async () => {
      const topic = await newTopic(log, { partitions: 4 });
      const group = newGroup();
      const a = await join(log, group, topic);
      const b = await join(logs.open(), group, topic);
      let n = 0;
      const publishRound = async (): Promise<void> => {
        await log.publish(
          topic,
          [0, 1, 2, 3].map((partition) => record(`${n++}`, partition)),
        );
      };
      await eventually(async () => {
        a.partitions.clear();
        b.partitions.clear();
        await publishRound();
        await eventually(() => expect(a.partitions.size + b.partitions.size).toBe(4), { withinMs: 1_000 });
        expect([a.partitions.size, b.partitions.size]).toEqual([2, 2]);
      });
      await b.stop();
      const last = n;
      await publishRound();
      await eventually(() => expect(a.seen.has(`${last + 3}`)).toBe(true));
      await eventually(async () => expect((await a.lag()).every((one) => one.behind === 0n)).toBe(true));
      for (let i = 0; i < n; i++)
        expect((a.seen.get(`${i}`) ?? 0) + (b.seen.get(`${i}`) ?? 0)).toBeGreaterThan(0);
      await a.stop();
    });

    it('every group reads every record', async () => {
      const topic = await newTopic(log);
      const a = await join(log, newGroup(), topic);
      const b = await join(log, newGroup(), topic);
      await log.publish(topic, [record('x', 0), record('y', 1)]);
      await eventually(() =>
        expect([...a.seen.keys(), ...b.seen.keys()].sort()).toEqual(['x', 'x', 'y', 'y']),
      );
      await Promise.all([a.stop(), b.stop()]);
    });

    it('a consumer that lost its partition cannot commit, and gets PartitionLost', async () => {
      const topic = await newTopic(log, { partitions: 2 });
      const group = newGroup();
      const batches: RecordBatch[] = [];
      const revoked: string[] = [];
      const a = await log.consume({
        group,
        topics: [topic],
        commit: 'manual',
        ...lease,
        onRevoked: (_, partition) => revoked.push(`${partition}`),
        handle: async (batch) => void batches.push(batch),
      });
      await log.publish(topic, [record('a', 0), record('b', 1)]);
      await eventually(() => expect(batches).toHaveLength(2));
      const held = [...batches];
      const b = await join(logs.open(), group, topic);
      await eventually(() => expect(b.seen.size).toBe(1));
      const taken = [...b.partitions][0];
      expect(revoked).toContain(`${taken}`);
      const stale = held.find((batch) => batch.partition === taken);
      expect(stale?.signal.aborted).toBe(true);
      await expect(stale?.commit(1n)).rejects.toThrow(PartitionLost);
      await Promise.all([a.stop(), b.stop()]);
      const offsets = await log.committedOffsets(group, topic);
      expect(offsets[taken ?? -1]).toBe(1n);
    });

    /** Starts a member in another process and collects its output. */
    function startMember(group: string, topic: string) {
      const program = fileURLToPath(new URL('../testing/member.ts', import.meta.url));
      const child = spawn(process.execPath, [program, ...logs.address, group, topic, `${lease.leaseMs}`]);
      let output = '';
      child.stdout.on('data', (data) => {
        output += data;
      });
      return { child, output: () => output };
    }

    it('when a member is killed, another takes over its uncommitted records', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      await log.publish(topic, [record('a')]);
      const member = startMember(group, topic);
      await eventually(() => expect(member.output()).toBe('got 0\n'));
      const a = await join(log, group, topic);
      member.child.kill('SIGKILL');
      await eventually(() => expect([...a.seen.keys()]).toEqual(['a']));
      await a.stop();
    });

    it('a member frozen past its lease loses its partition and cannot commit', async () => {
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      await log.publish(topic, [record('a')]);
      const member = startMember(group, topic);
      try {
        await eventually(() => expect(member.output()).toBe('got 0\n'));
        member.child.kill('SIGSTOP');
        const a = await join(log, group, topic);
        await eventually(() => expect([...a.seen.keys()]).toEqual(['a']));
        await log.publish(topic, [record('b')]);
        await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([2n]));
        member.child.stdin.write('commit\n');
        member.child.kill('SIGCONT');
        await eventually(() => expect(member.output()).toContain('lost\n'));
        expect(await log.committedOffsets(group, topic)).toEqual([2n]);
        await a.stop();
      } finally {
        member.child.kill('SIGKILL');
      }
    });
  });
});
