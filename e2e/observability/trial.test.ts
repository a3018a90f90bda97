import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, type Harness, type Program, spawnProgram } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { isInstalled, prometheusFolder, RULE_FILES } from './files.ts';
import { createProject, READY_WITHIN_MS, startRig } from './rig.ts';

const PROCESSES = ['catalogue', 'ingestion', 'flags', 'archive'] as const;
const EVENTUALLY = { withinMs: 90_000 };

const firing = z.object({
  data: z.object({
    alerts: z.array(z.object({ state: z.string(), labels: z.record(z.string(), z.string()) })),
  }),
});

/** Rules in which a minute takes a second. */
function hurried(rules: string): string {
  const seconds = { m: 1, h: 60, d: 1440 };
  return rules.replaceAll(/\b(\d+)([mhd])\b/g, (_, count: string, unit: 'm' | 'h' | 'd') => {
    return `${Number(count) * seconds[unit]}s`;
  });
}

describe.skipIf(!(await isInstalled('prometheus')))('with Prometheus, the rules and services', () => {
  let rig: Harness;
  let folder: string;
  let prometheus: Program;
  let key: string;
  const services = new Map<string, Program>();
  const program = (name: (typeof PROCESSES)[number]): Program => {
    const found = services.get(name);
    if (found === undefined) throw new Error(`${name} is not started`);
    return found;
  };

  beforeAll(async () => {
    rig = await startRig();
    folder = await mkdtemp(join(tmpdir(), 'switchboard-trial-'));
    await Promise.all(
      PROCESSES.map(async (name) => {
        services.set(name, await rig.spawn(name, { readyWithinMs: READY_WITHIN_MS }));
      }),
    );
    key = await createProject(rig);
    for (const file of RULE_FILES) {
      await writeFile(join(folder, file), hurried(await readFile(join(prometheusFolder, file), 'utf8')));
    }
    const targets = PROCESSES.map((process) => ({
      targets: [new URL(program(process).url).host],
      labels: { process },
    }));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: RULE_FILES,
      scrape_configs: [{ job_name: 'switchboard', static_configs: targets }],
    };
    await writeFile(join(folder, 'prometheus.yml'), stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    prometheus = await spawnProgram({
      command: [
        'prometheus',
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      env: {},
      ready: () => fetch(`http://${address}/-/ready`),
    });
    alertsUrl = `http://${address}/api/v1/alerts`;
  }, 240_000);
  afterAll(async () => {
    await prometheus?.kill();
    await rig?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  let alertsUrl: string;
  /** What fires, as `alert of what`; processes that are not part of the trial are left out. */
  async function fired(severity: string): Promise<Set<string>> {
    const { data } = firing.parse(await (await fetch(alertsUrl)).json());
    const found = data.alerts.filter(
      ({ state, labels }) => state === 'firing' && labels['severity'] === severity,
    );
    const named = found.map(({ labels: { alertname, process, group, service, task } }) => {
      return `${alertname} of ${process ?? group ?? service}${task === undefined ? '' : `: ${task}`}`;
    });
    const missing = /^ProcessMissing of (.+)$/;
    return new Set(
      named.filter((one) => PROCESSES.some((name) => name === (missing.exec(one)?.[1] ?? name))),
    );
  }

  it('a service that is gone pages for its process and its groups, and for nothing else', async () => {
    await eventually(async () => expect(await fired('page')).toEqual(new Set()), EVENTUALLY);
    await program('archive').kill();
    const now = new Date().toISOString();
    const event = {
      event_id: 'e1',
      distinct_id: 'ada',
      event_name: 'signed up',
      schema_version: 1,
      timestamp: now,
    };
    const body = JSON.stringify({ sent_at: now, events: [event] });
    const headers = { Authorization: `Bearer ${key}` };
    await eventually(async () => {
      const sent = await fetch(`${program('ingestion').url}/v1/events`, { method: 'POST', headers, body });
      expect(sent.status).toBe(202);
    });
    const pages = [
      'ProcessMissing of archive',
      'ConsumerGone of archive.events',
      'ConsumerGone of archive.replays',
      'ConsumerStuck of archive.events',
    ];
    await eventually(async () => expect(await fired('page')).toEqual(new Set(pages)), EVENTUALLY);
  }, 120_000);

  it('a service without its database burns its budget; its work that fails makes tickets', async () => {
    const database = new URL(await rig.databaseUrl('flags'));
    const name = database.pathname.slice(1);
    database.pathname = '/postgres';
    const sql = postgres(database.href, { max: 1, onnotice: () => undefined });
    await sql.unsafe(`alter database "${name}" allow_connections false`);
    try {
      await eventually(async () => {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
        const asked = [1, 2, 3, 4, 5].map(() => rig.manage('flags', 'GET', '/projects/p1/flags'));
        expect((await Promise.all(asked)).filter(({ status }) => status < 500)).toEqual([]);
        const [pages, tickets] = await Promise.all([fired('page'), fired('ticket')]);
        expect(pages).toContain('ErrorBudgetBurnsFast of flags');
        expect(tickets).toContain('DependencyDown of flags');
        expect(tickets).toContain('BackgroundWorkFails of flags: make scheduled changes');
      }, EVENTUALLY);
      const burning = [...(await fired('page'))].filter((one) => one.startsWith('ErrorBudget'));
      expect(burning).toEqual(['ErrorBudgetBurnsFast of flags']);
    } finally {
      await sql.unsafe(`alter database "${name}" allow_connections true`);
      await sql.end();
    }
  }, 120_000);
});
