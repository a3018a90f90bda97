import { parseConfig } from '@switchboard/runtime';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { consoleSettings } from '@switchboard/service-console/config';
import { deliveryService } from '@switchboard/service-delivery';
import { flagsService } from '@switchboard/service-flags';
import { identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import { describe, expect, it } from 'vitest';
import { helm, template } from './helm.ts';
import { type Deployment, type Env, ofKind } from './rendered.ts';

const services = [
  catalogueService,
  collaborationService,
  messengerService,
  flagsService,
  ingestionService,
  archiveService,
  analyticsService,
  identityService,
  deliveryService,
  { name: 'console', settings: consoleSettings },
];

// The values of the Secrets. Optional keys are absent.
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://user:word@postgres/database',
  EVENT_LOG_DATABASE_URL: 'postgres://user:word@postgres/log',
  KAFKA_PASSWORD: 'word',
  WEBHOOK_SECRET: 'a-secret-of-thirty-two-characters',
  ACCOUNT_SECRET: 'a-secret-of-thirty-two-characters',
  SESSION_SECRET: 'a-secret-of-thirty-two-characters',
  LINK_SECRET: 'a-secret-of-thirty-two-characters',
  IDENTITY_SECRET: 'a-secret-of-thirty-two-characters',
  REDIS_URL: 'rediss://redis',
  SMTP_URL: 'smtps://mail',
  S3_ACCESS_KEY: 'key',
  S3_SECRET_KEY: 'word',
  AI_API_KEY: 'key',
  HELP_SITE_TOKEN: 'token',
};

const envOf = (deployment: Deployment): Env[] => deployment.spec.template.spec.containers[0].env;

/** Returns the environment of a container with these Secrets. */
function environment(deployment: Deployment): Record<string, string | undefined> {
  return Object.fromEntries(
    envOf(deployment).map(({ name, value, valueFrom }) => {
      const reference = valueFrom?.secretKeyRef;
      return [name, reference ? (reference.optional ? undefined : secrets[reference.key]) : value];
    }),
  );
}

describe.skipIf(helm === undefined).each(services)(
  'the settings of $name in the chart',
  ({ name, settings }) => {
    it('a service gets only settings that it knows, and all that it needs to start', async () => {
      for (const deployment of ofKind(await template(name, { files: ['everywhere', name] }), 'Deployment')) {
        const names = envOf(deployment).map((one) => one.name);
        expect(names).toEqual([...new Set(names)]);
        expect(names.filter((one) => !(one in settings.shape))).toEqual([]);

        const config = parseConfig(settings, environment(deployment));
        expect(deployment.spec.template.spec.containers[0].ports).toEqual([
          { name: 'http', containerPort: config.PORT },
        ]);
        expect(config.DRAIN_MS).toBe(5000);
        if ('REDIS_URL' in config) expect(config.REDIS_URL).toBe('rediss://redis');
        const process = deployment.spec.template.metadata.labels['switchboard-process'];
        // The pods that serve insights also keep the replicas that insights query.
        const own = name === 'analytics' ? ['http', 'files', 'people'] : [process];
        const roles = 'ROLES' in settings.shape ? new Set(own) : undefined;
        expect('ROLES' in config ? config.ROLES : undefined).toEqual(roles);
      }
    });

    it('a service gets secrets from its Secret only, and none in the manifest', async () => {
      for (const deployment of ofKind(await template(name, { files: ['everywhere', name] }), 'Deployment')) {
        const secret = envOf(deployment).filter((one) => one.name in secrets);
        expect(secret.length).toBeGreaterThan(0);
        for (const one of secret) {
          expect(one).toEqual({
            name: one.name,
            valueFrom: {
              secretKeyRef: { name: `switchboard-${name}`, key: one.name, optional: expect.any(Boolean) },
            },
          });
        }
      }
    });
  },
);

describe.skipIf(helm === undefined)('the settings of the chart', () => {
  const flags = async (...set: string[]) => {
    const manifests = await template('flags', { files: ['everywhere', 'flags'], set });
    const http = ofKind(manifests, 'Deployment').find(({ metadata }) => metadata.name === 'flags');
    return http ? environment(http) : {};
  };

  it('the settings of a process override those of its service, which override the common settings', async () => {
    const common = 'env.LOG_LEVEL=warn';
    const own = 'flags.env.LOG_LEVEL=error';
    expect(await flags(common)).toMatchObject({ LOG_LEVEL: 'warn' });
    expect(await flags(common, own)).toMatchObject({ LOG_LEVEL: 'error' });
    const process = 'flags.processes.http.env.LOG_LEVEL=debug';
    expect(await flags(common, own, process)).toMatchObject({ LOG_LEVEL: 'debug' });
  });

  it('large numbers are not rendered in scientific notation', async () => {
    expect(await flags('flags.env.MAX_BYTES_IN_FLIGHT=134217728')).toMatchObject({
      MAX_BYTES_IN_FLIGHT: '134217728',
    });
  });

  it('settings of OpenTelemetry and Node are accepted', async () => {
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_SAMPLER_ARG: '0.1' };
    const given = Object.entries(traces).map(([name, value]) => `env.${name}=${value}`);
    expect(await flags(...given)).toMatchObject(traces);
  });

  it('ROLES lets one process do all work of a service', async () => {
    const set = ['flags.processes.user-state.enabled=false', 'flags.processes.http.roles=http\\,user-state'];
    expect(await flags(...set)).toMatchObject({ ROLES: 'http,user-state' });
  });

  it('WORKERS goes to processes that serve requests', async () => {
    expect(await flags()).toMatchObject({ WORKERS: '1' });
    expect(await flags('flags.processes.http.workers=3')).toMatchObject({ WORKERS: '3' });
  });

  it.each([
    ['env.REGIO=eu', 'no service has a setting REGIO'],
    ['flags.env.S3_BUCKET=a', 'flags has no setting S3_BUCKET'],
    ['flags.processes.http.env.S3_BUCKET=a', 'flags has no setting S3_BUCKET'],
    ['flags.fromSecret={DATABASE_URI}', 'flags has no setting DATABASE_URI'],
    ['flags.env.DATABASE_URL=postgres://a', 'DATABASE_URL is a secret'],
    ['env.KAFKA_PASSWORD=word', 'KAFKA_PASSWORD is a secret'],
    ['env.REGION=', 'flags needs REGION'],
    ['env.PUBLIC_API_URL=null', 'flags needs PUBLIC_API_URL'],
    ['env.KAFKA_BROKERS=', 'flags needs the event log'],
    ['env.TOPIC_REPLICATION=', 'flags needs TOPIC_REPLICATION in env: 3 on three Kafka brokers'],
    ['flags.env.ROLES=http', 'ROLES is set by the chart'],
    ['flags.env.WORKERS=2', 'WORKERS is set by the chart'],
    ['flags.replicas=3', /replicas'? (is )?not allowed/],
    [
      'pod.terminationGracePeriodSeconds=20',
      /terminationGracePeriodSeconds.*(minimum|greater than or equal to)/s,
    ],
    ['flags.webIdentity.enabled=true', 'flags has no object store'],
    ['flags.env.AWS_ROLE_ARN=arn', 'flags has no setting AWS_ROLE_ARN'],
    ['flags.processes.http.autoscaling.enabled=true', 'adds pods at 175m'],
    [
      'flags.processes.http.autoscaling.enabled=true,flags.processes.http.autoscaling.lag=9',
      'needs consumerGroup',
    ],
  ])('the value %s is refused: %s', async (set, reason) => {
    await expect(flags(set)).rejects.toThrow(reason);
  });
});
