import { runInProcess } from '@switchboard/cli/testing';
import { createClient } from '@switchboard/management';
import { documented, eventually, hasChromium } from '@switchboard/testkit';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { archivedEvents } from './testing/archived.ts';
import { type FaultyLink, faultyLink } from './testing/faulty-link.ts';
import { standaloneForTests } from './testing/launch.ts';
import { siteForTests } from './testing/sdk-page.ts';
import { silentLink } from './testing/silent-link.ts';

/** The beginning of a page without a module. */
const LOADED = '<!doctype html><body><script>globalThis.isLoaded = true</script>';

describe.skipIf(!hasChromium)('standalone in a browser, with the SDKs', () => {
  const running = standaloneForTests();
  const site = siteForTests({
    modules: {
      switchboard: import.meta.resolve('@switchboard/browser'),
      replay: import.meta.resolve('@switchboard/replay'),
      player: import.meta.resolve('rrweb-player'),
      hooks: import.meta.resolve('@switchboard/react'),
      react: import.meta.resolve('react'),
      dom: import.meta.resolve('react-dom/client'),
      server: import.meta.resolve('react-dom/server.browser'),
      openfeature: import.meta.resolve('@openfeature/web-sdk'),
      provider: import.meta.resolve('@switchboard/openfeature-web'),
    },
    scripts: {
      browser: documented('packages/sdk/browser/README.md', 'js'),
      replay: documented('packages/sdk/replay/README.md', 'js'),
      messenger: documented('packages/sdk/messenger/README.md', 'js'),
      react: documented('packages/sdk/react/README.md', 'jsx'),
      'openfeature-web': documented('packages/sdk/openfeature-web/README.md', 'js'),
    },
    pages: {
      '/script-of-readme': `${LOADED}${documented('packages/sdk/browser/README.md', 'html')}`,
      '/script-of-docs': `${LOADED}${documented('docs/sdks.md#without-a-bundler', 'html')}`,
    },
    body: `<button id="buy">Buy <b>now</b></button><input id="name"><div id="root"></div>
      <div data-switchboard-block><button id="private">Ada</button></div><p data-switchboard-mask>Lovelace</p>`,
  });
  let link: FaultyLink;
  const contexts: BrowserContext[] = [];
  /** The ids that `track` returned. The archive must have each of them once. */
  const accepted: string[] = [];

  beforeAll(async () => {
    link = await faultyLink(running.demo.eu_api_url);
  });
  afterEach(async () => {
    link.fault = undefined;
    link.arrivals.length = 0;
    for (const context of contexts.splice(0)) {
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
  afterAll(() => link.close());

  async function visitor(): Promise<BrowserContext> {
    const context = await site.visitor();
    contexts.push(context);
    return context;
  }

  /** Opens a page on which `sb` is the client, and `errors` contains its reported errors. */
  async function open(context: BrowserContext, options: object = {}, path = '/'): Promise<Page> {
    const page = await site.open(context, path);
    await start(page, options);
    return page;
  }

  const start = (page: Page, options: object = {}) => {
    const { base_url, eu_replay_url, project_key } = running.demo;
    const all = {
      key: project_key,
      host: base_url,
      eventsHost: link.url,
      replayHost: eu_replay_url,
      flushMs: 100,
    };
    return page.evaluate(
      `errors = []; sb = switchboard.init({ ...${JSON.stringify({ ...all, ...options })}, onError: (error) => errors.push(error) });`,
    );
  };

  /** Tracks events one after another, and returns those that were accepted. */
  async function track(page: Page, name: string, count: number): Promise<string[]> {
    const ids = (await page.evaluate(
      `Promise.all(Array.from({ length: ${count} }, (_, n) => sb.track('${name}', { n })))`,
    )) as string[];
    expect(new Set(ids).size).toBe(count);
    accepted.push(...ids);
    return ids;
  }

  const idsIn = (path = '/v1/events') =>
    link.arrivals
      .filter((one) => one.path === path && one.fault !== 'busy' && one.fault !== 'limited')
      .flatMap(({ body }) => (JSON.parse(body) as { events: { event_id: string }[] }).events)
      .map(({ event_id }) => event_id);

  const arrived = (ids: string[]) =>
    eventually(() => expect(idsIn()).toEqual(expect.arrayContaining(ids)), { withinMs: 20_000 });

  it('sends events with the person, the session and the page', async () => {
    const page = await open(
      await visitor(),
      { pageViews: true, clicks: true },
      '/tents?q=secret&utm_source=mail',
    );
    const [id = ''] = await track(page, 'order placed', 1);
    await page.click('#buy');
    await page.click('#private');
    await page.evaluate(`history.pushState({}, '', '/stoves')`);
    await eventually(() => expect(idsIn()).toHaveLength(4));
    const events = link.arrivals.flatMap(({ body }) => JSON.parse(body).events) as Record<string, unknown>[];
    accepted.push(...idsIn().filter((one) => one !== id));
    expect(new Set(events.map(({ session_id }) => session_id)).size).toBe(1);
    expect(events[0]).toMatchObject({
      event_name: 'page viewed',
      distinct_id: expect.stringMatching(/^anonymous-/),
      schema_version: 1,
      properties: {
        path: '/tents',
        utm_source: 'mail',
        title: 'Shop',
        referrer: null,
        browser: 'Chrome',
        device: 'desktop',
        screen: expect.stringMatching(/^\d+x\d+$/),
        time_zone: expect.stringMatching(/^[A-Z]/),
      },
      context: { locale: 'en-US', os: 'Linux', sdk: 'browser' },
    });
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(events.slice(1)).toMatchObject([
      { event_name: 'order placed', event_id: id, properties: { n: 0 } },
      { event_name: 'element clicked', properties: { tag: 'button', id: 'buy', text: 'Buy now' } },
      { event_name: 'page viewed', properties: { path: '/stoves' } },
    ]);
  });

  it('sends only the host of the page that led to a page, and nothing for a page of the same site', async () => {
    const page = await open(await visitor());
    const referrers: unknown[] = [];
    for (const referer of ['https://www.news.example/article?id=7', page.url()]) {
      await page.goto(page.url(), { referer });
      await page.waitForFunction('globalThis.isLoaded');
      await start(page);
      const id = (await page.evaluate('sb.page()')) as string;
      accepted.push(id);
      const { properties } = await eventually(async () => {
        const sent = link.arrivals.flatMap(({ body }) => JSON.parse(body).events ?? []);
        return sent.find(({ event_id }) => event_id === id) ?? Promise.reject(new Error('not sent yet'));
      });
      referrers.push(properties.referrer);
    }
    expect(referrers).toEqual(['news.example', null]);
  });

  it('keeps the person across visits, and the session within a tab', async () => {
    const context = await visitor();
    const page = await open(context);
    const ids = '[sb.distinctId, sb.sessionId]';
    const before = await page.evaluate(ids);
    await page.reload();
    await page.waitForFunction('globalThis.isLoaded');
    await start(page);
    expect(await page.evaluate(ids)).toEqual(before);
    const other = (await (await open(context)).evaluate(ids)) as string[];
    expect(other[0]).toBe((before as string[])[0]);
    expect(other[1]).not.toBe((before as string[])[1]);
    expect(await context.cookies()).toEqual([]);
    await page.evaluate('sb.reset()');
    expect(await page.evaluate('sb.distinctId')).not.toBe(other[0]);
  });

  it('sends events that were tracked offline', async () => {
    const context = await visitor();
    const page = await open(context);
    await context.setOffline(true);
    const ids = await track(page, 'offline', 30);
    await page.evaluate('sb.flush()');
    expect(idsIn()).toEqual([]);
    await context.setOffline(false);
    await arrived(ids);
  });

  it.each(['busy', 'limited'] as const)('waits as long as a server that is %s asks for', async (fault) => {
    const page = await open(await visitor());
    link.fault = fault;
    const ids = await track(page, fault, 20);
    await eventually(() => expect(link.arrivals.length).toBeGreaterThan(1), { withinMs: 20_000 });
    link.fault = undefined;
    await arrived(ids);
    const times = link.arrivals.map(({ at }) => at);
    expect(times.slice(1).map((at, index) => at - (times[index] ?? 0) >= 1000)).not.toContain(false);
  });

  it('sends events again with the same ids when the page was closed while it sent them', async () => {
    const context = await visitor();
    const page = await open(context);
    link.fault = 'lost';
    const ids = await track(page, 'closed', 20);
    await arrived(ids);
    await page.close();
    link.arrivals.length = 0;
    link.fault = undefined;
    await open(context);
    await arrived(ids);
  });

  it('loses no event that is tracked while the visitor leaves', async () => {
    const context = await visitor();
    const page = await open(context);
    const ids = await track(page, 'stored', 5);
    await page.evaluate(
      `for (let n = 0; n < 5; n++) void sb.track('leaving', { n }); location.href = '/next'`,
    );
    await page.waitForURL('**/next');
    await page.waitForFunction('globalThis.isLoaded');
    await start(page);
    await arrived(ids);
    const leaving = () =>
      new Set(
        link.arrivals
          .flatMap(({ body }) => JSON.parse(body).events as { event_name: string; event_id: string }[])
          .filter(({ event_name }) => event_name === 'leaving')
          .map(({ event_id }) => event_id),
      );
    await eventually(() => expect(leaving().size).toBe(5));
    accepted.push(...leaving());
  });

  it('shares one queue among tabs, which send each event once', async () => {
    const context = await visitor();
    const pages = await Promise.all([open(context), open(context)]);
    const ids = (await Promise.all(pages.map((page, tab) => track(page, `tab ${tab}`, 300)))).flat();
    await arrived(ids);
    expect(idsIn().filter((id) => ids.includes(id))).toHaveLength(ids.length);
  });

  it.each([1, -1])('stores the correct time with a clock that is %d hours off', async (hours) => {
    const context = await visitor();
    await context.addInitScript(`
      const Real = Date, shift = ${hours * 3_600_000};
      globalThis.Date = class extends Real {
        constructor(...given) { if (given.length === 0) super(Real.now() + shift); else super(...given); }
        static now() { return Real.now() + shift; }
      };`);
    const page = await open(context);
    await arrived(await track(page, `clock ${hours}`, 10));
  });

  it('splits a batch that is too large, drops rejected events, and reports them', async () => {
    const page = await open(await visitor(), { flushMs: 1000 });
    const ids = (await page.evaluate(`Promise.all([
      sb.track('good'),
      sb.track('many values', { list: Array(140_000).fill(0) }),
      sb.track('no properties', [1]),
      sb.track('many values', { list: Array(140_000).fill(0) }),
      sb.track('too many values', { list: Array(90_000).fill([]) }),
      sb.track('good'),
    ])`)) as string[];
    await eventually(
      async () =>
        expect(await page.evaluate('errors.filter(({ code }) => code === "rejected").length')).toBe(2),
      { withinMs: 20_000 },
    );
    await page.evaluate('sb.flush()');
    const [first, large, unnamed, second, tooLarge, last] = ids;
    expect(await page.evaluate('errors')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'rejected', eventId: unnamed, status: 400 }),
        expect.objectContaining({ code: 'rejected', eventId: tooLarge }),
      ]),
    );
    accepted.push(...[first, large, second, last].map(String));
  });

  it('never throws, and reports what cannot be sent', async () => {
    const page = await open(await visitor());
    const answers = await page.evaluate(`(async () => {
      const circular = {}; circular.self = circular;
      return [await sb.track('a', circular), await sb.track('b', { n: 1n }), await sb.identify(''),
        await sb.track('c', { text: 'x'.repeat(400_000) }), typeof sb.flags.get('x', 'y')];
    })()`);
    expect(answers).toEqual([undefined, undefined, undefined, undefined, 'string']);
    const wrong =
      "switchboard.init({ key: 'none', host: 'no address', storage: 'memory' }).flags.get('x', 1)";
    expect(await page.evaluate(wrong)).toBe(1);
    expect(await page.evaluate("switchboard.init({}).track('x') instanceof Promise")).toBe(true);
    expect(await page.evaluate('errors.map(({ code }) => code)')).toEqual(Array(4).fill('invalid'));
  });

  it('keeps the current person when the server rejects the new id', async () => {
    const context = await visitor();
    const page = await open(context);
    const answers = await page.evaluate(`(async () => {
      await sb.identify('sdk-lin');
      const answers = [];
      for (const id of ['x'.repeat(201), '😀'.repeat(201), 'a\\0b', 'j😀'.slice(0, 2), ' ', '', 7, null, undefined]) {
        answers.push(await sb.identify(id), await sb.track(id), await sb.group('acme', {}, id ?? ''));
        if (id !== null) answers.push(await sb.group(id));
      }
      return answers.filter((answer) => answer !== undefined);
    })()`);
    expect(answers).toEqual([]);
    expect(await page.evaluate('sb.distinctId')).toBe('sdk-lin');
    expect(await page.evaluate('errors.map(({ code }) => code)')).toEqual(Array(35).fill('invalid'));
    expect(await page.evaluate(`errors.slice(0, 3).map(({ message }) => message)`)).toEqual([
      'identify: the id is longer than 200 characters.',
      'track: the name is longer than 200 characters.',
      'group: the type is longer than 200 characters.',
    ]);
    // The server must accept what the SDK accepts.
    const taken = await page.evaluate<string[]>(`(async () => {
      const longest = '😀'.repeat(200);
      await sb.group(null);
      return [await sb.identify(longest), await sb.track(longest), await sb.group(longest, {}, longest), await sb.track(' a ')];
    })()`);
    const [, longest = '', , last = ''] = taken;
    await arrived([longest, last]);
    accepted.push(longest, last);
    expect(await page.evaluate('errors.length')).toBe(35);
    // The format of an earlier version.
    await page.evaluate(
      `localStorage.setItem('switchboard:${running.demo.project_key}:person', JSON.stringify({ id: 'x'.repeat(201), isKnown: true }))`,
    );
    expect(await (await open(context)).evaluate('sb.distinctId')).toMatch(/^anonymous-/);
  });

  describe('identify with an anonymous id', () => {
    /** Returns the ids of the identify calls for people with a prefix, in order of arrival. A page may send one again. */
    const joins = (prefix: string) => {
      const calls = link.arrivals
        .filter(({ path }) => path === '/v1/identify')
        .map(({ body }) => JSON.parse(body))
        .filter(({ distinct_id }) => distinct_id.startsWith(prefix));
      const byId = new Map(calls.map((call) => [call.event_id, call]));
      return [...byId.values()].map(({ distinct_id, properties }) => [distinct_id, properties.anonymous_id]);
    };
    const distinctId = (page: Page) => page.evaluate<string>('sb.distinctId');

    it('names the anonymous id in the first identify call, and in no later one on any page or tab', async () => {
      const context = await visitor();
      const page = await open(context);
      const anonymous = await distinctId(page);
      await page.evaluate(`sb.identify('sdk-eve', { plan: 'pro' })`);
      await page.evaluate(`sb.identify('sdk-eve')`);
      const tab = await open(context);
      await tab.evaluate(`sb.identify('sdk-eve')`);
      await page.reload();
      await page.waitForFunction('globalThis.isLoaded');
      await start(page);
      await page.evaluate(`sb.identify('sdk-eve')`);
      await eventually(() => expect(joins('sdk-eve')).toHaveLength(4));
      expect(joins('sdk-eve')).toEqual([['sdk-eve', anonymous], ...Array(3).fill(['sdk-eve', undefined])]);
    });

    it('names a new anonymous id after reset, and none when the next person signs in without it', async () => {
      const page = await open(await visitor());
      const first = await distinctId(page);
      await page.evaluate(`sb.identify('sdk-next-eve')`);
      await page.evaluate(`sb.identify('sdk-next-mallory')`);
      await page.evaluate('sb.reset()');
      const second = await distinctId(page);
      expect(second).not.toBe(first);
      await page.evaluate(`sb.identify('sdk-next-mallory')`);
      await eventually(() => expect(joins('sdk-next')).toHaveLength(3));
      expect(joins('sdk-next')).toEqual([
        ['sdk-next-eve', first],
        ['sdk-next-mallory', undefined],
        ['sdk-next-mallory', second],
      ]);
    });

    it('names the anonymous id after a reload when the visitor signed in offline, between the events around it', async () => {
      const context = await visitor();
      const page = await open(context);
      const anonymous = await distinctId(page);
      link.fault = 'gone';
      const ids = await page.evaluate<string[]>(
        `Promise.all([sb.track('before'), sb.identify('sdk-off', { plan: 'pro' }), sb.track('after')])`,
      );
      await page.reload();
      await page.waitForFunction('globalThis.isLoaded');
      link.fault = undefined;
      await start(page);
      const [before = '', , after = ''] = ids;
      await arrived([before, after]);
      accepted.push(before, after);
      await eventually(() => expect(joins('sdk-off')).toEqual([['sdk-off', anonymous]]));
      const sent = link.arrivals.flatMap(({ body }) => {
        const one = JSON.parse(body);
        return (one.events ?? [one]) as { event_id: string; distinct_id: string; timestamp: string }[];
      });
      const inOrder = ids.map((id) => sent.find(({ event_id }) => event_id === id));
      expect(inOrder.map((one) => one?.distinct_id)).toEqual([anonymous, 'sdk-off', 'sdk-off']);
      const times = inOrder.map((one) => one?.timestamp);
      expect(times).toEqual(times.toSorted());
    });

    it('names the anonymous id in the next identify call when the first could not be queued', async () => {
      const page = await open(await visitor());
      const anonymous = await distinctId(page);
      expect(await page.evaluate(`sb.identify('sdk-big', { text: 'x'.repeat(400_000) })`)).toBeUndefined();
      await page.evaluate(`sb.identify('sdk-big')`);
      await page.evaluate(`sb.identify('sdk-big')`);
      await eventually(() => expect(joins('sdk-big')).toHaveLength(2));
      expect(joins('sdk-big')).toEqual([
        ['sdk-big', anonymous],
        ['sdk-big', undefined],
      ]);
    });

    it('names the anonymous id once in a call that waited for consent', async () => {
      const page = await open(await visitor(), { consent: 'pending' });
      await page.evaluate(`sb.identify('sdk-consent')`);
      await page.evaluate(`sb.setConsent('granted')`);
      await eventually(() =>
        expect(joins('sdk-consent')).toEqual([['sdk-consent', expect.stringMatching(/^anonymous-/)]]),
      );
      await page.evaluate(`sb.identify('sdk-consent')`);
      await eventually(() => expect(joins('sdk-consent')).toHaveLength(2));
      expect(joins('sdk-consent')[1]).toEqual(['sdk-consent', undefined]);
    });

    it('names the anonymous id in identify of the client that useSwitchboard returns', async () => {
      const page = await open(await visitor());
      const anonymous = await distinctId(page);
      await page.evaluate(`(() => {
        const { createElement } = react;
        const SignIn = () => {
          const client = hooks.useSwitchboard();
          return createElement('button', { id: 'sign-in', onClick: () => void client.identify('sdk-react') }, 'Sign in');
        };
        dom.createRoot(document.getElementById('root')).render(
          createElement(hooks.SwitchboardProvider, { client: sb }, createElement(SignIn)),
        );
      })()`);
      await page.click('#sign-in');
      await eventually(() => expect(joins('sdk-react')).toContainEqual(['sdk-react', anonymous]));
    });
  });

  it('accepts null for no properties and no traits', async () => {
    const page = await open(await visitor());
    const ids = await page.evaluate<string[]>(
      `Promise.all([sb.track('null', null), sb.page(null), sb.identify('sdk-null', null), sb.group('acme', null, null)])`,
    );
    await arrived(ids.slice(0, 2));
    accepted.push(...ids.slice(0, 2));
    await eventually(() =>
      expect(link.arrivals.map(({ path }) => path)).toEqual(
        expect.arrayContaining(['/v1/identify', '/v1/group']),
      ),
    );
    await page.evaluate('sb.flush()');
    expect(await page.evaluate('errors')).toEqual([]);
  });

  it('bounds the events that it queues', async () => {
    const context = await visitor();
    await context.setOffline(false);
    const page = await open(context);
    await context.setOffline(true);
    const ids = (await page.evaluate(
      `(async () => { const ids = []; for (let n = 0; n < 40; n++) ids.push(await sb.track('large', { text: 'x'.repeat(290_000) })); return ids; })()`,
    )) as (string | undefined)[];
    const taken = ids.filter((id) => id !== undefined && id !== null);
    expect(taken).toHaveLength(27); // 8 MB
    expect(await page.evaluate('errors.map(({ code }) => code)')).toEqual(Array(13).fill('full'));
    await page.evaluate('sb.setConsent("denied")'); // they need not be sent
  });

  it('stores and sends nothing before consent, and deletes everything when consent is denied', async () => {
    const context = await visitor();
    const page = await open(context, { consent: 'pending' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const kept = `(async () => [Object.keys(localStorage), Object.keys(sessionStorage), await indexedDB.databases()])()`;
    await page.evaluate(
      `(async () => { await sb.track('before'); await sb.identify('ada'); sb.flags.get('x', 1); await sb.flush(); })()`,
    );
    expect(await page.evaluate(kept)).toEqual([[], [], []]);
    expect(asked).toEqual([]);
    await page.evaluate('sb.setConsent("granted")');
    await eventually(() => expect(link.arrivals.map(({ path }) => path)).toContain('/v1/identify'));
    await eventually(() => expect(idsIn()).toHaveLength(1));
    accepted.push(...idsIn());
    const prefix = `switchboard:${running.demo.project_key}:`;
    const names = ['consent', 'flags', 'person'].map((name) => `${prefix}${name}`);
    await page.waitForFunction(`${JSON.stringify(names)}.every((name) => name in localStorage)`);
    await page.evaluate('sb.setConsent("denied")');
    await eventually(async () => expect(await page.evaluate(kept)).toEqual([[`${prefix}consent`], [], []]));
    expect(await page.evaluate('sb.track("after")')).toBeUndefined();
  });

  it('treats Do Not Track and Global Privacy Control as denied consent', async () => {
    const context = await visitor();
    await context.addInitScript(`Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })`);
    const page = await open(context);
    expect(await page.evaluate('sb.consent')).toBe('denied');
    expect(await page.evaluate(`sb.track('x')`)).toBeUndefined();
    const denied = [{ code: 'denied', message: expect.stringContaining('Global Privacy Control') }];
    expect(await page.evaluate('errors')).toEqual(denied);
    await page.evaluate('sb.setConsent("granted")');
    expect(await page.evaluate('sb.consent')).toBe('granted');
    expect(await page.evaluate('errors')).toEqual(denied);
    // The visitor's own choice must not be reported as an error.
    for (const choice of ['granted', 'denied']) {
      await page.evaluate(`sb.setConsent('${choice}')`);
      const next = await open(context);
      expect(await next.evaluate('[sb.consent, errors]')).toEqual([choice, []]);
    }
    const ignoring = await open(await visitor(), { ignoreDoNotTrack: true });
    expect(await ignoring.evaluate('[sb.consent, errors]')).toEqual(['granted', []]);
  });

  it('shows flag values of the page first, and those of the previous visit only without them', async () => {
    const context = await visitor();
    const page = await open(context);
    await page.evaluate('sb.flags.ready()');
    expect(await page.evaluate(`sb.flags.get('results-per-page', 0) > 0`)).toBe(true);
    await context.setOffline(true);
    const first = async (options: object) => {
      await start(page, options);
      return page.evaluate(`[sb.flags.get('results-per-page', -1), sb.flags.variant('results-per-page')]`);
    };
    const kept = await first({});
    expect(kept).toEqual([expect.any(Number), expect.any(String)]);
    const values = { flags: { 'results-per-page': 1 }, variants: { 'results-per-page': 'one' } };
    expect(await first({ bootstrap: values })).toEqual([1, 'one']);
    expect(await first({ bootstrap: { flags: {} } })).toEqual([-1, undefined]);
    expect(await first({})).toEqual(kept);
  });

  it('evaluates flags with the traits just set, follows changes, and has them at once on the next page', async () => {
    const context = await visitor();
    const page = await open(context);
    expect(await page.evaluate(`sb.flags.get('pro-dashboard', false)`)).toBe(false);
    await page.evaluate(
      `(async () => { void sb.identify('sdk-ada', { plan: 'pro' }); await sb.flags.ready(); })()`,
    );
    expect(await page.evaluate(`sb.flags.get('pro-dashboard', false)`)).toBe(true);

    const { management_url, project_id, tokens } = running.demo;
    const flag = `${management_url}/management/v1/projects/${project_id}/flags/sdk-colour`;
    const put = await fetch(flag, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        enabled: true,
        rolloutPercentage: 100,
        type: 'string',
        variations: [{ key: 'green', value: '#0a0', weight: 1 }],
      }),
    });
    expect(put.ok).toBe(true);
    await page.waitForFunction(
      `sb.flags.get('sdk-colour', '') === '#0a0' && sb.flags.variant('sdk-colour') === 'green'`,
    );
    expect(await page.evaluate(`[sb.flags.get('sdk-colour', 7), sb.flags.get('toString', 'none')]`)).toEqual([
      7,
      'none',
    ]);

    await page.reload();
    await page.waitForFunction('globalThis.isLoaded');
    await context.setOffline(true);
    await start(page);
    expect(await page.evaluate(`sb.flags.get('sdk-colour', '')`)).toBe('#0a0');
  });

  it('reports the flags that a page used when the visitor leaves it, and none with the option off', async () => {
    const context = await visitor();
    const flagsLink = await faultyLink(running.demo.base_url);
    onTestFinished(flagsLink.close);
    const reports = () =>
      flagsLink.arrivals
        .filter(({ path }) => path === '/v1/flags/usage')
        .map(({ body }) => JSON.parse(body) as unknown);
    const asked: string[] = [];
    context.on('request', (request) => {
      if (request.url().includes('/v1/flags?')) asked.push(request.url());
    });
    const use = async (options: object) => {
      const page = await open(context, { host: flagsLink.url, ...options });
      await page.evaluate('sb.flags.ready()');
      await page.evaluate(`for (let time = 0; time < 3; time++) sb.flags.get('payments', false);
        sb.flags.variant('results-per-page'), sb.flags.get('unknown', 1), sb.flags.get('toString', 1)`);
      const variant = await page.evaluate(`sb.flags.variant('results-per-page')`);
      await page.goto('about:blank');
      await page.close();
      return variant;
    };
    const variation = await use({});
    await eventually(() => expect(reports()).toHaveLength(1));
    expect(reports()[0]).toEqual({
      api_key: running.demo.project_key,
      usage: [
        { flag: 'payments', variation: 'on', count: 3 },
        { flag: 'results-per-page', variation, count: 2 },
      ],
    });
    expect(asked.every((url) => url.endsWith('&usage=reported'))).toBe(true);
    asked.length = 0;
    await use({ usage: false });
    expect(reports()).toHaveLength(1);
    expect(asked.some((url) => url.includes('usage'))).toBe(false);
  });

  it('reads flags again after a failed read, while the socket is open', async () => {
    const context = await visitor();
    let refused = 0;
    await context.route('**/v1/flags?*', (route) => {
      if (refused++ >= 2) return route.continue();
      return route.fulfill({ status: 503, headers: { 'Access-Control-Allow-Origin': '*' } });
    });
    const page = await open(context);
    await page.waitForFunction(`sb.flags.get('results-per-page', 0) > 0`);
    expect(refused).toBeGreaterThan(2);
  });

  it('evaluates flags through OpenFeature, follows changes and the context, and tracks', async () => {
    const { base_url, management_url, project_id, project_key, tokens } = running.demo;
    const management = createClient({ url: management_url, token: tokens.operator });
    const put = (enabled: boolean) =>
      management.call('putFlag', {
        params: { projectId: project_id, key: 'sdk-plan' },
        body: {
          enabled,
          rolloutPercentage: 100,
          type: 'string',
          targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
          variations: [{ key: 'gold', value: 'Gold', weight: 1 }],
        },
      });
    await put(true);
    const page = await open(await visitor());
    await page.evaluate(`(async () => {
      const { OpenFeature, ProviderEvents } = openfeature;
      const options = { key: '${project_key}', host: '${base_url}', tracker: sb };
      changed = [];
      OpenFeature.addHandler(ProviderEvents.ConfigurationChanged, ({ flagsChanged }) => changed.push(...flagsChanged));
      const context = { targetingKey: 'of-ada', plan: 'pro' };
      await OpenFeature.setProviderAndWait(new provider.SwitchboardProvider(options), context);
      of = OpenFeature.getClient();
    })()`);
    const reports: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/flags/usage')) reports.push(JSON.parse(request.postData() ?? ''));
    });
    const plan = () => page.evaluate(`of.getStringDetails('sdk-plan', 'none')`);
    expect(await plan()).toMatchObject({ value: 'Gold', variant: 'gold', reason: 'TARGETING_MATCH' });
    expect(await page.evaluate(`of.getNumberDetails('sdk-plan', 7)`)).toMatchObject({
      value: 7,
      errorCode: 'TYPE_MISMATCH',
    });
    expect(await page.evaluate(`of.getBooleanDetails('missing', true)`)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    await put(false);
    await page.waitForFunction(`changed.includes('sdk-plan')`);
    expect(await plan()).toMatchObject({ value: 'none', reason: 'DISABLED' });
    await put(true);
    await page.waitForFunction(`of.getStringValue('sdk-plan', 'none') === 'Gold'`);
    await page.evaluate(`openfeature.OpenFeature.setContext({ targetingKey: 'of-ada', plan: 'free' })`);
    expect(await plan()).toMatchObject({ value: 'none' });
    await page.evaluate(`of.track('plan viewed', { value: 3 }); sb.flush()`);
    await eventually(() =>
      expect(link.arrivals.map(({ body }) => body).join()).toContain('"event_name":"plan viewed"'),
    );
    await page.evaluate(`openfeature.OpenFeature.close()`);
    expect(reports).toMatchObject([
      {
        api_key: running.demo.project_key,
        usage: expect.arrayContaining([expect.objectContaining({ flag: 'sdk-plan', variation: 'gold' })]),
      },
    ]);
    accepted.push(...idsIn());
  });

  it('never gives a person the flags of the previous person, and asks again after a failed request', async () => {
    const { base_url, management_url, project_id, project_key, tokens } = running.demo;
    const management = createClient({ url: management_url, token: tokens.operator });
    const put = (key: string, flag: object) =>
      management.untyped.call('putFlag', {
        params: { projectId: project_id, key },
        body: { enabled: true, rolloutPercentage: 100, ...flag },
      });
    await put('sdk-ada', { targeting: [{ attribute: 'distinct_id', op: 'eq', value: 'ada' }] });
    await put('sdk-killed', { enabled: false });
    const flagsLink = await faultyLink(base_url);
    onTestFinished(flagsLink.close);
    const page = await site.open(await visitor());
    const status = () => page.evaluate('of.providerStatus');
    const isReady = () => page.waitForFunction(`of.providerStatus === 'READY'`);
    const ada = (fallback: boolean) => page.evaluate(`of.getBooleanDetails('sdk-ada', ${fallback})`);
    const set = (context: object) => page.evaluate(`of_.setContext(${JSON.stringify(context)})`);

    flagsLink.fault = 'busy';
    await page.evaluate(`(async () => {
      of_ = openfeature.OpenFeature;
      of = of_.getClient();
      events = [];
      for (const event of ['Ready', 'Error']) of.addHandler(openfeature.ProviderEvents[event], () => events.push(event));
      const options = { key: '${project_key}', host: '${flagsLink.url}' };
      await of_.setProviderAndWait(new provider.SwitchboardProvider(options), { targetingKey: 'ada' }).catch(() => {});
    })()`);
    expect(await status()).toBe('ERROR');
    expect(await ada(true)).toMatchObject({ value: true, errorCode: 'PROVIDER_NOT_READY' });
    flagsLink.fault = undefined;
    await isReady();
    expect(await ada(false)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect(await page.evaluate(`of.getBooleanDetails('sdk-killed', true)`)).toMatchObject({
      value: false,
      reason: 'DISABLED',
    });

    flagsLink.fault = 'busy';
    await set({ targetingKey: 'bob' });
    expect(await status()).toBe('ERROR');
    expect(await ada(false)).toMatchObject({ value: false, errorCode: 'PROVIDER_NOT_READY' });
    expect(await ada(true)).toMatchObject({ value: true, errorCode: 'PROVIDER_NOT_READY' });
    flagsLink.fault = undefined;
    await isReady();
    expect(await ada(true)).toMatchObject({ value: false, reason: 'DEFAULT' });

    await set({ targetingKey: 'ada' });
    flagsLink.fault = 'busy';
    await set({ targetingKey: 'ada', plan: 'free' });
    expect(await ada(false)).toMatchObject({ value: true });
    flagsLink.fault = undefined;
    await isReady();
    expect(await page.evaluate('events')).toEqual(['Error', 'Ready', 'Error', 'Ready', 'Error', 'Ready']);
  });

  it('does not repeat a request with a context that the server rejected', async () => {
    const { base_url, project_key } = running.demo;
    const flagsLink = await faultyLink(base_url);
    onTestFinished(flagsLink.close);
    const page = await site.open(await visitor());
    await page.evaluate(`(async () => {
      of = openfeature.OpenFeature;
      const options = { key: '${project_key}', host: '${flagsLink.url}' };
      await of.setProviderAndWait(new provider.SwitchboardProvider(options), {}).catch(() => {});
      await of.setContext({ targetingKey: 'x'.repeat(201) });
      await of.setContext({ targetingKey: 'ada' });
    })()`);
    expect(await page.evaluate('of.getClient().providerStatus')).toBe('READY');
    const contexts = flagsLink.arrivals.map(({ body }) => JSON.parse(body).context.targetingKey?.length);
    expect(contexts.slice(0, 3)).toEqual([undefined, 201, 3]);
  });

  it.each([
    ['the page is visible again', `document.dispatchEvent(new Event('visibilitychange'))`],
    ['the browser is online again', `window.dispatchEvent(new Event('online'))`],
    ['no beat came for 75 s', undefined],
  ])('reads flags that a silent socket missed, when %s', async (_, event) => {
    const { base_url, management_url, project_id, tokens } = running.demo;
    const silent = await silentLink(base_url);
    onTestFinished(silent.close);
    const management = createClient({ url: management_url, token: tokens.operator });
    const put = (enabled: boolean) =>
      management.call('putFlag', {
        params: { projectId: project_id, key: 'sdk-silent' },
        body: { enabled, rolloutPercentage: 100 },
      });
    await put(false);
    const context = await visitor();
    await context.clock.install();
    const page = await open(context, { host: silent.url });
    expect(await page.evaluate(`sb.flags.ready().then(() => sb.flags.get('sdk-silent', false))`)).toBe(false);
    await put(true);
    await page.waitForFunction(`sb.flags.get('sdk-silent', false)`);
    // The second read after a change.
    await page.clock.runFor(5_000);
    silent.silence();
    await put(false);
    if (event === undefined) await page.clock.fastForward(80_000);
    else await page.evaluate(event);
    await page.waitForFunction(`!sb.flags.get('sdk-silent', true)`);
    expect(silent.opened).toBe(event === undefined ? 2 : 1);
  });

  it('replaces an OpenFeature stream that is silent for longer than the heartbeat of the server', async () => {
    const { base_url, management_url, project_id, project_key, tokens } = running.demo;
    const silent = await silentLink(base_url);
    onTestFinished(silent.close);
    const management = createClient({ url: management_url, token: tokens.operator });
    const put = (enabled: boolean) =>
      management.call('putFlag', {
        params: { projectId: project_id, key: 'sdk-stream' },
        body: { enabled, rolloutPercentage: 100 },
      });
    await put(true);
    const context = await visitor();
    await context.clock.install();
    await context.route('**/ofrep/v1/evaluate/flags*', async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({
        response,
        body: text.replaceAll(`${base_url}/ofrep/v1/changes`, `${silent.url}/ofrep/v1/changes`),
      });
    });
    const page = await open(context);
    await page.evaluate(`(async () => {
      const { OpenFeature } = openfeature;
      const options = { key: '${project_key}', host: '${base_url}' };
      await OpenFeature.setProviderAndWait(new provider.SwitchboardProvider(options), { targetingKey: 'silent-ada' });
      of = OpenFeature.getClient();
    })()`);
    await eventually(() => expect(silent.opened).toBe(1));
    await put(false);
    await page.waitForFunction(`!of.getBooleanValue('sdk-stream', true)`);
    silent.silence();
    await put(true);
    await page.clock.fastForward(80_000);
    await page.clock.fastForward(80_000);
    await page.waitForFunction(`of.getBooleanValue('sdk-stream', false)`);
    await eventually(() => expect(silent.opened).toBe(2));
  });

  it('reads the inbox and marks messages as read', async () => {
    const { management_url, project_id, tokens } = running.demo;
    const sent = await fetch(`${management_url}/management/v1/projects/${project_id}/messages`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ distinctIds: ['sdk-grace'], title: 'New', body: 'Saved views' }),
    });
    expect(sent.status).toBe(201);
    const page = await open(await visitor());
    await page.evaluate(`sb.identify('sdk-grace'); sb.inbox.onChange(() => {})`);
    await page.waitForFunction(`sb.inbox.messages().some(({ title, read }) => title === 'New' && !read)`);
    expect(
      await page.evaluate('sb.inbox.markRead(sb.inbox.messages().find(({ title }) => title === "New").id)'),
    ).toBe(true);
    expect(await page.evaluate('sb.inbox.messages().find(({ title }) => title === "New").read')).toBe(true);
  });

  it('records a masked session across pages, and it plays in the rrweb player', async () => {
    const context = await visitor();
    const page = await open(context);
    const record =
      'recording = replay.startReplay(sb, { console: true, onError: (error) => errors.push(error) }), sb.sessionId';
    const session = String(await page.evaluate(record));
    await page.fill('#name', 'Augusta');
    await page.evaluate(`sb.track('name entered'), console.error('no stock', { secret: 'hidden value' })`);
    await page.evaluate(`document.querySelector('#buy').textContent = 'Bought'; location.href = '/next'`);
    await page.waitForURL('**/next');
    await page.waitForFunction('globalThis.isLoaded');
    await start(page);
    expect(await page.evaluate(record)).toBe(session);
    await page.click('#buy');
    await page.evaluate('recording.stop()');
    expect(await page.evaluate('errors')).toEqual([]);

    const { management_url, project_id, tokens } = running.demo;
    const manage = async (path = '') => {
      const answer = await fetch(
        `${management_url}/management/v1/projects/${project_id}/replays/${session}${path}`,
        {
          headers: { Authorization: `Bearer ${tokens.operator}` },
        },
      );
      return [answer.status, await answer.json()];
    };
    const text = await eventually(
      async () => {
        const facts = { eventNames: ['name entered'], errors: 1 };
        expect(await manage()).toMatchObject([200, { complete: true, conflicts: 0, ...facts }]);
        const [, events] = await manage('/events');
        const all = JSON.stringify(events);
        expect(all).toContain('/next","width"');
        return all;
      },
      { withinMs: 20_000 },
    );
    expect(text).toContain('Buy ');
    expect(text).toContain('*******');
    for (const secret of ['Augusta', 'Lovelace', 'Ada', 'hidden value']) expect(text).not.toContain(secret);

    const viewer = await site.open(await site.visitor());
    await viewer.evaluate(
      `shown = new player.default({ target: document.body, props: { events: ${text}, autoPlay: false } }); shown.goto(1e9, false)`,
    );
    const frame = viewer.frameLocator('iframe');
    await frame.locator('#buy', { hasText: 'Buy' }).waitFor({ state: 'attached' });
    await viewer.context().close();
  });

  it('shows the flag values of the server until the browser has newer ones, without a flash', async () => {
    const page = await open(await visitor());
    const text = await page.evaluate(`(async () => {
      const h = react.createElement, seen = [], problems = [], root = document.querySelector('#root');
      const App = () => {
        const label = hooks.useFlag('react-label', 'fallback');
        const { unread } = hooks.useInbox();
        const track = hooks.useTrack();
        seen.push(label);
        return h('button', { id: 'react', onClick: () => (tracked = track('react clicked')) }, label + unread);
      };
      const app = (client) => h(hooks.SwitchboardProvider, { client, bootstrap: { flags: { 'react-label': 'server' } } }, h(App));
      root.innerHTML = server.renderToString(app(undefined));
      dom.hydrateRoot(root, app(sb), { onRecoverableError: (error) => problems.push(String(error)) });
      await sb.flags.ready();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { seen: [...new Set(seen)], problems };
    })()`);
    expect(text).toEqual({ seen: ['server', 'fallback'], problems: [] });
    await page.click('#react');
    const clicked = String(await page.evaluate('tracked'));
    accepted.push(clicked);
    // The headless shell closes a page without its unload events.
    await arrived([clicked]);
  });

  /** Opens a browser that sends the requests of documented code to this standalone, with the key of the demo. */
  async function reader() {
    const { base_url, eu_api_url, eu_replay_url, project_key } = running.demo;
    const context = await visitor();
    const answers: string[] = [];
    const urls = Object.entries({ api: base_url, events: eu_api_url, replay: eu_replay_url });
    for (const [index, [host, url]] of urls.entries())
      await context.route(
        ({ origin }) => [`https://${host}.example.com`, `http://127.0.0.1:${4000 + index}`].includes(origin),
        async (route) => {
          const asked = route.request();
          const headers = { ...asked.headers(), authorization: `Bearer ${project_key}` };
          const { pathname, search } = new URL(asked.url());
          const answer = await route.fetch({ url: `${url}${pathname}${search}`, headers });
          answers.push(`${pathname} ${answer.status()}`);
          await route.fulfill({ response: answer });
        },
      );
    return { context, answers };
  }

  it.each(['browser', 'replay', 'messenger', 'react', 'openfeature-web'])(
    'runs the code of the README of @switchboard/%s when pasted',
    async (name) => {
      const { context, answers } = await reader();
      const page = await site.open(context);
      await page.evaluate(`scripts['${name}']().then((module) => { const { App } = module;
      if (App) dom.createRoot(document.querySelector('#root')).render(react.createElement(App)); })`);
      if (name === 'browser') {
        await page.getByRole('button', { name: 'Open the chat' }).click();
        await page.getByRole('button', { name: 'Send us a message' }).click();
        await page.getByRole('textbox', { name: 'Write a message' }).fill('Where is my order?');
        await page.keyboard.press('Enter');
      }
      const expected = {
        browser: [
          '/v1/identify 202',
          '/v1/events 202',
          '/v1/flags 200',
          '/v1/replay 202',
          '/v1/conversations 201',
          expect.stringMatching(/turns 201$/),
        ],
        replay: ['/v1/replay 202'],
        messenger: ['/v1/messenger/config 200'],
        react: ['/v1/flags 200'],
        'openfeature-web': ['/ofrep/v1/evaluate/flags 200'],
      }[name];
      await eventually(() => expect(answers).toEqual(expect.arrayContaining(expected ?? [])), {
        withinMs: 20_000,
      });
    },
  );

  it.each([
    ['the README of @switchboard/browser', '/script-of-readme', []],
    ['docs/sdks.md', '/script-of-docs', ['/v1/replay 202']],
  ])('runs the page of %s when pasted', async (_, path, more) => {
    const { context, answers } = await reader();
    const page = await site.open(context, path);
    const expected = ['/sdk/browser.js 200', '/v1/events 202', '/v1/messenger/config 200', ...more];
    await eventually(() => expect(answers).toEqual(expect.arrayContaining(expected)), { withinMs: 20_000 });
    await page.getByRole('button', { name: 'Open the chat' }).waitFor();
  });

  it('serves a shop that shows its events as they are archived and its flags as they change', async () => {
    const context = await visitor();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${running.demo.base_url}/demo`);
    await page.getByRole('button', { name: 'Add Gas stove to the basket' }).click();
    await page
      .locator('#events li.archived', { hasText: 'product added to basket' })
      .waitFor({ timeout: 30_000 });
    const anonymous = (await page.locator('#person').textContent()) ?? '';
    expect(anonymous).toMatch(/^anonymous-/);
    await page.getByRole('button', { name: 'Sign in as Ada' }).click();
    await page.locator('#ids', { hasText: anonymous }).waitFor({ timeout: 20_000 });
    await page.locator('#flags li', { hasText: 'pro-dashboard' }).getByText('true').waitFor();
    await page.getByRole('switch', { name: 'payments enabled' }).click();
    await page.getByText('Payments are paused').waitFor();
    expect(await page.locator('#checkout').isDisabled()).toBe(true);
    await page.getByRole('button', { name: /^Open the chat/ }).click();
    await page.getByRole('button', { name: 'Send us a message' }).click();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('Is the tent waterproof?');
    await page.keyboard.press('Enter');
    await page.locator('.mine .bubble:not(.waiting)').waitFor();
    await page.getByRole('textbox', { name: 'Answer' }).fill('Yes, its seams are taped.');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Yes, its seams are taped.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('counts a visitor who looks around and then signs in as one person in a funnel, until the ids are parted', async () => {
    const { base_url, project_id: projectId, tokens } = running.demo;
    const page = await open(await visitor());
    const anonymous = await page.evaluate<string>('sb.distinctId');
    const ids = await page.evaluate<string[]>(`(async () => {
      const looked = await sb.track('story looked');
      await sb.identify('story-ada', { plan: 'pro' });
      return [looked, await sb.track('story bought')];
    })()`);
    await arrived(ids);
    accepted.push(...ids);
    const owner = createClient({ url: base_url, token: tokens.owner });
    const funnel = async () => {
      const { report } = await owner.call('askInsight', {
        params: { projectId },
        body: {
          kind: 'funnel',
          range: { last: 7, unit: 'day' },
          steps: [{ event: 'story looked' }, { event: 'story bought' }],
        },
      });
      return 'steps' in report ? report.steps.map(({ count }) => count) : report;
    };
    await eventually(async () => expect(await funnel()).toEqual([1, 1]), { withinMs: 30_000 });
    const env = { SWITCHBOARD_URL: running.demo.management_url, SWITCHBOARD_TOKEN: tokens.operator };
    const changeIds = (verb: string) => runInProcess(['ids', verb, projectId, 'story-ada', anonymous], env);
    expect(await changeIds('part')).toMatchObject({ code: 0, out: 'story-ada\n' });
    await eventually(async () => expect(await funnel()).toEqual([1, 0]), { withinMs: 30_000 });
    expect(await changeIds('join')).toMatchObject({ code: 0 });
    await eventually(async () => expect(await funnel()).toEqual([1, 1]), { withinMs: 30_000 });
  });

  it('archives every event that track accepted exactly once', async () => {
    await eventually(
      async () => {
        const archived = await archivedEvents(running.home, running.demo.project_id);
        expect(accepted.filter((id) => archived.get(id) !== 1)).toEqual([]);
        expect([...archived].filter(([, count]) => count !== 1)).toEqual([]);
      },
      { withinMs: 60_000 },
    );
  });
});
