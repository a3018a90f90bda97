import { once } from 'node:events';
import { messengerMessage } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { eventually, redisUrl } from '@switchboard/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { settings } from '../testing/settings.ts';
import { openStream } from '../testing/stream.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

const messenger = await useMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
let project: TestProject;
let visitor: Visitor;
beforeAll(async () => {
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});

async function connect(query: string, url = messenger.url, origin?: string) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/messenger/socket?${query}`, {
    ...(origin === undefined ? {} : { origin }),
  });
  onTestFinished(() => socket.terminate());
  const received: { type: string }[] = [];
  socket.on('message', (data) => {
    const message = messengerMessage.parse(JSON.parse(String(data)));
    if (message.type !== 'beat') received.push(message);
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  const say = (message: unknown) => socket.send(JSON.stringify(message));
  return {
    received,
    closed,
    say,
    socket,
    of: (type: string) => received.filter((message) => message.type === type),
    async subscribe({ id, token }: TestConversation, answer = 'subscribed') {
      say({ type: 'subscribe', conversationId: id, token });
      await eventually(() => expect(received).toContainEqual({ type: answer, conversationId: id }));
    },
  };
}

const here = () => connect(`api_key=${project.key}`);

describe('a socket', () => {
  test('closes a socket with 4401 without a valid key, and with 4403 for a key of another region', async () => {
    const abroad = await messenger.createProject({ region: 'us' });
    expect(await (await connect('')).closed).toBe(4401);
    expect(await (await connect('api_key=nonsense')).closed).toBe(4401);
    expect(await (await connect(`api_key=${abroad.key}`)).closed).toBe(4403);
  });

  test('refuses a socket an invalid conversation token, and keeps it open', async () => {
    const [mine, other] = [await visitor.open(), await visitor.open()];
    const stranger = visitorOf(messenger, await messenger.createProject());
    const theirs = await stranger.open();
    const client = await here();
    await client.subscribe({ id: mine.id, token: other.token }, 'refused');
    await client.subscribe({ id: 'cnv_x', token: mine.token }, 'refused');
    await client.subscribe(theirs, 'refused');
    client.say({ type: 'subscribe', conversationId: 'no-token' });
    client.say({ type: 'something else' });
    client.socket.send('no json');
    await client.subscribe(mine);
    expect(client.of('refused')).toHaveLength(4);
    await stranger.send(theirs, 'secret');
    await visitor.send(other, 'secret');
    await visitor.send(mine, 'own');
    await eventually(() => expect(client.of('turn')).toHaveLength(1));
    expect(JSON.stringify(client.received)).not.toContain('secret');
  });

  test('sends a socket turns as returned to their senders, and status changes', async () => {
    const conversation = await visitor.open();
    const client = await here();
    await client.subscribe(conversation);
    const sent = await visitor.send(conversation, { body: 'Hello' }, { 'Idempotency-Key': 'k' });
    await visitor.send(conversation, { body: 'Hello' }, { 'Idempotency-Key': 'k' });
    const path = `/projects/${project.id}/conversations/${conversation.id}`;
    const reply = await messenger.manage('POST', `${path}/turns`, { authorId: 'grace', body: 'Hi' });
    await messenger.manage('PUT', `${path}/status`, { status: 'resolved' });
    await visitor.send(conversation, 'Again');
    await eventually(() => expect(client.of('turn')).toHaveLength(3));
    const conversationId = conversation.id;
    expect(client.of('turn').slice(0, 2)).toEqual([
      { type: 'turn', conversationId, turn: sent.body.turn },
      { type: 'turn', conversationId, turn: reply.body.turn },
    ]);
    await eventually(() =>
      expect(client.of('status')).toEqual(
        ['pending', 'resolved', 'open'].map((status) => ({ type: 'status', conversationId, status })),
      ),
    );
  });

  test('sends a socket in-app messages to its person and to everyone, and no others', async () => {
    const other = await messenger.createProject();
    const person = (id: string, { key } = project) =>
      connect(`api_key=${key}&distinct_id=${encodeURIComponent(id)}`);
    const clients = [await person('ada'), await person('ada'), await person('grace')];
    const [nobody, theirs, invalid] = [await here(), await person('ada', other), await person(' ')];
    const heard = () =>
      [...clients, nobody, theirs, invalid].map((client) => client.of('inbox_changed').length);
    const send = async (body: object) => {
      const message = { title: 'New', body: 'Saved views', ...body };
      const answer = await messenger.manage('POST', `/projects/${project.id}/messages`, message);
      expect(answer.status).toBe(201);
    };
    await send({ distinctIds: ['ada', 'someone else'] });
    await eventually(() => expect(heard()).toEqual([1, 1, 0, 0, 0, 0]));
    await send({});
    await eventually(() => expect(heard()).toEqual([2, 2, 1, 1, 0, 1]));
    await send({ distinctIds: [...Array.from({ length: 1000 }, (_, n) => `person-${n}`), 'grace'] });
    await eventually(() => expect(heard()).toEqual([2, 2, 2, 1, 0, 1]));
  });

  test('accepts 20 conversations next to the person of a socket', async () => {
    const client = await connect(`api_key=${project.key}&distinct_id=ada`);
    for (let count = 0; count < 20; count++) await client.subscribe(await visitor.open());
    await client.subscribe(await visitor.open(), 'refused');
  });

  test('sends a socket configuration changes with the version for its locale', async () => {
    const [german, plain] = [await connect(`api_key=${project.key}&locale=de`), await here()];
    const other = await messenger.createProject();
    const stranger = await connect(`api_key=${other.key}`);
    const texts = { en: { greeting: 'Hello' }, de: { greeting: 'Hallo' } };
    await eventually(async () => {
      await messenger.manage('PUT', `/projects/${project.id}/messenger/config`, settings({ texts }));
      expect(german.of('config_changed').length).toBeGreaterThan(0);
      expect(plain.of('config_changed').length).toBeGreaterThan(0);
    });
    const version = async (query: string) =>
      (await visitor.to('GET', `/v1/messenger/config${query}`)).body.version;
    expect(german.received.at(-1)).toEqual({ type: 'config_changed', version: await version('?locale=de') });
    expect(plain.received.at(-1)).toEqual({ type: 'config_changed', version: await version('') });
    expect(await version('')).not.toBe(await version('?locale=de'));
    await messenger.manage('PUT', `/projects/${project.id}/messenger/config`, settings({ enabled: false }));
    await eventually(() => expect(plain.received.at(-1)).toEqual({ type: 'config_changed', version: 'off' }));
    expect(stranger.received).toEqual([]);
  });

  test('sends a socket a configuration change also while the database answers slowly', async () => {
    const slow = await messenger.createProject();
    const put = (greeting: string) =>
      messenger.manage(
        'PUT',
        `/projects/${slow.id}/messenger/config`,
        settings({ texts: { en: { greeting } } }),
      );
    await put('before');
    const client = await connect(`api_key=${slow.key}`);
    await eventually(async () => {
      await put(`before ${Math.random()}`);
      expect(client.of('config_changed').length).toBeGreaterThan(0);
    });
    const { sql } = messenger.database;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    onTestFinished(() => release());
    let locking: Promise<unknown> = Promise.resolve();
    await sql.begin(async (writer) => {
      await writer`update configurations set settings = ${JSON.stringify(settings({ enabled: false }))}::text::json
        where project_id = ${slow.id}`;
      await writer`select pg_notify('messenger_configuration', ${slow.id})`;
      // Waits for the outer transaction, so that the service receives the change while it cannot read the table.
      locking = sql.begin(async (reader) => {
        await reader`lock table configurations in access exclusive mode`;
        await held;
      });
      await eventually(async () => {
        const waiting = await messenger.database.sql`select from pg_locks where not granted`;
        expect(waiting.length).toBeGreaterThan(0);
      });
    });
    await eventually(async () => {
      const waiting = await messenger.database.sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%configurations%'`;
      expect(waiting.length).toBeGreaterThan(0);
    });
    // The answer uses the old configuration, because the table cannot be read yet.
    await visitorOf(messenger, slow).to('GET', '/v1/messenger/config');
    release();
    await locking;
    await eventually(() =>
      expect(client.received.at(-1)).toEqual({ type: 'config_changed', version: 'off' }),
    );
  });

  test('sends a socket configuration changes also when another project cannot be loaded', async () => {
    const broken = await messenger.createProject();
    await connect(`api_key=${broken.key}`);
    const client = await here();
    await client.subscribe(await visitor.open());
    const { sql } = messenger.database;
    await sql`insert into configurations values (${broken.id}, '{"enabled": true, "texts": null}')`;
    // The service reads every configuration again, since it may have missed changes.
    const listeners = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like '% listen'`;
    expect(listeners.length).toBeGreaterThan(0);
    await eventually(() => expect(client.of('config_changed').length).toBeGreaterThan(0));
  });

  test('closes a socket with 4401 when a conversation token expires, unless a use has renewed it', async () => {
    onTestFinished(() => {
      messenger.time.shift = 0;
    });
    const [idle, used] = [await visitor.open(), await visitor.open()];
    const [leaves, stays] = [await here(), await here()];
    await leaves.subscribe(idle);
    await stays.subscribe(used);
    const day = 86_400_000;
    messenger.time.shift = 29 * day;
    await visitor.send(used, 'still here');
    messenger.time.shift = 31 * day;
    expect(await leaves.closed).toBe(4401);
    await visitor.send(used, 'and now');
    await eventually(() => expect(stays.of('turn')).toHaveLength(2));
    await (await here()).subscribe(idle, 'refused');
  });

  test('closes a socket with 1013 past the subscriptions of its address', async () => {
    const { url } = await messenger.startInstance(
      {},
      { constants: { limits: { subscriptionsPerAddress: 2 } } },
    );
    const client = await connect(`api_key=${project.key}`, url);
    const conversation = await visitor.open();
    await client.subscribe(conversation);
    await client.subscribe({ ...conversation, token: 'cvt_x' }, 'refused');
    client.say({ type: 'subscribe', conversationId: conversation.id, token: conversation.token });
    expect(await client.closed).toBe(1013);
  });

  test('closes a socket with 4401 when a conversation token is revoked, on every instance, and keeps others', async () => {
    const revoke = async (body: object) => {
      const path = `/projects/${project.id}/conversation-token-revocations`;
      return (await messenger.manage('POST', path, body)).body;
    };
    const [one, two, three, stays] = [
      await visitor.open(),
      await visitor.open({ distinctId: 'leaving' }),
      await visitor.open({ distinctId: 'leaving' }),
      await visitor.open(),
    ];
    const { url } = await messenger.startInstance();
    const open = async (conversation: TestConversation, at: string) => {
      const client = await connect(`api_key=${project.key}`, at);
      await client.subscribe(conversation);
      return client;
    };
    const [first, second, third, last] = [
      await open(one, messenger.url),
      await open(two, messenger.url),
      await open(three, url),
      await open(stays, url),
    ];
    expect(await revoke({ conversationId: one.id })).toEqual({ revoked: 1 });
    expect(await first.closed).toBe(4401);
    expect((await visitor.read(one)).status).toBe(401);
    expect((await visitor.send(one, 'again')).status).toBe(401);
    expect(await revoke({ conversationId: one.id })).toEqual({ revoked: 0 });

    expect(await revoke({ distinctId: 'leaving' })).toEqual({ revoked: 2 });
    expect(await Promise.all([second.closed, third.closed])).toEqual([4401, 4401]);
    await visitor.send(stays, 'still here');
    expect((await visitor.read(stays)).status).toBe(200);
    expect(last.socket.readyState).toBe(WebSocket.OPEN);

    const theirs = await messenger.createProject();
    const path = `/projects/${theirs.id}/conversation-token-revocations`;
    expect((await messenger.manage('POST', path, { conversationId: stays.id })).body).toEqual({ revoked: 0 });
    expect((await messenger.manage('POST', path, {})).status).toBe(400);
    expect((await messenger.manage('POST', path, { distinctId: 'a', userId: 'b' })).status).toBe(400);
  });

  test('closes a socket with 4401 when its key is revoked', async () => {
    const leaving = await messenger.createProject();
    const [client, stays] = [await connect(`api_key=${leaving.key}`), await here()];
    await messenger.removeKey(leaving);
    expect(await client.closed).toBe(4401);
    expect(stays.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('closes a socket with 4403 for a page of an origin that the project does not list, also later', async () => {
    const ours = 'https://shop.example';
    const listed = await messenger.createProject({ allowedOrigins: [ours] });
    const query = `api_key=${listed.key}`;
    expect(await (await connect(query, messenger.url, 'https://evil.example')).closed).toBe(4403);
    const [page, app] = [await connect(query, messenger.url, ours), await connect(query)];
    await messenger.setOrigins(listed, ['https://another.example']);
    expect(await page.closed).toBe(4403);
    expect(app.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('refuses a socket with 429 past a tenth of SOCKETS_MAX for its address', async () => {
    const { url } = await messenger.startInstance({ SOCKETS_MAX: '20' });
    const query = `api_key=${project.key}`;
    await connect(query, url);
    await connect(query, url);
    await expect(connect(query, url)).rejects.toThrow('429');
  });
});

const redis = await redisUrl();
test.skipIf(redis === undefined)('sends a turn to the sockets of every instance', async () => {
  const [one, other] = [
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
  ];
  const conversation = await visitor.open();
  const clients: Awaited<ReturnType<typeof connect>>[] = [];
  for (const { url } of [one, other]) clients.push(await connect(`api_key=${project.key}`, url));
  for (const client of clients) await client.subscribe(conversation);
  const there = visitorOf(messenger, project, one.url);
  await eventually(async () => {
    await there.send(conversation, 'Hello');
    expect(clients[1]?.of('turn').length).toBeGreaterThan(0);
  });
});

test.skipIf(redis === undefined)('sends an in-app message to the sockets of every instance', async () => {
  const [one, other] = [
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
  ];
  const clients: Awaited<ReturnType<typeof connect>>[] = [];
  for (const { url } of [one, other])
    clients.push(await connect(`api_key=${project.key}&distinct_id=lin`, url));
  await eventually(async () => {
    await messenger.call('POST', `/management/v1/projects/${project.id}/messages`, {
      url: one.url,
      token: await messenger.mint({ sub: 'operator', permissions: ['service.manage'] }),
      body: { title: 'New', body: 'Saved views', distinctIds: ['lin'] },
    });
    for (const client of clients) expect(client.of('inbox_changed').length).toBeGreaterThan(0);
  });
});

test.skipIf(redis === undefined)('sends typing and read positions between instances', async () => {
  const [one, other] = [
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
    await messenger.startInstance({ REDIS_URL: redis ?? '' }),
  ];
  await messenger.directory.put('member', testMember(project.companyId, 'tess', { role: 'support' }));
  const token = await messenger.mint({ sub: 'tess' });
  const conversation = await visitor.open();
  await visitor.send(conversation, 'Hello');
  const client = await connect(`api_key=${project.key}`, one.url);
  await client.subscribe(conversation);
  const stream = await openStream(other.url, project, token);
  onTestFinished(() => stream.close());
  const path = `/v1/projects/${project.id}/conversations/${conversation.id}`;
  const asTess = (method: string, to: string, body?: unknown) =>
    messenger.call(method, to, { url: other.url, token, body });
  await eventually(async () => {
    await asTess('POST', `${path}/presence`, { state: 'typing' });
    expect(client.of('typing').length).toBeGreaterThan(0);
  });
  await asTess('GET', path);
  await eventually(() => expect(client.of('read')).toHaveLength(1));
  await eventually(() => {
    client.say({ type: 'typing', conversationId: conversation.id });
    expect(stream.changes).toContainEqual(expect.objectContaining({ state: 'typing', sub: null }));
  });
  client.say({ type: 'read', conversationId: conversation.id });
  await eventually(() =>
    expect(stream.changes).toContainEqual(expect.objectContaining({ state: 'read', sub: null })),
  );
});
