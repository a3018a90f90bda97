import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { helm as program } from './helm.ts';

const run = promisify(execFile);

/** Whether .ci/kubernetes runs the tests, with KUBECONFIG for a dedicated server. */
export const IS_UP = process.env['KUBERNETES'] === '1';
export const NAMESPACE = 'switchboard';

/** Runs kubectl in the folder of the chart and its examples, and returns its output. Rejects with its message. */
export const kubectl = (...args: string[]) => runThere('kubectl', args);

/** Runs Helm in the same way, on releases in the namespace of the services. */
export const helm = (...args: string[]) => runThere(program ?? 'helm', [...args, '--namespace', NAMESPACE]);

async function runThere(command: string, args: string[]): Promise<string> {
  const cwd = join(REPOSITORY, 'deploy/kubernetes');
  const running = run(command, args, { cwd, maxBuffer: 64_000_000 });
  return (await running).stdout;
}

/** Installs or upgrades a release with files of examples/ and individual values. */
export async function install(release: string, files: string[], set: string[] = []): Promise<void> {
  const values = files.flatMap((file) => ['--values', `examples/${file}.yaml`]);
  const single = set.flatMap((one) => ['--set', one]);
  await helm('upgrade', '--install', release, 'switchboard', ...values, ...single);
}

const stored = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({}).default({}),
});
const KINDS = [
  ...['deployments', 'services', 'serviceaccounts', 'networkpolicies', 'ingresses', 'configmaps'],
  ...['horizontalpodautoscalers', 'poddisruptionbudgets'],
  ...['scaledobjects.keda.sh', 'triggerauthentications.keda.sh', 'httproutes.gateway.networking.k8s.io'],
  ...['podmonitors.monitoring.coreos.com', 'prometheusrules.monitoring.coreos.com'],
].join();

/** Returns the objects that Helm has created in the namespace, as the server stores them. */
export async function objects() {
  const listed = await inNamespace(
    'get',
    KINDS,
    '--selector=app.kubernetes.io/managed-by=Helm',
    '--output=json',
  );
  return z.object({ items: z.array(stored) }).parse(JSON.parse(listed)).items;
}

const deployment = z.object({
  spec: z.object({
    replicas: z.int(),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.looseObject({
        containers: z.tuple([z.looseObject({ env: z.array(z.looseObject({ name: z.string() })) })]),
      }),
    }),
  }),
});

/** Returns a Deployment, as the server stores it. */
export async function deploymentOf(name: string) {
  return deployment.parse(JSON.parse(await inNamespace('get', 'deployment', name, '--output=json'))).spec;
}

export const inNamespace = (...args: string[]) => kubectl('--namespace', NAMESPACE, ...args);
