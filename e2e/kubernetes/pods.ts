import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { helm, inNamespace, kubectl } from './server.ts';

const run = promisify(execFile);

/** Whether the server has nodes with images of this repository. Set by `.ci/kubernetes pods`. */
export const HAS_NODES = process.env['KUBERNETES_NODES'] === '1';

/** One release per service, followed by the gateway's. */
export const RELEASES = [...SERVICE_NAMES, 'gateway'];

/** Processes that serve no requests. */
const CONSUMERS: Partial<Record<string, string[]>> = {
  flags: ['user-state'],
  archive: ['events', 'replays'],
};

/** Returns the paths of a release's processes in its values. */
export function processesOf(release: string): string[] {
  if (release === 'gateway') return ['gateway'];
  return ['http', ...(CONSUMERS[release] ?? [])].map((process) => `${release}.processes.${process}`);
}

/**
 * Settings that laptop.yaml omits: the messenger's help site and AI, which the end-to-end tests use, and longer
 * timeouts.
 */
const PROVIDERS = 'http://providers.backings:8080';
const SETTINGS: Partial<Record<string, string[]>> = {
  // Pods that start concurrently take CPU from those that serve.
  flags: ['flags.env.STATE_TIMEOUT_MS=5000'],
  messenger: [
    `messenger.env.HELP_SITE_URL=${PROVIDERS}`,
    `messenger.env.AI_BASE_URL=${PROVIDERS}`,
    'messenger.env.AI_MODEL=echo',
  ],
};
const SECRETS_OF_MESSENGER = {
  HELP_SITE_TOKEN: 'help-site-token-of-the-end-to-end-tests',
  AI_API_KEY: 'ai-key-of-the-end-to-end-tests',
};

/**
 * Installs or upgrades one program of laptop.yaml as a release, and waits until its pods are ready. Rejects after a
 * timeout.
 */
export async function release(name: string, set: string[] = [], timeout = '300s'): Promise<void> {
  const others = RELEASES.filter((other) => other !== name).map((other) => `${other}.enabled=false`);
  const all = [...others, ...(SETTINGS[name] ?? []), ...set];
  const settings = all.flatMap((one) => ['--set', one]);
  const values = ['--values', 'examples/laptop.yaml', ...settings];
  await helm('upgrade', '--install', name, 'switchboard', ...values, '--wait', '--timeout', timeout);
}

/** Changes keys of a service's Secret. Running pods keep the values that they started with. */
export async function changeSecret(service: ServiceName, stringData: Record<string, string>): Promise<void> {
  await inNamespace('patch', 'secret', `switchboard-${service}`, '--patch', JSON.stringify({ stringData }));
}

/** Installs the backings and every release of laptop.yaml, regardless of existing ones. */
export async function installEverything(): Promise<void> {
  // The backings lose their data with their pods, so they stay on the node that no test drains.
  await kubectl('cordon', 'node2');
  await kubectl('apply', '--filename', 'examples/laptop-backings.yaml');
  await fileInBackings('services-sql', 'deploy/docker/postgres/services.sql');
  await fileInBackings('provider-server', 'e2e/harness/provider-server.ts');
  await kubectl('apply', '--filename', join(REPOSITORY, 'e2e/kubernetes/providers.yaml'));
  await inBackings('wait', '--for=condition=Available', '--all', '--timeout=300s', 'deployment');
  await kubectl('uncordon', 'node2');
  await changeSecret('messenger', SECRETS_OF_MESSENGER);
  // Installs all concurrently, because pods wait for the topic that catalogue creates.
  await Promise.all(RELEASES.map((name) => release(name)));
}

/** Runs kubectl in the namespace of the backings. */
export const inBackings = (...args: string[]) => kubectl('--namespace', 'backings', ...args);

async function fileInBackings(name: string, path: string): Promise<void> {
  const file = join(REPOSITORY, path);
  const create = ['create', 'configmap', name, '--from-file', file, '--dry-run=client', '--output=yaml'];
  const applying = run('kubectl', ['apply', '--filename', '-']);
  applying.child.stdin?.end(await inBackings(...create));
  await applying;
}

/** Returns the address of a Service, which this machine reaches through a node. */
export async function clusterIp(namespace: string, service: string): Promise<string> {
  const address = '--output=jsonpath={.spec.clusterIP}';
  return await kubectl('--namespace', namespace, 'get', 'service', service, address);
}

const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        labels: z.object({ 'switchboard-process': z.string() }),
        deletionTimestamp: z.string().optional(),
      }),
      spec: z.object({
        nodeName: z.string().optional(),
        containers: z.array(z.object({ image: z.string() })),
      }),
      status: z.object({
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      }),
    }),
  ),
});

/** Returns the pods of a release that are not terminating, with their processes and image tags. */
export async function podsOf(release: string) {
  const selector = `--selector=app.kubernetes.io/component=${release}`;
  const { items } = pods.parse(JSON.parse(await inNamespace('get', 'pods', selector, '--output=json')));
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    process: `${release} ${metadata.labels['switchboard-process']}`,
    node: spec.nodeName,
    tag: spec.containers[0]?.image.split(':').at(-1),
    isReady: status.conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  }));
}
