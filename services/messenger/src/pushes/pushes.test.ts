import type { ServerResponse } from 'node:http';
import { DEFAULT_INBOX_PREFERENCES } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { trustedCertificate } from '@switchboard/mail/testing';
import { type PushService, pushService, vapidSettings } from '@switchboard/push/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';

const PREFERENCES = { ...DEFAULT_INBOX_PREFERENCES, desktop: 'all' };
const MINUTE = 60_000;
const vapid = vapidSettings();

let push: PushService;
let messenger: TestMessenger;

beforeAll(async () => {
  await trustedCertificate();
  push = await pushService();
  messenger = await startMessenger({
    env: {
      RATE_LIMITS_MULTIPLIER: '1000',
      CONSOLE_URL: 'https://console.test',
      PUSH_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
      ...vapid,
    },
  });
});
afterAll(async () => {
  await messenger.stop();
  await push.stop();
});

let browsers = 0;

/** Creates a project with Ada, who is an agent. */
async function desk(): Promise<Desk> {
  const project = await messenger.createProject();
  const join = (sub: string, role: string) =>
    messenger.directory.put('member', testMember(project.companyId, sub, { role }));
  await join('ada', 'support');
  const visitor = visitorOf(messenger, project);
  const as = async (sub: string, method: string, path: string, body?: unknown) => {
    const token = await messenger.mint({ sub });
    return messenger.call(method, `/v1/projects/${project.id}${path}`, { token, body });
  };
  return {
    project,
    visitor,
    as,
    join,
    /** Subscribes a new browser of a member. Returns its path at the push service and its id. */
    async subscribe(sub = 'ada') {
      const name = `browser-${++browsers}`;
      const { status, body } = await as(sub, 'POST', '/push-subscriptions', push.subscribe(name));
      expect([status, body]).toEqual([201, { id: expect.stringMatching(/^psb_/) }]);
      return { path: `/${name}`, id: body.id };
    },
    async prefer(preferences: object, sub = 'ada') {
      const { status } = await as(sub, 'PUT', '/inbox-preferences', { ...PREFERENCES, ...preferences });
      expect(status).toBe(200);
    },
    async ask(text = 'My invoice is wrong.') {
      const conversation = await visitor.open({ subject: 'Invoice' });
      await visitor.send(conversation, text);
      return conversation.id;
    },
  };
}

interface Desk {
  project: TestProject;
  visitor: Visitor;
  as(sub: string, method: string, path: string, body?: unknown): ReturnType<TestMessenger['call']>;
  join(sub: string, role: string): Promise<unknown>;
  subscribe(sub?: string): Promise<{ path: string; id: string }>;
  prefer(preferences: object, sub?: string): Promise<void>;
  ask(text?: string): Promise<string>;
}

const at = (path: string) => push.received.filter((one) => one.path === path).map(({ payload }) => payload);

/** Waits until no turn waits to be pushed. */
const settled = ({ project }: Desk) =>
  eventually(async () => {
    const { sql } = messenger.database;
    const rows = await sql`select from waiting_pushes where conversation_id in (
      select id from conversations where project_id = ${project.id})`;
    expect(rows).toHaveLength(0);
  });

const subscriptionsOf = async ({ as }: Desk, sub = 'ada') =>
  (await as(sub, 'GET', '/push-subscriptions')).body.subscriptions;

describe('a turn of a visitor', () => {
  it('is pushed to the browsers of members without its text, unless they want it', async () => {
    const of = await desk();
    await of.join('bob', 'support');
    const [ada, bob] = [await of.subscribe(), await of.subscribe('bob')];
    await of.prefer({});
    await of.prefer({ pushText: true, language: 'de' }, 'bob');
    const id = await of.ask();
    const url = `https://console.test/projects/${of.project.id}/inbox?open=${id}`;
    await eventually(() => {
      expect(at(ada.path)).toEqual([
        { type: 'visitor_turn', title: `A visitor writes in ${of.project.id}`, body: '', url, tag: id },
      ]);
      expect(at(bob.path)).toEqual([
        { type: 'visitor_turn', title: 'Invoice', body: 'My invoice is wrong.', url, tag: id },
      ]);
    });
    const [own] = await subscriptionsOf(of);
    expect(own).toEqual({ id: ada.id, endpoint: push.origin + ada.path, createdAt: expect.any(String) });
  });

  it('is not pushed in quiet hours, to those who do not want it, or once it is answered', async () => {
    const of = await desk();
    const { path } = await of.subscribe();
    await of.ask();
    await settled(of);
    const now = Date.now() + messenger.time.shift;
    const time = (minutes: number) => new Date(now + minutes * MINUTE).toISOString().slice(11, 16);
    await of.prefer({ quietHours: { from: time(-10), to: time(45) } });
    await of.ask();
    await settled(of);
    await of.prefer({ desktop: 'mine' });
    await of.join('bob', 'support');
    await of.prefer({ desktop: 'off' }, 'bob');
    const taken = await of.visitor.open({ subject: 'Taken' });
    const change = { assigneeId: 'bob' };
    await of.as('ada', 'POST', '/conversation-changes', { conversationIds: [taken.id], change });
    await of.visitor.send(taken, 'Hello?');
    await settled(of);
    expect(at(path)).toEqual([]);
    const id = await of.ask();
    await eventually(() => expect(at(path)).toMatchObject([{ tag: id }]));
  });

  it.each([404, 410])('ends a subscription when its push service answers %s', async (status) => {
    const of = await desk();
    await of.prefer({});
    const [gone, here] = [await of.subscribe(), await of.subscribe()];
    push.statuses.set(gone.path, status);
    await of.ask();
    await eventually(() => expect(at(here.path)).toHaveLength(1));
    await eventually(async () => expect(await subscriptionsOf(of)).toMatchObject([{ id: here.id }]));
  });

  it('is pushed again only to browsers that it did not reach', async () => {
    const of = await desk();
    await of.prefer({});
    const [busy, idle] = [await of.subscribe(), await of.subscribe()];
    push.statuses.set(busy.path, 503);
    await of.ask();
    await eventually(() => expect(at(idle.path)).toHaveLength(1));
    const { sql } = messenger.database;
    await eventually(async () =>
      expect(await sql`select attempts from waiting_pushes where subscription_ids = ${[busy.id]}`).toEqual([
        { attempts: 1 },
      ]),
    );
    push.statuses.delete(busy.path);
    messenger.time.shift += MINUTE;
    await eventually(() => expect(at(busy.path)).toHaveLength(1));
    await settled(of);
    expect(at(idle.path)).toHaveLength(1);
  });

  it('does not wait for slow browsers of another project', async () => {
    const [slow, quick] = [await desk(), await desk()];
    await Promise.all([slow.prefer({}), quick.prefer({})]);
    const [held, prompt] = [await slow.subscribe(), await quick.subscribe()];
    const open = new Set<ServerResponse>();
    push.answers.set(held.path, (response) => {
      open.add(response.on('close', () => open.delete(response)));
    });
    await slow.ask();
    await eventually(() => expect(open.size).toBe(1));
    await quick.ask();
    await eventually(() => expect(at(prompt.path)).toHaveLength(1));
    expect(open.size).toBe(1);
    for (const response of open) response.writeHead(201).end();
    push.answers.delete(held.path);
    await settled(slow);
  });

  it('ends the subscriptions of a member who may no longer reply', async () => {
    const of = await desk();
    await of.prefer({});
    const { path } = await of.subscribe();
    await of.join('ada', 'viewer');
    await eventually(async () => expect((await of.as('ada', 'GET', '/push-subscriptions')).status).toBe(403));
    await of.ask();
    await settled(of);
    const { sql } = messenger.database;
    expect(await sql`select from push_subscriptions where project_id = ${of.project.id}`).toHaveLength(0);
    expect(at(path)).toEqual([]);
  });

  it('ends subscriptions to other VAPID keys', async () => {
    const of = await desk();
    await of.prefer({});
    const { path } = await of.subscribe();
    const { sql } = messenger.database;
    await sql`update push_subscriptions set public_key = 'earlier' where project_id = ${of.project.id}`;
    await of.ask();
    await settled(of);
    expect(await subscriptionsOf(of)).toEqual([]);
    expect(at(path)).toEqual([]);
  });
});

describe('a push subscription', () => {
  it('is removed by its member alone, and belongs to the last member in the browser', async () => {
    const of = await desk();
    const other = await desk();
    await of.join('bob', 'support');
    const { id } = await of.subscribe();
    expect((await of.as('bob', 'DELETE', `/push-subscriptions/${id}`)).status).toBe(204);
    expect((await other.as('ada', 'DELETE', `/push-subscriptions/${id}`)).status).toBe(204);
    expect(await subscriptionsOf(of)).toHaveLength(1);
    expect((await of.as('ada', 'DELETE', `/push-subscriptions/${id}`)).status).toBe(204);
    expect(await subscriptionsOf(of)).toEqual([]);
    const shared = push.subscribe('shared');
    await of.as('ada', 'POST', '/push-subscriptions', shared);
    await other.join('bob', 'support');
    await other.as('bob', 'POST', '/push-subscriptions', shared);
    expect(await subscriptionsOf(of)).toEqual([]);
    expect(await subscriptionsOf(other, 'bob')).toHaveLength(1);
  });

  it('replaces the oldest of a member with ten', async () => {
    const of = await desk();
    const ids: string[] = [];
    for (let n = 0; n < 11; n++) {
      ids.push((await of.subscribe()).id);
      messenger.time.shift += 1_000;
    }
    const listed = await subscriptionsOf(of);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1).reverse());
  });

  it('is refused without VAPID keys, and to a viewer', async () => {
    const of = await desk();
    await of.join('vera', 'viewer');
    const subscription = push.subscribe('refused');
    expect((await of.as('vera', 'POST', '/push-subscriptions', subscription)).status).toBe(403);
    const { url, stop } = await messenger.startInstance({
      VAPID_PUBLIC_KEY: '',
      VAPID_PRIVATE_KEY: '',
    });
    const token = await messenger.mint({ sub: 'ada' });
    const path = `/v1/projects/${of.project.id}/push-subscriptions`;
    const asked = await messenger.call('POST', path, { token, body: subscription, url });
    expect([asked.status, asked.body.error.code]).toEqual([409, 'CONFLICT']);
    const listed = await messenger.call('GET', path, { token, url });
    expect(listed.body).toEqual({ applicationServerKey: null, subscriptions: [] });
    await stop();
  });
});
