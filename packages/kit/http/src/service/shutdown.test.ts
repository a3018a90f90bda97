import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startProgram } from '../testing/fixture-program.ts';

it.each([
  ['an exception', 'SIGHUP', 'this error has no handler'],
  ['a rejection', 'SIGUSR1', 'this rejection has no handler'],
] as const)(
  '%s without a handler is logged, and the process ends as it does on SIGTERM',
  async (_, signal, message) => {
    const program = await startProgram();
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

it('a request that arrives while the service starts is answered once it has started', async () => {
  const program = await startProgram({ START_MS: '3000' }, [], '/health/live');
  const statusOf = async (path: string) => (await fetch(`${program.url}${path}`)).status;
  const held = statusOf('/self');
  expect(await statusOf('/health/serving')).toBe(503);
  expect(await held).toBe(200);
  expect(await statusOf('/health/serving')).toBe(200);
  await program.stop();
});

it('the process listens on every address, and exits with 0 on SIGTERM after requests in flight are answered', async () => {
  const program = await startProgram({ HOST: '' });
  for (const host of ['127.0.0.1', '[::1]']) {
    expect((await fetch(`http://${host}:${program.port}/health/serving`)).status).toBe(200);
  }
  const underWay = fetch(`${program.url}/slow`).then((response) => response.text());
  await sleep(300);
  program.signal('SIGTERM');
  expect(await underWay).toBe('answered');
  expect(await program.exited).toBe(0);
});
