import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@switchboard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { template } from './helm.ts';
import { deploymentOf, helm, IS_UP, inNamespace, install, kubectl, objects } from './server.ts';

const RELEASES = [...SERVICE_NAMES, 'directory-link', 'gateway'];
/** Returns every example that applies to a production release. */
const filesOf = (name: string) => [
  'everywhere',
  'production',
  name,
  'dual-stack',
  'web-identity',
  'egress',
  'lag',
];
/** The optional examples. Those of the gateway exist once per cluster. */
const ALL = [
  ...['gateway.httpRoutes.enabled=true', 'gateway.httpRoutes.parentRefs[0].name=public'],
  'prometheusRule.enabled=true',
];
const settingsOf = (name: string) =>
  name === 'gateway' ? [...ALL, 'prometheusRule.shared=true', 'dashboards.enabled=true'] : ALL;

describe.skipIf(!IS_UP)('the chart on a Kubernetes API server', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-kubernetes-'));
    await kubectl('apply', '--validate=strict', '--filename', 'examples/laptop-backings.yaml');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Submits a pod to the server as a dry run, without creating it. */
  async function admit(name: string, spec: object, labels: object = {}): Promise<string> {
    const file = join(folder, `${name}.json`);
    const metadata = { name, namespace: 'switchboard', labels };
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec }));
    return await kubectl('create', '--dry-run=server', '--validate=strict', '--filename', file);
  }

  it('installs every object of laptop.yaml as one release', async () => {
    const wanted = await template('laptop', { files: ['laptop'] });
    await install('laptop', ['laptop']);
    // Excludes the pods of `helm test`, which only that command creates.
    expect(await objects()).toHaveLength(wanted.filter(({ kind }) => kind !== 'Pod').length);
    await helm('uninstall', 'laptop');
    expect(await objects()).toEqual([]);
  });

  it.each(RELEASES)(
    'installs every object of %s for production as a separate release',
    async (name) => {
      const files = filesOf(name);
      const set = settingsOf(name);
      const wanted = await template(name, { files, set });
      const before = await objects();
      await install(name, files, set);
      expect(await objects()).toHaveLength(
        before.length + wanted.filter(({ kind }) => kind !== 'Pod').length,
      );
    },
    60_000,
  );

  it('admits the pods of every Deployment under the Pod Security Standard `restricted`, and rejects other pods', async () => {
    const names = (await objects()).filter(({ kind }) => kind === 'Deployment').map((it) => it.metadata.name);
    expect(names).toHaveLength(12);
    for (const name of names) {
      const { metadata, spec } = (await deploymentOf(name)).template;
      expect(await admit(name, spec, metadata.labels)).toContain('created');
      const { securityContext: _, ...open } = spec;
      await expect(admit(name, open, metadata.labels)).rejects.toThrow('violates PodSecurity "restricted');
    }
  });

  it('reverts an upgrade with `helm rollback`', async () => {
    const level = async () =>
      (await deploymentOf('flags')).template.spec.containers[0].env.filter(
        ({ name }) => name === 'LOG_LEVEL',
      );
    const files = filesOf('flags');
    await install('flags', files, ['flags.env.LOG_LEVEL=debug']);
    expect(await level()).toEqual([{ name: 'LOG_LEVEL', value: 'debug' }]);
    await helm('rollback', 'flags');
    expect(await level()).toEqual([]);
  });

  it('keeps the number of pods when autoscaling is turned on, and in later upgrades', async () => {
    const files = ['everywhere', 'catalogue'];
    const http = 'catalogue.processes.http';
    const scaled = [`${http}.autoscaling.enabled=true`, `${http}.resources.requests.cpu=1`];
    await helm('uninstall', 'catalogue');
    await install('catalogue', files, ['catalogue.processes.http.replicas=3']);
    await install('catalogue', files, scaled);
    expect((await deploymentOf('catalogue')).replicas).toBe(3);
    await inNamespace('scale', 'deployment/catalogue', '--replicas=5');
    await install('catalogue', files, [...scaled, 'catalogue.env.LOG_LEVEL=debug']);
    expect((await deploymentOf('catalogue')).replicas).toBe(5);
  });
});
