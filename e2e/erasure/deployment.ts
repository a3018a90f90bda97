import { createECDH, randomBytes } from 'node:crypto';
import { OPTIONAL_SERVICE_NAMES, SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import { type EventLog, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { vapidSettings } from '@switchboard/push/testing';
import { analyticsService } from '@switchboard/service-analytics';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { collaborationService } from '@switchboard/service-collaboration';
import { deliveryService } from '@switchboard/service-delivery';
import { flagsService } from '@switchboard/service-flags';
import { identityService } from '@switchboard/service-identity';
import { ingestionService } from '@switchboard/service-ingestion';
import { messengerService } from '@switchboard/service-messenger';
import {
  type CallOptions,
  clickHouseDatabase,
  eventually,
  freePort,
  openHarness,
} from '@switchboard/testkit';
import { restrictedRole } from '../harness/roles.ts';

/** Too long for a random key to contain it by chance. */
export const COMPANY = 'acme-holding';
export const PROJECT = 'acme-web-shop';
export const REPORT = 'weekly';
export const ALL_SERVICES: readonly ServiceName[] = [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES];

/** Brokers that give each service, as the user with its name, the rights in `eventLogAccess`. */
interface RestrictedBrokers {
  brokers: readonly string[];
  password: string;
}

/**
 * Starts every service in this process, with a project of a company. On Kafka, each service has a broker user and a
 * database role with the minimum rights. On PostgreSQL, services own everything that they use.
 */
export async function deployAll(kafka: RestrictedBrokers | undefined) {
  const clickHouse = await clickHouseDatabase();
  const harness = await openHarness({
    services: {
      catalogue: catalogueService,
      collaboration: collaborationService,
      messenger: messengerService,
      flags: flagsService,
      identity: identityService,
      delivery: deliveryService,
      ingestion: ingestionService,
      archive: archiveService,
      analytics: analyticsService,
    },
    env: {
      ERASURE_SERVICES: 'analytics,archive,collaboration,delivery,flags,identity,ingestion,messenger',
      ACCOUNT_SECRET: 'the account secret of a test with 32 or more characters',
      TOPIC_PARTITIONS: '2',
      ARCHIVE_FILE_SECONDS: '6',
      ...vapidSettings(),
      ...(clickHouse === undefined ? {} : { CLICKHOUSE_URL: clickHouse.url }),
    },
    ...(kafka === undefined ? {} : { log: { kafka: kafka.brokers } }),
  });
  harness.defer(async () => clickHouse?.drop());
  const flagsPort = { port: await freePort() };
  async function start(name: ServiceName) {
    // Flags is started again on its port.
    const options = name === 'flags' ? flagsPort : {};
    const own = name === 'identity' ? { AUTH_ISSUER: 'https://id.example/identity' } : {};
    if (kafka === undefined) return harness.start(name, own, options);
    const owner = await harness.databaseUrl(name);
    const role = await restrictedRole(owner);
    harness.defer(role.drop);
    const env = {
      ...own,
      KAFKA_USERNAME: name,
      KAFKA_PASSWORD: kafka.password,
      DATABASE_URL: role.url,
      MIGRATIONS_DATABASE_URL: owner,
    };
    return harness.start(name, env, options);
  }
  await start('catalogue');
  // Starts first, because it creates the topics that the others consume.
  await start('ingestion');
  const [flags] = await Promise.all(
    (['flags', 'collaboration', 'messenger', 'archive', 'analytics', 'identity', 'delivery'] as const).map(
      start,
    ),
  );
  /** Opens the log as the service that rejects events. */
  const openLog = (): EventLog => {
    if (kafka === undefined) return openPostgresLog({ url: harness.logUrl });
    const sasl = { mechanism: 'scram-sha-512', username: 'archive', password: kafka.password } as const;
    return openKafkaLog({ brokers: [...kafka.brokers], clientId: 'test', sasl });
  };
  const restart = { stopFlags: () => flags?.stop(), startFlags: () => start('flags') };

  /** Retries until the call succeeds: services learn of a project a moment after catalogue. */
  const call = (service: string, method: string, path: string, options: CallOptions = {}) =>
    eventually(async () => {
      const answer = await harness.call(service, method, path, options);
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    });
  const operator = await harness.mint({ sub: 'operator', permissions: ['service.manage'] });
  const manage = (
    service: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) =>
    call(service, method, `/management/v1${path}`, {
      token: operator,
      body,
      ...(headers === undefined ? {} : { headers }),
    });

  await manage('catalogue', 'PUT', '/plans/pro/monthly', { trialDays: 0, priced: true, entitlements: {} });
  const plan = { tier: 'pro', cycle: 'monthly' };
  await manage('catalogue', 'PUT', `/companies/${COMPANY}`, { name: 'Acme', plan });
  const project = { companyId: COMPANY, name: 'Shop', region: 'eu', defaultLanguage: 'en' };
  await manage('catalogue', 'PUT', `/projects/${PROJECT}`, project);
  await manage('catalogue', 'PUT', `/projects/${PROJECT}/reports/${REPORT}`, { name: 'Weekly' });
  const { key } = await manage('catalogue', 'POST', `/projects/${PROJECT}/keys`);
  return { harness, call, manage, operator, key: String(key), clickHouse, openLog, ...restart };
}

export type AllServices = Awaited<ReturnType<typeof deployAll>>;

/** Creates the keys of a browser's push subscription. */
export function pushKeys() {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  return { p256dh, auth: randomBytes(16).toString('base64url') };
}
