import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '@switchboard/contracts';
import { openObjectStore } from '@switchboard/object-store';
import {
  eventually,
  freePort,
  type PostgresServer,
  postgresServer,
  startKafka,
  startRedis,
  startS3,
} from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { type ComposeService, composeLoader, loadComposeFile } from './compose-file.ts';
import { mailServer } from './mail.ts';
import { type NativeCompose, nativeCompose } from './native-compose.ts';
import { nativeImages } from './native-images.ts';
import { makeServiceDatabases } from './service-databases.ts';

const loader = composeLoader();

describe.skipIf(loader === undefined)('docker-compose.yml', () => {
  let services: Record<string, ComposeService>;
  beforeAll(async () => {
    services = await loadComposeFile(loader ?? '');
  });

  it('follows the Compose specification; a file that does not is refused', async () => {
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
    expect(built).toHaveLength(14);
    for (const service of built)
      expect(service).toMatchObject({ read_only: true, mem_limit: expect.any(String) });
  });

  it('gives every container time to stop', () => {
    const without = Object.entries(services).filter(([, one]) => one.stop_grace_period === undefined);
    expect(without.map(([name]) => name)).toEqual([]);
  });

  it('ends `up --wait` when the demo is seeded: every container has a health check, or another awaits its end', () => {
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
    const databases = SERVICE_NAMES.map((name) => services[name]?.environment['DATABASE_URL']);
    expect(new Set(databases).size).toBe(SERVICE_NAMES.length);
  });
});

/** An S3 server with the secret of the compose file. */
async function startComposeS3(path: string) {
  const services = await loadComposeFile(path);
  return startS3(services['s3']?.environment['ROOT_SECRET_KEY']);
}

const [kafka, redis, s3] =
  loader === undefined ? [] : await Promise.all([startKafka(), startRedis(), startComposeS3(loader)]);

describe.skipIf(!kafka || !redis || !s3)('docker-compose.yml, run without a container engine', () => {
  let root: string;
  let compose: NativeCompose;
  let database: PostgresServer;
  let mail: Awaited<ReturnType<typeof mailServer>>;
  let demo: z.infer<typeof demoFile>;

  const demoFile = z.object({
    base_url: z.string(),
    eu_api_url: z.string(),
    eu_replay_url: z.string(),
    management_url: z.string(),
    issuer_url: z.string(),
    console_url: z.string(),
    project_id: z.string(),
    report_id: z.string(),
    project_key: z.string(),
    tokens: z.record(z.string(), z.string()),
    subs: z.record(z.string(), z.string()),
  });

  beforeAll(async () => {
    const services = await loadComposeFile(loader ?? '');
    root = await mkdtemp(join(tmpdir(), 'switchboard-compose-'));
    database = await postgresServer([]);
    await makeServiceDatabases(database.url('postgres'), services['postgres']?.environment ?? {});
    const smtp = await freePort();
    mail = await mailServer(smtp);
    const hostOf = (url = '') => new URL(url).host;
    compose = await nativeCompose({
      services,
      root,
      images: await nativeImages(root),
      backings: new Map([
        ['postgres:5432', hostOf(database.url('postgres'))],
        ['kafka:9092', kafka?.brokers[0] ?? ''],
        ['redis:6379', hostOf(redis?.url)],
        ['s3:7070', hostOf(s3?.endpoint)],
        ['mail:1025', `127.0.0.1:${smtp}`],
      ]),
    });
    demo = demoFile.parse(await (await fetch(`${compose.published(4005)}/demo.json`)).json());
  }, 240_000);

  afterAll(async () => {
    await compose?.stop();
    await mail?.stop();
    await Promise.all([kafka?.stop(), redis?.kill(), s3?.stop(), database?.remove()]);
    if (root) await rm(root, { recursive: true, force: true });
  }, 60_000);

  const withKey = () => ({ Authorization: `Bearer ${demo.project_key}` });
  const as = (who: string) => ({ Authorization: `Bearer ${demo.tokens[who]}` });
  const objects = async (prefix: string) => {
    if (s3 === undefined) throw new Error('no S3 server');
    const store = openObjectStore(s3);
    const found: string[] = [];
    for await (const { key } of store.list(prefix)) found.push(key);
    store.close();
    return found;
  };

  it('seeds the demo with the published addresses', () => {
    expect(demo).toMatchObject({
      base_url: compose.published(4000),
      eu_api_url: compose.published(4001),
      eu_replay_url: compose.published(4002),
      management_url: compose.published(4003),
      console_url: compose.published(4004),
    });
  });

  it('evaluates flags with identified traits, across the two flags processes', async () => {
    const identified = await fetch(`${demo.eu_api_url}/v1/identify`, {
      method: 'POST',
      headers: withKey(),
      body: JSON.stringify({ distinct_id: 'ada', properties: { plan: 'pro' } }),
    });
    expect(identified.status).toBe(202);
    await eventually(async () => {
      const answer = await fetch(`${demo.base_url}/v1/flags?distinct_id=ada`, { headers: withKey() });
      expect(await answer.json()).toMatchObject({ flags: { 'pro-dashboard': true } });
    });
  });

  it('accepts an event and archives it', async () => {
    const now = new Date().toISOString();
    const event = {
      event_id: 'e1',
      distinct_id: 'ada',
      event_name: 'x',
      schema_version: 1,
      timestamp: now,
    };
    const answer = await fetch(`${demo.eu_api_url}/v1/events`, {
      method: 'POST',
      headers: withKey(),
      body: JSON.stringify({ sent_at: now, events: [event] }),
    });
    expect(answer.status).toBe(202);
    const where = `${demo.management_url}/management/v1/projects/${demo.project_id}/events/e1`;
    const { file } = await eventually(
      async () => {
        const found = await (await fetch(where, { headers: as('operator') })).json();
        return z.object({ archived: z.object({ file: z.string() }) }).parse(found).archived;
      },
      { withinMs: 30_000 },
    );
    expect(await objects(file)).toEqual([file]);
  }, 40_000);

  it('opens a shared report by its public link', async () => {
    const path = `/v1/projects/${demo.project_id}/reports/${demo.report_id}/public-link`;
    const link = await fetch(`${demo.base_url}${path}`, { headers: as('owner') });
    const { url } = z.object({ url: z.string() }).parse(await link.json());
    expect(url).toMatch(`${compose.published(4000)}/shared/`);
    expect(await (await fetch(url)).text()).toContain('<svg');
  });

  it('returns the messenger configuration, and a picture from the object store', async () => {
    const answer = await fetch(`${demo.base_url}/v1/messenger/config`, { headers: withKey() });
    const { team } = z
      .object({ team: z.array(z.object({ avatarUrl: z.string() })) })
      .parse(await answer.json());
    const picture = await fetch(`${demo.base_url}${team[0]?.avatarUrl}`, { headers: withKey() });
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
  });

  it('emails a shared report', async () => {
    const { project_id, report_id } = demo;
    const answer = await fetch(`${demo.base_url}/v1/projects/${project_id}/reports/${report_id}/shares`, {
      method: 'POST',
      headers: as('owner'),
      body: JSON.stringify({
        recipients: [demo.subs['teammate']],
        link: `${demo.console_url}/projects/${project_id}/reports/${report_id}`,
        language: 'en',
      }),
    });
    expect(answer.status).toBe(201);
    await eventually(() => expect(mail.received).toHaveLength(1), { withinMs: 30_000 });
  }, 40_000);

  it('keeps the management API off the gateway and mints tokens on loopback', async () => {
    const made = await fetch(`${demo.issuer_url}/dev/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sub: 'me', permissions: ['service.manage'] }),
    });
    const { token } = z.object({ token: z.string() }).parse(await made.json());
    const flag = `/management/v1/projects/${demo.project_id}/flags/pro-dashboard`;
    const headers = { Authorization: `Bearer ${token}` };
    expect((await fetch(`${demo.management_url}${flag}`, { headers })).status).toBe(200);
    expect((await fetch(`${demo.base_url}${flag}`, { headers })).status).toBe(404);
  });

  it('refuses web pages on the ports of the demo, by their Host and by their Origin', async () => {
    const status = (url: string, headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = get(url, { headers }, (response) => resolve(response.resume().statusCode));
        asked.on('error', reject);
      });
    const { issuer_url, management_url, console_url } = demo;
    for (const url of [`${issuer_url}/demo.json`, `${management_url}/management/v1/ai/markup`, console_url]) {
      expect([url, await status(url, {})]).not.toEqual([url, 403]);
      expect([url, await status(url, { Host: 'evil.example' })]).toEqual([url, 403]);
      expect([url, await status(url, { Origin: 'https://evil.example' })]).toEqual([url, 403]);
    }
  });

  it('denies a service access to the database of another', async () => {
    const { flags } = await loadComposeFile(loader ?? '');
    const url = new URL(flags?.environment['DATABASE_URL'] ?? '');
    url.host = new URL(database.url('postgres')).host;
    url.pathname = '/catalogue';
    const sql = postgres(url.href, { max: 1 });
    await expect(sql`select 1`).rejects.toThrow('permission denied for database "catalogue"');
    await sql.end();
  });

  it('exits with 0 on SIGTERM in every container', async () => {
    const serving = [...compose.programs].filter(([name]) => name !== 'demo');
    const codes = await Promise.all(serving.map(async ([name, program]) => [name, await program.stop()]));
    expect(codes).toEqual(serving.map(([name]) => [name, 0]));
  }, 40_000);
});
