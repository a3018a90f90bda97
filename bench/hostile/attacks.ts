import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { ABUSED } from './deployment.ts';
import { deliver, mailBombs } from './mails.ts';
import { SIGN_IN_ORIGIN } from './people.ts';
import type { Ports } from './ports.ts';

export interface Attack {
  summary: string;
  /** The CPUs of a neighbour that sends nothing. Its slowdown is that of the machine. Attackers get idle CPU time. */
  cpus?: number;
  /** Runs until the signal aborts. Connection errors are expected. */
  run(ports: Ports, until: AbortSignal): Promise<void>;
}

const MB = 1_000_000;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const compressZstd = promisify(zstdCompress);

const KEY = { Authorization: `Bearer ${ABUSED.key}` };

/** Selects one of the attackers' 50 addresses. */
let turn = 0;
const address = () => `203.0.113.${++turn % 50}`;

/**
 * The number of this process's requests by status. Requests without a response and bare connections count by name.
 */
export const answers = new Map<string, number>();
const count = (answer: string) => answers.set(answer, (answers.get(answer) ?? 0) + 1);

/** Sends one request and waits for any response. */
async function send(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Uint8Array<ArrayBuffer> | string,
): Promise<Response | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address(), ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(20_000),
    });
    count(String(response.status));
    return response;
  } catch {
    count('no response');
    return undefined;
  }
}

async function discard(sending: Promise<Response | undefined>): Promise<number> {
  const response = await sending;
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status ?? 0;
}

/** Repeats a function in `loops` concurrent loops until the signal aborts. */
async function repeat(loops: number, until: AbortSignal, one: () => Promise<unknown>): Promise<void> {
  const loop = async () => {
    while (!until.aborted) {
      await one();
      // Prevents a busy loop when connections are refused.
      await sleep(1);
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
}

/** Posts a form to the identity service from one of 10,000 networks, as a botnet does. */
function post(port: number, path: string, fields: Record<string, string>): Promise<number> {
  const network = ++turn % 10_000;
  const headers = {
    'Content-Type': 'application/x-www-form-urlencoded',
    'X-Forwarded-For': `100.${Math.floor(network / 100)}.${network % 100}.1`,
    Origin: SIGN_IN_ORIGIN,
  };
  return discard(send(port, 'POST', `/identity${path}`, headers, String(new URLSearchParams(fields))));
}

const personAt = (number: number) => `person-${number % 100}@tenant.example`;

/** Returns valid JSON of about `bytes` bytes that compresses to almost nothing. */
function events(bytes: number): Buffer<ArrayBuffer> {
  const now = new Date().toISOString();
  const event = {
    distinct_id: 'bomb',
    event_id: 'bomb',
    event_name: 'bomb',
    schema_version: 1,
    timestamp: now,
    properties: { filler: 'x'.repeat(bytes) },
  };
  return Buffer.from(JSON.stringify({ events: [event], sent_at: now }));
}

/** Returns a replay chunk of a few hundred compressed bytes, which expands to about `bytes` bytes of small events. */
function replay(seq: number, bytes: number): Buffer<ArrayBuffer> {
  const event = { type: 3, timestamp: 1, data: {} };
  const count = Math.floor(bytes / JSON.stringify(event).length);
  return Buffer.from(
    JSON.stringify({
      session_id: `bomb-${process.pid}`,
      distinct_id: 'bomb',
      seq,
      masked: true,
      schema_version: 1,
      timestamp: new Date().toISOString(),
      events: Array.from({ length: count }, () => event),
    }),
  );
}

/** Opens a connection that announces a body, and sends only what `drip` writes of it. */
function unfinished(port: number, path: string, drip: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      count('connection');
      socket.write(
        [
          ...[`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${KEY.Authorization}`],
          ...[
            `X-Forwarded-For: ${address()}`,
            'Content-Type: application/json',
            'Content-Length: 900000',
            '',
            '',
          ],
        ].join('\r\n'),
      );
      drip(socket);
    });
    socket.resume();
    socket.once('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

/** Keeps a number of unfinished requests open. */
async function hold(
  connections: number,
  { ingestion }: Ports,
  until: AbortSignal,
  drip: (socket: Socket) => void,
): Promise<void> {
  const sockets = new Set<Socket>();
  until.addEventListener('abort', () => {
    for (const socket of sockets) socket.destroy();
  });
  await repeat(connections, until, () =>
    unfinished(ingestion, '/v1/events', (socket) => {
      if (until.aborted) return socket.destroy();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return drip(socket);
    }),
  );
}

const encoded = (encoding: string) => ({ 'Content-Encoding': encoding });

export const ATTACKS: Record<string, Attack> = {
  'busy neighbour': {
    summary: 'no attack: a process with the CPU request of messenger that computes 80% of the time',
    cpus: 0.5,
    async run(_, until) {
      await repeat(1, until, async () => {
        const end = performance.now() + 4;
        while (performance.now() < end);
        count('periods');
      });
    },
  },
  'bombs without a key': {
    summary: 'brotli bodies of 25 MB without a key, 120 at once',
    async run({ ingestion }, until) {
      const body = Buffer.from(await compressBrotli(events(25 * MB)));
      await repeat(120, until, () => discard(send(ingestion, 'POST', '/v1/events', encoded('br'), body)));
    },
  },
  'bombs with a public key': {
    summary: 'gzip, brotli and zstd bodies of 25 MB with a public key, 60 at once',
    async run({ ingestion }, until) {
      const plain = events(25 * MB);
      const bodies = [
        ['br', Buffer.from(await compressBrotli(plain))],
        ['gzip', Buffer.from(await compressGzip(plain))],
        ['zstd', Buffer.from(await compressZstd(plain, { params: { [constants.ZSTD_c_windowLog]: 27 } }))],
      ] as const;
      let next = 0;
      await repeat(60, until, () => {
        const [encoding, body] = bodies[next++ % bodies.length] ?? bodies[0];
        return discard(send(ingestion, 'POST', '/v1/events', { ...KEY, ...encoded(encoding) }, body));
      });
    },
  },
  'structure bombs': {
    summary:
      'bodies with the maximum number of values, all empty or nested, and replay chunks with millions of values, 30 at once',
    async run({ ingestion }, until) {
      const bodies = [
        ['/v1/events', `{"events":[${'{},'.repeat(74_000)}{}]}`],
        ['/v1/events', `${'['.repeat(149_000)}${']'.repeat(149_000)}`],
        ['/v1/replay', `{"events":[${'[],'.repeat(8_000_000)}[]]}`],
      ] as const;
      let next = 0;
      await repeat(30, until, () => {
        const [path, body] = bodies[next++ % bodies.length] ?? bodies[0];
        return discard(send(ingestion, 'POST', path, KEY, body));
      });
    },
  },
  'stalled bodies': {
    summary: '300 connections that announce 900 kB and send half of it',
    run: (ports, until) => hold(300, ports, until, (socket) => socket.write(Buffer.alloc(450_000, ' '))),
  },
  'dripped bodies': {
    summary: '300 connections that send a byte a second',
    run: (ports, until) =>
      hold(300, ports, until, (socket) => {
        const timer = setInterval(() => socket.write(' '), 1_000);
        socket.once('close', () => clearInterval(timer));
      }),
  },
  'event flood': {
    summary: '100 events a request with one public key, 32 at once',
    async run({ ingestion }, until) {
      let number = 0;
      await repeat(32, until, () => {
        const now = new Date().toISOString();
        const batch = Array.from({ length: 100 }, () => ({
          distinct_id: `flood-${++number % 1_000}`,
          event_id: `flood-${process.pid}-${number}`,
          event_name: 'flood',
          schema_version: 1,
          timestamp: now,
          properties: { filler: 'x'.repeat(300) },
        }));
        return discard(
          send(ingestion, 'POST', '/v1/events', KEY, JSON.stringify({ events: batch, sent_at: now })),
        );
      });
    },
  },
  'replay bombs': {
    summary: 'replay chunks of a few hundred bytes that decode to 3.6 MB, 30 at once',
    async run({ ingestion }, until) {
      let seq = 0;
      const bodies = await Promise.all(
        Array.from({ length: 20 }, async () => Buffer.from(await compressBrotli(replay(++seq, 3.6 * MB)))),
      );
      let next = 0;
      await repeat(30, until, () =>
        discard(
          send(ingestion, 'POST', '/v1/replay', { ...KEY, ...encoded('br') }, bodies[next++ % bodies.length]),
        ),
      );
    },
  },
  'endless traits': {
    summary: 'identify calls of 0.8 MB for one person, and evaluations of that person',
    async run({ ingestion, flags }, until) {
      let number = 0;
      const identify = () => {
        const properties = { [`trait-${++number}`]: 'x'.repeat(800_000) };
        return discard(
          send(ingestion, 'POST', '/v1/identify', KEY, JSON.stringify({ distinct_id: 'huge', properties })),
        );
      };
      await Promise.all([
        repeat(4, until, identify),
        repeat(4, until, () => discard(send(flags, 'GET', '/v1/flags?distinct_id=huge', KEY))),
      ]);
    },
  },
  'unknown keys': {
    summary: 'requests with keys that do not exist, 60 at once',
    async run(ports, until) {
      const key = () => ({
        Authorization: `Bearer pk_eu_${Array.from({ length: 32 }, () => Math.floor(Math.random() * 36).toString(36)).join('')}`,
      });
      await repeat(60, until, () =>
        Promise.all([
          discard(send(ports.flags, 'GET', '/v1/flags?distinct_id=a', key())),
          discard(send(ports.ingestion, 'POST', '/v1/events', key(), '{}')),
          discard(send(ports.messenger, 'GET', '/v1/messenger/config', key())),
        ]),
      );
    },
  },
  'endless conversation': {
    summary: 'turns of 10,000 characters in 20 conversations, each read again and again',
    async run({ messenger }, until) {
      const body = JSON.stringify({ body: 'x'.repeat(10_000) });
      await repeat(20, until, async () => {
        const opened = await send(messenger, 'POST', '/v1/conversations', KEY, '{"distinctId":"endless"}');
        if (opened?.status !== 200 && opened?.status !== 201) {
          await opened?.arrayBuffer().catch(() => undefined);
          await sleep(500);
          return;
        }
        const { conversationId, token }: { conversationId: string; token: string } = JSON.parse(
          await opened.text(),
        );
        const path = `/v1/conversations/${conversationId}`;
        const headers = { ...KEY, 'X-Service-Conversation-Token': token };
        while (!until.aborted) {
          await discard(send(messenger, 'POST', `${path}/turns`, headers, body));
          await discard(send(messenger, 'GET', path, headers));
        }
      });
    },
  },
  'upgrades and frames': {
    summary: 'upgrades without Connection, half handshakes, and invalid frames',
    async run({ messenger, flags }, until) {
      const sockets = new Set<Socket>();
      until.addEventListener('abort', () => {
        for (const socket of sockets) socket.destroy();
      });
      const targets = [
        { port: messenger, path: `/v1/messenger/socket?api_key=${ABUSED.key}` },
        { port: flags, path: `/v1/flags/socket?api_key=${ABUSED.key}` },
      ] as const;
      const head = ({ port, path }: (typeof targets)[number], more: string[]) =>
        [
          ...[`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `X-Forwarded-For: ${address()}`],
          ...[
            'Upgrade: websocket',
            'Sec-WebSocket-Version: 13',
            'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          ],
          ...more,
        ].join('\r\n');
      const variants = [['', ''], ['Connection: Upgrade', '', ''], ['Connection: Upgrade']];
      let next = 0;
      await repeat(
        200,
        until,
        () =>
          new Promise<void>((resolve) => {
            const target = targets[next % 2 === 0 ? 0 : 1];
            const more = variants[next++ % variants.length] ?? [];
            const socket = connect({ port: target.port, host: '127.0.0.1' });
            sockets.add(socket);
            count('connection');
            socket.write(head(target, more));
            socket.on('data', () =>
              socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])),
            );
            socket.setTimeout(5_000, () => socket.destroy());
            socket.once('error', () => undefined);
            socket.once('close', () => {
              sockets.delete(socket);
              resolve();
            });
            if (until.aborted) socket.destroy();
          }),
      );
    },
  },
  'mail bombs': {
    summary: 'mails of up to 9 MB that are nested, of many parts, of large headers or quotes, 40 at once',
    async run({ mail, mailAddress }, until) {
      const bombs = mailBombs();
      let number = 0;
      await repeat(40, until, async () => {
        const bomb = bombs[++number % bombs.length] ?? Buffer.alloc(0);
        count(await deliver(mail, mailAddress, bomb, `bomber-${number}@nowhere.example`));
      });
    },
  },
  'endless typing': {
    summary: '50 sockets of visitors that say again and again that they type, each from another address',
    async run({ messenger }, until) {
      const url = `ws://127.0.0.1:${messenger}/v1/messenger/socket?api_key=${ABUSED.key}`;
      await repeat(50, until, async () => {
        const opened = await send(messenger, 'POST', '/v1/conversations', KEY, '{"distinctId":"typist"}');
        const text = (await opened?.text().catch(() => '')) ?? '';
        const { conversationId, token } = opened?.status === 201 ? JSON.parse(text) : {};
        const socket = new WebSocket(url, { headers: { 'X-Forwarded-For': address() } });
        const closed = new Promise((resolve) => {
          socket.onclose = resolve;
        });
        socket.onerror = () => count('no response');
        await new Promise((resolve) => {
          socket.onopen = resolve;
          closed.then(resolve);
        });
        socket.send(JSON.stringify({ type: 'subscribe', conversationId, token }));
        const typing = JSON.stringify({ type: 'typing', conversationId });
        while (!until.aborted && socket.readyState === WebSocket.OPEN) {
          for (let frame = 0; frame < 100; frame++) socket.send(typing);
          count('100 frames');
          while (socket.bufferedAmount > 1_000_000 && !until.aborted) await sleep(10);
          await sleep(1);
        }
        socket.close();
        await Promise.race([closed, sleep(2_000)]);
      });
    },
  },
  'endless searches': {
    summary: 'searches of a member in 20,000 turns, 40 at once',
    async run({ messenger, memberToken }, until) {
      const headers = { Authorization: `Bearer ${memberToken}` };
      const texts = [
        'order',
        'where or is or my',
        'a -b -c -d',
        `"${'refund '.repeat(25).trim()}"`,
        'nothing',
      ];
      const path = `/v1/projects/${ABUSED.id}/conversation-search`;
      let number = 0;
      await repeat(40, until, () => {
        const text = texts[++number % texts.length] ?? '';
        return discard(send(messenger, 'GET', `${path}?${new URLSearchParams({ text })}`, headers));
      });
    },
  },
  'endless usage reports': {
    summary: 'reports of 1,000 entries, of flags that exist and of flags that do not, 40 at once',
    async run({ flags }, until) {
      const entries = (name: (at: number) => string) =>
        Array.from({ length: 1_000 }, (_, at) => ({ flag: name(at), variation: 'on', count: 1 }));
      const bodies = [
        JSON.stringify({ usage: entries((at) => `flag-${(at % 20) + 1}`) }),
        JSON.stringify({ usage: entries((at) => `${'x'.repeat(190)}${at}`) }),
      ];
      let number = 0;
      await repeat(40, until, () =>
        discard(send(flags, 'POST', '/v1/flags/usage', KEY, bodies[++number % bodies.length])),
      );
    },
  },
  'password guessing': {
    summary: 'wrong passwords for the accounts of the tenant from 10,000 networks, 60 at once',
    async run({ identity }, until) {
      let number = 0;
      await repeat(60, until, () =>
        post(identity, '/sign-in/account', { email: personAt(number++), password: `guess ${number}` }),
      );
    },
  },
  'account enumeration': {
    summary: 'sign-ins and resets for addresses without and with accounts from 10,000 networks, 60 at once',
    async run({ identity }, until) {
      let number = 0;
      await repeat(60, until, () => {
        const email = number++ % 10 === 0 ? personAt(number) : `${number}@nowhere.example`;
        return number % 2 === 0
          ? post(identity, '/reset', { email })
          : post(identity, '/sign-in/account', { email, password: 'x' });
      });
    },
  },
  'reset mail flood': {
    summary: 'resets for the accounts of the tenant from 10,000 networks, 60 at once',
    async run({ identity }, until) {
      let number = 0;
      await repeat(60, until, () => post(identity, '/reset', { email: personAt(number++) }));
    },
  },
  'device codes and tokens': {
    summary: 'device codes, guesses of them, and unknown refresh tokens from 10,000 networks, 60 at once',
    async run({ identity }, until) {
      const client_id = 'switchboard';
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      let number = 0;
      await repeat(60, until, async () => {
        const guess = `guess-${++number}`;
        await post(identity, '/device/authorize', { client_id });
        await post(identity, '/token', { client_id, grant_type, device_code: guess });
        await post(identity, '/token', { client_id, grant_type: 'refresh_token', refresh_token: guess });
      });
    },
  },
};
