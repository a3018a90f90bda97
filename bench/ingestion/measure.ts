import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUsage, processUsage } from '@switchboard/testkit';
import { applyLoad, countOf, isSuccess, type LoadResult } from '../lib/load/load.ts';
import { eventBodies, type Protocol } from './bodies.ts';
import type { Server } from './deployment.ts';

export interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicrosPerEvent: number;
  /** The share of one CPU that the server used. */
  cpuShare: number;
  peakMb: number;
  /** The resident memory, sampled once a second. */
  residentMb: number[];
  firstNumber: number;
}

let nextNumber = 0;

export interface Load {
  eventsPerRequest: number;
  connections: number;
  seconds: number;
}

const bodies = new Map<string, string[]>();

/** Loads a server, and returns its throughput and cost. */
export async function measure(server: Server, load: Load): Promise<Run> {
  const { program, protocol } = server;
  const { eventsPerRequest, connections, seconds } = load;
  const sources = bodiesFor(protocol, eventsPerRequest);
  const usage = processUsage(program.pid);
  await usage.resetPeak();
  const cpuBefore = await usage.cpuSeconds();
  const sampling = new AbortController();
  const samples = sample(usage, sampling.signal);
  const firstNumber = nextNumber;
  const result = await applyLoad({
    port: program.port,
    headers: protocol.headers,
    connections,
    seconds,
    requests: sources.map((body) => ({ path: protocol.path, body })),
    placeholder: protocol.number,
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

function bodiesFor(protocol: Protocol, eventsPerRequest: number): string[] {
  const name = `${protocol.path} ${eventsPerRequest}`;
  const known = bodies.get(name);
  if (known !== undefined) return known;
  const made = eventBodies(eventsPerRequest, Math.ceil(3200 / eventsPerRequest), protocol);
  bodies.set(name, made);
  return made;
}

async function sample(usage: ProcessUsage, signal: AbortSignal): Promise<number[]> {
  const samples: number[] = [];
  while (!signal.aborted) {
    await sleep(1000, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) samples.push(await usage.residentMb());
  }
  return samples;
}
