import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { OPTIONAL_SERVICE_NAMES, SERVICE_NAMES } from '@switchboard/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { CLUSTER_FILES, type ComposeService, composeLoader, loadComposeFile } from './compose-file.ts';
import { CONTAINERS } from './engine.ts';

const loader = composeLoader();

describe.skipIf(loader === undefined)('docker-compose.yml', () => {
  let services: Record<string, ComposeService>;
  beforeAll(async () => {
    services = await loadComposeFile(loader ?? '');
  });

  it('follows the Compose specification, which refuses an invalid file', async () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining([...SERVICE_NAMES, 'gateway', 'postgres', 'kafka']),
    );
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-compose-'));
    const wrong = join(folder, 'wrong.yml');
    const text = await readFile(join(REPOSITORY, 'deploy/backings/docker-compose.yml'), 'utf8');
    await writeFile(wrong, text.replace('healthcheck:', 'health_check:'));
    await expect(loadComposeFile(loader ?? '', [wrong])).rejects.toThrow('health_check');
    await rm(folder, { recursive: true });
  });

  it('publishes ports on loopback only', () => {
    const addresses = Object.values(services).flatMap(({ ports }) => ports.map(({ host_ip }) => host_ip));
    expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']));
  });

  it('gives every built image a read-only file system and a memory limit', () => {
    const built = Object.values(services).filter(({ build }) => build !== undefined);
    expect(built).toHaveLength(17);
    for (const service of built)
      expect(service).toMatchObject({ read_only: true, mem_limit: expect.any(String) });
  });

  it('gives every container time to stop', () => {
    const without = Object.entries(services).filter(([, one]) => one.stop_grace_period === undefined);
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('ends `up --wait` when the demo is seeded: every container has a health check, or another waits for it to exit', () => {
    const awaited = Object.values(services).flatMap((service) =>
      Object.entries(service.depends_on)
        .filter(([, { condition }]) => condition === 'service_completed_successfully')
        .map(([name]) => name),
    );
    const unchecked = Object.entries(services).filter(([, { healthcheck }]) => !healthcheck?.test);
    expect(unchecked.map(([name]) => name)).toEqual(awaited);
    expect(awaited).toEqual(['demo']);
  });

  it('gives Redis to every service that takes it', () => {
    const given = SERVICE_NAMES.filter(
      (name) => services[name]?.environment['REDIS_URL'] === 'redis://redis:6379',
    );
    expect(given).toEqual(['collaboration', 'messenger', 'ingestion']);
  });

  it('gives every service its own database', () => {
    const names = [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES];
    const databases = names.map((name) => services[name]?.environment['DATABASE_URL']);
    expect(databases).not.toContain(undefined);
    expect(new Set(databases).size).toBe(names.length);
  });

  it('starts every optional service with the console, and lets erasures wait for them', async () => {
    const text = await readFile(join(REPOSITORY, 'deploy/docker/identity.env'), 'utf8');
    const { COMPOSE_PROFILES, DELIVERY_UPSTREAMS, ERASURE_SERVICES = '' } = parseEnv(text);
    expect([COMPOSE_PROFILES, DELIVERY_UPSTREAMS]).toEqual(['identity,delivery', 'delivery:3000']);
    const all = [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES];
    expect(ERASURE_SERVICES.split(',')).toEqual(all.filter((name) => name !== 'catalogue').sort());
    const urls = JSON.parse(services['console']?.environment['MANAGEMENT_URLS'] ?? '');
    expect(Object.keys(urls).sort()).toEqual([...all].sort());
  });

  it('lets erasures wait for delivery only with the file that starts it', async () => {
    const text = await readFile(join(REPOSITORY, 'deploy/docker/delivery.env'), 'utf8');
    const { COMPOSE_PROFILES, DELIVERY_UPSTREAMS, ERASURE_SERVICES = '' } = parseEnv(text);
    expect([COMPOSE_PROFILES, DELIVERY_UPSTREAMS]).toEqual(['delivery', 'delivery:3000']);
    const listed = services['catalogue']?.environment['ERASURE_SERVICES']?.split(',') ?? [];
    expect(ERASURE_SERVICES.split(',')).toEqual([...listed, 'delivery'].sort());
  });

  it('names every service among the images of a release', async () => {
    const release = await readFile(join(REPOSITORY, '.github/workflows/release.yml'), 'utf8');
    const named = [...release.matchAll(/\{ name: (\S+), target: service \}/g)].map(([, name]) => name);
    expect(named.sort()).toEqual([...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES, 'console'].sort());
  });
});

describe.skipIf(loader === undefined)('docker-compose.yml with cluster.yml', () => {
  const BROKERS = ['kafka', 'kafka-2', 'kafka-3'];
  const addresses = BROKERS.map((name) => `${name}:9092`).join();
  let services: Record<string, ComposeService>;
  beforeAll(async () => {
    services = await loadComposeFile(loader ?? '', CLUSTER_FILES);
  });

  it('runs two identical containers of each process behind the gateway', () => {
    for (const name of [...CONTAINERS, 'analytics']) {
      const { environment, depends_on } = services[name] ?? {};
      expect(environment).toMatchObject({ KAFKA_BROKERS: addresses, TOPIC_REPLICATION: '3' });
      expect(Object.keys(depends_on ?? {})).toEqual(expect.arrayContaining(BROKERS));
      expect(services[`${name}-2`]).toEqual(services[name]);
    }
    for (const name of SERVICE_NAMES) {
      const upstreams = services['gateway']?.environment[`${name.toUpperCase()}_UPSTREAMS`];
      expect(upstreams).toBe(`${name}:3000 ${name}-2:3000`);
    }
  });

  it('starts services after PostgreSQL has a replica, which commits wait for', async () => {
    for (const name of CONTAINERS) expect(services[name]?.depends_on).toHaveProperty('postgres-2');
    expect(services['postgres-2']?.volumes).toEqual([
      { type: 'volume', source: 'postgres-2', target: '/var/lib/postgresql' },
    ]);
    const sql = await readFile(join(REPOSITORY, 'deploy/docker/postgres/replication.sql'), 'utf8');
    expect(sql).toContain("ALTER SYSTEM SET synchronous_standby_names = '*'");
  });

  it('runs three brokers of one quorum, each with its own log, which store every record at least twice', () => {
    const own = ['KAFKA_NODE_ID', 'KAFKA_ADVERTISED_LISTENERS'];
    for (const [index, name] of BROKERS.entries()) {
      const { environment = {}, volumes } = services[name] ?? {};
      expect(own.map((one) => environment[one])).toEqual([`${index + 1}`, `PLAINTEXT://${name}:9092`]);
      expect(volumes).toEqual([{ type: 'volume', source: name, target: '/var/lib/kafka/data' }]);
      expect(environment).toMatchObject({
        KAFKA_CONTROLLER_QUORUM_VOTERS: BROKERS.map((one, at) => `${at + 1}@${one}:9093`).join(),
        KAFKA_DEFAULT_REPLICATION_FACTOR: '3',
        KAFKA_MIN_INSYNC_REPLICAS: '2',
        KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '3',
      });
    }
  });
});
