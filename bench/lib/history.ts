import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from './statistics.ts';
import { decimals, printTable } from './table.ts';

/** One of our figures divided by that of a floor or a peer in the same run. */
export interface Ratio {
  scenario: string;
  /** The name of the ratio, such as `requests/s of floor`. */
  ratio: string;
  value: number;
  better: 'higher' | 'lower';
}

interface Entry extends Ratio {
  date: string;
  commit: string;
  bench: string;
  /** The load average of the machine before the bench began. */
  loadAverage: number;
  cores: number;
}

interface Compared extends Ratio {
  /** The median of earlier records. Undefined if there are none. */
  usual: number | undefined;
  /** How much worse it is than usual, as a share of the usual ratio. Negative if it is better. */
  worseBy: number;
}

const FILE = join(import.meta.dirname, '../history.ndjson');
const COMPARED_RECORDS = 5;
const TOLERATED = 0.1;
/** With more waiting processes per core, the load of other programs determines the ratios. */
const MAX_LOAD_PER_CORE = 2;

const LOAD_AVERAGE = loadavg()[0] ?? 0;
const run = promisify(execFile);

/**
 * Prints each ratio beside the median of its last records, and reports those that are more than 10% worse. Neither
 * records nor checks ratios if the machine was busy before the bench.
 */
export async function keepHistory(
  bench: string,
  ratios: Ratio[],
  { record, check }: { record: boolean; check: boolean },
  { file = FILE, loadAverage = LOAD_AVERAGE }: { file?: string; loadAverage?: number } = {},
): Promise<void> {
  const cores = availableParallelism();
  const earlier = (await readEntries(file)).filter((entry) => entry.bench === bench && entry.cores === cores);
  const compared = ratios.map((ratio) => compare(ratio, earlier));
  print(compared);
  if (loadAverage > MAX_LOAD_PER_CORE * cores) {
    console.log(
      `BUSY: load average ${decimals(loadAverage)} on ${cores} cores at the start; nothing is recorded or checked`,
    );
    return;
  }
  const worse = compared.filter(({ worseBy }) => worseBy > TOLERATED);
  for (const { scenario, ratio, worseBy } of worse)
    console.log(`WORSE by ${decimals(worseBy * 100, 0)}% than usual: ${scenario}, ${ratio}`);
  if (check && worse.length > 0) process.exitCode = 1;
  if (!record) return;
  const facts = { date: new Date().toISOString(), commit: await currentCommit(), bench };
  const machine = { loadAverage: Number(decimals(loadAverage)), cores };
  const entries: Entry[] = ratios.map((ratio) => ({
    ...facts,
    ...ratio,
    value: Number(ratio.value.toPrecision(4)),
    ...machine,
  }));
  await appendFile(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
}

function compare(ratio: Ratio, earlier: Entry[]): Compared {
  const records = earlier
    .filter((entry) => entry.scenario === ratio.scenario && entry.ratio === ratio.ratio)
    .slice(-COMPARED_RECORDS);
  if (records.length === 0) return { ...ratio, usual: undefined, worseBy: 0 };
  const usual = median(records.map(({ value }) => value));
  const change = (ratio.value - usual) / usual;
  return { ...ratio, usual, worseBy: ratio.better === 'higher' ? -change : change };
}

function print(compared: Compared[]): void {
  printTable(
    ['scenario', 'ratio', 'better', 'now', 'usual'],
    compared.map(({ scenario, ratio, better, value, usual }) => [
      scenario,
      ratio,
      better,
      decimals(value, 2),
      usual === undefined ? '' : decimals(usual, 2),
    ]),
  );
}

async function readEntries(file: string): Promise<Entry[]> {
  const text = await readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').filter(Boolean).map(parseEntry);
}

function parseEntry(line: string): Entry {
  return JSON.parse(line);
}

/** Returns the current commit, with a `+` if files other than the history differ from it. */
async function currentCommit(): Promise<string> {
  const cwd = import.meta.dirname;
  const { stdout } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd });
  const others = ['--', ':/', ':!/bench/history.ndjson'];
  const isClean = await run('git', ['diff', '--quiet', 'HEAD', ...others], { cwd }).then(
    () => true,
    () => false,
  );
  return `${stdout.trim()}${isClean ? '' : '+'}`;
}
