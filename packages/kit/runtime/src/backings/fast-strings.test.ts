import { outputOf } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';

const PRINT = 'process.stdout.write(String(%HasFastProperties(String.prototype)))';

describe('String.prototype', () => {
  // The first test fails once ioredis or V8 no longer needs this. Remove fast-strings.ts then.
  it('String.prototype becomes slow with ioredis', async () => {
    expect(await printed(`await import('ioredis'); ${PRINT}`)).toBe('false');
  });

  it('String.prototype is fast in a process of a service', async () => {
    expect(await printed(`await import('@switchboard/runtime'); ${PRINT}`)).toBe('true');
  });
});

const printed = (script: string) =>
  outputOf(script, { cwd: import.meta.dirname, flags: ['--allow-natives-syntax'] });
