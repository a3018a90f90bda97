import { join } from 'node:path';
import { spawnProgram } from '@switchboard/testkit';
import { expect, it } from 'vitest';

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
