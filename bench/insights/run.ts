import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startClickHouse } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { keepHistory, type Ratio } from '../lib/history.ts';
import { OPTIONS } from '../lib/options.ts';
import { median, quantile } from '../lib/statistics.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { measureAgain } from './again.ts';
import { type Analytics, settled, startAnalytics } from './analytics.ts';
import { compare, openHand } from './by-hand.ts';
import { measureCohorts } from './cohorts.ts';
import { generateFiles, joinedIds, LARGE, smallProject } from './files.ts';
import { type BenchQuestion, questionsOver } from './questions.ts';

const AT_ONCE = 10;

/**
 * Runs a query of each kind in analytics over generated files, and compares the results with hand-written SQL on
 * plain DuckDB over the same files, with the same memory and threads. Cold: the first query, which also copies the
 * files; for SQL by hand, a new engine. Warm: later queries, each in a different form, so that no cache answers it, once
 * nothing is computed in the background.
 * With `--joined 30`, a second analytics has the same files, and 30% of the ids belong to a person with another id.
 * With `--clickhouse`, another analytics queries ClickHouse, which is filled from the same files. With `--cohorts 1000`,
 * computes behavioural cohorts and asks fifty questions instead.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '10000000' },
      days: { type: 'string', default: '90' },
      projects: { type: 'string', default: '1000' },
      memory: { type: 'string', default: '500' },
      runs: OPTIONS.runs,
      record: OPTIONS.record,
      check: OPTIONS.check,
      /** How often ten queries run at once. */
      rounds: { type: 'string', default: '3' },
      /** The part of the ids that are joined to another one, in percent. At most 50. */
      joined: { type: 'string' },
      clickhouse: { type: 'boolean', default: false },
      /** The number of behavioural cohorts to compute, and nothing else. */
      cohorts: { type: 'string' },
    },
  });
  const [events, days, projects] = [Number(values.events), Number(values.days), Number(values.projects)];
  const memoryBytes = Number(values.memory) * 1_000_000;
  const asked = { projects: [LARGE, smallProject(1)], memoryBytes };
  const analytics = await startAnalytics(asked);
  const joined = values.joined === undefined ? undefined : await startAnalytics(asked);
  const clickHouse = values.clickhouse ? await startOnClickHouse(asked) : undefined;
  try {
    const { folder, usage } = analytics;
    const records = await generateFiles(folder, { events, days, projects });
    const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
    console.log(`${records.length} files, ${thousands(bytes / 1e6)} MB`);
    await analytics.publish(records);
    await clickHouse?.fill(folder);
    if (joined !== undefined) {
      await cp(folder, joined.folder, { recursive: true });
      await joined.publish(records);
      await joined.join(LARGE, joinedIds(events, Number(values.joined) / 100));
    }

    if (values.cohorts !== undefined) {
      const costs = await measureCohorts(analytics, Number(values.cohorts), days);
      printTable(
        ['measured', 'ms', 'CPU ms'],
        costs.map(({ what, ms, cpuMs }) => [what, shown(ms), shown(cpuMs)]),
      );
      return;
    }

    const questions = questionsOver(days);
    const runs = Number(values.runs);
    const rows: string[][] = [];
    const ratios: Ratio[] = [];
    for (const question of questions) {
      const hand = await openHand(records, folder, memoryBytes);
      const ask = () => timed(() => analytics.ask(question), usage.cpuSeconds);
      const askByHand = () => timed(() => hand.ask(question), ownCpuSeconds);
      const askJoined = async () => joined && timed(() => joined.ask(question), joined.usage.cpuSeconds);
      const [cold, coldByHand] = [await ask(), await askByHand()];
      const coldJoined = await askJoined();
      await Promise.all([analytics, joined].map((one) => one && settled(one)));
      compare(question, cold.value, coldByHand.value);
      // Alternates, so that a slow moment affects both.
      const both = await times(runs, async () => ({
        own: await ask(),
        joined: await askJoined(),
        byHand: await askByHand(),
      }));
      hand.close();
      for (const { own, byHand } of both) compare(question, own.value, byHand.value);
      const warm = median(both.map(({ own }) => own.ms));
      const warmByHand = median(both.map(({ byHand }) => byHand.ms));
      const cpu = meanOf(both.map(({ own }) => own.cpuMs));
      const cpuByHand = meanOf(both.map(({ byHand }) => byHand.cpuMs));
      ratios.push(
        { scenario: question.name, ratio: 'warm of by hand', value: warm / warmByHand, better: 'lower' },
        { scenario: question.name, ratio: 'CPU of by hand', value: cpu / cpuByHand, better: 'lower' },
      );
      const ofJoined = both.flatMap(({ joined: one }) => one ?? []);
      const warmJoined = median(ofJoined.map(({ ms }) => ms));
      const cpuJoined = meanOf(ofJoined.map(({ cpuMs }) => cpuMs));
      if (coldJoined !== undefined) {
        ratios.push(
          { scenario: question.name, ratio: 'joined of apart', value: warmJoined / warm, better: 'lower' },
          { scenario: question.name, ratio: 'CPU joined of apart', value: cpuJoined / cpu, better: 'lower' },
        );
      }
      rows.push([
        question.name,
        ...[cold.ms, warm, cpu, coldByHand.ms, warmByHand, cpuByHand].map(shown),
        ...[warm / warmByHand, cpu / cpuByHand].map((ratio) => decimals(ratio, 2)),
        ...(coldJoined === undefined ? [] : [coldJoined.ms, warmJoined, cpuJoined].map(shown)),
        ...(coldJoined === undefined
          ? []
          : [warmJoined / warm, cpuJoined / cpu].map((ratio) => decimals(ratio, 2))),
        ...(clickHouse === undefined
          ? []
          : [await askClickHouse(clickHouse, question, coldByHand.value, runs)]),
      ]);
    }
    const columnsOfJoined = joined === undefined ? [] : JOINED_SHOWN;
    printTable(
      [...COLUMNS_SHOWN, ...columnsOfJoined, ...(clickHouse === undefined ? [] : ['ClickHouse, warm'])],
      rows,
    );
    const mix = Array.from(
      { length: AT_ONCE },
      (_, index) => questions[index % questions.length] ?? [],
    ).flat();
    const hand = await openHand(records, folder, memoryBytes);
    for (const [name, ask] of [
      ['', analytics.ask],
      [', by hand', hand.ask],
    ] as const) {
      const rounds = await times(Number(values.rounds), () =>
        Promise.all(mix.map((question) => timed<object>(() => ask(question), ownCpuSeconds))),
      );
      const took = rounds.flat().map(({ ms }) => ms);
      console.log(
        `${AT_ONCE} at once${name}: p50 ${shown(median(took))}, p99 ${shown(quantile(took, 0.99))} ms`,
      );
    }
    hand.close();
    await measureAgain(analytics, questions, {
      days,
      events,
      byHandOf: (added) => openHand([...records, ...added], folder, memoryBytes),
    });
    console.log(`peak memory of the process: ${thousands(await usage.peakMb())} MB`);
    if (joined !== undefined)
      console.log(`peak memory of the process with joins: ${thousands(await joined.usage.peakMb())} MB`);
    await keepHistory('insights', ratios, values);
  } finally {
    await analytics.stop();
    await joined?.stop();
    await clickHouse?.stop();
  }
}

const JOINED_SHOWN = ['joined, cold', 'joined, warm', 'joined, CPU', 'joined / apart', 'CPU, joined / apart'];

const COLUMNS_SHOWN = [
  'question',
  ...['cold ms', 'warm ms', 'CPU ms'],
  ...['by hand, cold', 'by hand, warm', 'by hand, CPU'],
  ...['warm / by hand', 'CPU / by hand'],
];

interface Timed<T> {
  ms: number;
  cpuMs: number;
  value: T;
}

/** Measures a query. The time of a rejected query is infinite. */
async function timed<T extends object>(
  ask: () => Promise<T>,
  cpuSeconds: () => number | Promise<number>,
): Promise<Timed<T>> {
  const used = await cpuSeconds();
  const began = performance.now();
  const value = await ask();
  const ms = 'refused' in value ? Number.POSITIVE_INFINITY : performance.now() - began;
  return { ms, cpuMs: ((await cpuSeconds()) - used) * 1000, value };
}

/** Returns the CPU time of this process, which runs the SQL by hand. */
function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let turn = 0; turn < count; turn++) done.push(await work());
  return done;
}

const meanOf = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;
const shown = (ms: number) => (Number.isFinite(ms) ? thousands(ms) : 'refused');

interface OnClickHouse extends Pick<Analytics, 'ask' | 'stop'> {
  /** Reads the files into the table that analytics created. */
  fill(folder: string): Promise<void>;
}

async function startOnClickHouse(options: Parameters<typeof startAnalytics>[0]): Promise<OnClickHouse> {
  const server = installed('clickhouse', await startClickHouse());
  const { origin, username, password } = new URL(server.url);
  const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const run = async (body: string) => {
    const answer = await fetch(origin, { method: 'POST', body, headers: { Authorization } });
    if (!answer.ok) throw new Error(await answer.text());
  };
  const analytics = await startAnalytics({ ...options, clickHouseUrl: server.url });
  return {
    ask: analytics.ask,
    async fill(folder) {
      const events = join(folder, 'events');
      for (const day of await readdir(events)) {
        const files = `file('${join(events, day)}/*.parquet', 'Parquet')`;
        await run(`insert into events (${COLUMNS}) select ${COLUMNS} from ${files}`);
      }
      // Merges parts, as ClickHouse does over time.
      await run('optimize table events final');
    },
    async stop() {
      await analytics.stop();
      await server.stop();
    },
  };
}

const COLUMNS = `project_id, event_id, event_name, distinct_id, session_id, schema_version, occurred_at, received_at,
  sent_at, timestamp, properties, context, bot, log_partition, log_offset, log_line`;

/** Returns the milliseconds that ClickHouse takes, or the status if it rejects the query. */
async function askClickHouse(
  { ask }: OnClickHouse,
  question: BenchQuestion,
  byHand: Map<string, number>,
  runs: number,
): Promise<string> {
  const first = await ask(question);
  compare(question, first, byHand);
  if ('refused' in first) return String(first.refused);
  const took = await times(runs, () => timed(() => ask(question), ownCpuSeconds));
  return shown(median(took.map(({ ms }) => ms)));
}
