import { setTimeout as sleep } from 'node:timers/promises';
import { applyLoad, countOf, isSuccess, type LoadResult } from '../lib/load.ts';
import type { ServerProcess } from '../lib/process.ts';
import { eventBodies, NUMBER } from './bodies.ts';
import { PROJECT_KEY } from './setting.ts';

export interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicrosPerEvent: number;
  /** Share of one CPU that the server used. */
  cpuShare: number;
  peakMb: number;
  /** Resident memory, a sample a second, from the first second on. */
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

/** Loads a server for some seconds and says what it did and what it cost. */
export async function measure(server: ServerProcess, load: Load): Promise<Run> {
  const { eventsPerRequest, connections, seconds } = load;
  let sources = bodies.get(eventsPerRequest);
  if (sources === undefined) {
    sources = eventBodies(eventsPerRequest, Math.ceil(3200 / eventsPerRequest));
    bodies.set(eventsPerRequest, sources);
  }
  await server.forgetPeak();
  const cpuBefore = await server.cpuSeconds();
  const sampling = new AbortController();
  const samples = sample(server, sampling.signal);
  const firstNumber = nextNumber;
  const result = await applyLoad({
    port: server.port,
    path: '/v1/events',
    headers: { Authorization: `Bearer ${PROJECT_KEY}`, 'Content-Type': 'application/json' },
    connections,
    seconds,
    bodies: sources,
    placeholder: NUMBER,
    firstNumber,
  });
  nextNumber += result.outcomes.length * eventsPerRequest;
  sampling.abort();
  const cpu = (await server.cpuSeconds()) - cpuBefore;
  const accepted = countOf(result, isSuccess) * eventsPerRequest;
  return {
    result,
    perSecond: accepted / result.seconds,
    cpuMicrosPerEvent: (cpu / accepted) * 1e6,
    cpuShare: cpu / result.seconds,
    peakMb: await server.peakMb(),
    residentMb: await samples,
    firstNumber,
  };
}

async function sample(server: ServerProcess, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  while (!signal.aborted) {
    await sleep(1000, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) samples.push(await server.residentMb());
  }
  return samples;
}
