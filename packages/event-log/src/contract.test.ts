import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapters, newGroup, newTopic, record, type TestLog } from './testing/adapters.ts';

describe.each(adapters)('$name', (adapter) => {
  let logs: TestLog;
  beforeAll(async () => {
    logs = await adapter.start();
  });
  afterAll(() => logs.close());

  it('hands over what was published', async () => {
    const log = logs.open();
    const topic = await newTopic(log);
    await log.publish(topic, [record('a', 0), record('b', 1), record('c', 0)]);
    const got: string[] = [];
    const c = await log.consume({
      group: newGroup(),
      topics: [topic],
      async handle(b) {
        for (const r of b.records) got.push(`${r.partition}:${r.offset}:${r.value}`);
      },
    });
    await eventually(() => expect(got.sort()).toEqual(['0:0:a', '0:1:c', '1:0:b']));
    await eventually(async () => expect((await c.lag()).map((l) => l.behind)).toEqual([0n, 0n]));
    const t0 = performance.now();
    for (let i = 0; i < 20; i++) {
      await log.publish(topic, [record(`x${i}`)]);
      await eventually(() => expect(got.length).toBe(4 + i), { withinMs: 5000 });
    }
    await c.stop();
  });
});
