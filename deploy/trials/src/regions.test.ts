import { accessTokens, eventually } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, calling } from './harness/call.ts';
import { type Deployment, deploy, type Part } from './harness/deployment.ts';
import { type RunningLink, startLink } from './harness/link.ts';
import { createProject, type Manage, managing, type TrialProject } from './harness/project.ts';
import { readTopic } from './upgrade/stored.ts';

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
    const topics = await topicsWith(there(us), /shop-eu/);
    expect(topics).toEqual(['directory']);
    expect(await topicsWith(there(eu), /of-us/)).toEqual([]);
    expect(await topicsWith(there(us), /of-us/)).toEqual(expect.arrayContaining(['events']));
    const directory = async (deployment: Deployment | undefined) =>
      (await readTopic(there(deployment).backings.kafka.brokers, 'directory')).map(String).sort();
    expect(await directory(us)).toEqual(await directory(eu));
  });

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

/** The topics that hold a record with such a text in its key or value. */
async function topicsWith({ backings }: Deployment, text: RegExp): Promise<string[]> {
  const admin = new kafkajs.Kafka({ brokers: backings.kafka.brokers, logLevel: 0 }).admin();
  await admin.connect();
  const names = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  await admin.disconnect();
  const found: string[] = [];
  for (const name of names.sort()) {
    const records = await readTopic(backings.kafka.brokers, name);
    if (records.some((value) => text.test(value.toString('utf8')))) found.push(name);
  }
  return found;
}
