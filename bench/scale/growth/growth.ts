import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ratio } from '../../lib/history.ts';
import { decimals, printTable, thousands } from '../../lib/table.ts';
import { annotations, listedAnnotations, listedThreads, threads } from './collaboration.ts';
import { companies } from './companies.ts';
import { cohorts, people, projectFlags, rulesets } from './flags.ts';
import { insightEvents, insightFiles, insightProjects } from './insights.ts';
import { keys } from './keys.ts';
import { listedPeople } from './listed-people.ts';
import { conversations, messages, teammates, turns } from './messenger.ts';
import { partitions } from './partitions.ts';
import { type Dimension, exponentOf, FACTORS, growthOf, type Series } from './path.ts';
import { growthPicture } from './picture.ts';

/** The quantities that may grow, by name. */
export const DIMENSIONS: Record<string, () => Promise<Dimension>> = {
  flags: projectFlags,
  cohorts,
  companies,
  turns,
  teammates,
  messages,
  'listed-annotations': listedAnnotations,
  'listed-threads': listedThreads,
  annotations,
  threads,
  people,
  'listed-people': listedPeople,
  rulesets,
  keys,
  conversations,
  partitions,
  'insight-events': insightEvents,
  'insight-files': insightFiles,
  'insight-projects': insightProjects,
};

interface GrowthOptions {
  /** The number of sizes to measure, from the smallest. */
  steps: number;
  /** The folder for pictures of the series. */
  pictures: string | undefined;
}

/** Measures hot paths at 1, 10, 100 and 1,000 times the data, and prints them. */
export async function measureGrowth(
  names: readonly string[],
  { steps, pictures }: GrowthOptions,
): Promise<Series[]> {
  const measured = new Map<string, Series[]>();
  for (const name of names) {
    const start = DIMENSIONS[name];
    if (start === undefined) continue;
    const beganAt = performance.now();
    try {
      const series = await measureDimension(await start(), steps);
      measured.set(name, series);
      console.log(`${name}: ${decimals((performance.now() - beganAt) / 1000)} s`);
      printTable(COLUMNS, series.map(rowOf));
      // Written after each series, so that an interrupted run has a picture of its measurements.
      if (pictures !== undefined) await draw(measured, pictures);
    } catch (error) {
      // Continues with the others.
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
  }
  const all = [...measured.values()].flat();
  printTable(COLUMNS, all.map(rowOf));
  return all;
}

/** Draws insights apart, because their times are much longer than those of the other paths. */
async function draw(measured: ReadonlyMap<string, Series[]>, folder: string): Promise<void> {
  const isInsight = (name: string) => name.startsWith('insight-');
  for (const [file, isDrawn] of [
    ['insights-growth.svg', isInsight],
    ['growth.svg', (name: string) => !isInsight(name)],
  ] as const) {
    const series = [...measured].filter(([name]) => isDrawn(name)).flatMap(([, some]) => some);
    if (series.length > 0) await writeFile(join(folder, file), growthPicture(series));
  }
}

async function measureDimension(
  { of, sizes, fill, paths, stop }: Dimension,
  steps: number,
): Promise<Series[]> {
  const series = paths.map(({ name, bound, unit }): Series => ({ name, of, bound, unit, points: [] }));
  try {
    for (const size of sizes.slice(0, steps)) {
      await fill(size);
      for (const [index, path] of paths.entries()) {
        series[index]?.points.push({ size, value: await path.measure(size) });
      }
    }
  } finally {
    await stop();
  }
  return series;
}

export function ratioOf(one: Series): Ratio {
  return { scenario: one.name, ratio: 'last of first', value: growthOf(one), better: 'lower' };
}

const COLUMNS = [
  'path',
  'more of',
  'from',
  'to',
  ...['first', 'second', 'third', 'last'],
  'last / first',
  'exponent',
  'may be',
];

function rowOf(one: Series): string[] {
  const { name, of, bound, unit, points } = one;
  const sizes = [points.at(0), points.at(-1)].map((point) => thousands(point?.size ?? Number.NaN));
  const values = FACTORS.map((_, step) => {
    const value = points[step]?.value;
    return value === undefined
      ? ''
      : `${value.toLocaleString('en', { maximumSignificantDigits: 2 })} ${unit}`;
  });
  return [name, of, ...sizes, ...values, decimals(growthOf(one)), decimals(exponentOf(one), 2), bound];
}
