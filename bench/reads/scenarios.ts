import { call, type Program } from '@switchboard/testkit';
import pMap from 'p-map';
import type { LoadRequest } from '../lib/load.ts';
import { converse, type Deployment, PROJECT_ID, PROJECT_KEY, share } from './deployment.ts';

/** A repeated request. The floor sends the same number of prepared bytes, or a 304. */
export interface Scenario {
  name: string;
  program: Program;
  connections: number;
  headers: Record<string, string>;
  /** The requests, sent in turn. */
  requests: LoadRequest[];
  /** The size of the response. */
  bytes: number;
  isNotModified: boolean;
}

const CONNECTIONS = 20;
/** The number of client addresses. Each may read 30 shared reports per minute. */
const ADDRESSES = 3_000;
const READS = 6_000;

/** Enough shared reports for a measurement: each link may be read 60 times per minute. */
const SHARED = [
  { name: '10 kB', links: 1_000, content: () => ({ rows: 'x'.repeat(10_000) }) },
  { name: '100 kB', links: 300, content: () => ({ rows: 'x'.repeat(100_000) }) },
  { name: '1 MB, Cyrillic', links: 150, content: () => ({ rows: 'ж'.repeat(500_000) }) },
];

const reportsOf = ({ name, links }: (typeof SHARED)[number]) =>
  Array.from({ length: links }, (_, index) => `shared-${name.replaceAll(/\W+/g, '-')}-${index}`);

export const REPORTS = ['threads', ...SHARED.flatMap(reportsOf)];

/** The scenarios. Each creates its data when it is called. */
export const SCENARIOS: Record<string, (deployment: Deployment) => Promise<Scenario[]>> = {
  async threads({ services: { collaboration }, tokens }) {
    const path = `/v1/projects/${PROJECT_ID}/reports/threads/comment-threads`;
    const [mine = {}, ...others] = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
    const scenario = await read('500 threads of 20 comments', collaboration, path, mine);
    // Each member has different permissions and reactions.
    const requests = [mine, ...others].map((headers) => ({ path, headers }));
    return [
      { ...scenario, connections: 1 },
      { ...scenario, name: `${scenario.name}, 4 at once`, connections: 4 },
      { ...scenario, name: `${scenario.name}, to 50 people`, connections: 1, headers: {}, requests },
    ];
  },

  async shared(deployment) {
    const { collaboration } = deployment.services;
    const scenarios = [];
    for (const kind of SHARED) {
      const tokens = await pMap(reportsOf(kind), (report) => share(deployment, report, kind.content()), {
        concurrency: 4,
      });
      const paths = tokens.map((token) => `/v1/shared-reports/${token}`);
      const scenario = await read(`shared report, ${kind.name}`, collaboration, paths[0] ?? '', {});
      const requests = Array.from({ length: READS }, (_, index) => ({
        path: paths[index % paths.length] ?? '',
        headers: { 'X-Forwarded-For': `10.0.${(index % ADDRESSES) >> 8}.${(index % ADDRESSES) & 255}` },
      }));
      scenarios.push({ ...scenario, requests });
    }
    return scenarios;
  },

  async conversation(deployment) {
    const { messenger } = deployment.services;
    const { path, headers } = await converse(deployment);
    const scenario = await read('conversation of 100 turns', messenger, path, headers);
    return [scenario, await notModified('conversation poll, 304', scenario)];
  },

  async configuration({ services: { messenger }, manage }) {
    await manage('messenger', 'PUT', `/projects/${PROJECT_ID}/messenger/config`, MESSENGER);
    return [
      await read('messenger configuration', messenger, '/v1/messenger/config', {
        Authorization: `Bearer ${PROJECT_KEY}`,
      }),
    ];
  },

  async lists({ services: { catalogue }, manage }) {
    const entitlements = { articleSearch: true, aiTranslations: true, aiTranslationBytesPerMonth: 1_000_000 };
    for (let index = 0; index < 10; index++) {
      await manage('catalogue', 'PUT', `/plans/tier-${index}/monthly`, {
        ...{ trialDays: 14, priced: true, entitlements },
      });
    }
    const perMillion = {
      input: 3e6,
      output: 15e6,
      cacheWrite5m: 3_750_000,
      cacheWrite1h: 6e6,
      cacheRead: 3e5,
    };
    for (let index = 0; index < 20; index++) {
      await manage('catalogue', 'PUT', `/ai/models/model-${index}`, { displayName: 'A model', perMillion });
    }
    const plans = await read('plans', catalogue, '/v1/plans', {});
    const models = await read('AI models', catalogue, '/v1/ai/models', {});
    return [plans, await notModified('plans, 304', plans), models];
  },
};

async function read(
  name: string,
  program: Program,
  path: string,
  headers: Record<string, string>,
): Promise<Scenario> {
  const response = await fetch(program.url + path, { headers });
  if (response.status !== 200) throw new Error(`${path} got status ${response.status}`);
  const bytes = (await response.arrayBuffer()).byteLength;
  return {
    name,
    program,
    connections: CONNECTIONS,
    headers,
    requests: [{ path }],
    bytes,
    isNotModified: false,
  };
}

async function notModified(name: string, scenario: Scenario): Promise<Scenario> {
  const { program, requests, headers } = scenario;
  const { headers: answered } = await call('GET', `${program.url}${requests[0]?.path}`, { headers });
  const etag = answered.get('etag');
  if (etag === null) throw new Error(`${name}: the response has no ETag`);
  return { ...scenario, name, headers: { ...headers, 'If-None-Match': etag }, isNotModified: true };
}

const MESSENGER = { texts: { en: { greeting: 'Hello' } } };
