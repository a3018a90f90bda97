import { createECDH } from 'node:crypto';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresLog } from '@switchboard/event-log';
import {
  backingProgram,
  type Env,
  eventually,
  freePort,
  type Harness,
  type Network,
  type Program,
  programFile,
  spawnProgram,
  startNetwork,
} from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { stringify } from 'yaml';
import { z } from 'zod';
import { isInstalled, prometheusFolder, RULE_FILES, readAlerts } from './files.ts';
import { createProject, openProcessHarness, READY_WITHIN_MS } from './harness.ts';

const EVENTUALLY = { withinMs: 120_000 };
const TEST_MS = 400_000;

const SERVICES = ['catalogue', 'ingestion', 'flags', 'archive', 'collaboration'] as const;
type Name = (typeof SERVICES)[number] | 'directory-link';

const answer = z.object({
  data: z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
});

/** Speeds rules up: a minute takes a second, including where the rules count in seconds. */
function hurried(rules: string): string {
  const seconds = { m: 1, h: 60, d: 1440 };
  return rules
    .replaceAll(/\b(60|300|3600|7200|21600|86400|259200)\b/g, (count) => `${Number(count) / 60}`)
    .replaceAll(/\b(\d+)([mhd])\b/g, (_, count: string, unit: 'm' | 'h' | 'd') => {
      return `${Number(count) * seconds[unit]}s`;
    });
}

/** Runs statements on a server as its superuser. */
async function onServer<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  return await work(sql).finally(() => sql.end());
}

/** A database connection that the test can break. */
interface Reached {
  url: string;
  without(work: () => Promise<unknown>): Promise<void>;
}

async function reach(network: Network, name: string, databaseUrl: string): Promise<Reached> {
  const url = new URL(databaseUrl);
  const link = await network.link(name, Number(url.port));
  url.port = `${link.port}`;
  return {
    url: url.href,
    async without(work) {
      await link.fail('refused');
      await work().finally(link.heal);
    },
  };
}

const canRun = (await isInstalled('prometheus')) && backingProgram('toxiproxy') !== undefined;

/** A new key pair for pushes, as settings. */
function vapidKeys(): Env {
  const pair = createECDH('prime256v1');
  const publicKey = pair.generateKeys();
  const privateKey = pair.getPrivateKey();
  return {
    VAPID_PUBLIC_KEY: publicKey.toString('base64url'),
    VAPID_PRIVATE_KEY: Buffer.concat([Buffer.alloc(32 - privateKey.length), privateKey]).toString(
      'base64url',
    ),
  };
}

describe.skipIf(!canRun)('alerts with Prometheus, the rules and services', () => {
  let harness: Harness;
  let network: Network | undefined;
  let flagsDatabase: Reached;
  let eventLog: Reached;
  let eventLogOfUs: Reached;
  let folder: string;
  let prometheus: Program;
  let key: string;
  const programs = new Map<Name, Program>();
  const program = (name: Name): Program => {
    const found = programs.get(name);
    if (found === undefined) throw new Error(`${name} is not started`);
    return found;
  };

  beforeAll(async () => {
    harness = await openProcessHarness();
    network = await startNetwork();
    if (network === undefined) throw new Error('there is no network');
    flagsDatabase = await reach(network, 'flags', await harness.databaseUrl('flags'));
    eventLog = await reach(network, 'event log', harness.logUrl);
    eventLogOfUs = await reach(network, 'event log of us', await harness.databaseUrl('event log of us'));
    folder = await mkdtemp(join(tmpdir(), 'switchboard-trial-'));
    /** Settings that lower limits, so that the test can reach them. */
    const settings: Partial<Record<Name, Env>> = {
      ingestion: { MAX_BYTES_IN_FLIGHT: '1000000' },
      flags: { DATABASE_URL: flagsDatabase.url },
      archive: { ARCHIVE_FILE_SECONDS: '1', ARCHIVE_SEEN_BYTES: '100000000' },
      // Nothing listens on the SMTP port.
      collaboration: {
        SMTP_URL: `smtp://127.0.0.1:${await freePort()}`,
        ...vapidKeys(),
      },
    };
    const start = async (name: (typeof SERVICES)[number]) => {
      const env = { EVENT_LOG_DATABASE_URL: eventLog.url, ...settings[name] };
      programs.set(name, await harness.spawn(name, { env, readyWithinMs: READY_WITHIN_MS }));
    };
    await Promise.all([...SERVICES.map(start), startLink()]);
    key = await createProject(harness);
    for (const file of RULE_FILES) {
      await writeFile(join(folder, file), hurried(await readFile(join(prometheusFolder, file), 'utf8')));
    }
    const targets = [...programs].map(([process, { url }]) => ({
      targets: [new URL(url).host],
      labels: { process },
    }));
    const config = {
      // A scrape may wait one second for a dependency.
      global: { scrape_interval: '2s', evaluation_interval: '1s' },
      rule_files: RULE_FILES,
      scrape_configs: [{ job_name: 'switchboard', static_configs: targets }],
    };
    await writeFile(join(folder, 'prometheus.yml'), stringify(config));
    prometheus = await spawnProgram({
      command: [
        'sh',
        '-c',
        `exec prometheus --config.file=${join(folder, 'prometheus.yml')} --storage.tsdb.path=${join(folder, 'data')} --web.listen-address=127.0.0.1:$PORT`,
      ],
      ready: '/-/ready',
    });
  });
  afterAll(async () => {
    await prometheus?.kill();
    await programs.get('directory-link')?.stop();
    await harness?.stop();
    await network?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function startLink(): Promise<void> {
    const link = await spawnProgram({
      command: ['node', await programFile('deploy/directory-link/src/main.ts')],
      env: {
        HOST: '127.0.0.1',
        REGION: 'us',
        EVENT_LOG_DATABASE_URL: eventLogOfUs.url,
        HOME_EVENT_LOG_DATABASE_URL: eventLog.url,
      },
      ready: '/health/serving',
      readyWithinMs: READY_WITHIN_MS,
    });
    programs.set('directory-link', link);
  }

  async function query(expression: string): Promise<Record<string, string>[]> {
    const body = new URLSearchParams({ query: expression });
    const response = await fetch(`${prometheus.url}/api/v1/query`, { method: 'POST', body });
    return answer.parse(await response.json()).data.result.map(({ metric }) => metric);
  }

  /** Returns the firing alerts, as `<alert> of <subject>`. Excludes processes that are not part of the trial. */
  async function firing(severity = '.*'): Promise<Set<string>> {
    const found = await query(`ALERTS{alertstate="firing", severity=~"${severity}"}`);
    const ours = found.filter(
      ({ alertname, process }) => alertname !== 'ProcessMissing' || SERVICES.some((name) => name === process),
    );
    return new Set(
      ours.map(({ alertname, process, group, service, route, task, topic }) => {
        const what = process ?? group ?? service;
        const more = task ?? route ?? (group === undefined ? topic : undefined);
        return [alertname, what && ` of ${what}`, more && `: ${more}`].join('');
      }),
    );
  }

  /** Repeats a function until each of these alerts has fired. */
  async function untilFiring(alerts: string[], again: () => Promise<unknown> = async () => undefined) {
    const silent = new Set(alerts);
    await eventually(async () => {
      await again();
      for (const alert of await firing()) silent.delete(alert);
      expect(silent).toEqual(new Set());
    }, EVENTUALLY);
  }

  const ingest = (path: string, body: unknown) =>
    harness.call('ingestion', 'POST', path, { token: key, body });
  const times = <T>(count: number, one: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => one(index));
  async function sendEvent(): Promise<void> {
    const now = new Date().toISOString();
    const event = {
      event_id: crypto.randomUUID(),
      distinct_id: 'ada',
      event_name: 'signed up',
      schema_version: 1,
      timestamp: now,
    };
    await eventually(async () =>
      expect((await ingest('/v1/events', { sent_at: now, events: [event] })).status).toBe(202),
    );
  }
  const identify = (of: number) => ingest('/v1/identify', { distinct_id: `person-${of}`, properties: {} });
  const manageFlags = (method: string, path: string, body?: unknown) =>
    harness.manage('flags', method, `/projects/p1/${path}`, body);

  it(
    'a stopped service pages for its process and its groups, and for nothing else',
    async () => {
      await eventually(async () => expect(await firing('page')).toEqual(new Set()), EVENTUALLY);
      const groups = ['archive.dead-letters', 'archive.events', 'archive.person-ids', 'archive.replays'];
      // A group that had no member yet is not gone.
      await eventually(async () => {
        const joined = await query('max by (group) (switchboard_event_log_group_members) > 0');
        expect(joined.map(({ group }) => group)).toEqual(expect.arrayContaining(groups));
      }, EVENTUALLY);
      await program('archive').kill();
      await sendEvent();
      const pages = [
        'ProcessMissing of archive',
        ...groups.map((group) => `ConsumerGone of ${group}`),
        'ConsumerStuck of archive.events',
      ];
      await eventually(async () => expect(await firing('page')).toEqual(new Set(pages)), EVENTUALLY);
      await untilFiring(['InstanceDown of archive', 'ConsumerBehind of archive.events'], () =>
        Promise.all(times(100, sendEvent)),
      );
      await program('archive').restart();
    },
    TEST_MS,
  );

  describe.concurrent('faults of several services at the same time', () => {
    it(
      'alerts fire for flags: records, changes, tables and finally the database',
      async () => {
        const log = openPostgresLog({ url: harness.logUrl });
        const unreadable = { partition: 0, key: 'p1', value: Buffer.from('no JSON'), headers: {} };
        await log.publish('identifies', [unreadable]).finally(() => log.close());
        const patch = {
          key: 'no such flag',
          at: new Date(Date.now() + 2_000).toISOString(),
          patch: { enabled: false },
        };
        expect(await manageFlags('POST', 'scheduled-changes', patch)).toMatchObject({ status: 201 });
        await untilFiring(['DeadLetters of flags.user-state', 'ScheduledChangeFails']);

        const databaseUrl = await harness.databaseUrl('flags');
        const list = () => manageFlags('GET', 'flags');
        const route = '/management/v1/projects/{projectId}/flags';
        await onServer(databaseUrl, async (sql) => {
          const done = new AbortController();
          const again = async (work: () => Promise<unknown>) => {
            while (!done.signal.aborted) await work();
          };
          // Locks briefly, because a request that waits for seconds is rejected.
          const lock = () => sql.begin((tx) => [tx`lock table flags`, tx`select pg_sleep(0.4)`]);
          const busy = [again(lock), ...times(100, () => again(list))];
          await untilFiring([`SlowRequests of flags: ${route}`, 'DatabasePoolExhausted of flags']).finally(
            () => {
              done.abort();
              return Promise.all(busy);
            },
          );
        });

        await onServer(databaseUrl, async (sql) => {
          await sql`alter table flags rename to hidden`;
          await untilFiring([`ServerErrors of flags: ${route}`], list).finally(
            () => sql`alter table hidden rename to flags`,
          );
        });

        await flagsDatabase.without(async () => {
          const expected = [
            'ErrorBudgetBurnsFast of flags',
            'ErrorBudgetBurnsSlowly of flags',
            'DependencyDown of flags',
            'BackgroundWorkFails of flags: apply scheduled changes',
            'HandlingFails of flags.user-state',
            `RequestsRefused of flags: ${route}`,
          ];
          await untilFiring(expected, () => Promise.all([...times(5, list), ...times(16, identify)]));
          const burning = [...(await firing('page'))].filter((one) => one.startsWith('ErrorBudget'));
          expect(burning).toEqual(['ErrorBudgetBurnsFast of flags']);
        });
      },
      TEST_MS,
    );

    it(
      'alerts fire for archive: a history too large, lost recordings, an object store that rejects writes',
      async () => {
        const objects = join(harness.folder, 'objects');
        await eventually(() => sendRecording());
        const recording = () => harness.manage('archive', 'GET', '/projects/p1/replays/s1/events');
        await eventually(async () => expect((await recording()).status).toBe(200), EVENTUALLY);
        await sendEvent();
        await eventually(() => access(join(objects, 'events')), EVENTUALLY);
        await onServer(await harness.databaseUrl('archive'), fillYesterday);
        await program('archive').restart();
        await rm(join(objects, 'replays'), { recursive: true });
        await rm(join(objects, 'events'), { recursive: true });
        await writeFile(join(objects, 'events'), 'not a folder');
        await sendEvent();
        const route = '/management/v1/projects/{projectId}/replays/{sessionId}/events';
        const expected = ['DuplicatesNotRecognised', `ProviderFails of archive: ${route}`, 'ArchiveBehind'];
        await untilFiring(expected, async () => expect((await recording()).status).toBe(502));
        await rm(join(objects, 'events'));
      },
      TEST_MS,
    );

    async function sendRecording(): Promise<void> {
      const timestamp = new Date().toISOString();
      const events = [{ type: 4, timestamp: Date.now() }];
      const chunk = {
        session_id: 's1',
        distinct_id: 'ada',
        seq: 0,
        events,
        masked: true,
        schema_version: 1,
        timestamp,
      };
      expect((await ingest('/v1/replay', chunk)).status).toBe(202);
    }

    /** Registers over 100 MB for yesterday in the archive. */
    async function fillYesterday(sql: postgres.Sql): Promise<void> {
      await sql`insert into seen_days values ((now() at time zone 'utc')::date - 1)`;
      await sql`
        create table seen_events_yesterday partition of seen_events (primary key (event_key))
        for values in ((now() at time zone 'utc')::date - 1) with (fillfactor = 10)`;
      await sql`
        insert into seen_events (event_key, log_offset, accepted_at, log_partition, log_line, day)
        select gen_random_uuid(), n, now(), 0, 0, (select min(day) from seen_days)
        from generate_series(1, 200000) as n`;
    }

    it(
      'alerts fire for collaboration: no mail server, unusable push subscriptions, too many readers',
      async () => {
        const members = (names: string[], more: object = {}) =>
          Promise.all(
            names.map((name) =>
              harness.manage('catalogue', 'PUT', `/companies/c1/members/${name}`, {
                name,
                email: `${name}@mail.example`,
                role: 'editor',
                ...more,
              }),
            ),
          );
        // No point of the curve, so no push can be encrypted for it.
        const keys = {
          p256dh: Buffer.alloc(65, 1).toString('base64url'),
          auth: Buffer.alloc(16).toString('base64url'),
        };
        const unusable = { pushSubscriptions: [{ endpoint: 'https://push.example/1', keys }] };
        const withoutPushes = times(15, (index) => `without-pushes-${index}`);
        const staying = times(20, (index) => `staying-${index}`);
        await members(['ada', ...staying]);
        await members(withoutPushes, unusable);
        await harness.manage('catalogue', 'PUT', '/projects/p1/reports/r1', { name: 'Sign-ups' });
        const token = await harness.mint({ sub: 'ada', name: 'Ada' });
        const share = (recipients: string[]) =>
          eventually(async () => {
            const body = {
              recipients,
              link: 'https://console.example/projects/p1/reports/r1',
              language: 'en',
            };
            const shared = await harness.call('collaboration', 'POST', '/v1/projects/p1/reports/r1/shares', {
              token,
              body,
            });
            expect(shared.status).toBe(201);
          });
        await share(withoutPushes);
        for (let sent = 0; sent <= 100; sent += staying.length) await share(staying);
        const readers = () =>
          Promise.all(times(10, () => harness.call('collaboration', 'GET', '/v1/shared-reports/none')));
        const limited = 'RateLimited of collaboration: /v1/shared-reports/{token}';
        await untilFiring(['DeliveriesFail', 'DeliveriesWait', limited], readers);
      },
      TEST_MS,
    );

    it(
      'alerts fire for ingestion: a body that takes half of the memory, a blocked event loop',
      async () => {
        const stop = new AbortController();
        const body = new ReadableStream({
          start: (stream) => stream.enqueue(new Uint8Array(450_000)),
          async pull(stream) {
            await sleep(500);
            if (!stop.signal.aborted) stream.enqueue(new Uint8Array(1_024));
          },
        });
        const headers = { Authorization: `Bearer ${key}` };
        const options = { method: 'POST', headers, body, duplex: 'half' as const, signal: stop.signal };
        const sending = fetch(`${program('ingestion').url}/v1/events`, options).catch(() => undefined);
        await untilFiring(['MemoryForBodiesNearlyUsed of ingestion']);
        stop.abort();
        await sending;

        await untilFiring(['EventLoopBlocked of ingestion'], async () => {
          program('ingestion').signal('SIGSTOP');
          await sleep(400);
          program('ingestion').signal('SIGCONT');
        });
      },
      TEST_MS,
    );

    it(
      'alerts fire for directory: a link without its region, an erasure that no service completes',
      async () => {
        const { status } = await harness.manage('catalogue', 'POST', '/projects/p1/erasures', {
          distinctIds: ['somebody'],
        });
        expect(status).toBe(202);
        await onServer(await harness.databaseUrl('catalogue'), async (sql) => {
          await sql`update erasures set created_at = created_at - interval '3 hours'`;
        });
        await eventLogOfUs.without(async () => {
          await harness.manage('catalogue', 'POST', '/projects/p1/keys', {});
          await untilFiring(['DirectoryLinkBehind', 'ErasureOpen']);
        });
      },
      TEST_MS,
    );
  });

  it(
    'a lost event log stops publishing and the metrics of consumers',
    async () => {
      expect((await identify(0)).status).toBe(202);
      await eventLog.without(async () => {
        await harness.manage('catalogue', 'POST', '/projects/p1/keys', {});
        const expected = [
          'PublishFails of ingestion: identifies',
          'DirectoryNotPublished',
          'AuditNotPublished of catalogue',
          'ConsumersNotWatched',
        ];
        // Each request times out after seconds.
        const sent: Promise<unknown>[] = [];
        await untilFiring(expected, async () => void sent.push(identify(0)));
        await Promise.all(sent);
      });
    },
    TEST_MS,
  );

  it('every alert has fired', async () => {
    const fired = await query('group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[1h]))');
    const names = new Set((await readAlerts()).map(({ alert }) => alert));
    // This deployment has no identity, delivery or support mail. The tests of the rules fire their alerts.
    for (const alert of ['MailsWait', 'SupportMailsWait', 'SigningKeysNotRead', 'WebhooksWait'])
      expect(names.delete(alert)).toBe(true);
    expect(fired.map(({ alertname }) => alertname).toSorted()).toEqual([...names].toSorted());
  });
});
