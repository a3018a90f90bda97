import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '@switchboard/testkit';
import type { Latencies } from './latencies.ts';
import { type Demo, startStandalone } from './standalone.ts';

const EVERY_MS = 200;
const POLL_MS = 100;
const GIVE_UP_MS = 60_000;

/** Measures in standalone the time from the 202 of an event until a trends query counts it. */
export async function measureInsights(times: number): Promise<Latencies[]> {
  const { demo, stop } = await startStandalone();
  try {
    const accepted: number[] = [];
    const counted: number[] = [];
    const sending = sendAll(demo, times, accepted);
    const giveUpAt = performance.now() + times * EVERY_MS + GIVE_UP_MS;
    while (counted.length < times && performance.now() < giveUpAt) {
      const count = await ask(demo);
      const now = performance.now();
      while (counted.length < count) counted.push(now);
      await sleep(POLL_MS);
    }
    await sending;
    const ms = counted.map((at, index) => at - (accepted[index] ?? at));
    return [{ name: 'event to trends query, standalone', ms, missed: times - ms.length }];
  } finally {
    await stop();
  }
}

/** Sends the events. Event number n is accepted at `accepted[n]`. */
async function sendAll(demo: Demo, times: number, accepted: number[]): Promise<void> {
  for (let index = 0; index < times; index++) {
    const now = new Date().toISOString();
    const event = {
      // Events of one person are counted in order.
      distinct_id: 'fresh',
      event_id: `fresh-${index}`,
      event_name: 'fresh',
      schema_version: 1,
      timestamp: now,
    };
    const { status } = await call('POST', `${demo.eu_api_url}/v1/events`, {
      token: demo.project_key,
      body: { sent_at: now, events: [event] },
    });
    if (status !== 202) throw new Error(`the event got status ${status}`);
    accepted.push(performance.now());
    await sleep(EVERY_MS);
  }
}

async function ask({ base_url, project_id, tokens }: Demo): Promise<number> {
  const { status, body } = await call('POST', `${base_url}/v1/projects/${project_id}/insights`, {
    token: tokens.teammate,
    body: { kind: 'trends', range: { last: 2, unit: 'day' }, series: [{ event: 'fresh' }] },
  });
  if (status !== 200) throw new Error(`the query got status ${status}: ${JSON.stringify(body)}`);
  const [series] = body.report.series;
  return series.values.reduce((sum: number, value: number) => sum + value, 0);
}
