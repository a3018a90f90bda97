import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '@switchboard/testkit';
import type { Latencies } from './latencies.ts';
import { type Demo, startStandalone } from './standalone.ts';

const EVERY_MS = 200;
const POLL_MS = 100;
const GIVE_UP_MS = 60_000;
const EVENTS_PER_CALL = 100;

/**
 * Measures in standalone the time from the 202 of an identify that joins two ids until a funnel counts their events as
 * one person's. The events are archived before.
 */
export async function measureFunnel(times: number): Promise<Latencies[]> {
  const { demo, stop } = await startStandalone();
  try {
    await sendEvents(demo, times);
    const filledBy = performance.now() + GIVE_UP_MS;
    while ((await ask(demo)).first < times) {
      if (performance.now() > filledBy) throw new Error('the events were not archived within a minute');
      await sleep(POLL_MS);
    }
    const accepted: number[] = [];
    const counted: number[] = [];
    const joining = joinAll(demo, times, accepted);
    const giveUpAt = performance.now() + times * EVERY_MS + GIVE_UP_MS;
    while (counted.length < times && performance.now() < giveUpAt) {
      const { second } = await ask(demo);
      const now = performance.now();
      while (counted.length < second) counted.push(now);
      await sleep(POLL_MS);
    }
    await joining;
    // Joins take effect in order of acceptance, because all names are of one partition in standalone.
    const ms = counted.map((at, index) => at - (accepted[index] ?? at));
    return [{ name: 'join to funnel, standalone', ms, missed: times - ms.length }];
  } finally {
    await stop();
  }
}

/** Sends an event of a visitor, and a later one of a known id, for each person. */
async function sendEvents({ eu_api_url, project_key }: Demo, times: number): Promise<void> {
  const now = Date.now();
  const event = (distinctId: string, name: string, ms: number) => ({
    distinct_id: distinctId,
    event_id: `${name}-${distinctId}`,
    event_name: name,
    schema_version: 1,
    timestamp: new Date(ms).toISOString(),
  });
  const events = Array.from({ length: times }, (_, index) => [
    event(`bench-visitor-${index}`, 'bench looked', now - 2_000),
    event(`bench-known-${index}`, 'bench bought', now - 1_000),
  ]).flat();
  for (let start = 0; start < events.length; start += EVENTS_PER_CALL) {
    const { status } = await call('POST', `${eu_api_url}/v1/events`, {
      token: project_key,
      body: { sent_at: new Date().toISOString(), events: events.slice(start, start + EVENTS_PER_CALL) },
    });
    if (status !== 202) throw new Error(`the events got status ${status}`);
  }
}

/** Joins the ids of each person. Join number n is accepted at `accepted[n]`. */
async function joinAll({ eu_api_url, project_key }: Demo, times: number, accepted: number[]): Promise<void> {
  for (let index = 0; index < times; index++) {
    const { status } = await call('POST', `${eu_api_url}/v1/identify`, {
      token: project_key,
      body: { distinct_id: `bench-known-${index}`, properties: { anonymous_id: `bench-visitor-${index}` } },
    });
    if (status !== 202) throw new Error(`the identify got status ${status}`);
    accepted.push(performance.now());
    await sleep(EVERY_MS);
  }
}

/** Returns the number of people of each step. */
async function ask({ base_url, project_id, tokens }: Demo): Promise<{ first: number; second: number }> {
  const { status, body } = await call('POST', `${base_url}/v1/projects/${project_id}/insights`, {
    token: tokens.teammate,
    body: {
      kind: 'funnel',
      range: { last: 2, unit: 'day' },
      steps: [{ event: 'bench looked' }, { event: 'bench bought' }],
    },
  });
  if (status !== 200) throw new Error(`the query got status ${status}: ${JSON.stringify(body)}`);
  const [first, second] = body.report.steps.map(({ count }: { count: number }) => count);
  return { first, second };
}
