import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '@switchboard/testkit';
import { type Deployment, deploy } from '../flags/deployment.ts';
import { applyLoad } from '../lib/load/load.ts';
import { openSockets, type Sockets } from '../lib/load/sockets.ts';
import { AUTHORIZED, PROJECT_KEY } from '../lib/project.ts';
import type { Latencies } from './latencies.ts';

const KILL_SWITCH = 'kill-switch';
/** Longer than the service's pause between two messages to a client. */
const BETWEEN_MS = 150;
const NOTIFIED_WITHIN_MS = 10_000;

/**
 * Measures how long a kill switch takes to reach connected clients and the evaluation of every instance. Runs two
 * instances as processes and splits the sockets over them. Toggles the switch through the management API of each in
 * turn, first without other load, then while ten connections to each instance evaluate.
 */
export async function measureFlagChanges(times: number, count: number): Promise<Latencies[]> {
  const deployment = await deploy();
  try {
    const instances = [deployment.service, await deployment.startInstance()];
    await toggle(deployment, deployment.service.url, false);
    const path = `/v1/flags/socket?api_key=${PROJECT_KEY}`;
    const sockets = await openSockets({
      ports: instances.map(({ port }) => port),
      path,
      ready: '"ready"',
      count,
    });
    // An even number, so that the switch ends as it began.
    const plan = { deployment, instances, sockets, changes: 2 * Math.ceil(times / 2) };
    const quiet = await changeOften(plan, 'flag change');
    const done = new AbortController();
    const load = evaluateUntil(done.signal, instances);
    await sleep(1000);
    const loaded = await changeOften(plan, 'flag change under load');
    done.abort();
    await load;
    sockets.stop();
    return [...quiet, ...loaded];
  } finally {
    await deployment.stop();
  }
}

interface Plan {
  deployment: Deployment;
  instances: Program[];
  sockets: Sockets;
  changes: number;
}

/** Returns the times until each client was notified, and until each instance evaluated with the change. */
async function changeOften(
  { deployment, instances, sockets, changes }: Plan,
  name: string,
): Promise<Latencies[]> {
  const notifiedMs: number[] = [];
  const evaluatedMs: number[] = [];
  for (let change = 0; change < changes; change++) {
    const isOn = change % 2 === 0;
    const began = performance.timeOrigin + performance.now();
    const [notified, ...evaluated] = await Promise.all([
      sockets.notified(NOTIFIED_WITHIN_MS),
      ...instances.map(({ url }) => untilEvaluated(url, isOn)),
      toggle(deployment, instances[change % instances.length]?.url ?? '', isOn),
    ]);
    for (const time of notified.times) notifiedMs.push(time - began);
    for (const time of evaluated) if (time !== undefined) evaluatedMs.push(time - began);
    await sleep(BETWEEN_MS);
  }
  return [
    { name: `${name} to each client`, ms: notifiedMs },
    { name: `${name} to each instance`, ms: evaluatedMs },
  ];
}

async function toggle({ put }: Deployment, url: string, enabled: boolean): Promise<undefined> {
  await put(url, `flags/${KILL_SWITCH}`, { enabled, rolloutPercentage: 100 });
}

/** Evaluates until the result is the new one, and returns the time of that. */
async function untilEvaluated(url: string, isOn: boolean): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/v1/flags?distinct_id=visitor`, { headers: AUTHORIZED });
    const { flags } = (await response.json()) as { flags: Record<string, unknown> };
    if (flags[KILL_SWITCH] === isOn) return performance.timeOrigin + performance.now();
    await sleep(2);
  }
}

async function evaluateUntil(signal: AbortSignal, instances: Program[]): Promise<void> {
  const requests = Array.from({ length: 100 }, (_, person) => ({
    path: `/v1/flags?distinct_id=person-${person}`,
  }));
  while (!signal.aborted) {
    await Promise.all(
      instances.map(({ port }) =>
        applyLoad({ port, requests, headers: AUTHORIZED, connections: 10, seconds: 3 }),
      ),
    );
  }
}
