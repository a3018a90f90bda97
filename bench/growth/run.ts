import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { HISTORY_OPTIONS, keepHistory, type Ratio } from '../lib/history.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { annotations, listedAnnotations, listedThreads, threads } from './collaboration.ts';
import { companies } from './companies.ts';
import { cohorts, people, projectFlags, rulesets } from './flags.ts';
import { insightEvents, insightFiles, insightProjects } from './insights.ts';
import { keys } from './keys.ts';
import { conversations, messages, teammates, turns } from './messenger.ts';
import { partitions } from './partitions.ts';
import { type Dimension, exponentOf, FACTORS, growthOf, type Series } from './path.ts';
import { picture } from './picture.ts';

const DIMENSIONS: Record<string, () => Promise<Dimension>> = {
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
  rulesets,
  keys,
  conversations,
  partitions,
  'insight-events': insightEvents,
  'insight-files': insightFiles,
  'insight-projects': insightProjects,
};

/** Measures each hot path at 1, 10, 100 and 1,000 times the data. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: Object.keys(DIMENSIONS).join() },
      /** The number of sizes to measure, from the smallest. */
      steps: { type: 'string', default: String(FACTORS.length) },
      /** The SVG file for a picture of the series. */
      picture: { type: 'string' },
      ...HISTORY_OPTIONS,
    },
  });
  const series: Series[] = [];
  for (const name of values.only.split(',')) {
    const start = DIMENSIONS[name];
    if (start === undefined)
      throw new Error(`unknown dimension ${name}: use one of ${Object.keys(DIMENSIONS).join(', ')}`);
    const beganAt = performance.now();
    try {
      const measured = await measureDimension(await start(), Number(values.steps));
      series.push(...measured);
      console.log(`${name}: ${decimals((performance.now() - beganAt) / 1000)} s`);
      printTable(COLUMNS, measured.map(rowOf));
      // Written after each series, so that an interrupted run has a picture of its measurements.
      if (values.picture !== undefined) await writeFile(values.picture, picture(series));
    } catch (error) {
      // Continues with the others.
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
  }
  printTable(COLUMNS, series.map(rowOf));
  await keepHistory('growth', series.map(ratioOf), values);
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

function ratioOf(one: Series): Ratio {
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
