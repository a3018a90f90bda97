import type { Socket } from '@switchboard/realtime';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { createLiveChanges } from './live.ts';

const textOf = (changedAt: string) => ({ changedAt, json: '', compilations: 0, derivedBytes: 0 });

/** Creates sockets of one project, with a ruleset that the test controls. */
function manualChanges() {
  let ruleset = textOf('1');
  let isCurrent = true;
  let read = async () => ruleset;
  let change: (projectId: string) => void = () => undefined;
  const sockets: Socket[] = [];
  const changes = createLiveChanges({
    rulesets: {
      text: () => read(),
      isCurrent: () => isCurrent,
      subscribe: (onChange) => {
        change = onChange;
      },
    },
    sockets: { here: () => sockets },
    logger: createLogger({ service: 'flags', level: 'silent' }),
  });
  return {
    async welcome() {
      const received: unknown[] = [];
      const socket: Socket = {
        send: (message) => void received.push(message),
        join: () => sockets.push(socket) > 0,
        close: () => undefined,
      };
      const ready = changes.welcome(socket, 'p');
      return { received, ready };
    },
    change: () => change('p'),
    set(changedAt: string, current = true) {
      ruleset = textOf(changedAt);
      isCurrent = current;
    },
    reading(work: () => ReturnType<typeof read>) {
      read = work;
    },
    ruleset: () => ruleset,
  };
}

const ready = { type: 'ready', generatedAt: '1' };
const changed = { type: 'flags_changed', generatedAt: '2' };

it('sends a change after its ruleset can be read', async () => {
  const hand = manualChanges();
  const { received, ready: told } = await hand.welcome();
  await told;
  // While the database is unavailable, a stale ruleset is served first, then none.
  hand.set('1', false);
  hand.change();
  await new Promise((resolve) => setTimeout(resolve, 150));
  hand.reading(async () => {
    throw new Error('unavailable');
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(received).toEqual([ready]);
  hand.set('2');
  hand.reading(async () => hand.ruleset());
  await eventually(() => expect(received).toEqual([ready, changed]));
});

it('sends a change during the welcome after ready', async () => {
  const hand = manualChanges();
  const other = await hand.welcome();
  await other.ready;
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof textOf>>();
  const old = hand.ruleset();
  hand.reading(() => promise);
  const { received, ready: welcomed } = await hand.welcome();
  hand.set('2');
  hand.reading(async () => hand.ruleset());
  hand.change();
  await eventually(() => expect(other.received).toEqual([ready, changed]));
  expect(received).toEqual([]);
  resolve(old);
  await welcomed;
  await eventually(() => expect(received).toEqual([ready, changed]));
});
