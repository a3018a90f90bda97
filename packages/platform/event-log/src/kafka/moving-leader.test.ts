import { afterEach, describe, expect, it, vi } from 'vitest';
import { EventLogUnavailable } from '../errors.ts';
import { openKafkaLog } from '../index.ts';
import { record } from '../testing/records.ts';
import { scriptKafka } from '../testing/scripted-kafka.ts';
import type { EventLog } from '../types.ts';

const logs: EventLog[] = [];

function open(publishTimeoutMs = 5_000): EventLog {
  const log = openKafkaLog({ brokers: ['scripted:1'], clientId: 'scripted', publishTimeoutMs });
  logs.push(log);
  return log;
}

const four = (name: string) => [0, 1, 2, 3].map((partition) => record(`${name}${partition}`, partition));

describe('a publish to several brokers', () => {
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
    vi.restoreAllMocks();
  });

  /** Opens a log that has published once, so that it knows the leaders. */
  async function warm(leaders: number[], publishTimeoutMs?: number) {
    const kafka = scriptKafka(leaders);
    const log = open(publishTimeoutMs);
    await log.publish(kafka.topic, four('a'));
    await log.publish(kafka.topic, four('b'));
    return { kafka, log };
  }

  it('stores a record once that moves to a broker that has already answered, and returns its offset', async () => {
    const { kafka, log } = await warm([1, 1, 2, 2]);
    kafka.before = (node) => {
      // The leader moves while both brokers are asked.
      if (node === 1) kafka.leaders = [2, 2, 2, 2];
    };
    const published = await log.publish(kafka.topic, four('c'));
    expect(kafka.stored).toEqual([0, 1, 2, 3].map((n) => [`a${n}`, `b${n}`, `c${n}`]));
    expect([0, 1, 2, 3].map((index) => published.offsetOf(index))).toEqual([2n, 2n, 2n, 2n]);
  });

  it('does not store a record twice that moves to a broker that is asked again', async () => {
    const { kafka, log } = await warm([1, 1, 2, 2]);
    let refusals = 0;
    kafka.refuse = (node, partition) => {
      if (node !== 1 || partition !== 0 || refusals++ > 0) return undefined;
      kafka.leaders = [1, 1, 1, 1];
      return { type: 'NOT_LEADER_FOR_PARTITION' };
    };
    kafka.before = async (node) => {
      if (node === 1) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await log.publish(kafka.topic, four('c'));
    await log.publish(kafka.topic, four('d'));
    expect(kafka.stored).toEqual([0, 1, 2, 3].map((n) => [`a${n}`, `b${n}`, `c${n}`, `d${n}`]));
  });

  it('sends records again that a response omits, and fails those that stay omitted', async () => {
    const { kafka, log } = await warm([1, 1, 2, 2], 1_000);
    let omissions = 0;
    kafka.omit = (_, partition) => partition === 1 && omissions++ === 0;
    const published = await log.publish(kafka.topic, four('c'));
    expect(published.offsetOf(1)).toBe(2n);
    kafka.omit = (_, partition) => partition === 1;
    await expect(log.publish(kafka.topic, [record('lost', 1)])).rejects.toThrow(EventLogUnavailable);
    kafka.omit = () => false;
    const next = await log.publish(kafka.topic, [record('d1', 1)]);
    expect(kafka.stored[1]?.[Number(next.offsetOf(0))]).toBe('d1');
  });

  it('stores the next records of a partition after the previous ones were stored without a response', async () => {
    const { kafka, log } = await warm([1, 1, 2, 2], 600);
    kafka.refuse = (_, partition) =>
      partition === 0 ? { type: 'NOT_ENOUGH_REPLICAS_AFTER_APPEND', stored: true } : undefined;
    await expect(log.publish(kafka.topic, [record('unsure', 0)])).rejects.toThrow(EventLogUnavailable);
    kafka.refuse = () => undefined;
    await log.publish(kafka.topic, [record('sure', 0)]);
    expect(kafka.stored[0]).toEqual(['a0', 'b0', 'unsure', 'sure']);
  });

  it('sends timed-out records of a partition apart from its neighbours until an attempt is fast', async () => {
    const { kafka, log } = await warm([1, 1, 1, 1]);
    let refusals = 0;
    kafka.refuse = (_, partition) =>
      partition === 0 && refusals++ === 0 ? { type: 'REQUEST_TIMED_OUT' } : undefined;
    const partitionsOf = async (name: string) => {
      const before = kafka.requests.length;
      await log.publish(kafka.topic, four(name));
      return kafka.requests.slice(before).map(({ partitions }) => partitions.join());
    };
    expect(await partitionsOf('c')).toEqual(['0,1,2,3', '0']);
    kafka.before = (_, partitions) =>
      partitions.includes(0) ? new Promise((resolve) => setTimeout(resolve, 1_000)) : undefined;
    expect((await partitionsOf('d')).toSorted()).toEqual(['0', '1,2,3']);
    kafka.before = () => undefined;
    expect((await partitionsOf('e')).toSorted()).toEqual(['0', '1,2,3']);
    expect(await partitionsOf('f')).toEqual(['0,1,2,3']);
  });

  it('keeps publishing to the other partitions while one has no leader or too few replicas', async () => {
    const { kafka, log } = await warm([1, 1, 2, 2], 1_500);
    kafka.leaders = [-1, 1, 2, 2];
    kafka.refuse = (_, partition) => (partition === 2 ? { type: 'NOT_ENOUGH_REPLICAS' } : undefined);
    const away = [0, 2].map((partition) => log.publish(kafka.topic, [record('away', partition)]));
    const outcomes = Promise.allSettled(away);
    const order: string[] = [];
    void outcomes.then(() => order.push('away'));
    for (const name of ['c', 'd', 'e']) {
      await Promise.all([1, 3].map((n) => log.publish(kafka.topic, [record(`${name}${n}`, n)])));
      order.push(name);
    }
    expect(order).toEqual(['c', 'd', 'e']);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    kafka.leaders = [2, 1, 2, 2];
    kafka.refuse = () => undefined;
    await log.publish(kafka.topic, four('f'));
    expect(kafka.stored.map((one) => one.at(-1))).toEqual(['f0', 'f1', 'f2', 'f3']);
  });
});
