import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnProgram } from '@switchboard/testkit';
import { expect, it } from 'vitest';

const start = () =>
  spawnProgram({
    command: ['node', join(import.meta.dirname, '../testing/made-up-service.ts')],
    env: {
      HOST: '127.0.0.1',
      REGION: 'eu',
      DRAIN_MS: '0',
      AUTH_ISSUER: 'https://id.example',
      AUTH_AUDIENCE: 'switchboard',
      AUTH_JWKS_URL: 'https://id.example/jwks.json',
      CONSOLE_URL: 'https://console.example',
      DATABASE_URL: 'postgres://unused.example/x',
    },
    ready: '/health/ready',
  });

it.each([
  ['an exception', 'SIGUSR2', 'nobody catches this'],
  ['a rejection', 'SIGUSR1', 'nobody waits for this'],
] as const)(
  '%s that nothing handled is logged, and the process ends as it does on SIGTERM',
  async (_, signal, message) => {
    const program = await start();
    const underWay = fetch(`${program.url}/slow`).then((response) => response.text());
    await sleep(300);
    program.signal(signal);
    program.signal(signal);
    expect(await underWay).toBe('answered');
    expect(await program.exited).toBe(1);
    const lines = program.records();
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', error: expect.objectContaining({ message }) }),
    );
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['flushed', 'shut down']));
  },
);

it('the process exits with 0 on SIGTERM, and not before requests in flight are answered', async () => {
  const program = await start();
  const underWay = fetch(`${program.url}/slow`).then((response) => response.text());
  await sleep(300);
  program.signal('SIGTERM');
  expect(await underWay).toBe('answered');
  expect(await program.exited).toBe(0);
});
