import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type KafkaServer, processUsage, startKafka } from '@switchboard/testkit';
import type { Kafka } from 'kafkajs';
import { installed } from '../lib/backings.ts';
import { profileFlags } from '../lib/harness.ts';
import { keepHistory, type Ratio } from '../lib/history.ts';
import { isSuccess } from '../lib/load/load.ts';
import { OPTIONS, selected } from '../lib/options.ts';
import { median, medianRun } from '../lib/statistics.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { measureArchive } from './archive.ts';
import { type Deployment, deploy, type Server } from './deployment.ts';
import { type Load, measure, type Run } from './measure.ts';
import { endOffsets, storedNumbers } from './stored-events.ts';

const COLUMNS = [
  'scenario',
  'server',
  'per second',
  'p50 ms',
  'p99 ms',
  'max ms',
  'not 2xx',
  'CPU us/event',
  'CPU',
  'peak RSS MB',
  'accepted',
  'stored once',
  'lost',
  'unexpected',
];

/**
 * Compares the ingestion service with the floor and a peer, and measures how fast the archive consumes a full topic.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...OPTIONS,
      partitions: { type: 'string', default: DEFAULT_PARTITIONS },
      /** Multiple values, such as `1,auto`, are measured side by side. */
      workers: { type: 'string', default: '1' },
      /** The path of PostHog's capture program. */
      peer: { type: 'string' },
      /** The number of events on the topic that the archive consumes, and of their projects. */
      events: { type: 'string', default: '1600000' },
      projects: { type: 'string', default: '1' },
    },
  });
  const scenarios = selected(
    [...Object.keys(BESIDE), 'overload', 'minute', 'archive'],
    values.only,
    (name) => name,
  );
  const partitions = Number(values.partitions);
  const isOfIngestion = scenarios.some((name) => name !== 'archive');
  if (isOfIngestion) await measureIngestion(scenarios, { ...values, partitions });
  if (scenarios.includes('archive')) {
    const { profile } = values;
    const [events, projects] = [Number(values.events), Number(values.projects)];
    await measureArchive({ events, projects, partitions, profile });
  }
}

interface IngestionOptions {
  seconds: string;
  runs: string;
  partitions: number;
  workers: string;
  peer?: string | undefined;
  profile?: string | undefined;
  record: boolean;
  check: boolean;
}

async function measureIngestion(scenarios: readonly string[], options: IngestionOptions): Promise<void> {
  const { partitions, peer } = options;
  const seconds = Number(options.seconds);
  const kafka = await ownKafka();
  const brokers = kafka?.brokers ?? (process.env['KAFKA_BROKERS'] ?? '').split(',');
  const deployment = await deploy(brokers, {
    flags: profileFlags(options.profile),
    partitions,
    workers: options.workers.split(','),
    peer,
  });
  const rows: string[][] = [];
  const ratios: Ratio[] = [];
  try {
    for (const [name, load] of Object.entries(BESIDE)) {
      if (!scenarios.includes(name)) continue;
      const of =
        String(partitions) === DEFAULT_PARTITIONS ? load.name : `${load.name}, ${partitions} partitions`;
      const beside = await besideOthers(deployment, of, { ...load, seconds }, Number(options.runs));
      rows.push(...beside.rows);
      ratios.push(...beside.ratios);
    }
    if (scenarios.includes('overload')) rows.push(...(await overload(deployment, seconds)));
    if (scenarios.includes('minute')) rows.push(...(await minute(deployment)));
  } finally {
    await deployment.stop();
    await kafka?.stop();
  }
  printTable(COLUMNS, rows);
  await keepHistory('ingestion', ratios, options);
}

const DEFAULT_PARTITIONS = '4';

/** The scenarios that are also measured for the floor and the peer. */
const BESIDE = {
  batch: { name: '100 x 32, events', eventsPerRequest: 100, connections: 32 },
  single: { name: '1 x 32, requests', eventsPerRequest: 1, connections: 32 },
  wide: { name: '100 x 64, events', eventsPerRequest: 100, connections: 64 },
};
const { batch: BATCH } = BESIDE;

/** Starts a broker for this run, unless KAFKA_BROKERS names one. That one must have none of the topics. */
async function ownKafka(): Promise<KafkaServer | undefined> {
  if (process.env['KAFKA_BROKERS']) return undefined;
  return installed('kafka', await startKafka());
}

/** Runs servers in turn, so that other load on the machine affects all. Shows the median run of each. */
async function besideOthers(
  { kafka, services, others }: Deployment,
  name: string,
  load: Load,
  runs: number,
): Promise<{ rows: string[][]; ratios: Ratio[] }> {
  const servers = [...services, ...others];
  const measured = new Map<Server, Checked[]>(servers.map((server) => [server, []]));
  for (const server of servers) await measure(server, { ...load, seconds: WARM_SECONDS });
  for (let turn = 0; turn < runs; turn++) {
    for (const server of servers) measured.get(server)?.push(await checkedRun(kafka, server, load));
  }
  const middles = new Map<Server, Checked>();
  for (const [server, all] of measured)
    middles.set(
      server,
      medianRun(all, ({ run }) => run.perSecond),
    );
  return {
    rows: [...middles].map(([server, one]) => rowOf(name, server, one)),
    ratios: services.flatMap((service) =>
      others.flatMap((other) => {
        const scenario = name + service.name.replace('switchboard', '');
        return ratiosOf(scenario, other.name, middles.get(service)?.run, middles.get(other)?.run);
      }),
    ),
  };
}

/** How long V8 still optimizes: in that time, the rate of a new process rises by a quarter or more. */
const WARM_SECONDS = 15;
/** V8 and malloc reach the memory of the usual load only after some seconds. */
const USUAL_SECONDS = 20;
const REST_MS = 60_000;

function ratiosOf(scenario: string, other: string, our?: Run, their?: Run): Ratio[] {
  if (our === undefined || their === undefined) return [];
  const ratio = (what: string, better: Ratio['better'], read: (run: Run) => number): Ratio => ({
    scenario,
    ratio: `${what} of ${other}`,
    value: read(our) / read(their),
    better,
  });
  return [
    ratio('rate', 'higher', ({ perSecond }) => perSecond),
    ratio('p99', 'lower', ({ result }) => result.latency.p99),
    ratio('CPU an event', 'lower', ({ cpuMicrosPerEvent }) => cpuMicrosPerEvent),
  ];
}

/** Applies the usual load, then ten times the clients, then the usual number again, then none for a minute. */
async function overload({ kafka, services }: Deployment, seconds: number): Promise<string[][]> {
  const rows: string[][] = [];
  for (const service of services) {
    const usage = processUsage(service.program.pid);
    const fresh = await usage.residentMb();
    await measure(service, { ...BATCH, seconds: USUAL_SECONDS });
    const before = await usage.residentMb();
    const during = await checkedRun(kafka, service, {
      ...BATCH,
      seconds,
      connections: BATCH.connections * 10,
    });
    const after = await checkedRun(kafka, service, { ...BATCH, seconds: 2 });
    rows.push(rowOf('overload, 100 x 320', service, during));
    rows.push(rowOf('the 2 s after it, 100 x 32', service, after));
    await sleep(REST_MS);
    const [ended, rested] = [after.run.residentMb.at(-1) ?? 0, await usage.residentMb()];
    console.log(
      `${service.name}, resident MB: ${decimals(fresh)} at the start, ${decimals(before)} at the usual load, ${decimals(during.run.peakMb)} at most in the overload, ${decimals(ended)} after it, ${decimals(rested)} a minute later`,
    );
  }
  return rows;
}

async function minute({ kafka, services }: Deployment): Promise<string[][]> {
  const rows: string[][] = [];
  for (const service of services) {
    const checked = await checkedRun(kafka, service, { ...BATCH, seconds: 60 });
    const early = median(checked.run.residentMb.slice(5, 10));
    const late = median(checked.run.residentMb.slice(-5));
    console.log(
      `${service.name}, a minute of load: ${decimals(early)} MB resident after ten seconds, ${decimals(late)} at its end`,
    );
    rows.push(rowOf('a minute, 100 x 32', service, checked));
  }
  return rows;
}

interface Checked {
  run: Run;
  /**
   * The number of accepted events, of those on the topic once, of missing ones, and of rejected ones on the topic.
   */
  found: number[];
}

async function checkedRun(kafka: Kafka, server: Server, load: Load): Promise<Checked> {
  const from = await endOffsets(kafka, server.topic);
  const run = await measure(server, load);
  return { run, found: await check(kafka, server, from, run, load) };
}

const rowOf = (scenario: string, { name }: Server, { run, found }: Checked): string[] => [
  scenario,
  name,
  ...figures(run),
  ...found.map(thousands),
];

/** Compares the accepted events with those on the topic, one by one. */
async function check(
  kafka: Kafka,
  { topic, protocol }: Server,
  from: Map<number, bigint>,
  { result, firstNumber }: Run,
  { eventsPerRequest }: Load,
): Promise<number[]> {
  const count = result.outcomes.length * eventsPerRequest;
  const to = await endOffsets(kafka, topic);
  const times = await storedNumbers(kafka, topic, {
    from,
    to,
    prefix: protocol.storedPrefix,
    firstNumber,
    count,
  });
  let accepted = 0;
  let once = 0;
  let lost = 0;
  let unexpected = 0;
  for (let i = 0; i < count; i++) {
    const wasAccepted = isSuccess(result.outcomes[Math.floor(i / eventsPerRequest)] ?? 0);
    if (wasAccepted) accepted++;
    else if (times[i] !== 0) unexpected++;
    if (wasAccepted && times[i] === 1) once++;
    if (wasAccepted && times[i] === 0) lost++;
  }
  return [accepted, once, lost, unexpected];
}

function figures({ result, perSecond, cpuMicrosPerEvent, cpuShare, peakMb }: Run): string[] {
  const { latency } = result;
  return [
    thousands(perSecond),
    decimals(latency.p50),
    decimals(latency.p99),
    decimals(latency.max),
    refused(result.statuses),
    decimals(cpuMicrosPerEvent),
    `${decimals(cpuShare * 100, 0)} %`,
    decimals(peakMb, 0),
  ];
}

function refused(statuses: Record<string, number>): string {
  const others = Object.entries(statuses).filter(([status]) => !isSuccess(Number(status)));
  return others.map(([status, count]) => `${thousands(count)} x ${status}`).join(', ') || '0';
}
