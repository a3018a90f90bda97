import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import { type CallOptions, createClient, type Options, type Person, type SwitchboardError } from './index.ts';
import { type Decide, snapshotOf, startReceiver } from './testing/receiver.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sdk-node-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function receiver(decide?: Decide) {
  const started = await startReceiver(decide);
  onTestFinished(started.close);
  return started;
}

function client(host: string, options: Partial<Options> = {}) {
  const errors: SwitchboardError[] = [];
  const made = createClient({
    key: 'pk_eu_test',
    host,
    folder: false,
    flushMs: 10,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => made.close(0));
  return Object.assign(made, { errors });
}

test('names the anonymous id of a person in identify, and leaves it out without one', async () => {
  const { url, arrivals } = await receiver();
  const sent = client(url);
  await sent.identify('ada', { plan: 'pro' }, { anonymousId: 'anonymous-1' });
  await sent.identify('ada', null, { anonymousId: 'anonymous-2' });
  await sent.identify('ada', { plan: 'free' }, {});
  await sent.flush();
  expect(arrivals.map(({ body }) => JSON.parse(body).properties)).toEqual([
    { plan: 'pro', anonymous_id: 'anonymous-1' },
    { anonymous_id: 'anonymous-2' },
    { plan: 'free' },
  ]);
});

test('sends later events after a request that took longer than the interval of sending', async () => {
  const pause = () => new Promise((done) => setTimeout(done, 50));
  let answer = () => {};
  const answered = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  const began = vi.fn();
  const { url, accepted } = await receiver(() => {
    began();
    return answered;
  });
  const sent = client(url);
  const first = await sent.track('ada', 'one');
  await vi.waitFor(() => expect(began).toHaveBeenCalled());
  const second = await sent.track('ada', 'two');
  // Sending is due while the request is running.
  await pause();
  answer();
  await vi.waitFor(() => expect(accepted()).toEqual([first, second]));
  await pause();
  const third = await sent.track('ada', 'three');
  await vi.waitFor(() => expect(accepted()).toEqual([first, second, third]));
});

test('sends events of the same moment in one compressed batch, and calls alone, in their order', async () => {
  const { url, arrivals } = await receiver();
  const sent = client(url);
  const properties = { text: 'x'.repeat(1_000) };
  const ids = await Promise.all([
    sent.track('ada', 'one', properties),
    sent.track('ada', 'two'),
    sent.identify('ada', { plan: 'pro' }),
    sent.group('ada', 'acme', { employees: 80 }),
    sent.track('ada', 'three'),
  ]);
  await sent.flush();
  expect(arrivals.map(({ path, ids: of }) => [path, of])).toEqual([
    ['/v1/events', ids.slice(0, 2)],
    ['/v1/identify', ids.slice(2, 3)],
    ['/v1/group', ids.slice(3, 4)],
    ['/v1/events', ids.slice(4)],
  ]);
  expect(JSON.parse(arrivals[0]?.body ?? '')).toMatchObject({
    sent_at: expect.stringMatching(/Z$/),
    events: [{ distinct_id: 'ada', event_name: 'one', schema_version: 1, properties }, { event_name: 'two' }],
  });
  expect(JSON.parse(arrivals[2]?.body ?? '')).toMatchObject({
    properties: { group_id: 'acme', group_type: 'company', employees: 80 },
  });
});

test.each([503, 429, 500])('sends the same events again with the same ids after %i', async (status) => {
  let failures = 2;
  const { url, arrivals, accepted } = await receiver(() => (failures-- > 0 ? { status } : undefined));
  const sent = client(url);
  const id = await sent.track('ada', 'one');
  await expect.poll(accepted, { timeout: 10_000 }).toEqual([id]);
  expect(arrivals.map(({ ids }) => ids)).toEqual([[id], [id], [id]]);
  expect(sent.errors).toEqual([]);
});

test('drops and reports an invalid event of a batch, and sends the others', async () => {
  const { url, accepted } = await receiver(({ body }) => {
    const bad = JSON.parse(body).events.findIndex((one: { event_name: string }) => one.event_name === 'bad');
    return bad < 0 ? undefined : { status: 400, message: `events[${bad}].event_name: not good` };
  });
  const sent = client(url);
  const [one, bad, two] = await Promise.all(['one', 'bad', 'two'].map((name) => sent.track('ada', name)));
  await sent.flush();
  expect(accepted()).toEqual([one, two]);
  expect(sent.errors).toEqual([
    { code: 'rejected', message: 'events[1].event_name: not good', eventId: bad, status: 400 },
  ]);
});

test('halves a batch that is too large, and drops an event that alone is too large', async () => {
  const { url, accepted } = await receiver(({ ids, body }) =>
    ids.length > 2 || body.includes('huge') ? { status: 413, message: 'body: larger' } : undefined,
  );
  const sent = client(url);
  const names = ['one', 'two', 'huge', 'three', 'four'];
  const ids = await Promise.all(names.map((name) => sent.track('ada', name)));
  await sent.flush();
  expect(accepted()).toEqual(ids.filter((_, index) => names[index] !== 'huge'));
  expect(sent.errors).toMatchObject([{ code: 'rejected', eventId: ids[2], status: 413 }]);
});

test('reports a wrong key once, and keeps the queue', async () => {
  const { url, arrivals } = await receiver(() => ({ status: 401, message: 'Invalid project key.' }));
  const sent = client(url);
  await sent.track('ada', 'one');
  await sent.flush();
  await sent.flush();
  expect(arrivals).toHaveLength(1);
  expect(sent.errors).toEqual([{ code: 'unauthorized', message: 'Invalid project key.', status: 401 }]);
});

test('never throws, and reports what cannot be queued', async () => {
  const sent = client('http://127.0.0.1:9', { maxBytes: 2_000 });
  expect(await sent.track('ada', 'big', { n: 1n })).toBeUndefined();
  expect(await sent.track('ada', 'one', { text: 'x'.repeat(300_000) })).toBeUndefined();
  const ids = [];
  for (let count = 0; count < 10; count++) ids.push(await sent.track('ada', 'some'));
  expect(ids.filter((id) => id !== undefined).length).toBeGreaterThan(2);
  expect(new Set(sent.errors.map(({ code }) => code))).toEqual(new Set(['invalid', 'full']));
  await sent.close(0);
  expect(await sent.track('ada', 'late')).toBeUndefined();
  expect(await sent.flags.ready(10)).toBe(false);
  expect(sent.flags.get('beta', 'fallback', { distinctId: 'ada' })).toBe('fallback');
});

const instant = '2026-03-01T09:30:00.000Z';

test.each([
  [new Date(instant), instant],
  [Date.parse(instant), instant],
  [instant, instant],
  ['2026-03-01T10:30:00+01:00', instant],
  ['2026-03-01', '2026-03-01T00:00:00.000Z'],
  [null, expect.stringMatching(/Z$/)],
  [undefined, expect.stringMatching(/Z$/)],
])('sends the time %o with an event and with each call', async (timestamp, expected) => {
  const { url, arrivals } = await receiver();
  const sent = client(url);
  const at = timestamp === undefined ? {} : { timestamp };
  await sent.track('ada', 'one', {}, at);
  await sent.identify('ada', {}, at);
  await sent.group('ada', 'acme', {}, at);
  await sent.flush();
  const bodies = arrivals.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ events: [event] = [], ...call }) => (event ?? call).timestamp)).toEqual(
    Array(3).fill(expected),
  );
  expect(sent.errors).toEqual([]);
});

test.each([
  'yesterday',
  '1',
  '',
  '2026-02-30T00:00:00Z',
  Number.NaN,
  Number.POSITIVE_INFINITY,
  new Date(Number.NaN),
  true,
  {},
  [],
])('reports the time %o as invalid, with an event and with each call', async (timestamp) => {
  const sent = client('http://127.0.0.1:9');
  const at = { timestamp } as CallOptions;
  expect(await sent.track('ada', 'one', {}, at)).toBeUndefined();
  expect(await sent.identify('ada', {}, at)).toBeUndefined();
  expect(await sent.group('ada', 'acme', {}, at)).toBeUndefined();
  expect(sent.errors).toEqual(
    Array(3).fill({
      code: 'invalid',
      message: expect.stringMatching(/^timestamp: /),
      eventId: expect.any(String),
    }),
  );
});

test('treats null as absent for properties, traits and options', async () => {
  const { url, accepted, arrivals } = await receiver();
  const sent = client(url);
  const none = { eventId: null, sessionId: null } as unknown as CallOptions;
  const ids = [
    await sent.track('ada', 'one', null, null),
    await sent.track('ada', 'two', null, none),
    await sent.identify('ada', null, null),
    await sent.group('ada', 'acme', null, null),
  ];
  await sent.flush();
  expect(accepted()).toEqual(ids);
  expect(arrivals.map(({ body }) => body).join()).not.toContain('null');
  expect(await sent.track('ada', 'three', {}, { eventId: 7 } as unknown as CallOptions)).toBeUndefined();
  expect(sent.errors).toEqual([{ code: 'invalid', message: 'eventId: not a string' }]);
});

test.each([
  ['no key', { key: undefined }, 'key: set it to the project key'],
  ['no host', { host: undefined }, 'host: not an http or https address'],
  ['a host that is no address', { host: 'api.example.com' }, 'host: not an http or https address'],
  ['an events host that is no address', { eventsHost: 7 }, 'eventsHost: not an http or https address'],
  ['a folder that is no path', { folder: 5 }, 'folder: not a path or false'],
])('reports a client with %s, and throws from none of its calls', async (_, wrong, message) => {
  const sent = client('http://127.0.0.1:9', wrong as unknown as Partial<Options>);
  expect(sent.errors).toEqual([{ code: 'invalid', message }]);
  expect(await sent.track('ada', 'one')).toBeUndefined();
  expect(await sent.flags.ready(10)).toBe(false);
  expect(await sent.flags.fetch('ada')).toBeUndefined();
  await sent.flush();
});

test('uses the fallback or the flags of an unknown person for a value that is no person', async () => {
  const { url } = await receiver(({ path }) =>
    path.endsWith('/snapshot') ? { status: 200, body: snapshotOf(['beta']) } : { status: 404 },
  );
  const sent = client(url);
  expect(await sent.flags.ready()).toBe(true);
  for (const wrong of [null, undefined, {}, { distinctId: 7 }, { distinctId: 'ada', traits: null }]) {
    const person = wrong as unknown as Person;
    expect(sent.flags.get('beta', false, person)).toBe(true);
    expect(sent.flags.all(person)).toEqual({ beta: true });
    expect(sent.flags.resolve('beta', person)).toMatchObject({ value: true });
    await sent.flags.withCohorts(person);
  }
});

test('compares a date in the traits of a person as its ISO text', async () => {
  const targeting = [{ attribute: 'signedUp', op: 'gte', value: '2026-03-01' }];
  const { url } = await receiver(() => ({ status: 200, body: snapshotOf(['new'], { targeting }) }));
  const sent = client(url);
  expect(await sent.flags.ready()).toBe(true);
  const at = (signedUp: Date) => sent.flags.get('new', false, { distinctId: 'ada', traits: { signedUp } });
  expect([at(new Date('2026-03-02')), at(new Date('2026-02-02'))]).toEqual([true, false]);
});

/** Starts a receiver of reports with a flag `beta`, which targets the plan pro, and a flag `split`. */
async function usageReceiver(status: () => number = () => 202) {
  const variations = [{ key: 'a', value: 'x', weight: 1 }];
  const targeting = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
  const { flags, ...rest } = snapshotOf(['split'], { type: 'string', variations });
  const body = { ...rest, flags: [...flags, ...snapshotOf(['beta'], { targeting }).flags] };
  const { url, arrivals } = await receiver(({ path }) =>
    path.endsWith('/usage') ? { status: status() } : { status: 200, body },
  );
  const reports = () =>
    arrivals
      .filter(({ path }) => path === '/v1/flags/usage')
      .map(
        (arrival) => JSON.parse(arrival.body).usage as { flag: string; variation: string; count: number }[],
      );
  return { url, reports };
}

test('reports how often flags served their variations when it is closed', async () => {
  const { url, reports } = await usageReceiver();
  const sent = client(url);
  expect(await sent.flags.ready()).toBe(true);
  const ada = { distinctId: 'ada', traits: { plan: 'pro' } };
  for (let time = 0; time < 3; time++) sent.flags.get('beta', false, ada);
  sent.flags.get('beta', false, { distinctId: 'bob' });
  sent.flags.get('unknown', false, ada);
  sent.flags.resolve('split', ada);
  expect(sent.flags.all(ada)).toEqual({ beta: true, split: 'x' });
  await sent.close();
  const [report, ...more] = reports();
  expect(more).toEqual([]);
  expect(report?.toSorted((one, other) => other.count - one.count)).toEqual([
    { flag: 'beta', variation: 'on', count: 4 },
    { flag: 'split', variation: 'a', count: 2 },
    { flag: 'beta', variation: 'off', count: 1 },
  ]);
});

test('reports once a minute if flags were used, and again what the server could not take', async () => {
  let status = 503;
  const { url, reports } = await usageReceiver(() => status);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sent = client(url);
  expect(await sent.flags.ready()).toBe(true);
  const use = () => sent.flags.get('split', '', { distinctId: 'ada' });
  use();
  vi.advanceTimersByTime(59_000);
  expect(reports()).toEqual([]);
  vi.advanceTimersByTime(1_000);
  await vi.waitFor(() => expect(reports()).toHaveLength(1));
  status = 202;
  use();
  await vi.waitFor(() => {
    vi.advanceTimersByTime(60_000);
    expect(reports()[1]).toEqual([{ flag: 'split', variation: 'a', count: 2 }]);
  });
  vi.advanceTimersByTime(600_000);
  await sent.close();
  expect(reports()).toHaveLength(2);
});

test('reports nothing with the option usage off', async () => {
  const { url, reports } = await usageReceiver();
  const sent = client(url, { usage: false });
  expect(await sent.flags.ready()).toBe(true);
  sent.flags.get('split', '', { distinctId: 'ada' });
  await sent.close();
  expect(reports()).toEqual([]);
});

test('reads flags without WebSocket, as in Node 20, and keeps the process running', async () => {
  const { url } = await receiver(({ path }) =>
    path.endsWith('/snapshot') ? { status: 200, body: snapshotOf(['beta']) } : undefined,
  );
  const folder = await newFolder();
  const { child, lines, exited } = start(
    folder,
    url,
    `delete globalThis.WebSocket;
    await client.flags.ready();
    setTimeout(async () => {
      console.log(client.flags.get('beta', false, { distinctId: 'ada' }));
      console.log(typeof await client.track('ada', 'one'));
      await client.close();
    }, 200);`,
  );
  await exited;
  expect([child.exitCode, lines()]).toEqual([0, ['true', 'string']]);
});

test('keeps the queue in memory without a usable folder', async () => {
  const { url, accepted } = await receiver();
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  const sent = client(url, { folder: file });
  const id = await sent.track('ada', 'one');
  await sent.flush();
  expect(accepted()).toEqual([id]);
  expect(sent.errors).toMatchObject([{ code: 'storage' }]);
});

/** Starts a separate process with `client` from this package. */
function start(folder: string, host: string, code: string) {
  const source = `
    import { createClient } from ${JSON.stringify(import.meta.resolve('./index.ts'))};
    const client = createClient({ key: 'pk_eu_test', host: '${host}', folder: '${folder}', flushMs: 10 });
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source]);
  let output = '';
  child.stdout.on('data', (bytes) => {
    output += bytes;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: () => output.split('\n').slice(0, -1), exited: once(child, 'exit') };
}

test('sends accepted events once in the next process, if the first is killed while it sends', async () => {
  const folder = await newFolder();
  let isBusy = true;
  const { url, accepted } = await receiver(() => (isBusy ? { status: 503 } : undefined));
  const code = `for (let n = 0; ; n++) console.log(await client.track('ada', 'event ' + n));`;
  const killed = start(folder, url, code);
  await expect.poll(() => killed.lines().length, { timeout: 20_000 }).toBeGreaterThan(200);
  killed.child.kill('SIGKILL');
  await killed.exited;
  const lines = killed.lines();
  isBusy = false;
  const next = client(url, { folder });
  await next.track('ada', 'last');
  await expect.poll(() => lines.filter((id) => !accepted().includes(id)), { timeout: 20_000 }).toEqual([]);
  expect(new Set(accepted()).size).toBe(accepted().length);
  await next.close();
  expect(await readdir(folder)).toEqual([]);
});

test('shares a folder between processes, and takes nothing from a running one', async () => {
  const folder = await newFolder();
  const { url, arrivals } = await receiver(() => ({ status: 503 }));
  const live = start(
    folder,
    url,
    `console.log(await client.track('ada', 'one')); setInterval(() => {}, 1000);`,
  );
  await expect.poll(live.lines, { timeout: 20_000 }).toHaveLength(1);
  const other = client(url, { folder });
  const mine = await other.track('ada', 'two');
  await expect.poll(() => arrivals.some(({ ids }) => ids.includes(mine ?? ''))).toBe(true);
  for (const { ids } of arrivals) expect(ids).toHaveLength(1);
});

test('removes sent events from the file', async () => {
  const folder = await newFolder();
  const { url } = await receiver();
  const sent = client(url, { folder });
  const text = 'x'.repeat(20_000);
  for (let round = 0; round < 5; round++) {
    await Promise.all([1, 2, 3].map(() => sent.track('ada', 'one', { text })));
    await sent.flush();
  }
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).size).toBeLessThan(150_000);
  expect((await stat(join(folder, name))).mode & 0o077).toBe(0);
});

test('replaces a socket after 75 s without a heartbeat', async () => {
  const sockets: ServerSocket[] = [];
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => sockets.push(socket));
  await once(server, 'listening');
  const socketUrl = `ws://127.0.0.1:${Object(server.address()).port}`;
  const { url } = await receiver(() => ({ status: 200, body: { ...snapshotOf(['a']), socketUrl } }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
    for (const socket of sockets) socket.terminate();
    server.close();
  });
  const { flags } = client(url);
  flags.get('a', false, { distinctId: 'ada' });
  await vi.waitFor(() => expect(sockets).toHaveLength(1));
  for (let round = 0; round < 4; round++) {
    const [socket] = sockets;
    socket?.send('{"type":"beat"}');
    socket?.ping();
    if (socket !== undefined) await once(socket, 'pong');
    vi.advanceTimersByTime(60_000);
  }
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(16_000);
  await vi.waitFor(() => expect(sockets).toHaveLength(2));
});
