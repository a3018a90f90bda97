import pMap from 'p-map';
import type { Target } from '../lib/compare.ts';
import { AUTHORIZED, PROJECT_ID } from '../lib/project.ts';
import { converse, fillThreads, share } from './content.ts';
import type { Deployment } from './deployment.ts';

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

/** The reports that the reads need. */
export const REPORTS = ['threads', ...SHARED.flatMap(reportsOf)];

/** The reads that are compared with ready bytes. Each creates its data when it is called. */
export const READS_BY_NAME: Record<string, (deployment: Deployment) => Promise<Target[]>> = {
  async threads(deployment) {
    const { collaboration, tokens, floor } = deployment;
    await fillThreads(deployment);
    const path = `/v1/projects/${PROJECT_ID}/reports/threads/comment-threads`;
    const [mine = {}, ...others] = tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
    const read = await floor.read('500 threads of 20 comments', collaboration, path, mine);
    // Each member has different permissions and reactions.
    const requests = [mine, ...others].map((headers) => ({ path, headers }));
    const at = (connections: number) => ({ connections, floor: { ...read.floor, connections } });
    return [
      { ...read, ...at(1) },
      { ...read, ...at(4), name: `${read.name}, 4 at once` },
      { ...read, ...at(1), name: `${read.name}, to 50 people`, headers: {}, requests },
    ];
  },

  async shared(deployment) {
    const targets = [];
    for (const kind of SHARED) {
      const tokens = await pMap(reportsOf(kind), (report) => share(deployment, report, kind.content()), {
        concurrency: 4,
      });
      const paths = tokens.map((token) => `/v1/shared-reports/${token}`);
      const { collaboration, floor } = deployment;
      const read = await floor.read(`shared report, ${kind.name}`, collaboration, paths[0] ?? '');
      const requests = Array.from({ length: READS }, (_, index) => ({
        path: paths[index % paths.length] ?? '',
        headers: { 'X-Forwarded-For': `10.0.${(index % ADDRESSES) >> 8}.${(index % ADDRESSES) & 255}` },
      }));
      targets.push({ ...read, requests });
    }
    return targets;
  },

  async conversation(deployment) {
    const { messenger, floor } = deployment;
    const { path, headers } = await converse(deployment);
    const read = await floor.read('conversation of 100 turns', messenger, path, headers);
    return [read, await floor.notModified('conversation poll, 304', read)];
  },

  async configuration({ messenger, floor, manage }) {
    const texts = { en: { greeting: 'Hello' }, de: { greeting: 'Hallo' }, 'pt-BR': { greeting: 'Olá' } };
    await manage('messenger', 'PUT', `/projects/${PROJECT_ID}/messenger/config`, { texts });
    const path = '/v1/messenger/config';
    const read = await floor.read('messenger configuration', messenger, path, AUTHORIZED);
    const requests = ['', '?locale=de', '?locale=pt-BR,en', '?locale=fr-CA,de'].map((query) => ({
      path: path + query,
    }));
    return [read, { ...read, name: `${read.name}, by locale`, requests }];
  },
};
