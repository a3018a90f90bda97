import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';
import { prometheusFolder } from './files.ts';

const home = process.env['SWITCHBOARD_BACKINGS'] || join(homedir(), '.cache', 'switchboard-backings');
const loader = join(home, 'bin', 'compose-spec');
const isInstalled = existsSync(loader);
if (!isInstalled && process.env['REQUIRE_BACKINGS'] === '1') {
  throw new Error('the Compose file loader is missing: deploy/backings/install.sh compose');
}

/** The loader prints a map, or NAME=value lines after merging two files. */
const environment = z.union([
  z.array(z.string()),
  z
    .record(z.string(), z.unknown())
    .transform((map) => Object.entries(map).map(([name, value]) => `${name}=${value}`)),
]);
const project = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: environment.default([]),
      volumes: z.array(z.object({ type: z.string(), source: z.string() })).default([]),
    }),
  ),
});
const prometheus = z.object({
  scrape_configs: z.array(z.object({ dns_sd_configs: z.array(z.object({ names: z.array(z.string()) })) })),
});

const isServiceSetting = (line: string): boolean => line.startsWith('AUTH_JWKS_URL=');

describe.skipIf(!isInstalled)('with deploy/observability', () => {
  it('every service process is scraped and sends traces to Tempo', async () => {
    const files = ['docker-compose.yml', 'deploy/observability/docker-compose.yml'];
    const { stdout } = await promisify(execFile)(loader, ['--format', 'json', ...files], {
      cwd: REPOSITORY,
      env: { COMPOSE_DISABLE_ENV_FILE: '1' },
      maxBuffer: 16_000_000,
    });
    const { services } = project.parse(JSON.parse(stdout));
    const processes = Object.entries(services).filter(([, { environment }]) =>
      environment.some(isServiceSetting),
    );
    const names = processes.map(([name]) => name).filter((name) => name !== 'demo' && name !== 'dev');
    const config = prometheus.parse(parse(await readFile(join(prometheusFolder, 'prometheus.yml'), 'utf8')));
    const scraped = config.scrape_configs.flatMap((one) => one.dns_sd_configs.flatMap((dns) => dns.names));
    expect(scraped.toSorted()).toEqual(names.toSorted());
    for (const name of names) {
      expect(services[name]?.environment, name).toContain('OTEL_EXPORTER_OTLP_ENDPOINT=http://tempo:4318');
    }
    for (const name of ['tempo', 'prometheus', 'grafana']) {
      const mounted = services[name]?.volumes.filter(({ type }) => type === 'bind') ?? [];
      expect(mounted).not.toEqual([]);
      for (const { source } of mounted) expect(existsSync(source), source).toBe(true);
    }
  });
});
