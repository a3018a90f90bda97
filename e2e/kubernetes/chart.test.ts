import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventLogAccess } from '@switchboard/contracts';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { helm, lint, template } from './helm.ts';
import { reaches } from './network.ts';
import { matches, ofKind, type Rendered } from './rendered.ts';
import { schemaErrors } from './schema-check.ts';

/** The values files that apply to every service and change how a deployment runs. */
const OPTIONS = ['dual-stack', 'web-identity', 'egress', 'lag', 'spread'];
const services = ['catalogue', 'collaboration', 'messenger', 'flags', 'ingestion', 'archive', 'analytics'];
const caddyfile = await readFile(join(REPOSITORY, 'deploy/gateway/Caddyfile'), 'utf8');

test('every consumer scales by the groups of its own service', async () => {
  const process = z.object({ consumerGroup: z.string().optional() });
  const service = z.object({ processes: z.record(z.string(), process) });
  const values = z.object({ flags: service, archive: service, analytics: service }).parse(
    parse(await readFile(join(REPOSITORY, 'deploy/kubernetes/switchboard/values.yaml'), 'utf8'), {
      merge: true,
    }),
  );
  for (const name of ['flags', 'archive', 'analytics'] as const) {
    const groups = Object.values(values[name].processes).flatMap((one) => one.consumerGroup ?? []);
    const own: readonly string[] = eventLogAccess[name].reads.map(({ group }) => group);
    expect(groups).not.toEqual([]);
    expect(own).toEqual(expect.arrayContaining(groups));
  }
});

test('the chart accepts exactly the variables of the Caddyfile', async () => {
  const gateway = z.object({ env: z.object({ propertyNames: z.object({ enum: z.array(z.string()) }) }) });
  const schema = z
    .object({ properties: z.object({ gateway: z.object({ properties: gateway }) }) })
    .parse(
      JSON.parse(
        await readFile(join(REPOSITORY, 'deploy/kubernetes/switchboard/values.schema.json'), 'utf8'),
      ),
    );
  const inCaddyfile = [...caddyfile.matchAll(/\{\$([A-Z_]+)/g)].map(([, name]) => name);
  const taken = schema.properties.gateway.properties.env.propertyNames.enum;
  expect(taken.sort()).toEqual([...new Set(inCaddyfile)].sort());
});

describe.skipIf(helm === undefined)('the chart rendered by Helm', () => {
  const releases = new Map<string, Rendered[]>();
  let all: Rendered[];
  beforeAll(async () => {
    for (const name of [...services, 'gateway']) {
      releases.set(name, await template(name, { files: ['everywhere', name] }));
    }
    all = [...releases.values()].flat();
  });

  it('passes helm lint with every example', async () => {
    await lint({ files: ['everywhere', ...services, 'directory-link', 'gateway', ...OPTIONS] });
  });

  it('matches the Kubernetes schemas with everything enabled, which reject invalid manifests', async () => {
    const everything = await template('everything', {
      files: ['everywhere', 'production', ...services, 'directory-link', 'gateway', ...OPTIONS],
      set: [
        'gateway.service.type=LoadBalancer',
        'gateway.httpRoutes.enabled=true',
        'gateway.httpRoutes.parentRefs[0].name=public',
        'gateway.from[0].ipBlock.cidr=10.0.0.0/8',
        'image.pullSecrets[0].name=registry',
        'pod.volumes[0].name=authority',
        'pod.volumes[0].secret.secretName=authority',
        'pod.volumeMounts[0].name=authority',
        'pod.volumeMounts[0].mountPath=/etc/authority',
        'pod.tolerations[0].key=dedicated',
        'pod.tolerations[0].operator=Exists',
        'pod.nodeSelector.disk=ssd',
        'pod.priorityClassName=high',
        'pod.annotations.team=platform',
        'pod.labels.team=platform',
        'pod.containers[0].name=proxy',
        'pod.containers[0].image=proxy:1',
        'pod.initContainers[0].name=wait',
        'pod.initContainers[0].image=wait:1',
        'flags.serviceAccount.annotations.team=platform',
        'gateway.extraEnv[0].name=TZ',
        'gateway.extraEnv[0].value=UTC',
        'test.projectKey=pk_eu_x',
        'prometheusRule.enabled=true',
        'prometheusRule.shared=true',
        'dashboards.enabled=true',
        'flags.extraEnv[0].name=TZ',
        'flags.extraEnv[0].value=UTC',
      ],
    });
    expect(new Set(everything.map(({ kind }) => kind)).size).toBe(15);
    expect(await schemaErrors(everything)).toEqual([]);

    const [deployment] = ofKind(everything, 'Deployment');
    const [container] = deployment?.spec.template.spec.containers ?? [];
    const wrong = [
      { ...deployment, spec: { ...deployment?.spec, selector: undefined } },
      { ...deployment, spec: { ...deployment?.spec, replicas: '2' } },
      {
        ...deployment,
        spec: {
          ...deployment?.spec,
          template: { spec: { containers: [{ ...container, readynessProbe: {} }] } },
        },
      },
    ];
    const refused = await schemaErrors(wrong);
    expect(refused.filter((line) => /\(\d+,\d+\): error/.test(line))).toHaveLength(wrong.length);
    expect(refused.join('\n')).toContain('readynessProbe');
  });

  it.each(services)('deploys no other service in a release with only %s', async (name) => {
    const release = releases.get(name) ?? [];
    const components = release
      .filter(({ kind }) => kind !== 'PodMonitor')
      .map(({ metadata }) => metadata.labels['app.kubernetes.io/component']);
    expect(new Set(components)).toEqual(new Set([name]));
    expect(ofKind(release, 'Service').map(({ metadata }) => metadata.name)).toEqual([name]);
  });

  it('deploys a single service with one value', async () => {
    expect(await template('flags', { files: ['everywhere'], set: ['flags.enabled=true'] })).not.toEqual([]);
  });

  it('runs consumers separately from HTTP', () => {
    expect(new Set(ofKind(all, 'Deployment').map(({ metadata }) => metadata.name))).toEqual(
      new Set([
        'catalogue',
        'collaboration',
        'messenger',
        'flags',
        'flags-user-state',
        'ingestion',
        'analytics',
        'archive',
        'archive-events',
        'archive-replays',
        'gateway',
      ]),
    );
  });

  it('selects each pod by exactly one Deployment, and at most one Service and one disruption budget', () => {
    const pods = ofKind(all, 'Deployment').map(({ spec }) => spec.template.metadata.labels);
    const found = (wanted: Record<string, string>) => pods.filter((pod) => matches(pod, wanted)).length;
    const selectors = [
      ...ofKind(all, 'Deployment').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind(all, 'Service').map(({ spec }) => spec.selector),
      ...ofKind(all, 'PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
    ];
    expect(selectors.map(found)).toEqual(selectors.map(() => 1));
    expect(ofKind(all, 'PodDisruptionBudget')).toHaveLength(pods.length);
  });

  it('hardens every pod', () => {
    const pods = [
      ...ofKind(all, 'Deployment').map(({ spec }) => spec.template.spec),
      ...ofKind(all, 'Pod').map(({ spec }) => spec),
    ];
    for (const spec of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(spec.containers[0].securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    for (const { spec } of ofKind(all, 'Deployment'))
      expect(spec['strategy']).toMatchObject({ rollingUpdate: { maxUnavailable: 0 } });
  });

  it('tests each release with a pod that only `helm test` creates, and that no Service selects', () => {
    const tests = ofKind(all, 'Pod');
    expect(tests.map(({ metadata }) => metadata.name)).toEqual(
      [...services, 'gateway'].map((name) => `${name}-test`),
    );
    for (const { metadata } of tests) {
      expect(metadata.annotations['helm.sh/hook']).toBe('test');
      const selecting = ofKind(all, 'Service').filter(({ spec }) => matches(metadata.labels, spec.selector));
      expect(selecting).toEqual([]);
    }
  });

  it('has a values file for a laptop, with one small pod for each process, on the images of docker-compose.yml', async () => {
    const deployments = ofKind(await template('laptop', { files: ['laptop'] }), 'Deployment');
    expect(deployments).toHaveLength(ofKind(all, 'Deployment').length);
    for (const { spec } of deployments) {
      expect(spec.replicas).toBe(1);
      expect(spec.template.spec.containers[0].resources.requests.cpu).toBe('20m');
    }
    const images = async (file: string) =>
      [...(await readFile(join(REPOSITORY, file), 'utf8')).matchAll(/^ *image: (\S+)/gm)].map(
        ([, image]) => image,
      );
    const compose = [
      ...(await images('docker-compose.yml')),
      ...(await images('deploy/backings/docker-compose.yml')),
    ];
    for (const image of await images('deploy/kubernetes/examples/laptop-backings.yaml'))
      expect(compose.map((one) => one?.replace(/\$\{.*\}/, 'dev'))).toContain(image);
  });

  it('has a values file for the scale model, with its pods, all roles, and at most 1 GiB each', async () => {
    const deployments = ofKind(await template('model', { files: ['laptop', 'model'] }), 'Deployment');
    const pods = deployments.map(({ metadata, spec }) => [metadata.name, spec.replicas]);
    expect(Object.fromEntries(pods)).toEqual({
      catalogue: 1,
      collaboration: 1,
      messenger: 2,
      flags: 2,
      ingestion: 2,
      archive: 1,
      analytics: 1,
      gateway: 1,
    });
    const rolesOf = (name: string) =>
      deployments
        .find(({ metadata }) => metadata.name === name)
        ?.spec.template.spec.containers[0].env.find((one: { name: string }) => one.name === 'ROLES')?.value;
    expect(['flags', 'archive', 'analytics'].map(rolesOf)).toEqual([
      'http,user-state',
      'http,events,replays',
      'http,files,people',
    ]);
    for (const { spec } of deployments) {
      const { resources } = spec.template.spec.containers[0];
      const limits = JSON.stringify(resources.limits);
      expect(Number(/"memory":"(\d+)Mi"/.exec(limits)?.[1]), limits).toBeLessThanOrEqual(1024);
    }
  });

  it('has a values file for production in which the processes that serve requests scale within their disruption budget', async () => {
    for (const name of [...services, 'gateway']) {
      const release = await template(name, { files: ['everywhere', 'production', name] });
      const scaled = release
        .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
        .map(({ metadata }) => metadata.name);
      expect(scaled).toEqual([name]);
      const [deployment] = ofKind(release, 'Deployment').filter(({ metadata }) => metadata.name === name);
      // A busy process uses one CPU.
      expect(deployment?.spec.template.spec.containers[0].resources.requests['cpu']).toBe('1');
      const budgets = ofKind(release, 'PodDisruptionBudget').map(({ metadata }) => metadata.name);
      expect(budgets).toEqual(ofKind(release, 'Deployment').map(({ metadata }) => metadata.name));
    }
  });

  it('names Services like the upstreams of the gateway, with or without a prefix', async () => {
    for (const set of [[], ['namePrefix=eu-']]) {
      const files = ['everywhere', ...services, 'identity', 'delivery', 'console', 'gateway'];
      const rendered = await template('all', { files, set });
      const addresses = ofKind(rendered, 'Service').flatMap(({ metadata, spec }) =>
        spec.ports.map(({ port }) => `${metadata.name}:${port}`),
      );
      const gateway = ofKind(rendered, 'Deployment').find(({ metadata }) =>
        metadata.name.endsWith('gateway'),
      );
      const upstreams = (gateway?.spec.template.spec.containers[0].env ?? []).filter(({ name }) =>
        name.endsWith('_UPSTREAMS'),
      );
      expect(upstreams).toHaveLength(services.length + 3);
      for (const { value } of upstreams) expect(addresses).toContain(value);
    }
  });

  it.each(['identity', 'delivery', 'console'])(
    'routes the gateway to %s only if a release runs it',
    async (name) => {
      const upstreamsOf = async (set: string[]) => {
        const [gateway] = ofKind(
          await template('gateway', { files: ['everywhere', 'gateway'], set }),
          'Deployment',
        );
        return gateway?.spec.template.spec.containers[0].env.find(
          (one) => one.name === `${name.toUpperCase()}_UPSTREAMS`,
        )?.value;
      };
      expect(await upstreamsOf([])).toBeUndefined();
      expect(await upstreamsOf([`gateway.${name}=true`])).toBe(`${name}:3000`);
    },
  );

  it('has a public host for the console only if its name is given', async () => {
    const hostsOf = async (set: string[]) => {
      const release = await template('gateway', { files: ['everywhere', 'gateway'], set });
      const [ingress] = release.filter(({ kind }) => kind === 'Ingress');
      return z
        .object({ rules: z.array(z.object({ host: z.string() })) })
        .parse(ingress?.spec)
        .rules.map(({ host }) => host);
    };
    const hosts = ['api.example.com', 'events.eu.example.com', 'replay.eu.example.com'];
    expect(await hostsOf([])).toEqual(hosts);
    expect((await hostsOf(['gateway.hosts.console=console.example.com'])).toSorted()).toEqual(
      [...hosts, 'console.example.com'].toSorted(),
    );
  });

  it('opens the ports that the Caddyfile listens on', () => {
    const listens = [...caddyfile.matchAll(/\{\$[A-Z]+_ADDRESS:http:\/\/:(\d+)\}/g)].map(([, port]) =>
      Number(port),
    );
    const gateway = ofKind(releases.get('gateway') ?? [], 'Deployment')[0];
    const open = gateway?.spec.template.spec.containers[0].ports.map(({ containerPort }) => containerPort);
    expect(new Set(open)).toEqual(new Set(listens));
  });

  it('lets only chosen namespaces and, where it routes to, the gateway reach HTTP, and lets only metrics namespaces reach consumers', () => {
    const policies = ofKind(all, 'NetworkPolicy');
    const pods = ofKind(all, 'Deployment').map(({ spec }) => spec.template.metadata.labels);
    const gateway = pods.find((pod) => pod['app.kubernetes.io/component'] === 'gateway') ?? {};
    const callers = {
      gateway: { pod: gateway },
      'another pod': { pod: { app: 'curl' } },
      'another namespace': { namespace: { 'kubernetes.io/metadata.name': 'elsewhere' } },
      operators: { namespace: { 'switchboard-management': 'true' } },
      prometheus: { namespace: { 'switchboard-metrics': 'true' } },
    };
    const tested = new Map(
      ofKind(all, 'Pod').map(({ metadata: { labels } }) => [labels['app.kubernetes.io/component'], labels]),
    );
    for (const pod of pods.filter((one) => one !== gateway)) {
      const allowed = Object.entries(callers).filter(([, caller]) => reaches(policies, caller, pod, 'http'));
      const http = pod['switchboard-process'] === 'http';
      const component = pod['app.kubernetes.io/component'] ?? '';
      const test = tested.get(component) ?? {};
      expect(reaches(policies, { pod: test }, pod, 'http')).toBe(http);
      expect([pod, allowed.map(([name]) => name)]).toEqual([
        pod,
        [...(http ? ['gateway', 'operators'] : []), 'prometheus'],
      ]);
    }
    for (const port of ['api', 'console'])
      expect(reaches(policies, callers['another namespace'], gateway, port)).toBe(true);
    const scraping = Object.entries(callers).filter(([, caller]) =>
      reaches(policies, caller, gateway, 'metrics'),
    );
    expect(scraping.map(([name]) => name)).toEqual(['prometheus']);
  });

  it('alerts for each process of a release, by the label that its PodMonitor sets', async () => {
    const set = ['prometheusRule.enabled=true', 'podMonitor.enabled=true'];
    const missing = async (name: string, more: string[] = []) => {
      const release = await template(name, { files: ['everywhere', name], set: [...set, ...more] });
      const rules = ofKind(release, 'PrometheusRule').flatMap(({ spec }) => spec.groups);
      return rules.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr]));
    };
    const absent = (process: string) => [
      'ProcessMissing',
      `absent(up{job="switchboard", namespace="default", process="${process}"} == 1)`,
    ];
    expect(await missing('archive')).toEqual(['archive-events', 'archive', 'archive-replays'].map(absent));
    expect(await missing('gateway')).toEqual([absent('gateway')]);
    expect(await missing('archive', ['archive.processes.events.enabled=false'])).toEqual(
      ['archive', 'archive-replays'].map(absent),
    );
  });

  it('has the alerts and the dashboard of deploy/observability, with the address of the runbooks', async () => {
    const file = (path: string) => readFile(join(REPOSITORY, 'deploy/observability', path), 'utf8');
    const runbooks = 'https://git.example.com/switchboard/blob/main/';
    const release = await template('gateway', {
      files: ['everywhere', 'gateway'],
      set: [
        'prometheusRule.enabled=true',
        'prometheusRule.shared=true',
        `prometheusRule.runbooks=${runbooks}`,
        'dashboards.enabled=true',
      ],
    });
    const [{ spec } = { spec: { groups: [] } }] = ofKind(release, 'PrometheusRule');
    const text = (await file('prometheus/alerts.yml')).replaceAll(
      'runbook_url: docs/',
      `runbook_url: ${runbooks}docs/`,
    );
    const { groups } = z.object({ groups: z.array(z.unknown()) }).parse(parse(text));
    expect(spec.groups.slice(1)).toEqual(groups);
    const [{ data } = { data: {} }] = ofKind(release, 'ConfigMap');
    expect(data).toEqual({ 'switchboard.json': await file('grafana/dashboards/switchboard.json') });
  });
});
