import { parseArgs } from 'node:util';
import { ingestionTopics } from '@switchboard/contracts';
import { type KafkaServer, startKafka } from '@switchboard/testkit';
import type { Kafka } from 'kafkajs';
import { isSuccess } from '../lib/load.ts';
import { median, medianRun } from '../lib/median.ts';
import { profileFlags } from '../lib/rig.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { type Deployment, deploy } from './deployment.ts';
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

/** Measures the ingestion service beside the floor: see docs/benchmarks.md. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '8' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string', default: 'batch,single,overload,minute' },
      partitions: { type: 'string', default: '4' },
      workers: { type: 'string', default: '1' },
      profile: { type: 'string' },
    },
  });
  const seconds = Number(values.seconds);
  const runs = Number(values.runs);
  const scenarios = values.only.split(',');
  const kafka = await ownKafka();
  const brokers = kafka?.brokers ?? (process.env['KAFKA_BROKERS'] ?? '').split(',');
  const deployment = await deploy(brokers, {
    flags: profileFlags(values.profile),
    partitions: Number(values.partitions),
    workers: values.workers,
  });
  const rows: string[][] = [];
  try {
    const batch = { eventsPerRequest: 100, connections: 32, seconds };
    const single = { eventsPerRequest: 1, connections: 32, seconds };
    if (scenarios.includes('batch'))
      rows.push(...(await besideFloor(deployment, '100 x 32, events', batch, runs)));
    if (scenarios.includes('single'))
      rows.push(...(await besideFloor(deployment, '1 x 32, requests', single, runs)));
    if (scenarios.includes('overload')) rows.push(...(await overload(deployment, batch)));
    if (scenarios.includes('minute')) rows.push(await minute(deployment, batch));
  } finally {
    await deployment.stop();
    await kafka?.stop();
  }
  printTable(COLUMNS, rows);
}

/** A broker for this run, unless KAFKA_BROKERS names one, which must have none of the topics. */
async function ownKafka(): Promise<KafkaServer | undefined> {
  if (process.env['KAFKA_BROKERS']) return undefined;
  const kafka = await startKafka();
  if (kafka === undefined) throw new Error('Kafka is not installed: run deploy/backings/install.sh kafka.');
  return kafka;
}

/** Runs take turns, so that other work on the machine affects both. Shows the median run of each. */
async function besideFloor(
  deployment: Deployment,
  name: string,
  load: Load,
  runs: number,
): Promise<string[][]> {
  const { service, floor } = deployment;
  await measure(service, { ...load, seconds: 3 });
  await measure(floor, { ...load, seconds: 2 });
  const ours: { run: Run; checked: string[] }[] = [];
  const floors: Run[] = [];
  for (let i = 0; i < runs; i++) {
    ours.push(await checkedRun(deployment, load));
    floors.push(await measure(floor, load));
  }
  const middle = medianRun(ours, ({ run }) => run.perSecond);
  const middleFloor = medianRun(floors, ({ perSecond }) => perSecond);
  const share = (100 * middle.run.perSecond) / middleFloor.perSecond;
  console.log(`${name}: ${decimals(share, 0)} % of the floor`);
  return [
    [name, 'switchboard', ...figures(middle.run), ...middle.checked],
    [name, 'floor', ...figures(middleFloor), '', '', '', ''],
  ];
}

/** Ten times the clients for a while, then the usual number again. */
async function overload(deployment: Deployment, load: Load): Promise<string[][]> {
  const during = await checkedRun(deployment, { ...load, connections: load.connections * 10 });
  const after = await checkedRun(deployment, { ...load, seconds: 2 });
  return [
    ['overload, 100 x 320', 'switchboard', ...figures(during.run), ...during.checked],
    ['the 2 s after it, 100 x 32', 'switchboard', ...figures(after.run), ...after.checked],
  ];
}

async function minute(deployment: Deployment, load: Load): Promise<string[]> {
  const { run, checked } = await checkedRun(deployment, { ...load, seconds: 60 });
  const early = median(run.residentMb.slice(5, 10));
  const late = median(run.residentMb.slice(-5));
  console.log(
    `a minute of load: ${decimals(early)} MB resident after ten seconds, ${decimals(late)} at its end`,
  );
  return ['a minute, 100 x 32', 'switchboard', ...figures(run), ...checked];
}

async function checkedRun(deployment: Deployment, load: Load): Promise<{ run: Run; checked: string[] }> {
  const topic = ingestionTopics.events;
  const from = await endOffsets(deployment.kafka, topic);
  const run = await measure(deployment.service, load);
  return { run, checked: await check(deployment.kafka, topic, from, run, load) };
}

/** Compares the accepted events with those on the topic, one by one. */
async function check(
  kafka: Kafka,
  topic: string,
  from: Map<number, bigint>,
  { result, firstNumber }: Run,
  { eventsPerRequest }: Load,
): Promise<string[]> {
  const count = result.outcomes.length * eventsPerRequest;
  const to = await endOffsets(kafka, topic);
  const times = await storedNumbers(kafka, topic, { from, to, firstNumber, count });
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
  return [accepted, once, lost, unexpected].map(thousands);
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
