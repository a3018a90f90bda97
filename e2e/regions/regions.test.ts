import type { StoredRecord } from '@switchboard/event-log';
import { accessTokens, eventually } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, calling } from '../harness/call.ts';
import { type Deployment, deploy, type Part } from '../harness/deployment.ts';
import { type RunningLink, startLink } from '../harness/link.ts';
import { createProject, type Manage, managing, type TrialProject } from '../harness/project.ts';
import { readTopics } from '../harness/stored.ts';

const PARTS: Part[] = [
  { service: 'ingestion', instances: 1 },
  { service: 'flags', instances: 1 },
];

const tokens = await accessTokens();
let link: RunningLink | undefined;
const eu = await deploy({
  region: 'eu',
  tokens,
  parts: [{ service: 'catalogue', instances: 1 }, ...PARTS],
});
const us =
  eu &&
  (await deploy({
    region: 'us',
    tokens,
    parts: PARTS,
    async prepare(backings) {
      link = await startLink(eu.backings, { name: 'us', backings });
    },
  }));

let ofEu: TrialProject;
let ofUs: TrialProject;
let manage: Manage;

function there(deployment: Deployment | undefined): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

/** Calls a region's gateway with a project's key. */
const at = (region: Deployment | undefined, project: TrialProject): Call =>
  calling(there(region).gateway, project);

const event = (id: string) => {
  const now = new Date().toISOString();
  const one = { event_id: id, distinct_id: 'ada', event_name: 'order placed', schema_version: 1 };
  return { body: { sent_at: now, events: [{ ...one, timestamp: now }] } };
};

beforeAll(async () => {
  if (eu === undefined) return;
  manage = await managing(eu);
  ofEu = await createProject(eu, { id: 'shop-eu', region: 'eu' });
  ofUs = await createProject(eu, { id: 'shop-us', region: 'us' });
  await eventually(async () => {
    const { status } = await at(us, ofUs)('evaluateFlags', { query: { distinct_id: 'ada' } });
    if (status !== 200) throw new Error(`the key has not reached us: ${status}`);
  });
}, 60_000);
afterAll(async () => {
  await link?.stop();
  await us?.stop();
  await eu?.stop();
  await tokens.stop();
}, 60_000);

describe.skipIf(us === undefined)('two regions', () => {
  test('a key opens its own region; in the other it is refused with 403, and an unknown one with 401', async () => {
    const statuses = async (call: Call) => [
      (await call('ingestEvents', event('first'))).status,
      (await call('identify', { body: { distinct_id: 'ada', properties: { plan: 'pro' } } })).status,
      (await call('uploadReplayChunk')).status,
      (await call('evaluateFlags', { query: { distinct_id: 'ada' } })).status,
      (await call('getFlagSnapshot')).status,
    ];
    expect(await statuses(at(eu, ofEu))).toEqual([202, 202, 202, 200, 200]);
    expect(await statuses(at(us, ofUs))).toEqual([202, 202, 202, 200, 200]);
    expect(await statuses(at(us, ofEu))).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses(at(eu, ofUs))).toEqual([403, 403, 403, 403, 403]);
    const nobody = { ...ofUs, key: `pk_us_${'0'.repeat(32)}` };
    expect(await statuses(at(us, nobody))).toEqual([401, 401, 401, 401, 401]);
  });

  test('of all that home’s log holds only the directory is in the other region, as it is', async () => {
    await at(eu, ofEu)('ingestEvents', event('of-eu'));
    await at(us, ofUs)('ingestEvents', event('of-us'));
    const inUs = await recordsOf(there(us));
    const inEu = await recordsOf(there(eu));
    expect(topicsWith(inUs, /of-us/)).toContain('events');
    expect(topicsWith(inEu, /of-eu/)).toContain('events');
    expect(topicsWith(inUs, /shop-eu|of-eu/)).toEqual(['directory']);
    expect(topicsWith(inEu, /of-us/)).toEqual([]);
    expect(topicsWith(inEu, /shop-us/)).toEqual(['directory']);
    const directory = (records: StoredRecord[]) =>
      records
        .filter(({ topic }) => topic === 'directory')
        .map(({ partition, key, value, headers }) => `${partition} ${headers['revision']} ${key} ${value}`);
    expect(directory(inUs).sort()).toEqual(directory(inEu).sort());
  }, 120_000);

  test('a key revoked at home stops working in the other region, and a new one opens it', async () => {
    const keys = `/projects/${ofUs.id}/keys`;
    const { key } = (await manage('catalogue', 'POST', keys)) as { key: string };
    const call = at(us, { ...ofUs, key });
    const status = async () => (await call('ingestEvents', event('by-key'))).status;
    await eventually(async () => expect(await status()).toBe(202));
    await manage('catalogue', 'DELETE', `${keys}/${key}`);
    await eventually(async () => expect(await status()).toBe(401));
  });

  test('what is changed while the link is away arrives once it is back; until then the region goes on', async () => {
    expect(await link?.stop()).toBe(0);
    const keys = `/projects/${ofUs.id}/keys`;
    const { key } = (await manage('catalogue', 'POST', keys)) as { key: string };
    const call = at(us, { ...ofUs, key });
    expect((await call('ingestEvents', event('too-early'))).status).toBe(401);
    expect((await at(us, ofUs)('ingestEvents', event('meanwhile'))).status).toBe(202);
    link = await startLink(there(eu).backings, { name: 'us', backings: there(us).backings });
    await eventually(async () => expect((await call('ingestEvents', event('in-time'))).status).toBe(202));
    await eventually(async () => expect(await link?.behind()).toBe(0));
  }, 120_000);

  test('a region goes on when home is lost', async () => {
    await there(eu).backings.kafka.kill();
    expect((await at(us, ofUs)('ingestEvents', event('alone'))).status).toBe(202);
    expect((await at(us, ofUs)('evaluateFlags', { query: { distinct_id: 'ada' } })).status).toBe(200);
  });
});

/** Every record of a region's log, whatever its topic. */
async function recordsOf({ backings }: Deployment): Promise<StoredRecord[]> {
  const { brokers } = backings.kafka;
  const admin = new kafkajs.Kafka({ brokers, logLevel: 0 }).admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  await admin.disconnect();
  return readTopics(brokers, topics);
}

/** The topics that hold a record with such a text in its key or value. */
function topicsWith(records: StoredRecord[], text: RegExp): string[] {
  const matching = records.filter(({ key, value }) => text.test(`${key} ${value}`));
  return [...new Set(matching.map(({ topic }) => topic))].sort();
}
