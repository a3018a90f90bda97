import { setTimeout as sleep } from 'node:timers/promises';
import RudderAnalytics from '@rudderstack/rudder-sdk-node';
import { Analytics } from '@segment/analytics-node';
import { createClient } from '@switchboard/management';
import { eventually, hasChromium, openBrowser } from '@switchboard/testkit';
import type { Page } from 'playwright-core';
import { PostHog } from 'posthog-node';
import { initialize, type Unleash } from 'unleash-client';
import { UnleashClient } from 'unleash-proxy-client';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { archivedEvents } from './testing/archived.ts';
import { hasGo, hasPython, runGo, runPython } from './testing/clients/clients.ts';
import { flags, omitted, type Person, people } from './testing/clients/flags.ts';
import { runCommand } from './testing/command.ts';
import { lookAt, openConsole, violationsOf } from './testing/console.ts';
import { faultyLink } from './testing/faulty-link.ts';
import { standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';

const running = standaloneForTests();
const site = siteForTests({
  modules: {
    posthog: import.meta.resolve('posthog-js'),
    segment: import.meta.resolve('@segment/analytics-next'),
  },
  scripts: {},
  body: '<h1>Shop</h1>',
});

const recorded = siteForTests({
  modules: {
    recorder: import.meta.resolve('posthog-js/dist/module.full.no-external.js'),
    player: import.meta.resolve('rrweb-player'),
  },
  scripts: {},
  body: `<h1>Checkout</h1><p data-switchboard-mask>Ada Lovelace</p><input id="card">
    <button onclick="document.querySelector('h1').textContent = 'Paid'">Pay</button>
    <button onclick="document.querySelector('h1').textContent = 'Shipped'">Ship</button>`,
});

beforeAll(async () => {
  const { management_url, project_id: projectId, tokens } = running.demo;
  const management = createClient({ url: management_url, token: tokens.operator });
  const { id: _, ...project } = await management.call('getProject', { params: { projectId } });
  await management.call('putProject', {
    params: { projectId },
    body: { ...project, wires: ['segment', 'unleash', 'posthog'] },
  });
  await management.call('putCohort', {
    params: { projectId, cohortId: 'wires' },
    body: { name: 'Wires', distinctIds: ['unleash-1'] },
  });
  for (const [key, body] of Object.entries({ ...flags, ...omitted }))
    await management.untyped.call('putFlag', { params: { projectId, key }, body });
  for (const one of people) expected.set(one.userId, await ours(one));
});

/** Our own evaluation of everyone. */
const expected = new Map<string, ReadonlyMap<string, { variant: string; value: unknown }>>();

/** Returns our own evaluation of a person: the variation of each flag, or whether it is on. */
async function ours({ userId, properties }: { userId: string; properties: object }) {
  const { base_url, project_key } = running.demo;
  const answer = await fetch(`${base_url}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${project_key}` },
    body: JSON.stringify({ context: { targetingKey: userId, ...properties } }),
  });
  const evaluated: { key: string; variant: string; value: unknown }[] = Object(await answer.json()).flags;
  return new Map(evaluated.map(({ key, ...rest }) => [key, rest]));
}

type Answers<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** Expects the variation of each flag for 1,000 people to be ours, from an SDK of Unleash. */
function expectOurs(got: Answers<string>): void {
  for (const { userId } of people)
    for (const key of Object.keys(flags))
      expect([userId, key, got[userId]?.[key]]).toEqual([
        userId,
        key,
        expected.get(userId)?.get(key)?.variant,
      ]);
}

/** Expects the same from an SDK of PostHog, which knows all flags. */
function expectOursOfPostHog(got: Answers<unknown>): void {
  for (const { userId } of people)
    for (const [key, { variant }] of expected.get(userId) ?? [])
      expect([userId, key, got[userId]?.[key]]).toEqual([
        userId,
        key,
        { on: true, off: false }[variant] ?? variant,
      ]);
}

/** Returns a person as analytics knows them. */
async function person(distinctId: string) {
  const { base_url, project_id, tokens } = running.demo;
  const answer = await fetch(`${base_url}/v1/projects/${project_id}/people/${distinctId}`, {
    headers: { Authorization: `Bearer ${tokens.owner}` },
  });
  const { ids, traits, groups, events } = Object(await answer.json());
  return { ids: ids.map((one: { distinctId: string }) => one.distinctId).sort(), traits, groups, events };
}

/** Expects each of these events in the archive once. */
async function expectArchivedOnce(ids: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const archived = await archivedEvents(running.home, running.demo.project_id);
      expect(ids.filter((id) => archived.get(id) !== 1)).toEqual([]);
    },
    { withinMs: 60_000 },
  );
}

describe('the SDK of Segment for servers', () => {
  test('@segment/analytics-node has each event archived once when the server is busy and responses are lost', async () => {
    const link = await faultyLink(running.demo.eu_api_url);
    onTestFinished(link.close);
    const analytics = new Analytics({
      writeKey: running.demo.project_key,
      host: link.url,
      path: '/segment/v1/batch',
      flushAt: 20,
      flushInterval: 100,
      httpRequestTimeout: 2_000,
    });
    const ids: string[] = [];
    analytics.on('track', ({ event }) => ids.push(event.messageId ?? ''));
    const failures: unknown[] = [];
    analytics.on('error', (failure) => failures.push(failure));
    const track = (from: number) => {
      for (let n = from; n < from + 100; n++)
        analytics.track({ userId: `segment-${n % 7}`, event: 'Order Completed', properties: { n } });
    };
    link.fault = 'busy';
    track(0);
    await eventually(() => expect(link.arrivals.length).toBeGreaterThan(0));
    link.fault = 'lost';
    track(100);
    await eventually(() => expect(link.arrivals.some(({ fault }) => fault === 'lost')).toBe(true));
    link.fault = undefined;
    track(200);
    await analytics.closeAndFlush({ timeout: 60_000 });
    expect([failures, new Set(ids).size]).toEqual([[], 300]);
    await expectArchivedOnce(ids);
  });

  test('@segment/analytics-node makes the anonymous visitor, the alias and the account one person', async () => {
    const analytics = new Analytics({
      writeKey: running.demo.project_key,
      host: running.demo.base_url,
      path: '/segment/v1/batch',
    });
    analytics.page({
      anonymousId: 'segment-visitor',
      name: 'Cart',
      properties: { url: 'https://shop.example/cart' },
    });
    analytics.identify({ userId: 'segment-ada', anonymousId: 'segment-visitor', traits: { plan: 'pro' } });
    analytics.alias({ userId: 'segment-ada', previousId: 'segment-old' });
    analytics.group({ userId: 'segment-ada', groupId: 'acme', traits: { seats: 4 } });
    await analytics.closeAndFlush();
    await eventually(
      async () =>
        expect(await person('segment-visitor')).toMatchObject({
          ids: ['segment-ada', 'segment-old', 'segment-visitor'],
          traits: { plan: 'pro' },
          groups: [{ type: 'company', id: 'acme', traits: { seats: 4 } }],
          events: [{ name: 'page viewed', properties: { url: 'https://shop.example/cart', name: 'Cart' } }],
        }),
      { withinMs: 60_000 },
    );
  });
});

/** Opens a page as a new visitor, and collects the responses to its requests. */
async function visited(path: string) {
  const context = await site.visitor();
  onTestFinished(() => context.close());
  const page = await site.open(context, path);
  const requests: { url: string; status: number }[] = [];
  page.on('response', (answer) => requests.push({ url: answer.url(), status: answer.status() }));
  return { page, requests };
}

describe('the SDK of Segment for pages', () => {
  test.skipIf(!hasChromium)(
    '@segment/analytics-next tracks the page and makes the visitor and the account one person',
    async () => {
      const { base_url, project_key } = running.demo;
      const { page, requests } = await visited('/?utm_source=news&mail=a@b.c');
      const visitor = await page.evaluate(
        async ([key, host]) => {
          const segment = { apiKey: key, apiHost: `${host}/segment/v1`, protocol: 'http' };
          const analytics = Object(globalThis).segment.AnalyticsBrowser.load({
            writeKey: key,
            cdnSettings: { integrations: { 'Segment.io': segment } },
          });
          await analytics.page('Cart');
          await analytics.track('page paid', { total: 42 });
          const anonymous = String((await analytics.user()).anonymousId());
          await analytics.identify('segment-page', { plan: 'pro' });
          await analytics.group('acme', { seats: 4 });
          return anonymous;
        },
        [project_key, base_url.replace('http://', '')] as const,
      );
      await eventually(
        async () => {
          const { ids, traits, groups, events } = await person('segment-page');
          expect([ids, traits, groups]).toMatchObject([
            [visitor, 'segment-page'].sort(),
            { plan: 'pro' },
            [{ type: 'company', id: 'acme', traits: { seats: 4 } }],
          ]);
          const named = (name: string) => events.find((event: { name: string }) => event.name === name);
          expect(named('page paid').properties).toMatchObject({ total: 42, browser: 'Chrome' });
          expect(named('page viewed').properties).toMatchObject({
            name: 'Cart',
            path: '/',
            utm_source: 'news',
          });
          expect(JSON.stringify(events)).not.toContain('a@b.c');
        },
        { withinMs: 60_000 },
      );
      expect(requests.map(({ url }) => url.replace(base_url, '')).sort()).toEqual(
        ['g', 'i', 'p', 't'].map((call) => `/segment/v1/${call}`),
      );
      expect(requests.filter(({ status }) => status >= 400)).toEqual([]);
    },
    120_000,
  );
});

/** Returns the variation of each flag for everyone. */
function answersOf(unleash: Unleash): Answers<string> {
  const variation = (key: string, one: Person) => {
    const { name, enabled, feature_enabled } = unleash.getVariant(key, one);
    return enabled ? name : feature_enabled ? 'on' : 'off';
  };
  const variationsOf = (one: Person) =>
    Object.fromEntries(Object.keys(flags).map((key) => [key, variation(key, one)]));
  return Object.fromEntries(people.map((one) => [one.userId, variationsOf(one)]));
}

describe('the SDKs of Unleash', () => {
  test('unleash-client gives 1,000 people the same flags and variations as Switchboard', async () => {
    const { base_url, project_key } = running.demo;
    const unleash = initialize({
      url: `${base_url}/unleash/api`,
      appName: 'wires',
      customHeaders: { Authorization: project_key },
      refreshInterval: 200,
      metricsInterval: 100,
    });
    onTestFinished(() => unleash.destroy());
    const failures: unknown[] = [];
    unleash.on('error', (error) => failures.push(error));
    await new Promise((resolve) => unleash.once('synchronized', resolve));
    expectOurs(answersOf(unleash));
    expect(failures).toEqual([]);
    const known = unleash.getFeatureToggleDefinitions().map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(Object.keys(flags)));
    expect(known.filter((name) => name in omitted)).toEqual([]);
  });

  test.skipIf(!hasPython('UnleashClient'))(
    'UnleashClient for Python gives 1,000 people the same flags and variations as Switchboard',
    async () =>
      expectOurs(await runPython('unleash_client.py', { people, flags: Object.keys(flags) }, running.demo)),
  );

  test.skipIf(!hasGo)(
    'unleash-go-sdk gives 1,000 people the same flags and variations as Switchboard',
    async () => expectOurs(await runGo('unleash', { people, flags: Object.keys(flags) }, running.demo)),
  );

  test('flags that the language of Unleash cannot say are listed with the reason', async () => {
    const { base_url, project_key } = running.demo;
    const answer = await fetch(`${base_url}/unleash/omitted`, { headers: { Authorization: project_key } });
    const listed: { key: string; reason: string }[] = Object(await answer.json()).flags;
    expect(Object.fromEntries(listed.map(({ key, reason }) => [key, reason]))).toMatchObject({
      'v-set': 'is_set',
      'v-since': 'gt with a value that is no number and no version',
      'v-blank': 'eq with a value that is empty, structured, or has white space around it',
      'v-lowest': 'gte with the lowest version',
      'v-cohort': 'in_cohort: cohorts are not for project keys',
      'v-\u00e9': 'a key that is not ASCII, in a rollout',
      'v-chain': 'requires u-needs-on, which requires another flag',
      'v-needs-set': 'requires v-set, which is omitted',
    });
  });

  test('unleash-proxy-client gets the flags of a person, also those that Unleash cannot say', async () => {
    const { base_url, project_key } = running.demo;
    const client = new UnleashClient({
      url: `${base_url}/unleash/api/frontend`,
      clientKey: project_key,
      appName: 'wires',
      context: { userId: 'unleash-1', properties: { plan: 'pro', age: '40' } },
      fetch,
    });
    onTestFinished(() => client.stop());
    await client.start();
    expect(client.isEnabled('v-set')).toBe(true);
    expect(client.isEnabled('v-cohort')).toBe(true);
    expect(client.isEnabled('u-off')).toBe(false);
    expect(client.getVariant('u-json')).toMatchObject({
      name: 'only',
      enabled: true,
      payload: { type: 'json', value: '{"size":3}' },
    });
    const own = await ours({ userId: 'unleash-1', properties: { plan: 'pro', age: '40' } });
    for (const key of Object.keys(flags)) {
      expect([key, client.isEnabled(key)]).toEqual([key, own.get(key)?.variant !== 'off']);
    }
  });

  test('the client API answers 304 until a flag changes, and 401 without a key', async () => {
    const { base_url, project_key } = running.demo;
    const features = (headers: object) =>
      fetch(`${base_url}/unleash/api/client/features`, {
        headers: { Authorization: project_key, ...headers },
      });
    const etag = (await features({})).headers.get('etag') ?? '';
    expect((await features({ 'If-None-Match': etag })).status).toBe(304);
    const none = await fetch(`${base_url}/unleash/api/client/features`);
    expect([none.status, await none.json()]).toMatchObject([
      401,
      { message: 'Project key missing. Send it as Authorization, without a scheme.' },
    ]);
  });
});

describe('the SDKs of PostHog', () => {
  const captures = ['paid', 'shipped'];

  test('posthog-node has each event archived once when the server is busy and responses are lost', async () => {
    const link = await faultyLink(running.demo.base_url);
    onTestFinished(link.close);
    const posthog = new PostHog(running.demo.project_key, {
      host: `${link.url}/posthog`,
      flushAt: 20,
      flushInterval: 100,
      requestTimeout: 2_000,
      fetchRetryDelay: 500,
      fetchRetryCount: 10,
    });
    onTestFinished(() => posthog.shutdown(1));
    const ids = Array.from({ length: 300 }, () => crypto.randomUUID());
    const capture = (from: number) => {
      for (const [n, uuid] of ids.slice(from, from + 100).entries())
        posthog.capture({
          distinctId: `posthog-${n % 7}`,
          event: captures[n % 2] ?? '',
          uuid,
          properties: { n },
        });
    };
    link.fault = 'busy';
    capture(0);
    await eventually(() => expect(link.arrivals.length).toBeGreaterThan(0));
    link.fault = 'lost';
    capture(100);
    await eventually(() => expect(link.arrivals.some(({ fault }) => fault === 'lost')).toBe(true));
    link.fault = undefined;
    capture(200);
    await posthog.shutdown(60_000);
    await expectArchivedOnce(ids);
  });

  test('posthog-node makes ids one person, keeps the first $set_once, and gets the flags of Switchboard', async () => {
    const { base_url, project_key: key } = running.demo;
    const posthog = new PostHog(key, { host: `${base_url}/posthog`, personalApiKey: 'phx_none' });
    onTestFinished(() => posthog.shutdown(1));
    posthog.identify({
      distinctId: 'posthog-ada',
      properties: { plan: 'pro', $set_once: { source: 'news' } },
    });
    posthog.identify({ distinctId: 'posthog-ada', properties: { $set_once: { source: 'search' } } });
    posthog.alias({ distinctId: 'posthog-ada', alias: 'posthog-visitor' });
    await posthog.flush();
    await eventually(
      async () =>
        expect(await person('posthog-visitor')).toMatchObject({
          ids: ['posthog-ada', 'posthog-visitor'],
          traits: { plan: 'pro', source: 'news' },
        }),
      { withinMs: 60_000 },
    );

    const got: Record<string, Record<string, unknown>> = {};
    for (const { userId, properties } of people) {
      const theirs = await posthog.getAllFlagsAndPayloads(userId, { personProperties: properties });
      got[userId] = { ...theirs.featureFlags };
      for (const [flagKey, payload] of Object.entries(theirs.featureFlagPayloads ?? {}))
        expect([userId, flagKey, payload]).toEqual([
          userId,
          flagKey,
          expected.get(userId)?.get(flagKey)?.value,
        ]);
    }
    expectOursOfPostHog(got);
  });

  const asked = { people, ids: [], pause_ms: 0 };

  test.skipIf(!hasPython('posthog'))(
    'posthog for Python gets the flags of Switchboard for 1,000 people',
    async () => expectOursOfPostHog(await runPython('posthog_client.py', asked, running.demo)),
  );

  test.skipIf(!hasGo)('posthog-go gets the flags of Switchboard for 1,000 people', async () =>
    expectOursOfPostHog(await runGo('posthog', asked, running.demo)),
  );

  test.skipIf(!hasChromium)(
    'posthog-js in a browser tracks the page, makes the visitor and the account one person, and gets their flags',
    async () => {
      const { base_url, project_key } = running.demo;
      const { page, requests } = await visited('/?utm_source=news&mail=a@b.c');
      const visitor = await page.evaluate(
        ([key, host]) =>
          new Promise<string>((resolve) => {
            const { posthog } = Object(globalThis).posthog;
            posthog.init(key, {
              api_host: host,
              person_profiles: 'identified_only',
              // The SDK drops events of headless browsers otherwise.
              opt_out_useragent_filter: true,
              loaded: () => posthog.onFeatureFlags(() => resolve(posthog.get_distinct_id())),
            });
          }),
        [project_key, `${base_url}/posthog`] as const,
      );
      const shown = await page.evaluate(() => {
        const { posthog } = Object(globalThis).posthog;
        posthog.capture('browser paid', { total: 42 });
        posthog.identify('posthog-browser', { plan: 'pro' }, { source: 'news' });
        return [posthog.getFeatureFlag('ph-plan'), posthog.getFeatureFlagPayload('ph-size')];
      });
      const failures = () =>
        requests.filter(
          // A page that is to be recorded contains the recorder.
          ({ url, status }) =>
            status >= 400 && !url.startsWith(`${base_url}/posthog/static/lazy-recorder.js`),
        );
      expect(failures()).toEqual([]);
      expect(requests.map(({ url }) => url)).toContain(`${base_url}/posthog/flags/?v=2`);
      expect(shown).toEqual([false, expect.objectContaining({ size: expect.any(Number) })]);
      await eventually(async () =>
        expect(await page.evaluate(() => Object(globalThis).posthog.posthog.getFeatureFlag('ph-plan'))).toBe(
          true,
        ),
      );
      await eventually(
        async () => {
          const { ids, traits, events } = await person('posthog-browser');
          expect([ids, traits]).toMatchObject([
            [visitor, 'posthog-browser'].sort(),
            { plan: 'pro', source: 'news' },
          ]);
          const names = events.map(({ name }: { name: string }) => name);
          expect(names).toEqual(expect.arrayContaining(['page viewed', 'browser paid']));
          const view = events.find(({ name }: { name: string }) => name === 'page viewed');
          expect(view.properties).toMatchObject({
            path: '/',
            utm_source: 'news',
            browser: 'Chrome',
            device: 'desktop',
          });
          expect(JSON.stringify(view)).not.toContain('a@b.c');
        },
        { withinMs: 60_000 },
      );
      expect(failures()).toEqual([]);
    },
    120_000,
  );

  test.skipIf(!hasChromium)(
    'posthog-js records a masked page, which plays in order, and a body that is sent again is stored once',
    async () => {
      const { base_url, project_id, project_key, tokens } = running.demo;
      const context = await recorded.visitor();
      onTestFinished(() => context.close());
      const page = await recorded.open(context, '/?mail=a@b.c');
      const failed: string[] = [];
      const sent: { url: string; body: Buffer | null }[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) failed.push(`${answer.status()} ${answer.url()}`);
      });
      page.on('request', (request) => {
        if (request.url().startsWith(`${base_url}/posthog/s/`))
          sent.push({ url: request.url(), body: request.postDataBuffer() });
      });
      await page.evaluate(
        ([key, host]) => {
          const { posthog } = Object(globalThis).recorder;
          posthog.init(key, { api_host: host, opt_out_useragent_filter: true });
          posthog.identify('posthog-recorded');
        },
        [project_key, `${base_url}/posthog`] as const,
      );
      await page.waitForFunction('recorder.posthog.sessionRecordingStarted()');
      await page.locator('#card').pressSequentially('4111 secret');
      await page.getByRole('button', { name: 'Pay' }).click();
      await eventually(() => expect(sent.length).toBeGreaterThan(0), { withinMs: 30_000 });
      await page.getByRole('button', { name: 'Ship' }).click();

      const read = async (path: string) => {
        const headers = { Authorization: `Bearer ${tokens.owner}` };
        return (await fetch(`${base_url}/v1/projects/${project_id}/replays${path}`, { headers })).json();
      };
      const { session, text } = await eventually(
        async () => {
          const { replays } = Object(await read('?distinct_id=posthog-recorded'));
          expect(replays).toMatchObject([{ masked: false, missing: 0, complete: true }]);
          const { sessionId } = replays[0];
          const all = JSON.stringify(await read(`/${sessionId}/events`));
          expect(all).toContain('"textContent":"Shipped"');
          return { session: sessionId, text: all };
        },
        { withinMs: 60_000 },
      );
      const recording: { type: number; timestamp: number }[] = JSON.parse(text);
      expect(recording.map(({ type }) => type)).toEqual(expect.arrayContaining([2, 3, 4]));
      expect(sent.length).toBeGreaterThan(1);
      const times = recording.map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      expect(text).toContain('"text":"***********"');
      for (const secret of ['4111', 'secret', 'Lovelace', 'a@b.c']) expect(text).not.toContain(secret);
      await eventually(
        async () => {
          const { events } = await person('posthog-recorded');
          expect(new Set(events.map((event: { sessionId: string }) => event.sessionId))).toEqual(
            new Set([session]),
          );
        },
        { withinMs: 60_000 },
      );

      const viewer = await recorded.open(await recorded.visitor());
      onTestFinished(() => viewer.context().close());
      await viewer.evaluate(
        `shown = new player.default({ target: document.body, props: { events: ${text}, autoPlay: false } }); shown.goto(1e9, false)`,
      );
      await viewer
        .frameLocator('iframe')
        .locator('h1', { hasText: 'Shipped' })
        .waitFor({ state: 'attached' });

      const [first] = sent;
      const again = await fetch(first?.url ?? '', {
        method: 'POST',
        body: new Uint8Array(first?.body ?? []),
      });
      expect(again.status).toBe(200);
      await eventually(async () => expect(Object(await read(`/${session}`)).duplicates).toBeGreaterThan(0), {
        withinMs: 60_000,
      });
      const after: { type: number }[] = Object(await read(`/${session}/events`));
      const snapshots = (all: readonly { type: number }[]) => all.filter(({ type }) => type === 2).length;
      expect(snapshots(after)).toBe(snapshots(recording));
      expect(failed).toEqual([]);
    },
    120_000,
  );
});

describe('what arrives by which wire', () => {
  /** Their names for themselves, without versions. */
  const SDKS = {
    segment: '@segment/analytics-node',
    unleash: 'unleash-node-sdk',
    posthog: 'posthog-node',
  };

  test('is listed with the SDKs and what was not kept, by the API and by the command', async () => {
    const { base_url, project_id, project_key, tokens } = running.demo;
    const item = { type: 'track', event: 'paid', userId: 'ada', context: { ip: '203.0.113.7' } };
    await fetch(`${base_url}/segment/v1/batch`, {
      method: 'POST',
      body: JSON.stringify({ writeKey: project_key, batch: [item] }),
    });
    const client = createClient({ url: base_url, token: tokens.owner });
    await eventually(
      async () => {
        const { wires } = await client.call('listWireUsage', { params: { projectId: project_id } });
        for (const [wire, name] of Object.entries(SDKS)) {
          const found = wires.find((one) => one.wire === wire);
          expect(found?.on).toBe(true);
          expect(found?.sdks.map((sdk) => sdk.name)).toContain(name);
          expect(found?.requests.day).toBeGreaterThan(0);
        }
        const losses = wires.flatMap((one) => one.losses.map(({ reason }) => `${one.wire}: ${reason}`));
        expect(losses).toContain('segment: context.ip: not kept');
      },
      { withinMs: 120_000 },
    );
    const env = { SWITCHBOARD_URL: base_url, SWITCHBOARD_TOKEN: tokens.owner };
    const { out } = await runCommand(['wires', project_id], env);
    expect(out).toMatch(/^segment +on +\d+/m);
    expect(out).toMatch(/^ +unleash-node-sdk \d/m);
  }, 150_000);

  test.skipIf(!hasChromium)('is in the settings of the project', async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const path = `/projects/${running.demo.project_id}/settings/project`;
    const { page, problems } = await openConsole(browser, running.demo, path, {
      token: running.demo.tokens.owner,
    });
    const rows = page.getByRole('table', { name: 'What arrives' }).getByRole('row');
    await expect.poll(() => rows.filter({ hasText: 'Unleash' }).textContent()).toMatch(/On.*ago|On.*now/);
    await page.getByRole('table', { name: 'SDKs' }).getByText('posthog-node').first().waitFor();
    await page.getByRole('table', { name: 'Not kept' }).getByText('context.ip').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await lookAt(page, 'project-arrivals', [1920, 1280, 768, 390]);
    expect(problems).toEqual([]);
  });
});

describe('everything killed while SDKs send', () => {
  interface Address {
    base_url: string;
    project_key: string;
  }
  /** An SDK that joins an account and a visitor, and sends events with these ids. */
  interface Sender {
    account: string;
    visitor: string;
    send(ids: readonly string[], address: Address): Promise<unknown>;
  }
  const EVENTS = 80;
  const PAUSE_MS = 50;

  async function paced(ids: readonly string[], track: (id: string) => void): Promise<void> {
    for (const id of ids) {
      track(id);
      await sleep(PAUSE_MS);
    }
  }

  const segment: Sender = {
    account: 'killed-segment',
    visitor: 'killed-segment-visitor',
    async send(ids, { base_url, project_key }) {
      const path = '/segment/v1/batch';
      const sdk = new Analytics({
        writeKey: project_key,
        host: base_url,
        path,
        flushAt: 5,
        flushInterval: 100,
      });
      sdk.identify({ userId: this.account, anonymousId: this.visitor, traits: { plan: 'pro' } });
      await paced(ids, (messageId) => sdk.track({ userId: this.account, event: 'paid', messageId }));
      await sdk.closeAndFlush({ timeout: 60_000 });
    },
  };

  const rudder: Sender = {
    account: 'killed-rudder',
    visitor: 'killed-rudder-visitor',
    async send(ids, { base_url, project_key }) {
      const options = { dataPlaneUrl: `${base_url}/segment`, flushAt: 5, flushInterval: 100, retryCount: 10 };
      const sdk = new RudderAnalytics(project_key, options);
      sdk.identify({ userId: this.account, anonymousId: this.visitor, traits: { plan: 'pro' } });
      await paced(ids, (messageId) => {
        const message = { userId: this.account, event: 'paid', messageId };
        sdk.track(message);
      });
      await sdk.flush();
    },
  };

  const posthog: Sender = {
    account: 'killed-posthog',
    visitor: 'killed-posthog-visitor',
    async send(ids, { base_url, project_key }) {
      const retries = { flushAt: 5, flushInterval: 100, fetchRetryDelay: 500, fetchRetryCount: 20 };
      const sdk = new PostHog(project_key, { host: `${base_url}/posthog`, ...retries });
      sdk.identify({ distinctId: this.account, properties: { plan: 'pro' } });
      sdk.alias({ distinctId: this.account, alias: this.visitor });
      await paced(ids, (uuid) => sdk.capture({ distinctId: this.account, event: 'paid', uuid }));
      await sdk.shutdown(60_000);
    },
  };

  const posthogInPage = (page: Page): Sender => ({
    account: 'killed-posthog-page',
    visitor: 'killed-posthog-page-visitor',
    send(ids, { base_url, project_key }) {
      const { account, visitor } = this;
      return page.evaluate(
        async ([key, host, visitorId, accountId, uuids, pauseMs]) => {
          const { posthog: sdk } = Object(globalThis).posthog;
          sdk.init(key, {
            api_host: host,
            bootstrap: { distinctID: visitorId },
            opt_out_useragent_filter: true,
            disable_compression: true,
            request_queue_config: { flush_interval_ms: 250 },
          });
          sdk.identify(accountId, { plan: 'pro' });
          for (const uuid of uuids) {
            sdk.capture('paid', {}, { uuid });
            await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
        },
        [project_key, `${base_url}/posthog`, visitor, account, ids, PAUSE_MS] as const,
      );
    },
  });

  const segmentInPage = (page: Page): Sender => ({
    account: 'killed-segment-page',
    visitor: 'killed-segment-page-visitor',
    send(ids, { base_url, project_key }) {
      const { account, visitor } = this;
      return page.evaluate(
        async ([key, host, visitorId, accountId, messageIds, pauseMs]) => {
          const sdk = Object(globalThis).segment.AnalyticsBrowser.load({
            writeKey: key,
            cdnSettings: {
              integrations: { 'Segment.io': { apiKey: key, apiHost: host, protocol: 'http' } },
            },
          });
          await sdk.setAnonymousId(visitorId);
          void sdk.identify(accountId, { plan: 'pro' });
          for (const messageId of messageIds) {
            void sdk.track('paid', {}, { messageId });
            await new Promise((resolve) => setTimeout(resolve, pauseMs));
          }
        },
        [
          project_key,
          `${base_url.replace('http://', '')}/segment/v1`,
          visitor,
          account,
          ids,
          PAUSE_MS,
        ] as const,
      );
    },
  });

  const asked = { people: [], pause_ms: PAUSE_MS };
  const python: Sender = {
    account: 'python-ada',
    visitor: 'python-visitor',
    send: (ids, address) => runPython('posthog_client.py', { ...asked, ids }, address),
  };
  const go: Sender = {
    account: 'go-ada',
    visitor: 'go-visitor',
    send: (ids, address) => runGo('posthog', { ...asked, ids }, address),
  };
  const onServers = [
    ...(hasPython('posthog') ? [python] : []),
    ...(hasGo ? [go] : []),
    segment,
    rudder,
    posthog,
  ];

  test('each event is archived once, visitor and account are one person, and flags are the same', async () => {
    // Builds it before the others send.
    if (hasGo) await runGo('posthog', { ...asked, ids: [] }, running.demo);
    const openPage = async () => (await visited('/')).page;
    const inPages = hasChromium ? [posthogInPage(await openPage()), segmentInPage(await openPage())] : [];
    const senders = [...onServers, ...inPages];
    const link = await faultyLink(running.demo.base_url);
    onTestFinished(link.close);
    const address = { base_url: link.url, project_key: running.demo.project_key };
    const unleash = initialize({
      url: `${link.url}/unleash/api`,
      appName: 'killed',
      customHeaders: { Authorization: address.project_key },
      refreshInterval: 200,
    });
    onTestFinished(() => unleash.destroy());
    unleash.on('error', () => undefined);
    await new Promise((resolve) => unleash.once('synchronized', resolve));

    const sent = senders.map((sender) => ({
      sender,
      ids: Array.from({ length: EVENTS }, () => crypto.randomUUID()),
    }));
    const hasArrived = (id = '') => link.arrivals.some(({ body }) => body.includes(id));
    const sending: Promise<unknown>[] = [];
    // One after the other: programs take a while to start.
    for (const { sender, ids } of sent) {
      sending.push(sender.send(ids, address));
      await eventually(() => expect(hasArrived(ids[2])).toBe(true), { withinMs: 60_000 });
    }
    expect(sent.filter(({ ids }) => hasArrived(ids.at(-1)))).toEqual([]);
    await running.killAndStart();
    link.upstream = running.demo.base_url;
    await Promise.all(sending);
    await expectArchivedOnce(sent.flatMap(({ ids }) => ids));
    for (const { account, visitor } of senders)
      await eventually(
        async () =>
          expect(await person(visitor)).toMatchObject({
            ids: [account, visitor].sort(),
            traits: { plan: 'pro' },
          }),
        { withinMs: 60_000 },
      );

    const { management_url, project_id: projectId, tokens } = running.demo;
    const management = createClient({ url: management_url, token: tokens.operator });
    const body = { enabled: true, rolloutPercentage: 100 };
    await management.untyped.call('putFlag', { params: { projectId, key: 'after-kill' }, body });
    await eventually(() => expect(unleash.isEnabled('after-kill')).toBe(true), { withinMs: 60_000 });
    expectOurs(answersOf(unleash));
  }, 180_000);
});
