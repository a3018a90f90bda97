import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../harness/call.ts';
import { createRequestCounts } from '../upgrade/request-counts.ts';
import { type Client, newProject } from './cluster.ts';
import { HAS_NODES, installEverything, podsOf, release } from './pods.ts';
import { inNamespace } from './server.ts';
import { underLoad } from './under-load.ts';

const PROCESS = 'flags.processes.http';
/**
 * As in production.yaml, but from one pod on and with a lower threshold: clients, gateway and pods share two cores.
 */
const SCALED = [
  ...['enabled=true', 'minReplicas=1', 'maxReplicas=2', 'cpuPercent=50'].map(
    (one) => `${PROCESS}.autoscaling.${one}`,
  ),
  `${PROCESS}.resources.requests.cpu=1`,
];
const CLIENTS = 8;
/** Searching for these takes milliseconds, so that a pod is busy before its clients are. */
const [PATH, PARTS] = ['ab'.repeat(2_000), Array.from({ length: 500 }, (_, n) => `abab${n}`)];

describe.skipIf(!HAS_NODES)('pods that are scaled by their CPU', () => {
  let client: Client;
  let load: Awaited<ReturnType<typeof underLoad>>;
  beforeAll(async () => {
    await installEverything();
    await release('flags', SCALED);
    // The default is ten minutes.
    const behavior = { scaleDown: { stabilizationWindowSeconds: 15 } };
    await inNamespace('patch', 'hpa', 'flags', '--patch', JSON.stringify({ spec: { behavior } }));
    client = await newProject('scaled');
    await defineSlowFlag(client);
    load = await underLoad(client);
  }, 600_000);

  /** Resolves once the autoscaler wants `pods` pods, all are ready, and others are gone. Rejects after a timeout. */
  const untilPods = (pods: number) =>
    eventually(async () => expect(await scaling()).toMatchObject({ wanted: pods, pods, ready: pods }), {
      withinMs: 240_000,
    });

  it('keeps one pod while its CPU is idle', async () => {
    await untilPods(1);
    await eventually(async () => expect((await scaling()).percent).toBeLessThan(50), { withinMs: 120_000 });
  }, 400_000);

  it('starts another pod under load and stops one afterwards, and answers every request', async () => {
    const up = await load.during(async () => {
      const busy = flood(client.call);
      await untilPods(2).finally(busy.stop);
      expect(busy.failures()).toEqual([]);
      process.stdout.write(`flags scaled up by ${busy.requests()} requests more\n`);
    });
    const down = await load.during(() => untilPods(1));
    for (const [what, { requests, failures }] of Object.entries({ up, down })) {
      process.stdout.write(`flags scaled ${what}: ${failures.length} of ${requests} requests failed\n`);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(50);
    }
  }, 600_000);

  it('stores everything that it accepted, once', async () => {
    const { accepted, ...problems } = await load.finish();
    for (const [what, found] of Object.entries(problems)) expect([what, found]).toEqual([what, []]);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 300_000);
});

async function defineSlowFlag({ manage, project }: Client): Promise<void> {
  const targeting = [{ attribute: 'path', op: 'contains', value: PARTS }];
  const flag = { enabled: true, rolloutPercentage: 100, targeting };
  await manage('flags', 'PUT', `/projects/${project.id}/flags/slow`, flag);
}

/** Evaluates flags concurrently until stopped, each time for a new person because responses are cached. */
function flood(call: Call) {
  const counts = createRequestCounts();
  let stopped = false;
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    for (let n = 0; !stopped; n++) {
      const body = { context: { targetingKey: `person-${client}-${n}`, path: PATH } };
      await counts.count('flags', () => call('evaluateOfrepFlags', { body }));
    }
  });
  return {
    failures: counts.failures,
    requests: () => counts.totals()['flags'] ?? 0,
    async stop() {
      stopped = true;
      await Promise.all(clients);
    },
  };
}

const utilization = z.object({ averageUtilization: z.int().optional() });
const autoscaler = z.object({
  status: z.object({
    desiredReplicas: z.int(),
    currentMetrics: z.array(z.object({ resource: z.object({ current: utilization }) })).default([]),
  }),
});

async function scaling() {
  const { status } = autoscaler.parse(JSON.parse(await inNamespace('get', 'hpa', 'flags', '--output=json')));
  const selector = '--selector=app.kubernetes.io/component=flags,switchboard-process=http';
  const pods = await inNamespace('get', 'pods', selector, '--output=name');
  const ready = (await podsOf('flags')).filter(({ process, isReady }) => isReady && process === 'flags http');
  return {
    wanted: status.desiredReplicas,
    pods: pods.trim().split('\n').length,
    ready: ready.length,
    percent: status.currentMetrics[0]?.resource.current.averageUtilization,
  };
}
