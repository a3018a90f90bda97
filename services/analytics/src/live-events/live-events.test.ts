import { ingestionTopics, type LiveEventsMessage } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { useAnalytics } from '../testing/service.ts';

const analytics = await useAnalytics();

let accepted = 0;
/** Publishes events as ingestion does. */
async function accept(
  projectId: string,
  events: readonly { name?: string; person?: string; text?: string }[],
) {
  const now = new Date().toISOString();
  const lines = events.map(({ name = 'seen', person = 'ada', text }) =>
    JSON.stringify({
      event_id: `event-${++accepted}`,
      event_name: name,
      distinct_id: person,
      schema_version: 1,
      timestamp: now,
      occurred_at: now,
      ...(text !== undefined && { properties: { text } }),
    }),
  );
  const headers = { project: projectId, received_at: now, sent_at: now, count: String(events.length) };
  await analytics.log.publish(ingestionTopics.events, [
    { partition: 0, key: projectId, value: Buffer.from(lines.join('\n')), headers },
  ]);
}

/** Stores that the archive has read all events, as its file list says. */
async function archiveAll(): Promise<void> {
  const ends = (await analytics.log.endOffsets(ingestionTopics.events)).map(String);
  const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
  await database.sql`insert into archived_offsets (region, offsets) values ('eu', ${ends}::bigint[])
    on conflict (region) do update set offsets = excluded.offsets`;
  await database.close();
}

beforeEach(archiveAll);

/** Opens a stream and collects its messages. */
async function watch(projectId: string, query = '', sub = 'ada') {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const response = await fetch(`${analytics.url}/v1/projects/${projectId}/live-events${query}`, {
    headers: { Authorization: `Bearer ${await analytics.mint({ sub })}` },
    signal: closing.signal,
  });
  const messages: LiveEventsMessage[] = [];
  const state = { isOpen: response.ok };
  async function read(): Promise<void> {
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${text}${chunk}`.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) if (part.startsWith('data: ')) messages.push(JSON.parse(part.slice(6)));
    }
  }
  const ended = (response.ok ? read() : Promise.resolve())
    .catch(() => undefined)
    .then(() => {
      state.isOpen = false;
    });
  if (response.ok) await eventually(() => expect(messages).toContainEqual({ type: 'ready' }));
  const events = () => messages.flatMap((one) => (one.type === 'events' ? one.events : []));
  const skipped = () => messages.reduce((sum, one) => sum + (one.type === 'events' ? one.skipped : 0), 0);
  const archived = () => messages.flatMap((one) => (one.type === 'archived' ? one.eventIds : []));
  return {
    status: response.status,
    state,
    messages,
    events,
    skipped,
    archived,
    close: () => closing.abort(),
    ended,
  };
}

it('sends the events of the project that are not archived yet, then those that are accepted', async () => {
  await accept('shop', [{ name: 'archived' }]);
  await archiveAll();
  await accept('blog', [{ name: 'of another project' }]);
  await accept('shop', [{ name: 'before' }]);
  const live = await watch('shop');
  await accept('blog', [{ name: 'of another project' }]);
  await accept('shop', [{ name: 'order placed', text: 'hello' }]);
  await eventually(() => expect(live.events()).toHaveLength(2));
  expect(live.events()).toEqual([
    expect.objectContaining({ name: 'before' }),
    expect.objectContaining({
      name: 'order placed',
      distinctId: 'ada',
      sessionId: null,
      properties: { text: 'hello' },
      context: null,
      omitted: false,
    }),
  ]);
});

it('begins with the events that are not archived yet while others watch', async () => {
  const names = ({ events }: Awaited<ReturnType<typeof watch>>) => events().map(({ name }) => name);
  const first = await watch('shop');
  await accept('shop', [{ name: 'archived' }]);
  await eventually(() => expect(names(first)).toEqual(['archived']));
  await archiveAll();
  await accept('blog', [{ name: 'of another project' }]);
  await accept('shop', [{ name: 'earlier' }, { name: 'paid', person: 'bob' }]);
  await accept('shop', [{ name: 'later' }]);
  await eventually(() => expect(names(first)).toEqual(['archived', 'earlier', 'paid', 'later']));
  const [second, named, personal] = await Promise.all([
    watch('shop'),
    watch('shop', '?name=paid'),
    watch('shop', '?distinct_id=bob'),
  ]);
  await eventually(() => expect(names(second)).toEqual(['earlier', 'paid', 'later']));
  for (const one of [named, personal]) await eventually(() => expect(names(one)).toEqual(['paid']));
  await archiveAll();
  await eventually(() => expect(second.archived()).toHaveLength(3));
  const last = await watch('shop');
  await accept('shop', [{ name: 'last' }]);
  await eventually(() => expect(names(last)).toEqual(['last']));
  expect(names(second)).toEqual(['earlier', 'paid', 'later', 'last']);
});

it('begins with the newest 25 events', async () => {
  await watch('shop');
  const rounds = Array.from({ length: 3 }, (_, round) => round);
  for (const round of rounds) {
    const events = Array.from({ length: 20 }, (_, at) => ({ name: `event ${20 * round + at}` }));
    await accept('shop', events);
  }
  const named = await watch('shop', '?name=event%2059');
  await eventually(() => expect(named.events()).toHaveLength(1));
  const live = await watch('shop');
  await eventually(() => expect(live.events()).toHaveLength(25));
  expect(live.events().map(({ name }) => name)).toEqual(
    Array.from({ length: 25 }, (_, at) => `event ${35 + at}`),
  );
  expect(live.skipped()).toBe(0);
});

it('sends only events of a name or of a person where the stream asks for them', async () => {
  const [named, personal] = [await watch('shop', '?name=paid'), await watch('shop', '?distinct_id=bob')];
  await accept('shop', [{ name: 'paid' }, { name: 'paid', person: 'bob' }, { person: 'bob' }, {}]);
  await eventually(() => expect(named.events().map(({ distinctId }) => distinctId)).toEqual(['ada', 'bob']));
  await eventually(() => expect(personal.events().map(({ name }) => name)).toEqual(['paid', 'seen']));
});

it('counts the events that it leaves out, and leaves out large properties', async () => {
  const live = await watch('shop');
  await accept('shop', [
    { name: 'large', text: 'x'.repeat(20_000) },
    ...Array.from({ length: 199 }, () => ({ text: 'small' })),
  ]);
  await eventually(() => expect(live.events().length + live.skipped()).toBe(200));
  expect(live.skipped()).toBe(175);
  expect(live.events()[0]).toMatchObject({ name: 'large', properties: null, omitted: true });
});

it('does not let events without a valid line or with hostile text stop the stream', async () => {
  const live = await watch('shop');
  const headers = { project: 'shop', received_at: 'never', count: 'many' };
  await analytics.log.publish(ingestionTopics.events, [
    { partition: 0, key: 'shop', value: Buffer.from('no JSON\n{"event_id":1}\n[]'), headers },
    { partition: 0, key: 'shop', value: null, headers: {} },
  ]);
  await accept('shop', [{ name: 'data: a\n\ndata: {"type":"ready"}' }]);
  await eventually(() =>
    expect(live.events().map(({ name }) => name)).toEqual(['data: a\n\ndata: {"type":"ready"}']),
  );
});

it('tells which events are archived', async () => {
  const live = await watch('shop');
  await accept('shop', [{ name: 'to archive' }]);
  await eventually(() => expect(live.events()).toHaveLength(1));
  expect(live.archived()).toEqual([]);
  await archiveAll();
  await eventually(() => expect(live.archived()).toEqual([live.events()[0]?.eventId]));
});

it('tells that a person is being erased, and sends no events of theirs', async () => {
  const live = await watch('shop');
  const erased = ({ messages }: Awaited<ReturnType<typeof watch>>) =>
    messages.flatMap((one) => (one.type === 'erased' ? one.distinctIds : []));
  await accept('shop', [{ person: 'eve' }, { person: 'ada' }]);
  await accept('blog', [{ person: 'eve' }]);
  await eventually(() => expect(live.events()).toHaveLength(2));
  const subject = { kind: 'person' as const, projectId: 'shop', distinctIds: ['eve'], userId: null };
  const request = { id: 'ers_1', subject, waitingFor: ['eu/archive'] };
  await analytics.directory.put('erasure', request);
  await eventually(() => expect(erased(live)).toEqual(['eve']));
  await accept('shop', [{ person: 'eve', name: 'late' }, { name: 'of another person' }]);
  await eventually(() => expect(live.events().map(({ name }) => name)).toContain('of another person'));
  expect(live.events().map(({ name }) => name)).not.toContain('late');
  // The records are in memory until the archive has them.
  const [later, other] = [await watch('shop'), await watch('blog')];
  await eventually(() => expect(later.events().map(({ distinctId }) => distinctId)).toEqual(['ada', 'ada']));
  await eventually(() => expect(other.events().map(({ distinctId }) => distinctId)).toEqual(['eve']));
  expect([live, later, other].map(erased)).toEqual([['eve'], ['eve'], []]);
  await archiveAll();
  await analytics.directory.put('erasure', { ...request, waitingFor: [] });
  await eventually(() => expect(later.archived()).toHaveLength(2));
  expect((await watch('shop')).events()).toEqual([]);
});

it('ends the stream of a member who is removed, and refuses others', async () => {
  await analytics.directory.putProject({ id: 'left', companyId: 'left-company', members: ['ada', 'bob'] });
  const [ada, bob] = [await watch('left'), await watch('left', '', 'bob')];
  await analytics.directory.remove('member', 'left-company', 'bob');
  await bob.ended;
  expect([ada.state.isOpen, bob.state.isOpen]).toEqual([true, false]);
  expect((await watch('left', '', 'bob')).status).toBe(403);
});

it('refuses the 21st stream of a project with 429, and admits one again after another ends', async () => {
  await analytics.directory.putProject({ id: 'crowded', members: ['ada'] });
  const open = await Promise.all(Array.from({ length: 20 }, () => watch('crowded')));
  expect(open.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await watch('crowded')).status).toBe(429);
  open[0]?.close();
  await eventually(async () => expect((await watch('crowded')).status).toBe(200));
});
