import { expect, it } from 'vitest';
import { join } from './join.ts';

it('joins chunks, and runs other callbacks between turns for large ones', async () => {
  const chunks = Array.from({ length: 64 }, (_, i) => Buffer.alloc(65_536, i));
  let others = 0;
  let isDone = false;
  const other = () => {
    others++;
    if (!isDone) setImmediate(other);
  };
  other();
  const whole = await join(chunks, 'a');
  isDone = true;
  expect(whole.equals(Buffer.concat(chunks))).toBe(true);
  // 4 MiB take eight turns.
  expect(others).toBeGreaterThan(8);
});

it('keeps a single chunk unchanged', async () => {
  const chunk = Buffer.alloc(1_000_000);
  expect(await join([chunk], 'a')).toBe(chunk);
});
