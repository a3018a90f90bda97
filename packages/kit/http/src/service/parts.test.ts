import { expect, it } from 'vitest';
import { createLifeCycle, type Part } from './parts.ts';

/** Returns a recorder of calls, and a function that creates parts that it records. */
function recorded() {
  const calls: string[] = [];
  const part = (name: string, fails: Partial<Record<'start' | 'stop', number>> = {}): Part => {
    const call = (verb: 'start' | 'stop') => {
      calls.push(`${verb} ${name}`);
      fails[verb] = (fails[verb] ?? 0) - 1;
      if (fails[verb] >= 0) throw new Error(`${name} does not ${verb}`);
    };
    return {
      start: async () => call('start'),
      drain: () => void calls.push(`drain ${name}`),
      stop: async () => call('stop'),
    };
  };
  return { calls, part };
}

it('starts parts in the order in which they were added, and background work last', async () => {
  const { calls, part } = recorded();
  const parts = createLifeCycle();
  parts.add(part('database'));
  parts.run(part('consumer'));
  parts.add(part('log'));
  await parts.start();
  expect(calls).toEqual(['start database', 'start log', 'start consumer']);
});

it('stops background work first, then parts in reverse order', async () => {
  const { calls, part } = recorded();
  const parts = createLifeCycle();
  parts.add(part('database'));
  parts.run(part('consumer'), part('sweep'));
  parts.add(part('log'));
  parts.drain();
  await parts.stop();
  await parts.stop();
  expect(calls.slice(0, 4)).toEqual(['drain database', 'drain log', 'drain consumer', 'drain sweep']);
  expect(calls.slice(4)).toEqual(['stop consumer', 'stop sweep', 'stop log', 'stop database']);
});

it('continues a start with the part that failed', async () => {
  const { calls, part } = recorded();
  const parts = createLifeCycle();
  parts.add(part('database'));
  parts.add(part('directory', { start: 2 }));
  parts.run(part('consumer'));
  await expect(parts.start()).rejects.toThrow('directory does not start');
  await expect(parts.start()).rejects.toThrow('directory does not start');
  await parts.start();
  const retried = ['start database', 'start directory', 'start directory', 'start directory'];
  expect(calls).toEqual([...retried, 'start consumer']);
});

it('stops every part after one fails to stop, and reports the failure', async () => {
  const { calls, part } = recorded();
  const parts = createLifeCycle();
  parts.add(part('database'));
  parts.add(part('log', { stop: 1 }));
  parts.run(part('consumer'));
  await expect(parts.stop()).rejects.toThrow('log does not stop');
  expect(calls).toEqual(['stop consumer', 'stop log', 'stop database']);
});

it('starts nothing after it was stopped', async () => {
  const { calls, part } = recorded();
  const parts = createLifeCycle();
  const stopsItself = part('database');
  parts.add({ ...stopsItself, start: () => void parts.stop() });
  parts.add(part('log'));
  await parts.start();
  await parts.stop();
  expect(calls).toEqual(['stop log', 'stop database']);
});

it('starts and stops a part through the functions that are given', async () => {
  const parts = createLifeCycle();
  const calls: string[] = [];
  const file = parts.add({ path: '/data' }, { stop: () => void calls.push('closed') });
  await parts.stop();
  expect([file.path, ...calls]).toEqual(['/data', 'closed']);
});
