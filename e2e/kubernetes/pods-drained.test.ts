import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newProject } from './cluster.ts';
import { watchAvailability } from './deployments.ts';
import { HAS_NODES, installEverything, podsOf, processesOf, RELEASES, release } from './pods.ts';
import { inNamespace, kubectl } from './server.ts';
import { underLoad } from './under-load.ts';

const NODES = ['node1', 'node2'];

describe.skipIf(!HAS_NODES)('nodes that are drained under load', () => {
  let load: Awaited<ReturnType<typeof underLoad>>;
  beforeAll(async () => {
    await installEverything();
    await Promise.all(
      RELEASES.map((name) =>
        release(
          name,
          processesOf(name).map((one) => `${one}.replicas=2`),
        ),
      ),
    );
    load = await underLoad(await newProject('drained'));
  }, 900_000);

  // Restores the state that the other files expect.
  afterAll(() => kubectl('uncordon', ...NODES));

  const allPods = async () => (await Promise.all(RELEASES.map(podsOf))).flat();

  it('each node runs a pod of each process', async () => {
    const nodes = new Map<string, string[]>();
    for (const { process, node = '' } of await allPods())
      nodes.set(process, [...(nodes.get(process) ?? []), node]);
    expect([...nodes].map(([process, on]) => [process, on.sort()])).toEqual(
      [...nodes.keys()].map((it) => [it, NODES]),
    );
    expect(nodes.size).toBe(11);
  });

  // After the first drain, both pods of each process are on the second node.
  it.each(NODES)(
    'every request is answered while %s is drained, and each process always has a pod',
    async (node) => {
      const availability = await watchAvailability();
      const { requests, failures } = await load.during(async () => {
        await drain(node);
        await untilReplaced();
      });
      const fewest = await availability.stop();
      const left = (await allPods()).filter((pod) => pod.node === node);
      await kubectl('uncordon', node);
      process.stdout.write(`${node} drained: ${failures.length} of ${requests} requests failed\n`);
      expect(failures).toEqual([]);
      expect(requests).toBeGreaterThan(50);
      expect(Object.entries(fewest).filter(([, pods]) => pods < 1)).toEqual([]);
      expect(Object.keys(fewest)).toHaveLength(11);
      expect(left).toEqual([]);
    },
    420_000,
  );

  it('everything that was accepted is stored once', async () => {
    const { accepted, ...problems } = await load.finish();
    for (const [what, found] of Object.entries(problems)) expect([what, found]).toEqual([what, []]);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 300_000);
});

/** Evicts only the pods of Switchboard, because the backings lose their data with their pods. */
async function drain(node: string): Promise<void> {
  const ours = '--pod-selector=app.kubernetes.io/name=switchboard';
  await kubectl('drain', node, ours, '--delete-emptydir-data', '--timeout=300s');
}

async function untilReplaced(): Promise<void> {
  await inNamespace(
    'wait',
    'deployment',
    '--all',
    '--for=jsonpath={.status.readyReplicas}=2',
    '--timeout=180s',
  );
}
