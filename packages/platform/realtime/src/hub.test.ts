import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { backing, eventually } from '@switchboard/testkit';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { connect, type Instance, startInstance } from './testing/instance.ts';

describe('a socket', () => {
  test('a socket receives each message of its topics once, and nothing else', async () => {
    const instance = await startInstance();
    const [one, other] = [await connect(instance), await connect(instance)];
    await one.join('a');
    await one.join('a');
    await other.join('b');
    instance.hub.publish('a', { to: 'a' });
    instance.hub.publish('nobody', { to: 'nobody' });
    instance.hub.publish('b', { to: 'b' });
    await eventually(() => expect(other.received).toContainEqual({ to: 'b' }));
    await eventually(() =>
      expect(one.received.filter((message) => 'to' in Object(message))).toEqual([{ to: 'a' }]),
    );
  });

  test('a socket is closed with the code of its refusal', async () => {
    const instance = await startInstance();
    const { closed } = await connect(instance, '');
    expect(await closed).toBe(4401);
    expect(instance.hub.count()).toBe(0);
  });

  test('opens sockets in turns, so that many at once leave time for requests', async () => {
    const perPass: number[] = [];
    let isCounting = false;
    const instance = await startInstance({
      onPlan() {
        if (!isCounting) {
          isCounting = true;
          perPass.push(0);
          setImmediate(() => (isCounting = false));
        }
        perPass.push((perPass.pop() ?? 0) + 1);
        const began = performance.now();
        while (performance.now() - began < 3);
      },
    });
    await Promise.all(Array.from({ length: 30 }, () => connect(instance)));
    expect(perPass.reduce((sum, one) => sum + one, 0)).toBe(30);
    expect(Math.max(...perPass)).toBeLessThan(6);
  });

  test('a socket joins a limited number of topics', async () => {
    const instance = await startInstance({ maxTopicsPerSocket: 2 });
    const { socket, received, join } = await connect(instance);
    await join('1');
    await join('2');
    socket.send('3');
    await eventually(() => expect(received).toContainEqual({ joined: false, topic: '3' }));
  });

  test('a socket leaves its topics when it closes', async () => {
    const instance = await startInstance();
    const { socket, join } = await connect(instance);
    await join('a');
    expect(instance.hub.count()).toBe(1);
    socket.close();
    await eventually(() => expect(instance.hub.count()).toBe(0));
    instance.hub.publish('a', {});
  });

  test('closes only the sockets with a credential that is no longer valid', async () => {
    const refused = new Set<string>();
    let isUnavailable = true;
    const instance = await startInstance({
      refusalMs: 10,
      refusalOf: async (credential) => {
        if (isUnavailable) throw new Error('unavailable');
        return refused.has(credential) ? { code: 4401, reason: 'revoked' } : undefined;
      },
    });
    const [one, same, other] = [
      await connect(instance, 'key=one'),
      await connect(instance, 'key=one'),
      await connect(instance, 'key=other'),
    ];
    refused.add('one');
    await sleep(100);
    expect(instance.hub.count()).toBe(3);
    isUnavailable = false;
    expect(await Promise.all([one.closed, same.closed])).toEqual([4401, 4401]);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
    expect(instance.errors).not.toEqual([]);
  });

  test('closes a socket when its message cannot be handled, and reports the error', async () => {
    const instance = await startInstance();
    const { socket, closed } = await connect(instance);
    socket.send('fail');
    expect(await closed).toBe(1011);
    expect(instance.errors).toHaveLength(1);
  });

  test('closes a socket that sends too many messages', async () => {
    const instance = await startInstance();
    const { socket, closed } = await connect(instance);
    for (let count = 0; count < 200; count++) socket.send('slow');
    expect(await closed).toBe(1008);
  });

  test('closes a socket that sends more than 200 messages in ten seconds, although each is handled at once', async () => {
    const instance = await startInstance();
    const { socket, received, closed } = await connect(instance);
    for (let count = 0; count < 200; count += 20) {
      for (let more = 0; more < 20; more++) socket.send('a');
      await eventually(() => expect(received).toHaveLength(count + 20));
    }
    expect(socket.readyState).toBe(WebSocket.OPEN);
    socket.send('a');
    expect(await closed).toBe(1008);
  });

  test('closes a socket when more than 64 KiB of its messages wait', async () => {
    const instance = await startInstance();
    const { socket, closed } = await connect(instance);
    socket.send('slow');
    for (let count = 0; count < 6; count++) socket.send('x'.repeat(15_000));
    expect(await closed).toBe(1008);
  });

  test('disconnects a socket that does not answer pings', async () => {
    const instance = await startInstance({ pingMs: 50 });
    const there = await connect(instance);
    const silent = new WebSocket(`ws://${instance.url}?key=1`, { autoPong: false });
    await once(silent, 'open');
    await once(silent, 'close');
    await sleep(200);
    expect(there.socket.readyState).toBe(WebSocket.OPEN);
    expect(instance.hub.count()).toBe(1);
  });

  test('sends a heartbeat that clients can see with each ping', async () => {
    const instance = await startInstance({ pingMs: 50 });
    const { received, socket } = await connect(instance);
    let pings = 0;
    socket.on('ping', () => (pings += 1));
    await eventually(() => expect(received.length).toBeGreaterThan(2));
    expect(new Set(received.map((message) => JSON.stringify(message)))).toEqual(new Set(['{"type":"beat"}']));
    expect(pings).toBeGreaterThan(1);
  });

  test('disconnects a socket that reads too slowly', async () => {
    const instance = await startInstance({ maxBufferedBytes: 100_000 });
    const { socket, join } = await connect(instance);
    await join('a');
    socket.pause();
    const message = { text: 'x'.repeat(50_000) };
    for (let count = 0; count < 500 && instance.hub.count() > 0; count++) {
      instance.hub.publish('a', message);
      await sleep(1);
    }
    expect(instance.hub.count()).toBe(0);
  });

  test('closes a socket that is too old with 1012', async () => {
    const instance = await startInstance({ pingMs: 20, maxAgeMs: 50 });
    expect(await (await connect(instance)).closed).toBe(1012);
  });
});

test('disconnects an event stream that is read too slowly', async () => {
  const { hub } = await startInstance({ maxBufferedBytes: 100_000 });
  const body = hub.stream(undefined, ['a'], {
    encode: (message) => `data: ${JSON.stringify(message)}\n\n`,
    onOpen: (stream) => void stream.join('topic'),
  });
  hub.sendHere('topic', { text: 'x'.repeat(60_000) });
  expect(hub.count()).toBe(1);
  for (let count = 0; count < 3; count++) hub.sendHere('topic', { text: 'x'.repeat(60_000) });
  expect(hub.count()).toBe(0);
  await expect(new Response(body).text()).rejects.toThrow('too slowly');
});

test('sends event streams a heartbeat that clients can see', async () => {
  const { hub } = await startInstance({ pingMs: 50 });
  const body = hub.stream(undefined, ['a'], { encode: () => '' });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('beat')) text += (await reader?.read())?.value;
  expect(text).toMatch(/\n\nevent: beat\ndata: \{\}\n\n$/);
});

describe('the limits on the number of sockets', () => {
  const statusOf = async ({ url }: Instance, query: string) => {
    const socket = new WebSocket(`ws://${url}?${query}`);
    return new Promise<number>((resolve, reject) => {
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.on('open', () => reject(new Error('it opened')));
      socket.on('error', () => undefined);
    });
  };

  test('limits sockets per address, until one of them closes', async () => {
    const instance = await startInstance({ maxPerAddress: 2 });
    const [first] = [await connect(instance, 'key=1&address=a'), await connect(instance, 'address=a&key=1')];
    expect(await statusOf(instance, 'key=1&address=a')).toBe(429);
    await connect(instance, 'key=1&address=b');
    first.socket.close();
    await first.closed;
    await eventually(() => connect(instance, 'key=1&address=a'));
  });

  test('limits sockets per address by the free capacity', async () => {
    const instance = await startInstance({ maxSockets: 8 });
    for (const [address, most] of Object.entries({ a: 4, b: 2, c: 1 })) {
      for (let count = 0; count < most; count++) await connect(instance, `key=1&address=${address}`);
      expect(await statusOf(instance, `key=1&address=${address}`)).toBe(429);
    }
    await connect(instance, 'key=1&address=d');
  });

  test('opens no sockets for an address after one of them sent too many messages', async () => {
    const instance = await startInstance();
    const { socket, closed } = await connect(instance, 'key=1&address=a');
    for (let count = 0; count < 200; count++) socket.send('slow');
    expect(await closed).toBe(1008);
    expect(await statusOf(instance, 'key=1&address=a')).toBe(429);
    await connect(instance, 'key=1&address=b');
  });

  test('limits sockets per instance', async () => {
    const instance = await startInstance({ maxSockets: 2 });
    await connect(instance, 'key=1&address=a');
    await connect(instance, 'key=1&address=b');
    expect(await statusOf(instance, 'key=1&address=c')).toBe(503);
  });

  test('answers 426 to a request with Upgrade but without Connection: Upgrade, without counting it', async () => {
    const instance = await startInstance({ maxSockets: 1, maxPerAddress: 1 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    for (let count = 0; count < 3; count++) {
      const sent = get(`http://${instance.url}?key=1`, { agent, headers: { Upgrade: 'websocket' } });
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      expect(response.statusCode).toBe(426);
    }
    await connect(instance);
  });

  test('answers 426 to a request without an upgrade', async () => {
    const { url } = await startInstance();
    expect((await fetch(`http://${url}`)).status).toBe(426);
  });
});

const redisUrl = backing('REDIS_URL');
describe.skipIf(!redisUrl)('messages through Redis', () => {
  const channel = `test-${process.pid}-${Date.now()}`;

  test('delivers a published message once to sockets of every instance', async () => {
    const shared = { channel, redisUrl: redisUrl ?? '' };
    const instances = [await startInstance(shared), await startInstance(shared), await startInstance(shared)];
    const clients = await Promise.all(instances.map((instance) => connect(instance)));
    for (const client of clients) await client.join('a');
    await eventually(() => {
      instances[0]?.hub.publish('a', { hello: true });
      for (const { received } of clients) expect(received).toContainEqual({ hello: true });
    });
    instances[1]?.hub.publish('a', { number: 1 });
    instances[1]?.hub.publish('a', { number: 2 });
    for (const { received } of clients) {
      await eventually(() =>
        expect(received.filter((message) => 'number' in Object(message))).toHaveLength(2),
      );
    }
  });

  test('reports and ignores a malformed message on the channel', async () => {
    const own = `${channel}-malformed`;
    const instance = await startInstance({ channel: own, redisUrl: redisUrl ?? '' });
    const redis = new Redis(redisUrl ?? '');
    onTestFinished(() => redis.disconnect());
    await eventually(async () => expect(await redis.pubsub('NUMSUB', own)).toEqual([own, 1]));
    const { join, received } = await connect(instance);
    await join('a');
    const malformed = [
      '',
      'no json',
      'other {',
      'other null',
      'other {"topic":1,"message":{}}',
      'other {"topic":"a"}',
    ];
    for (const text of malformed) await redis.publish(own, text);
    await redis.publish(own, 'other {"topic":"a","message":{"well":"formed"}}');
    await eventually(() => expect(received).toContainEqual({ well: 'formed' }));
    expect(instance.errors).toHaveLength(malformed.length);
  });

  test('asks clients to reconnect after Redis was unavailable, because messages may be lost', async () => {
    const own = `${channel}-gap`;
    const instance = await startInstance({ channel: own, redisUrl: redisUrl ?? '' });
    const redis = new Redis(redisUrl ?? '');
    onTestFinished(() => redis.disconnect());
    await eventually(async () => expect(await redis.pubsub('NUMSUB', own)).toEqual([own, 1]));
    const { closed } = await connect(instance);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    expect(await closed).toBe(1012);
  });
});

test('delivers messages of its own instance without Redis', async () => {
  const instance = await startInstance();
  const { join, received } = await connect(instance);
  await join('a');
  instance.hub.sendHere('a', { own: true });
  expect([...instance.hub.here('a')]).toHaveLength(1);
  expect([...instance.hub.here('b')]).toHaveLength(0);
  await eventually(() => expect(received).toContainEqual({ own: true }));
});
