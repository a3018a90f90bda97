import { outputOf } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';

/** Prints V8's observations of the shapes of the objects that `process.nextTick` creates. */
const OBSERVE = `
  const ticks = async () => {
    for (let i = 0; i < 100; i++) await new Promise((resolve) => process.nextTick(resolve));
  };
  await ticks();
  await new Promise((resolve) => setTimeout(resolve, 20));
  gc();
  await ticks();
  const states = %GetFeedback(process.nextTick)
    .filter((slot) => slot?.[0] === 'DefineKeyedOwnPropertyInLiteral')
    .map(([, state]) => state);
  process.stdout.write([...new Set(states)].join());`;

describe('process.nextTick', () => {
  // The first test fails once Node.js or V8 no longer needs this. Remove fast-ticks.ts then.
  it('process.nextTick becomes slow once the heap is collected', async () => {
    expect(await printed(OBSERVE)).toContain('MEGAMORPHIC');
  });

  it('process.nextTick stays fast in a process of a service, and promises are unchanged', async () => {
    const script = `
      import { runService } from '@switchboard/http/main';
      await runService('flags', async () => {
        ${OBSERVE}
        process.exit();
      });`;
    const output = await printed(script);
    expect(output).toMatch(/^MONOMORPHIC$/m);
    expect(output).not.toContain('PromiseHook');
  });
});

/** The last flag prints the protectors that V8 invalidates. */
const FLAGS = ['--allow-natives-syntax', '--expose-gc', '--trace-protector-invalidation'];
const printed = (script: string) => outputOf(script, { cwd: import.meta.dirname, flags: FLAGS });
