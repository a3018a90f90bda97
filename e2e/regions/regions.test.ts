import type { StoredRecord } from '@switchboard/event-log';
import { accessTokens, eventually, programFile, spawnProgram } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rowsWith } from '../erasure/scan.ts';
import { apiClient, type Call } from '../harness/call.ts';
import { type Deployment, deploy, type Part } from '../harness/deployment.ts';
import { type RunningLink, startLink } from '../harness/link.ts';
import { createProject, type Manage, managementClient, type TestProject } from '../harness/project.ts';
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
  env: { ERASURE_SERVICES: 'flags,ingestion' },
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

let projectEu: TestProject;
let projectUs: TestProject;
let manage: Manage;

function deployed(deployment: Deployment | undefined): Deployment {
  if (deployment === undefined) throw new Error('no deployment');
  return deployment;
}

/** Returns a client of a region's gateway with a project's credentials. */
const at = (region: Deployment | undefined, project: TestProject): Call =>
  apiClient(deployed(region).gateway, project);

const event = (id: string) => {
  const now = new Date().toISOString();
  const one = { event_id: id, distinct_id: 'ada', event_name: 'order placed', schema_version: 1 };
  return { body: { sent_at: now, events: [{ ...one, timestamp: now }] } };
};

beforeAll(async () => {
  if (eu === undefined) return;
  manage = await managementClient(eu);
  projectEu = await createProject(eu, { id: 'shop-eu', region: 'eu' });
  projectUs = await createProject(eu, { id: 'shop-us', region: 'us' });
  await eventually(async () => {
    const { status } = await at(us, projectUs)('evaluateFlags', { query: { distinct_id: 'ada' } });
    if (status !== 200) throw new Error(`the key has not reached us: ${status}`);
  });
});
afterAll(async () => {
  await link?.stop();
  await us?.stop();
  await eu?.stop();
  await tokens.stop();
});

describe.skipIf(us === undefined)('two regions', () => {
  test('a key works in its own region; another region answers 403, and an unknown key gets 401', async () => {
    const statuses = async (call: Call) => [
      (await call('ingestEvents', event('first'))).status,
      (await call('identify', { body: { distinct_id: 'ada', properties: { plan: 'pro' } } })).status,
      (await call('uploadReplayChunk')).status,
      (await call('evaluateFlags', { query: { distinct_id: 'ada' } })).status,
      (await call('getFlagSnapshot')).status,
    ];
    expect(await statuses(at(eu, projectEu))).toEqual([202, 202, 202, 200, 200]);
    expect(await statuses(at(us, projectUs))).toEqual([202, 202, 202, 200, 200]);
    expect(await statuses(at(us, projectEu))).toEqual([403, 403, 403, 403, 403]);
    expect(await statuses(at(eu, projectUs))).toEqual([403, 403, 403, 403, 403]);
    const nobody = { ...projectUs, key: `pk_us_${'0'.repeat(32)}` };
    expect(await statuses(at(us, nobody))).toEqual([401, 401, 401, 401, 401]);
  });

  test('only the directory topic is copied from home to the region, unchanged', async () => {
    await at(eu, projectEu)('ingestEvents', event('of-eu'));
    await at(us, projectUs)('ingestEvents', event('of-us'));
    const inUs = await recordsOf(deployed(us));
    const inEu = await recordsOf(deployed(eu));
    expect(topicsWith(inUs, /of-us/)).toContain('events');
    expect(topicsWith(inEu, /of-eu/)).toContain('events');
    expect(topicsWith(inUs, /shop-eu|of-eu/)).toEqual(['directory']);
    expect(topicsWith(inEu, /of-us/)).toEqual([]);
    // The home region keeps the audit trail of all regions.
    expect(topicsWith(inEu, /shop-us/)).toEqual(['audit', 'directory']);
    const directory = (records: StoredRecord[]) =>
      records
        .filter(({ topic }) => topic === 'directory')
        .map(({ partition, key, value, headers }) => `${partition} ${headers['revision']} ${key} ${value}`);
    expect(directory(inUs).sort()).toEqual(directory(inEu).sort());
  });

  test('new and revoked keys take effect in the other region', async () => {
    const keys = `/projects/${projectUs.id}/keys`;
    const { key } = (await manage('catalogue', 'POST', keys)) as { key: string };
    const call = at(us, { ...projectUs, key });
    const status = async () => (await call('ingestEvents', event('by-key'))).status;
    await eventually(async () => expect(await status()).toBe(202));
    await manage('catalogue', 'DELETE', `${keys}/${key}`);
    await eventually(async () => expect(await status()).toBe(401));
  });

  test('a throttle that an operator sets at home applies in the other region, and ends there', async () => {
    const accepted = async (region: typeof us, project: TestProject) =>
      (await at(region, project)('ingestEvents', event('throttled'))).body;
    expect(await switchboard('projects', 'throttle', projectUs.id, '--drop-events')).toBe(0);
    await eventually(async () => expect(await accepted(us, projectUs)).toEqual({ accepted: 0 }));
    expect(await accepted(eu, projectEu)).toEqual({ accepted: 1 });
    expect(await switchboard('projects', 'unthrottle', projectUs.id)).toBe(0);
    await eventually(async () => expect(await accepted(us, projectUs)).toEqual({ accepted: 1 }));
  });

  test('people are erased in the region of their project, and colleagues in every region', async () => {
    const identified = { body: { distinct_id: 'to be erased', properties: { plan: 'pro' } } };
    expect((await at(us, projectUs)('identify', identified)).status).toBe(202);
    const begun = [
      await manage('catalogue', 'POST', `/projects/${projectUs.id}/erasures`, {
        distinctIds: ['to be erased'],
      }),
      await manage('catalogue', 'POST', '/erasures', { sub: 'sub-grace' }),
    ] as { id: string }[];
    const expected = [['us/flags'], ['eu/flags', 'eu/ingestion', 'us/flags', 'us/ingestion']];
    for (const [index, { id }] of begun.entries())
      await eventually(
        async () => {
          const erasure = (await manage('catalogue', 'GET', `/erasures/${id}`)) as {
            state: string;
            services: { region: string; service: string }[];
          };
          expect(erasure.state).toBe('done');
          expect(erasure.services.map(({ region, service }) => `${region}/${service}`)).toEqual(
            expected[index],
          );
        },
        { withinMs: 30_000 },
      );
    const urlOfFlags = deployed(us).backings.postgres.url('flags');
    expect(await rowsWith(urlOfFlags, 'to be erased')).toEqual({});
  });

  test('the region keeps serving while the link is down, and receives changes when it is back', async () => {
    expect(await link?.stop()).toBe(0);
    const keys = `/projects/${projectUs.id}/keys`;
    const { key } = (await manage('catalogue', 'POST', keys)) as { key: string };
    const call = at(us, { ...projectUs, key });
    expect((await call('ingestEvents', event('too-early'))).status).toBe(401);
    expect((await at(us, projectUs)('ingestEvents', event('meanwhile'))).status).toBe(202);
    link = await startLink(deployed(eu).backings, { name: 'us', backings: deployed(us).backings });
    await eventually(async () => expect((await call('ingestEvents', event('in-time'))).status).toBe(202));
    await eventually(async () => expect(await link?.behind()).toBe(0));
  });

  test('a region keeps serving when the home region is lost', async () => {
    await deployed(eu).backings.kafka.kill();
    expect((await at(us, projectUs)('ingestEvents', event('alone'))).status).toBe(202);
    expect((await at(us, projectUs)('evaluateFlags', { query: { distinct_id: 'ada' } })).status).toBe(200);
  });
});

/** Runs the command on the catalogue of the home region. Returns its exit code. */
async function switchboard(...args: string[]): Promise<number | null> {
  const program = await spawnProgram({
    command: ['node', await programFile('packages/tools/cli/src/main.ts'), ...args],
    env: {
      SWITCHBOARD_URL: deployed(eu).serving('catalogue')[0]?.url ?? '',
      SWITCHBOARD_TOKEN: await tokens.mint({ sub: 'operator', permissions: ['service.manage'] }),
    },
  });
  return await program.exited;
}

/** Returns every record of a region's event log, from all topics. */
async function recordsOf({ backings }: Deployment): Promise<StoredRecord[]> {
  const { brokers } = backings.kafka;
  const admin = new kafkajs.Kafka({ brokers, logLevel: 0 }).admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  await admin.disconnect();
  return readTopics(brokers, topics);
}

/** Returns the topics with a record that has a matching key or value. */
function topicsWith(records: StoredRecord[], text: RegExp): string[] {
  const matching = records.filter(({ key, value }) => text.test(`${key} ${value}`));
  return [...new Set(matching.map(({ topic }) => topic))].sort();
}
