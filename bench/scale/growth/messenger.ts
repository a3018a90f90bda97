import { call } from '@switchboard/testkit';
import { AUTHORIZED, PROJECT_ID } from '../../lib/project.ts';
import { UNLIMITED_MESSENGER } from '../../lib/unlimited.ts';
import { ask } from './ask.ts';
import { type Dimension, sizesFrom } from './path.ts';
import { type Site, startSite } from './site.ts';

const LIST = `/management/v1/projects/${PROJECT_ID}/conversations`;
const TURNS_READ = 10;

/** A conversation with the data that a visitor needs to read it. */
interface Opened {
  id: string;
  path: string;
  headers: Record<string, string>;
  /** The id of the first turn. */
  turnId: string;
}

/** Varies the number of conversations of one project, with one turn each. */
export async function conversations(): Promise<Dimension> {
  const site = await startMessenger();
  const { service, sql } = site;
  const one = await open(site);
  await addTurns(site, one, 1, TURNS_READ);
  const sent = await open(site);
  const token = await site.harness.mint({ sub: 'operator', permissions: ['service.manage'] });
  const operator = { Authorization: `Bearer ${token}` };
  let made = 0;
  return {
    of: 'conversations',
    sizes: sizesFrom(1_000),
    async fill(size) {
      const numbers = sql`generate_series(${made}::int, ${size - 1}::int) as n`;
      await sql`
        insert into conversations select copy.* from conversations as c, ${numbers},
          jsonb_populate_record(c, jsonb_build_object(
            'id', 'cnv_' || md5(n::text), 'distinct_id', 'person-' || n,
            'status', (array['open', 'pending', 'resolved'])[n % 3 + 1], 'turn_count', 1,
            'last_turn_at', c.last_turn_at - n * interval '1 second')) as copy
        where c.id = ${sent.id}`;
      await sql`
        insert into turns select copy.* from turns as t, ${numbers},
          jsonb_populate_record(t, jsonb_build_object(
            'conversation_id', 'cnv_' || md5(n::text), 'id', 'trn_' || md5(n::text))) as copy
        where t.id = ${sent.turnId}`;
      await sql`vacuum analyze conversations, turns`;
      made = size;
    },
    paths: [
      {
        name: 'conversation of ten turns',
        bound: 'constant',
        unit: 'ms',
        measure: () => ask(service, one),
      },
      {
        name: 'turn',
        bound: 'constant',
        unit: 'ms',
        measure: () =>
          ask(service, { path: `${sent.path}/turns`, headers: sent.headers, body: '{"body":"Hello"}' }),
      },
      {
        name: "operators' list",
        bound: 'constant',
        unit: 'ms',
        measure: () => ask(service, { path: `${LIST}?status=open`, headers: operator }),
      },
      {
        name: "operators' next page",
        bound: 'constant',
        unit: 'ms',
        async measure() {
          const { body } = await call('GET', service.url + LIST, { headers: operator });
          return ask(service, { path: `${LIST}?cursor=${body.nextCursor}`, headers: operator });
        },
      },
    ],
    stop: site.stop,
  };
}

/** Varies the number of turns in one conversation. */
export async function turns(): Promise<Dimension> {
  const site = await startMessenger();
  const { service } = site;
  const one = await open(site);
  let made = 1;
  return {
    of: 'turns in a conversation',
    sizes: sizesFrom(2),
    async fill(size) {
      await addTurns(site, one, made, size);
      made = size;
    },
    paths: [
      { name: 'whole conversation', bound: 'linear', unit: 'ms', measure: () => ask(service, one) },
      {
        name: 'poll after the last turn',
        bound: 'constant',
        unit: 'ms',
        measure: () => poll(site, one),
      },
    ],
    stop: site.stop,
  };
}

/** Varies the number of teammates in a project. A poll checks whether any of them changed name or avatar. */
export async function teammates(): Promise<Dimension> {
  const site = await startMessenger();
  const one = await open(site);
  let made = 0;
  return {
    of: 'teammates in a project',
    sizes: sizesFrom(1),
    async fill(size) {
      await site.sql`
        insert into teammates (project_id, user_id, name)
        select ${PROJECT_ID}, 'user-' || n, 'Teammate ' || n
        from generate_series(${made}::int, ${size - 1}::int) as n`;
      await site.sql`vacuum analyze teammates`;
      made = size;
    },
    paths: [{ name: 'poll of a large team', bound: 'linear', unit: 'ms', measure: () => poll(site, one) }],
    stop: site.stop,
  };
}

/** Varies the number of messages to everyone in a project. A person gets the newest hundred. */
export async function messages(): Promise<Dimension> {
  const site = await startMessenger();
  const { service, sql } = site;
  let made = 0;
  return {
    of: 'in-app messages',
    sizes: sizesFrom(100),
    async fill(size) {
      await sql`
        insert into messages (id, project_id, title, body, to_everyone, created_at)
        select 'msg_' || md5(n::text), ${PROJECT_ID}, 'Message ' || n, repeat('words ', 20), true,
          timestamptz '2026-03-01Z' + n * interval '1 second'
        from generate_series(${made}::int, ${size - 1}::int) as n`;
      await sql`vacuum analyze messages`;
      made = size;
    },
    paths: [
      {
        name: "a person's messages",
        bound: 'constant',
        unit: 'ms',
        measure: () => ask(service, { path: '/v1/messages?distinct_id=ada', headers: AUTHORIZED }),
      },
    ],
    stop: site.stop,
  };
}

/** Polls after the last turn. The response is a 304. */
async function poll({ service, sql }: Site, one: Opened): Promise<number> {
  const [last] = await sql`
    select id from turns where conversation_id = ${one.id} order by position desc limit 1`;
  const path = `${one.path}?after=${last?.['id']}`;
  const { headers } = await call('GET', service.url + path, { headers: one.headers });
  const etag = headers.get('etag') ?? '';
  return ask(service, { path, headers: { ...one.headers, 'If-None-Match': etag } });
}

const startMessenger = () => startSite('messenger', UNLIMITED_MESSENGER);

/** Opens a conversation and sends a turn in it. */
async function open({ service }: Site): Promise<Opened> {
  const opened = await call('POST', `${service.url}/v1/conversations`, {
    headers: AUTHORIZED,
    body: { distinctId: 'ada' },
  });
  const { conversationId: id, token } = opened.body;
  const path = `/v1/conversations/${id}`;
  const headers = { ...AUTHORIZED, 'X-Service-Conversation-Token': token };
  const body = { body: 'I was charged twice for the same order. Can you look into it? '.repeat(3) };
  const sent = await call('POST', `${service.url}${path}/turns`, { headers, body });
  if (sent.status !== 201) throw new Error(`a turn got status ${sent.status}`);
  return { id, path, headers, turnId: sent.body.turn.id };
}

/** Copies the first turn of a conversation, from `from` turns until it has `to`. */
async function addTurns({ sql }: Site, { id, turnId }: Opened, from: number, to: number): Promise<void> {
  await sql`
    insert into turns select (jsonb_populate_record(t, jsonb_build_object(
      'position', n, 'id', 'trn_' || md5(${id} || n)))).*
    from turns as t, generate_series(${from + 1}::int, ${to}::int) as n where t.id = ${turnId}`;
  await sql`
    update conversations set turn_count = ${to}, turn_bytes = turn_bytes / turn_count * ${to}::int where id = ${id}`;
  await sql`vacuum analyze turns`;
}
