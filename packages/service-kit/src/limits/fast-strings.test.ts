import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PRINT = 'process.stdout.write(String(%HasFastProperties(String.prototype)))';

describe('String.prototype', () => {
  // The first fails once ioredis or V8 no longer needs this: then fast-strings.ts can go.
  it('becomes slow with ioredis', async () => {
    expect(await printed(`await import('ioredis'); ${PRINT}`)).toBe('false');
  });

  it('is fast in a process of a service', async () => {
    expect(await printed(`await import('@switchboard/service-kit'); ${PRINT}`)).toBe('true');
  });
});

async function printed(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--allow-natives-syntax', '--input-type=module', '--eval', script],
    { cwd: import.meta.dirname },
  );
  return stdout;
}
