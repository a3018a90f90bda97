import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUsage, type Program, processUsage } from '@switchboard/testkit';
import { applyLoad, countOf, isSuccess, type LoadResult } from '../lib/load.ts';
import { eventBodies, NUMBER } from './bodies.ts';
import { PROJECT_KEY } from './deployment.ts';

export interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicrosPerEvent: number;
  /** Share of one CPU that the server used. */
  cpuShare: number;
  peakMb: number;
  /** Resident memory, sampled once a second. */
  residentMb: number[];
  firstNumber: number;
}

let nextNumber = 0;

export interface Load {
  eventsPerRequest: number;
  connections: number;
  seconds: number;
}

const bodies = new Map<number, string[]>();

/** Loads a server, and returns what it did and what that cost. */
export async function measure(server: Program, load: Load): Promise<Run> {
  const { eventsPerRequest, connections, seconds } = load;
  let sources = bodies.get(eventsPerRequest);
  if (sources === undefined) {
    sources = eventBodies(eventsPerRequest, Math.ceil(3200 / eventsPerRequest));
    bodies.set(eventsPerRequest, sources);
  }
  const usage = processUsage(server.pid);
  await usage.resetPeak();
  const cpuBefore = await usage.cpuSeconds();
  const sampling = new AbortController();
  const samples = sample(usage, sampling.signal);
  const firstNumber = nextNumber;
  const result = await applyLoad({
    port: server.port,
    headers: { Authorization: `Bearer ${PROJECT_KEY}`, 'Content-Type': 'application/json' },
    connections,
    seconds,
    requests: sources.map((body) => ({ path: '/v1/events', body })),
    placeholder: NUMBER,
    firstNumber,
  });
  nextNumber += result.outcomes.length * eventsPerRequest;
  sampling.abort();
  const cpu = (await usage.cpuSeconds()) - cpuBefore;
  const accepted = countOf(result, isSuccess) * eventsPerRequest;
  return {
    result,
    perSecond: accepted / result.seconds,
    cpuMicrosPerEvent: (cpu / accepted) * 1e6,
    cpuShare: cpu / result.seconds,
    peakMb: await usage.peakMb(),
    residentMb: await samples,
    firstNumber,
  };
}

async function sample(usage: ProcessUsage, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  while (!signal.aborted) {
    await sleep(1000, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) samples.push(await usage.residentMb());
  }
  return samples;
}
