import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@switchboard/contracts';
import {
  type AccessTokens,
  accessTokens,
  eventually,
  freePort,
  type PostgresServer,
  type Program,
  postgresServer,
  spawnProgram,
} from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { commandOf, type NativeImage, type NativeImages, nativeImages } from './native-images.ts';

const MANIFEST = `
plans: [{ tier: pro, cycle: monthly, trialDays: 14, priced: false, entitlements: {} }]
companies:
  - id: co
    name: Company
    plan: { tier: pro, cycle: monthly }
    members: [{ sub: ada, name: Ada, email: ada@example.com }]
    projects:
      - id: web
        name: Web
        region: eu
        defaultLanguage: en
        reports: [{ id: weekly, name: Weekly }]
        flags: [{ key: new-page, enabled: true, rolloutPercentage: 100 }]
`;

let root: string;
let images: NativeImages;
let postgres: PostgresServer;
let issuer: AccessTokens;
const ports = new Map<ServiceName, number>();
const programs = new Map<ServiceName, Program>();
const built = new Map<ServiceName, NativeImage>();
let key: string;

beforeAll(async () => {
  // Outside the checkout, so that an image cannot find files there.
  root = await mkdtemp(join(tmpdir(), 'switchboard-images-'));
  [images, postgres, issuer] = await Promise.all([
    nativeImages(root),
    postgresServer([...SERVICE_NAMES, 'event_log']),
    accessTokens(),
  ]);
  for (const name of SERVICE_NAMES) ports.set(name, await freePort());
}, 180_000);

afterAll(async () => {
  await Promise.all([...programs.values()].map((program) => program.kill()));
  await Promise.all([postgres?.remove(), issuer?.stop()]);
  await rm(root, { recursive: true, force: true });
}, 60_000);

const url = (name: ServiceName) => `http://127.0.0.1:${ports.get(name)}`;

function settings(name: ServiceName): Record<string, string> {
  return {
    PORT: String(ports.get(name)),
    REGION: 'eu',
    DATABASE_URL: postgres.url(name),
    EVENT_LOG_DATABASE_URL: postgres.url('event_log'),
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    OUTGOING_PRIVATE_NETWORKS: '127.0.0.0/8',
    CONSOLE_URL: 'https://console.example',
    PUBLIC_API_URL: 'https://api.example',
    PUBLIC_LINK_BASE_URL: 'https://api.example/shared',
    LINK_SECRET: 'a link secret of 32 characters or more',
    IDENTITY_SECRET: 'an identity secret of 32 characters or more',
    SMTP_URL: 'smtp://127.0.0.1:1',
    ...(name === 'archive' && { ROLES: 'http', OBJECTS_FOLDER: join(root, 'objects') }),
    // Node refuses every write to the file system, as a read-only container does.
    NODE_OPTIONS: '--permission --allow-fs-read=*',
    ...(name === 'analytics' && {
      OBJECTS_FOLDER: join(root, 'objects'),
      QUERY_FOLDER: join(root, 'analytics'),
      // Of all services, it alone writes copies of files, and has a native module.
      NODE_OPTIONS: '',
    }),
  };
}

/** Runs health.mjs of the image, like its HEALTHCHECK. */
async function health(name: ServiceName, kind: 'live' | 'ready'): Promise<number | null> {
  const { folder } = imageOf(name);
  const env = { PORT: String(ports.get(name)) };
  return (await spawnProgram({ command: ['node', 'health.mjs', kind], cwd: folder, env })).exited;
}

function imageOf(name: ServiceName): NativeImage {
  const image = built.get(name);
  if (image === undefined) throw new Error(`${name} is not built`);
  return image;
}

const manager = () => issuer.mint({ sub: 'platform', permissions: ['service.manage'] });
const keyHeader = () => ({ Authorization: `Bearer ${key}` });

/** One request that needs the service's own tables, migrations or assets. */
const serves: Record<ServiceName, () => Promise<void>> = {
  async catalogue() {
    expect(await (await fetch(`${url('catalogue')}/v1/plans`)).json()).toMatchObject({
      plans: [{ tier: 'pro' }],
    });
  },
  async flags() {
    await eventually(async () => {
      const answer = await fetch(`${url('flags')}/v1/flags?distinct_id=ada`, { headers: keyHeader() });
      expect(await answer.json()).toMatchObject({ flags: { 'new-page': true } });
    });
  },
  async ingestion() {
    const now = new Date().toISOString();
    const event = { event_id: '1', distinct_id: 'ada', event_name: 'x', schema_version: 1, timestamp: now };
    await eventually(async () => {
      const body = JSON.stringify({ sent_at: now, events: [event] });
      const answer = await fetch(`${url('ingestion')}/v1/events`, {
        method: 'POST',
        headers: keyHeader(),
        body,
      });
      expect(answer.status).toBe(202);
    });
  },
  async archive() {
    await eventually(async () => {
      const answer = await fetch(`${url('archive')}/management/v1/projects/web/replays`, {
        headers: { Authorization: `Bearer ${await manager()}` },
      });
      expect(await answer.json()).toEqual({ replays: [], nextCursor: null });
    });
  },
  async analytics() {
    const bearer = { Authorization: `Bearer ${await issuer.mint({ sub: 'ada' })}` };
    await eventually(async () => {
      const answer = await fetch(`${url('analytics')}/v1/projects/web/event-names`, { headers: bearer });
      expect(await answer.json()).toMatchObject({ eventNames: [] });
    });
  },
  async messenger() {
    await eventually(async () => {
      const answer = await fetch(`${url('messenger')}/v1/conversations`, {
        method: 'POST',
        headers: keyHeader(),
        body: JSON.stringify({ distinctId: 'ada' }),
      });
      expect(answer.status, await answer.clone().text()).toBe(201);
    });
  },
  async collaboration() {
    const path = `${url('collaboration')}/v1/projects/web/reports/weekly/public-link`;
    const report = await readFile(join(REPOSITORY, 'deploy/demo/src/seed/reports/rep_signups.json'), 'utf8');
    const run = await eventually(async () => {
      const answer = await fetch(`${url('collaboration')}/management/v1/projects/web/reports/weekly/runs`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${await manager()}`, 'Content-Type': 'application/json' },
        body: report,
      });
      expect(answer.status, await answer.clone().text()).toBe(201);
      return answer;
    });
    await run.body?.cancel();
    const expiresOn = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const link = await fetch(path, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${await issuer.mint({ sub: 'ada' })}` },
      body: JSON.stringify({ expiresOn }),
    });
    const { url: address } = z.object({ url: z.string() }).parse(await link.json());
    const token = address.split('/').at(-1);
    const page = await (await fetch(`${url('collaboration')}/shared/${token}`)).text();
    expect(page).toContain('<svg');
  },
};

describe('an image', { timeout: 60_000 }, () => {
  it.each(SERVICE_NAMES)('of %s starts from its own folder only, and writes nothing', async (name) => {
    built.set(name, await images.build(name));
    expect(await health(name, 'live')).toBe(1);
    const { folder, entrypoint, env } = imageOf(name);
    const program = await spawnProgram({
      command: commandOf(entrypoint),
      cwd: folder,
      env: { ...env, ...settings(name) },
    });
    programs.set(name, program);
    await eventually(async () => expect(await health(name, 'live'), program.lines.join('\n')).toBe(0), {
      withinMs: 20_000,
    });
  });

  it('of switchboard applies a manifest', async () => {
    const manifest = join(root, 'manifest.yaml');
    await writeFile(manifest, MANIFEST);
    const cli = await images.build('cli');
    const env = {
      SWITCHBOARD_CATALOGUE_URL: url('catalogue'),
      SWITCHBOARD_FLAGS_URL: url('flags'),
      SWITCHBOARD_TOKEN: await manager(),
    };
    const apply = await spawnProgram({
      command: commandOf([...cli.entrypoint, 'apply', manifest]),
      cwd: cli.folder,
      env,
    });
    expect(await apply.exited, apply.lines.join('\n')).toBe(0);
    const created = await fetch(`${url('catalogue')}/management/v1/projects/web/keys`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await manager()}` },
    });
    expect(created.status).toBe(201);
    key = z.object({ key: z.string() }).parse(await created.json()).key;
  });

  it.each(SERVICE_NAMES)('of %s serves a request that needs its database', (name) => serves[name]());

  it.each(SERVICE_NAMES)('of %s passes the readiness check', async (name) => {
    await eventually(async () => expect(await health(name, 'ready')).toBe(0));
  });

  it.each(SERVICE_NAMES)('of %s contains third-party licences', async (name) => {
    const text = await readFile(join(imageOf(name).folder, 'third-party-licences.txt'), 'utf8');
    expect(text).toMatch(/^hono \d+\.\d+\.\d+ \(MIT\)$/m);
    expect(text).toContain('Permission is hereby granted');
  });

  it('of directory-link names missing settings', async () => {
    const { folder, entrypoint, env } = await images.build('directory-link');
    const program = await spawnProgram({ command: commandOf(entrypoint), cwd: folder, env });
    expect(await program.exited).toBe(1);
    expect(program.lines.join('\n')).toContain('REGION: required');
  });

  it('of every service exits with 0 on SIGTERM', async () => {
    const codes = await Promise.all(SERVICE_NAMES.map((name) => programs.get(name)?.stop()));
    expect(codes).toEqual(SERVICE_NAMES.map(() => 0));
  });
});
