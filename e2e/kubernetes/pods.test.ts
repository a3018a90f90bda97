import { interfaceOperations } from '@switchboard/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { callEveryOperation, prepareOperations } from '../harness/every-operation.ts';
import { newProject } from './cluster.ts';
import { HAS_NODES, inBackings, installEverything, podsOf, RELEASES } from './pods.ts';
import { helm, inNamespace } from './server.ts';

describe.skipIf(!HAS_NODES)('the chart on real nodes', () => {
  beforeAll(async () => {
    await installEverything();
  }, 600_000);

  it('runs every release of laptop.yaml', async () => {
    const found = (await Promise.all(RELEASES.map(podsOf))).flat();
    expect(found.filter(({ isReady }) => !isReady)).toEqual([]);
    expect(found).toHaveLength(11);
  });

  it.each(RELEASES)(
    'passes `helm test` for %s',
    async (name) => {
      expect(await helm('test', name, '--timeout', '120s')).toContain('Phase:          Succeeded');
    },
    150_000,
  );

  it('serves every operation at the Service of the gateway', async () => {
    const { call, manage, project } = await newProject('web-shop');
    const prepared = await prepareOperations(manage, project);
    const answers = await callEveryOperation(call, {
      ...prepared,
      reportLink: `http://127.0.0.1:4004/projects/${project.id}/reports/${project.reportId}`,
    });
    const statuses = [...answers].map(([operationId, { status, body }]) => ({ operationId, status, body }));
    expect(statuses.filter(({ status }) => status >= 300)).toEqual([]);
    const missing = interfaceOperations.filter(({ operationId }) => !answers.has(operationId));
    expect(missing).toEqual([]);
    expect(interfaceOperations).toHaveLength(40);
  });

  it('seeds the demo', async () => {
    expect(await inBackings('exec', 'deployment/dev', '--', 'node', 'main.mjs', 'seed')).toBeDefined();
  });

  it('starts no pod that the Pod Security Standard `restricted` forbids', async () => {
    const root = ['run', 'root', '--image=switchboard/flags:dev', '--restart=Never'];
    await expect(inNamespace(...root)).rejects.toThrow('violates PodSecurity "restricted');
  });
});
