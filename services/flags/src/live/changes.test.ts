import type { Socket } from '@switchboard/realtime';
import { createLogger } from '@switchboard/service-kit';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { prepareRuleset } from '../rulesets/ruleset.ts';
import { createLiveChanges } from './changes.ts';

const rulesetOf = (changedAt: string) => prepareRuleset({ changedAt, flags: [], cohorts: [] });

/** Sockets that follow one project, whose ruleset is answered by hand. */
function byHand() {
  let ruleset = rulesetOf('1');
  let isCurrent = true;
  let read = async () => ruleset;
  let change: (projectId: string) => void = () => undefined;
  const sockets: Socket[] = [];
  const changes = createLiveChanges({
    rulesets: {
      get: () => read(),
      isCurrent: () => isCurrent,
      follow: (onChange) => {
        change = onChange;
      },
    },
    hub: { here: () => sockets },
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
      ruleset = rulesetOf(changedAt);
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

it('a change whose ruleset cannot be read just now is told when it can', async () => {
  const hand = byHand();
  const { received, ready: told } = await hand.welcome();
  await told;
  // The database is away: what is answered is the ruleset as last known, then nothing.
  hand.set('1', false);
  hand.change();
  await new Promise((resolve) => setTimeout(resolve, 150));
  hand.reading(async () => {
    throw new Error('away');
  });
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(received).toEqual([ready]);
  hand.set('2');
  hand.reading(async () => hand.ruleset());
  await eventually(() => expect(received).toEqual([ready, changed]));
});

it('a change while a socket is being welcomed is told to it, after it is ready', async () => {
  const hand = byHand();
  const other = await hand.welcome();
  await other.ready;
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof rulesetOf>>();
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
