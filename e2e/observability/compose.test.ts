import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPTIONAL_SERVICE_NAMES } from '@switchboard/contracts';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { composeLoader, loadComposeFile } from '../compose/compose-file.ts';
import { prometheusFolder, readAlerts } from './files.ts';

const loader = composeLoader();

const prometheus = z.object({
  scrape_configs: z.array(z.object({ dns_sd_configs: z.array(z.object({ names: z.array(z.string()) })) })),
});

describe.skipIf(loader === undefined)('docker-compose.yml with deploy/observability', () => {
  it('Prometheus scrapes every service process, and Tempo receives its traces', async () => {
    const files = ['docker-compose.yml', 'deploy/observability/docker-compose.yml'];
    const services = await loadComposeFile(loader ?? '', files);
    const processes = Object.entries(services).filter(
      ([, { environment }]) => 'AUTH_JWKS_URL' in environment,
    );
    const traced = processes.map(([name]) => name).filter((name) => name !== 'demo' && name !== 'dev');
    const names = [...traced, 'console'];
    const config = prometheus.parse(parse(await readFile(join(prometheusFolder, 'prometheus.yml'), 'utf8')));
    const scraped = config.scrape_configs.flatMap((one) => one.dns_sd_configs.flatMap((dns) => dns.names));
    expect(scraped.toSorted()).toEqual([...names, 'gateway'].toSorted());
    const alerts = (await readAlerts()).filter(({ alert }) => alert === 'ProcessMissing');
    // A deployment may be without these. The console has no alert.
    const optional: readonly unknown[] = OPTIONAL_SERVICE_NAMES;
    const expected = scraped.filter((name) => name !== 'console');
    expect(alerts.map(({ labels }) => labels['process']).toSorted()).toEqual(expected.toSorted());
    for (const { labels, expr } of alerts)
      expect(expr.includes('and on ()'), expr).toBe(optional.includes(labels['process']));
    for (const name of traced) {
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://tempo:4318' };
      expect(services[name]?.environment, name).toMatchObject(endpoint);
    }
    for (const name of ['tempo', 'prometheus', 'alertmanager', 'grafana']) {
      const mounted = services[name]?.volumes.filter(({ type }) => type === 'bind') ?? [];
      expect(mounted).not.toEqual([]);
      for (const { source = '' } of mounted) expect(existsSync(source), source).toBe(true);
    }
  });
});
