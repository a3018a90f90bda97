import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventLogAccess } from '@switchboard/contracts';
import { linkSettings, SHUTDOWN_MS } from '@switchboard/runtime';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { helm, template } from './helm.ts';
import { reaches } from './network.ts';
import { type Deployment, ofKind } from './rendered.ts';

const containerOf = (deployment: Deployment | undefined) => deployment?.spec.template.spec.containers[0];
const podOf = (deployment: Deployment | undefined) => deployment?.spec.template.spec ?? {};

describe.skipIf(helm === undefined)('the chart', () => {
  it('reserves five of the seconds that a pod has to stop', async () => {
    const all = await template('all', { files: ['everywhere', 'laptop', 'directory-link'] });
    const caddyfile = await readFile(join(REPOSITORY, 'deploy/gateway/Caddyfile'), 'utf8');
    const gracePeriod = Number(/grace_period (\d+)s/.exec(caddyfile)?.[1]);
    const deployments = ofKind(all, 'Deployment');
    expect(deployments).toHaveLength(12);
    for (const { metadata, spec } of deployments) {
      const [{ env }] = spec.template.spec.containers;
      const isGateway = metadata.name === 'gateway';
      if (isGateway) expect(env).toContainEqual({ name: 'SHUTDOWN_DELAY', value: '5s' });
      const needed = isGateway ? 5 + gracePeriod : SHUTDOWN_MS / 1000;
      expect(needed).toBeLessThanOrEqual(spec.template.spec.terminationGracePeriodSeconds - 5);
    }
  });

  it('gives Services the IP families of the values, and otherwise those of the cluster', async () => {
    const services = async (...files: string[]) =>
      ofKind(await template('all', { files: ['everywhere', 'flags', 'gateway', ...files] }), 'Service');
    const both = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] };
    const dual = await services('dual-stack');
    expect(dual.map(({ metadata }) => metadata.name).sort()).toEqual(['flags', 'gateway']);
    for (const { spec } of dual) expect(spec).toMatchObject(both);
    for (const { spec } of await services()) expect(spec).not.toHaveProperty('ipFamilies');
  });

  it('lets pods use S3 with their identity, without keys', async () => {
    for (const name of ['messenger', 'archive', 'analytics']) {
      const release = await template(name, { files: ['everywhere', name, 'web-identity'] });
      for (const deployment of ofKind(release, 'Deployment')) {
        const env = Object.fromEntries(
          containerOf(deployment)?.env.map((one) => [one.name, one.value]) ?? [],
        );
        expect(env).toMatchObject({
          AWS_ROLE_ARN: expect.stringMatching(/^arn:aws:iam::\d+:role\/switchboard-/),
          AWS_WEB_IDENTITY_TOKEN_FILE: '/var/run/secrets/identity/token',
        });
        expect(Object.keys(env).filter((one) => /^S3_.*KEY$/.test(one))).toEqual([]);
        expect(containerOf(deployment)?.['volumeMounts']).toContainEqual({
          name: 'identity',
          mountPath: '/var/run/secrets/identity',
          readOnly: true,
        });
        const token = { path: 'token', audience: 'sts.amazonaws.com', expirationSeconds: 3600 };
        expect(podOf(deployment)).toMatchObject({
          serviceAccountName: name,
          volumes: expect.arrayContaining([
            { name: 'identity', projected: { sources: [{ serviceAccountToken: token }] } },
          ]),
        });
      }
      // The chart's own volumes remain.
      if (name === 'analytics') expect(JSON.stringify(release)).toContain('"queries"');
    }
  });

  it('adds labels, annotations, containers and variables to pods, and annotations to accounts', async () => {
    const set = [
      'pod.labels.team=platform',
      'pod.labels.switchboard-process=mine',
      'pod.annotations.team=platform',
      'pod.containers[0].name=proxy',
      'pod.initContainers[0].name=wait',
      'flags.serviceAccount.annotations.role=reader',
      'gateway.serviceAccount.annotations.role=reader',
      'flags.extraEnv[0].name=TZ',
      'gateway.extraEnv[0].name=TZ',
    ];
    const all = await template('all', { files: ['everywhere', 'flags', 'gateway'], set });
    const deployments = ofKind(all, 'Deployment');
    expect(deployments).toHaveLength(3);
    for (const { spec } of deployments) {
      const { metadata } = spec.template;
      expect(metadata).toMatchObject({ labels: { team: 'platform' }, annotations: { team: 'platform' } });
      // The chart's own labels take precedence, because Services select by them.
      expect(metadata.labels).toMatchObject(spec.selector.matchLabels);
      const [own, ...others] = spec.template.spec.containers;
      expect(others).toEqual([{ name: 'proxy' }]);
      expect(own.env.map(({ name }) => name)).toContain('TZ');
      expect(spec.template.spec['initContainers']).toEqual([{ name: 'wait' }]);
    }
    const accounts = ofKind(all, 'ServiceAccount').map(({ metadata }) => metadata);
    expect(accounts.map(({ annotations }) => annotations)).toEqual([{ role: 'reader' }, { role: 'reader' }]);
  });

  it('limits the connections of pods only when configured: to DNS, to listed networks, and from the gateway to services', async () => {
    const policies = async (...files: string[]) => {
      const release = { files: ['everywhere', 'flags', 'collaboration', 'gateway', ...files] };
      return new Map(
        ofKind(await template('all', release), 'NetworkPolicy').map(({ metadata, spec }) => [
          metadata.name,
          spec,
        ]),
      );
    };
    for (const spec of (await policies()).values()) {
      expect(spec.policyTypes).toEqual(['Ingress']);
      expect(spec.egress).toBeUndefined();
    }
    const limited = await policies('egress');
    const names = {
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    };
    const ports = (name: string) =>
      limited
        .get(name)
        ?.egress?.flatMap((rule) => Object(rule).ports.map((one: { port: number }) => one.port));
    for (const spec of limited.values()) {
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
      expect(spec.egress?.[0]).toEqual(names);
    }
    expect(ports('flags')).toEqual([53, 53, 9093, 5432, 6379, 443]);
    expect(ports('flags-user-state')).toEqual(ports('flags'));
    expect(ports('collaboration')).toEqual([53, 53, 9093, 5432, 6379, 443, 587]);
    const selected = { 'app.kubernetes.io/name': 'switchboard', 'app.kubernetes.io/instance': 'switchboard' };
    expect(limited.get('gateway')?.egress).toContainEqual({
      ports: [{ port: 3000, protocol: 'TCP' }],
      to: [{ podSelector: { matchLabels: selected } }],
    });
  });

  it('scales consumers by the lag of their groups, with the broker user of the service', async () => {
    const release = await template('all', { files: ['everywhere', 'flags', 'archive', 'lag'] });
    const kinds = (kind: 'ScaledObject' | 'TriggerAuthentication' | 'HorizontalPodAutoscaler') =>
      ofKind(release, kind).map(({ metadata }) => metadata.name);
    const consumers = ['archive-events', 'archive-replays', 'flags-user-state'];
    expect(kinds('ScaledObject').sort()).toEqual(consumers);
    expect(kinds('TriggerAuthentication').sort()).toEqual(consumers);
    expect(kinds('HorizontalPodAutoscaler')).toEqual([]);
    const shared = [...eventLogAccess.flags.reads, ...eventLogAccess.archive.reads].map(({ group }) => group);
    const containers = new Map(
      ofKind(release, 'Deployment').map((one) => [one.metadata.name, containerOf(one)]),
    );
    for (const { metadata, spec } of ofKind(release, 'ScaledObject').map((one) => Object(one))) {
      const { triggers, scaleTargetRef } = spec;
      expect(triggers).toEqual([
        {
          type: 'kafka',
          metadata: {
            bootstrapServersFromEnv: 'KAFKA_BROKERS',
            consumerGroup: metadata.name.replace('-', '.'),
            lagThreshold: expect.stringMatching(/^10+$/),
            tls: 'enable',
            sasl: 'scram_sha512',
          },
          authenticationRef: { name: metadata.name },
        },
      ]);
      expect(shared).toContain(triggers[0].metadata.consumerGroup);
      const container = containers.get(metadata.name);
      expect(scaleTargetRef.envSourceContainerName).toBe(container?.name);
      const names = container?.env.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['KAFKA_BROKERS', 'KAFKA_USERNAME', 'KAFKA_PASSWORD']));
    }
    // The autoscaler sets the number of replicas.
    for (const { metadata, spec } of ofKind(release, 'Deployment'))
      expect(spec.replicas === undefined).toBe(consumers.includes(metadata.name));
  });

  it('spreads projects over pods of flags, which the gateway addresses by name', async () => {
    const files = ['everywhere', 'production', 'flags', 'gateway', 'spread'];
    const release = await template('all', { files, set: ['namePrefix=blue-'] });
    const named = (name: string) => release.filter(({ metadata }) => metadata.name === name);
    const [pods, ...others] = ofKind(release, 'StatefulSet');
    expect(others).toEqual([]);
    expect(named('blue-flags').map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['NetworkPolicy', 'PodDisruptionBudget', 'Service', 'StatefulSet']),
    );
    expect(named('blue-flags')).toHaveLength(5);
    const gateway = ofKind(release, 'Deployment').find(({ metadata }) => metadata.name === 'blue-gateway');
    const env = new Map(containerOf(gateway)?.env.map(({ name, value }) => [name, value]));
    const addresses = [0, 1, 2].map((pod) => `blue-flags-${pod}.blue-flags-pods:3000`);
    expect(pods).toMatchObject({
      metadata: { name: 'blue-flags' },
      spec: { replicas: 3, serviceName: 'blue-flags-pods' },
    });
    expect(env.get('FLAGS_UPSTREAMS')).toBe(addresses.join(' '));
    expect(env.get('FLAGS_BALANCING')).toBe('header X-Project-Key');
    const [names] = ofKind(release, 'Service').filter(({ metadata }) => metadata.name === 'blue-flags-pods');
    expect(names?.spec).toMatchObject({
      clusterIP: 'None',
      selector: pods?.spec.selector.matchLabels,
    });

    const usual = await template('all', { files: ['everywhere', 'flags', 'gateway'] });
    expect(ofKind(usual, 'StatefulSet')).toEqual([]);
    expect(JSON.stringify(usual)).not.toContain('FLAGS_BALANCING');
    const scaled = template('all', { files: ['everywhere', 'flags', 'production'], set: ['spread.flags=2'] });
    await expect(scaled).rejects.toThrow('disable its autoscaling');
  });

  it("accepts the user's own TriggerAuthentication", async () => {
    const files = ['everywhere', 'flags', 'lag'];
    const release = await template('all', { files, set: ['keda.authentication=brokers'] });
    expect(ofKind(release, 'TriggerAuthentication')).toEqual([]);
    expect(JSON.stringify(ofKind(release, 'ScaledObject'))).toContain(
      '"authenticationRef":{"name":"brokers"}',
    );
  });

  it('runs the link of a region with settings that it knows, reachable by operators and Prometheus', async () => {
    const release = await template('link', { files: ['everywhere', 'directory-link'] });
    const [deployment, ...others] = ofKind(release, 'Deployment');
    expect(others).toEqual([]);
    const env = Object.fromEntries(
      containerOf(deployment)?.env.map(({ name, value }) => [name, value ?? 'word']) ?? [],
    );
    const { region, home } = linkSettings({
      ...env,
      EVENT_LOG_DATABASE_URL: '',
      HOME_EVENT_LOG_DATABASE_URL: '',
    });
    expect(region).toMatchObject({ REGION: 'eu', KAFKA_USERNAME: 'directory-link', KAFKA_PASSWORD: 'word' });
    expect(home).toMatchObject({
      KAFKA_TLS: true,
      KAFKA_USERNAME: 'directory-link-home',
      KAFKA_PASSWORD: 'word',
    });
    const labels = deployment?.spec.template.metadata.labels ?? {};
    const policies = ofKind(release, 'NetworkPolicy');
    const gateway = { ...labels, 'app.kubernetes.io/component': 'gateway', 'switchboard-process': 'gateway' };
    const reachedBy = [
      { pod: gateway },
      { namespace: { 'switchboard-management': 'true' } },
      { namespace: { 'switchboard-metrics': 'true' } },
    ].map((caller) => reaches(policies, caller, labels, 'http'));
    expect(reachedBy).toEqual([false, true, true]);
    const unset = template('link', {
      files: ['everywhere', 'directory-link'],
      set: ['directory-link.env.HOME_KAFKA_BROKERS='],
    });
    await expect(unset).rejects.toThrow('directory-link needs the event log: set HOME_KAFKA_BROKERS');
  });

  it('opens the management API to the console alone, if it has pages for operators', async () => {
    const files = ['everywhere', 'catalogue', 'flags', 'console', 'egress'];
    const parts = async (...set: string[]) => {
      const all = await template('all', { files, set });
      const deployments = ofKind(all, 'Deployment');
      const of = (name: string) => deployments.find(({ metadata }) => metadata.name === name);
      const labels = (name: string) => of(name)?.spec.template.metadata.labels ?? {};
      const policies = ofKind(all, 'NetworkPolicy');
      const console = { pod: labels('console') };
      const urls = containerOf(of('console'))?.env.find(({ name }) => name === 'MANAGEMENT_URLS')?.value;
      const egress = policies.find(({ metadata }) => metadata.name === 'console')?.spec.egress;
      return {
        urls: urls === undefined ? undefined : JSON.parse(urls),
        reached: ['catalogue', 'flags', 'flags-user-state'].map((name) =>
          reaches(policies, console, labels(name), 'http'),
        ),
        isEgressOpen: JSON.stringify(egress).includes('"port":3000'),
      };
    };
    expect(await parts()).toEqual({
      urls: undefined,
      reached: [false, false, false],
      isEgressOpen: false,
    });
    expect(await parts('operatorPages=true')).toEqual({
      urls: { catalogue: 'http://catalogue:3000', flags: 'http://flags:3000' },
      reached: [true, true, false],
      isEgressOpen: true,
    });
  });

  it('sends an event and requests flags in `helm test`, if it has a project key', async () => {
    const commands = async (set: string[]) => {
      const release = await template('gateway', { files: ['everywhere', 'gateway'], set });
      return JSON.stringify(ofKind(release, 'Pod')[0]?.spec.containers[0]['args']);
    };
    expect(await commands([])).not.toContain('/v1/');
    const withKey = await commands(['test.projectKey=pk_eu_x']);
    expect(withKey).toContain('gateway:4001/v1/events');
    expect(withKey).toContain('gateway:4000/v1/flags');
  });
});
