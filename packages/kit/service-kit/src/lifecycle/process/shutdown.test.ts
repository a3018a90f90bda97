import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnProgram } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { startProgram } from '../../testing/made-up-program.ts';

it.each([
  ['an exception', 'SIGHUP', 'nobody catches this'],
  ['a rejection', 'SIGUSR1', 'nobody waits for this'],
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

it('a process that cannot close ends after its time limit', async () => {
  const script = `
    const { shutDownInOrder } = await import('${join(import.meta.dirname, 'shutdown.ts')}');
    const log = { info() {}, fatal: (_, message) => console.log(message) };
    shutDownInOrder({ close: () => new Promise(() => setInterval(() => {}, 1000)), withinMs: 200, log });
    setInterval(() => {}, 1000);
    console.log('running');`;
  const command = ['node', '--input-type=module', '--eval', script] as const;
  const program = await spawnProgram({ command, ready: /running/ });
  program.signal('SIGTERM');
  expect(await program.exited).toBe(1);
  expect(program.lines).toContain('shutdown timed out');
});
