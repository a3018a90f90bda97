import { openSocket } from '@switchboard/browser/socket';
import { type Instance, startInstance } from '@switchboard/realtime/testing';
import { eventually } from '@switchboard/testkit';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Opens a socket as the browser SDK does. */
function open({ url }: Pick<Instance, 'url'>, query = 'key=1') {
  const heard: string[] = [];
  let opened = 0;
  const socket = openSocket({
    url: `ws://${url}?${query}`,
    onOpen: () => (opened += 1),
    onMessage: (data) => heard.push(String(data)),
  });
  onTestFinished(() => socket.close());
  return { socket, heard, opened: () => opened };
}

test('the SDK socket stays open while heartbeats arrive, and reconnects without them', async () => {
  const beating = await startInstance({ pingMs: 60 });
  const silent = await startInstance();
  const [stays, leaves] = [open(beating), open(silent)];
  await eventually(() => expect([stays.opened(), leaves.opened()]).toEqual([1, 1]));
  for (let round = 0; round < 4; round++) {
    const before = stays.heard.length;
    await eventually(() => expect(stays.heard.length).toBeGreaterThan(before));
    vi.advanceTimersByTime(30_000);
  }
  await eventually(() => {
    // The server runs in this process and has timers, too.
    vi.advanceTimersByTime(100);
    expect(leaves.opened()).toBe(2);
  });
  expect(stays.opened()).toBe(1);
  await eventually(() => expect(silent.hub.count()).toBe(1));
});

test('the SDK socket waits before it reconnects, unless it is woken', async () => {
  const { socket, opened } = open(await startInstance({ pingMs: 20, maxAgeMs: 50 }));
  await eventually(() => expect(opened()).toBe(1));
  await eventually(() => expect(socket.isOpen).toBe(false));
  socket.wake();
  await eventually(() => expect(opened()).toBe(2));
});

test('the SDK socket stops when its key is refused', async () => {
  let asked = 0;
  const instance = await startInstance({ onPlan: () => (asked += 1) });
  const { socket, opened } = open(instance, '');
  // A closed socket has stopped its timer of silence.
  await eventually(() => expect([opened(), socket.isOpen, vi.getTimerCount()]).toEqual([1, false, 0]));
  vi.advanceTimersByTime(600_000);
  socket.wake();
  // An attempt of this client would come before that of another one.
  const next = open(instance);
  await eventually(() => expect(next.opened()).toBe(1));
  expect(asked).toBe(2);
});
