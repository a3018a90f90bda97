import type { ArchiveFileRecord } from '@switchboard/contracts';
import { type Analytics, type Question, startAnalytics } from '../../insights/analytics.ts';
import { dayOf, LARGE, openFileWriter, smallProject } from '../../insights/files.ts';
import { questionsOver } from '../../insights/questions.ts';
import { median } from '../../lib/statistics.ts';
import { type Dimension, type Path, sizesFrom } from './path.ts';

const MEMORY_BYTES = 500_000_000;
const DAYS = 90;
const ASKED = 5;
const EVENTS_OF_FILES = 100_000;
const EVENTS_OF_SMALL = 1_000;
const ASKED_OF_SMALL = /^(trends, events|funnel)/;

/** Varies the number of events of one project in 90 days, with one file per day. */
export async function insightEvents(): Promise<Dimension> {
  const analytics = await startAnalytics({ projects: [], memoryBytes: MEMORY_BYTES });
  const writer = await openFileWriter(analytics.folder);
  const projectOf = (size: number) => `of-${size}`;
  const kinds = questionsOver(DAYS)
    .filter(({ project }) => project === LARGE)
    .map(
      ({ name, body }): Path => ({
        name: name.replace('trends, people', 'people'),
        bound: 'linear',
        unit: 'ms',
        measure: (size) => ask(analytics, { name, body, project: projectOf(size) }),
      }),
    );
  return {
    of: 'events of a project',
    sizes: sizesFrom(10_000),
    async fill(size) {
      const of = projectOf(size);
      const records: ArchiveFileRecord[] = [];
      for (let day = 0; day < DAYS; day++) {
        const rows = Math.round(size / DAYS);
        records.push(await writer.write({ name: of, day, rows, of, people: size / 100 }));
      }
      await analytics.addProject(of);
      await analytics.publish(records);
    },
    paths: [
      ...kinds,
      { name: 'peak memory', bound: 'constant', unit: 'MB', measure: () => analytics.usage.peakMb() },
    ],
    stop: analytics.stop,
  };
}

/** Varies the number of files, one per day, with the same total number of events. */
export async function insightFiles(): Promise<Dimension> {
  const analytics = await startAnalytics({ projects: [], memoryBytes: MEMORY_BYTES });
  const writer = await openFileWriter(analytics.folder);
  const projectOf = (size: number) => `in-${size}`;
  const trends = { kind: 'trends', interval: 'month', series: [{ event: 'order placed' }] };
  const measured = (name: string, bound: Path['bound'], daysOf: (size: number) => number): Path => ({
    name,
    bound,
    unit: 'ms',
    measure: (size) =>
      ask(analytics, {
        name,
        body: { ...trends, range: { from: dayOf(0), to: dayOf(daysOf(size) - 1) } },
        project: projectOf(size),
      }),
  });
  return {
    of: 'files of a project',
    sizes: sizesFrom(10),
    async fill(size) {
      const of = projectOf(size);
      const records: ArchiveFileRecord[] = [];
      for (let day = 0; day < size; day++) {
        records.push(await writer.write({ name: of, day, rows: EVENTS_OF_FILES / size, of, people: 1_000 }));
      }
      await analytics.addProject(of);
      await analytics.publish(records);
    },
    paths: [
      measured('trends over all files', 'linear', (size) => size),
      measured('trends over ten files', 'constant', () => 10),
    ],
    stop: analytics.stop,
  };
}

/** Varies the number of projects that share their files, with one file per day. */
export async function insightProjects(): Promise<Dimension> {
  const one = smallProject(0);
  const analytics = await startAnalytics({ projects: [one], memoryBytes: MEMORY_BYTES });
  const writer = await openFileWriter(analytics.folder);
  let before: ArchiveFileRecord[] = [];
  const small = questionsOver(DAYS).filter(({ name }) => ASKED_OF_SMALL.test(name));
  return {
    of: 'projects in shared files',
    sizes: sizesFrom(1),
    async fill(size) {
      const records: ArchiveFileRecord[] = [];
      for (let day = 0; day < DAYS; day++) {
        const rows = Math.ceil((size * EVENTS_OF_SMALL) / DAYS);
        records.push(await writer.write({ name: `of-${size}`, day, rows, of: size, people: size * 10 }));
      }
      await analytics.remove(before);
      await analytics.publish(records);
      before = records;
    },
    paths: small.map(({ name, body }) => ({
      name: `${name}, of one`,
      bound: 'constant',
      unit: 'ms',
      measure: (size) => ask(analytics, { name: `${name} ${size}`, body, project: one }),
    })),
    stop: analytics.stop,
  };
}

/** Returns the median milliseconds of some sequential queries. The first one copies the files. */
async function ask(analytics: Analytics, question: Question): Promise<number> {
  await analytics.ask(question);
  const took: number[] = [];
  for (let turn = 0; turn < ASKED; turn++) {
    const began = performance.now();
    if ('refused' in (await analytics.ask(question))) return Number.NaN;
    took.push(performance.now() - began);
  }
  return median(took);
}
