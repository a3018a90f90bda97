import { expect, it } from 'vitest';
import { createPublishedList } from './published-list.ts';

it('throws 503 only until the list has been read once', async () => {
  let fails = true;
  const list = createPublishedList({
    name: 'plan catalogue',
    async read() {
      if (fails) throw new Error('unavailable');
      return 'plans';
    },
  });
  await expect(list.reload()).rejects.toThrow('unavailable');
  expect(() => list.current()).toThrow(expect.objectContaining({ status: 503, code: 'UNAVAILABLE' }));
  fails = false;
  await list.reload();
  expect(list.current()).toBe('plans');
  fails = true;
  await expect(list.reload()).rejects.toThrow('unavailable');
  expect(list.current()).toBe('plans');
});

it('includes everything committed before a reload, though an older read was in progress', async () => {
  const answers: ((value: string) => void)[] = [];
  const list = createPublishedList({
    name: 'plan catalogue',
    read: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  const early = list.reload();
  await Promise.resolve();
  await Promise.resolve();
  const late = Promise.all([list.reload(), list.reload()]);
  answers[0]?.('old');
  await early;
  expect(list.current()).toBe('old');
  await new Promise((resolve) => setImmediate(resolve));
  expect(answers).toHaveLength(2);
  answers[1]?.('new');
  await late;
  expect(list.current()).toBe('new');
});
