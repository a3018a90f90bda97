import { eventually } from '@switchboard/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compose, IS_UP, inside, replace } from './engine.ts';
import { readDemo } from './published.ts';

const CLICKHOUSE_URL = 'http://switchboard:dev-only-clickhouse@clickhouse:8123/switchboard';
const asked = {
  kind: 'trends',
  range: { last: 30, unit: 'day' },
  series: [{ event: 'order placed', measure: 'events' }],
};
const answered = z.object({
  report: z.object({ series: z.array(z.object({ values: z.array(z.number()) })) }),
});

describe.skipIf(!IS_UP)('docker compose --profile clickhouse up', () => {
  afterAll(async () => {
    delete process.env['CLICKHOUSE_URL'];
    await replace('analytics');
    await compose('--profile', 'clickhouse', 'rm', '--stop', '--force', 'clickhouse');
  });

  it('answers questions from ClickHouse with the same reports as from files', async () => {
    const { base_url, project_id, tokens } = await readDemo();
    const ask = async () => {
      const answer = await fetch(`${base_url}/v1/projects/${project_id}/insights`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${tokens['owner']}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(asked),
      });
      expect(answer.status).toBe(200);
      return answered.parse(await answer.json()).report.series;
    };
    const sum = (series: Awaited<ReturnType<typeof ask>>) =>
      series.flatMap(({ values }) => values).reduce((total, value) => total + value, 0);
    const fromFiles = await eventually(
      async () => {
        const series = await ask();
        expect(sum(series)).toBeGreaterThan(0);
        return series;
      },
      { withinMs: 60_000 },
    );

    process.env['CLICKHOUSE_URL'] = CLICKHOUSE_URL;
    const up = ['--profile', 'clickhouse', 'up', '--detach', '--wait', '--no-deps', '--no-build'];
    await compose(...up, 'clickhouse', 'analytics');
    await eventually(async () => expect(await ask()).toEqual(fromFiles), { withinMs: 60_000 });
    const url = `http://127.0.0.1:8123/?user=switchboard&password=dev-only-clickhouse&query=SHOW+TABLES+FROM+switchboard`;
    expect((await inside('clickhouse', 'wget', '-q', '-O', '-', url)).output).toContain('events');
  }, 400_000);
});
