import { execFile } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { runCommand } from './testing/command.ts';
import {
  type Launched,
  launch,
  launchAndExit,
  newHome,
  newSeededHome,
  standaloneForTests,
} from './testing/launch.ts';

const run = promisify(execFile);

const running = standaloneForTests({ isFirstStart: true });

const json = async (response: Response) => (await response.json()) as Record<string, unknown>;
const authorized = (credential: string) => ({ headers: { Authorization: `Bearer ${credential}` } });

describe('the first start', () => {
  it('prints five curl commands that work when pasted, and the later ones see the traits and events of the first', async () => {
    const lines = running.banner.split('\n').filter((line) => line.startsWith('curl '));
    expect(lines).toHaveLength(5);
    const answers: unknown[] = [];
    for (const line of lines.slice(0, 4)) answers.push(JSON.parse((await run('bash', ['-c', line])).stdout));
    expect(answers.slice(0, 2)).toEqual([{ accepted: 1 }, { accepted: 1 }]);
    expect(answers[2]).toMatchObject({ flags: { payments: true, 'old-basket': false } });
    const again = await run('bash', ['-c', lines[2] ?? '']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      flags: { 'pro-dashboard': true, 'order-history': true },
    });
    expect(answers[3]).toMatchObject({ report: { kind: 'line', series: [{ name: 'order placed' }] } });
  });

  it('seeds plans, models and flags', async () => {
    const { base_url, project_key } = running.demo;
    expect(await json(await fetch(`${base_url}/v1/plans`))).toMatchObject({
      plans: [{ tier: 'starter' }, { tier: 'growth', cycle: 'monthly' }, { tier: 'growth', cycle: 'yearly' }],
    });
    expect(await json(await fetch(`${base_url}/v1/ai/models`))).toMatchObject({ markupPercent: 20 });
    const snapshot = await json(await fetch(`${base_url}/v1/flags/snapshot`, authorized(project_key)));
    expect(snapshot['flags']).toHaveLength(8);
  });

  it('refuses a key of another region', async () => {
    const { base_url, eu_api_url, other_region_key } = running.demo;
    expect((await fetch(`${base_url}/v1/flags/snapshot`, authorized(other_region_key))).status).toBe(403);
    const events = await fetch(`${eu_api_url}/v1/events`, {
      method: 'POST',
      body: '{}',
      ...authorized(other_region_key),
    });
    expect(events.status).toBe(403);
  });

  it('serves each path on its own host only, and the OpenAPI document on every host', async () => {
    const { base_url, eu_api_url, management_url, tokens } = running.demo;
    expect((await fetch(`${base_url}/v1/events`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${eu_api_url}/v1/plans`)).status).toBe(404);
    expect((await fetch(`${base_url}/management/v1/ai/markup`, authorized(tokens.operator))).status).toBe(
      404,
    );
    expect(
      (await fetch(`${management_url}/management/v1/ai/markup`, authorized(tokens.operator))).status,
    ).toBe(200);
    for (const url of [base_url, eu_api_url]) {
      const document = await json(await fetch(`${url}/openapi.json`));
      expect(Object.keys(document['paths'] as object)).toContain('/v1/conversations/{id}/turns');
      expect(document['servers']).toContainEqual(expect.objectContaining({ url: eu_api_url }));
      const page = await fetch(`${url}/docs`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('openapi.json')]);
      expect(page.headers.get('content-security-policy')).toContain(eu_api_url);
    }
  });

  it('opens the management API only to the operator token', async () => {
    const { management_url, tokens } = running.demo;
    const markup = `${management_url}/management/v1/ai/markup`;
    expect((await fetch(markup)).status).toBe(401);
    expect((await fetch(markup, authorized(tokens.owner))).status).toBe(403);
  });
});

describe('paths that no service serves', () => {
  it('returns a request id with an unknown path, and keeps a valid one of the caller', async () => {
    for (const path of ['/nothing/here', '/', '/docs', '/openapi.json', '/health/ready', '/dev/tokens']) {
      const own = await fetch(`${running.demo.base_url}${path}`);
      expect([path, own.headers.get('x-request-id')]).toEqual([path, expect.stringMatching(/^[\w-]{36}$/)]);
      const named = await fetch(`${running.demo.base_url}${path}`, { headers: { 'X-Request-Id': 'mine' } });
      expect([path, named.headers.get('x-request-id')]).toEqual([path, 'mine']);
    }
  });

  it('names the reference, and the host that serves the path', async () => {
    const { base_url, eu_api_url, eu_replay_url, management_url } = running.demo;
    const messageAt = async (url: string, method = 'GET') => {
      const response = await fetch(url, { method });
      return [response.status, (await json(response))['error']];
    };
    const notFound = (message: string) => [404, { code: 'NOT_FOUND', message }];
    expect(await messageAt(`${base_url}/nothing`)).toEqual(
      notFound(`Not found: /nothing. See ${base_url}/docs for the reference.`),
    );
    expect(await messageAt(`${base_url}/v1/events`, 'POST')).toEqual(
      notFound(`Not found: /v1/events is served at ${eu_api_url}/v1/events.`),
    );
    expect(await messageAt(`${eu_api_url}/v1/replay`, 'POST')).toEqual(
      notFound(`Not found: /v1/replay is served at ${eu_replay_url}/v1/replay.`),
    );
    expect(await messageAt(`${base_url}/management/v1/plans/a/b`)).toEqual(
      notFound(`Not found: /management/v1/plans/a/b is served at ${management_url}/management/v1/plans/a/b.`),
    );
    for (const url of [base_url, eu_api_url, eu_replay_url, management_url]) {
      expect(await json(await fetch(url))).toEqual({
        name: 'Switchboard',
        docs: `${base_url}/docs`,
        openapi: `${base_url}/openapi.json`,
      });
    }
    expect(running.banner).toContain(`${base_url}/docs`);
  });
});

describe('the demo', () => {
  it('the demo has a public link to a report of its events, which updates with them', async () => {
    const link = /Report +(\S+)/.exec(running.banner)?.[1] ?? '';
    // Waits, because one address may read a link thirty times per minute, and later tests also read it.
    const orders = async () => {
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      const answer = await json(await fetch(link.replace('/shared/', '/v1/shared-reports/')));
      expect(answer).toMatchObject({ report: { kind: 'line', series: [{ name: 'Orders' }] } });
      const { report } = answer as { report: { series: { values: number[] }[] } };
      return report.series[0]?.values.reduce((sum, value) => sum + value, 0) ?? 0;
    };
    await eventually(async () => expect(await orders()).toBeGreaterThan(10), { withinMs: 120_000 });
    const before = await orders();
    const lines = running.banner.split('\n').filter((line) => line.startsWith('curl '));
    await run('bash', ['-c', lines[1] ?? '']);
    await eventually(
      async () => {
        await run('bash', ['-c', lines[4] ?? '']);
        expect(await orders()).toBeGreaterThan(before);
      },
      { withinMs: 120_000 },
    );
    expect(await (await fetch(link)).text()).toContain('<svg');
  }, 250_000);

  it('the demo has a report with annotations and a public link', async () => {
    const { base_url, project_id, report_id, tokens } = running.demo;
    const path = `${base_url}/v1/projects/${project_id}/reports/${report_id}/public-link`;
    const link = String((await json(await fetch(path, authorized(tokens.owner))))['url']);
    const page = await fetch(link);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await page.text()).toMatch(/<svg[\s\S]*Autumn campaign/);
    const report = await json(await fetch(link.replace('/shared/', '/v1/shared-reports/')));
    expect(report).toMatchObject({ report: { kind: 'line', title: 'Sign-ups by plan' } });
    expect(JSON.stringify(report)).not.toContain('cohort');
  });

  it('the demo has a report of every kind with a run, and a thread', async () => {
    const { base_url, project_id, tokens } = running.demo;
    const reports = `${base_url}/v1/projects/${project_id}/reports`;
    const threads = await fetch(`${reports}/rep_signups/comment-threads`, authorized(tokens.teammate));
    expect(await json(threads)).toMatchObject({ threads: [{ comments: [{}, {}] }] });
    for (const report of ['rep_checkout', 'rep_retention', 'rep_revenue', 'rep_stock']) {
      const put = await fetch(`${reports}/${report}/public-link`, {
        method: 'PUT',
        body: JSON.stringify({ expiresOn: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10) }),
        ...authorized(tokens.owner),
      });
      const page = await fetch(String((await json(put))['url']));
      expect([report, page.status, (await page.text()).includes('<table')]).toEqual([report, 200, true]);
    }
  });

  it('the demo has a configured messenger, with a socket that opens', async () => {
    const { base_url, project_key } = running.demo;
    const config = await json(
      await fetch(`${base_url}/v1/messenger/config?locale=de`, authorized(project_key)),
    );
    expect(config).toMatchObject({ enabled: true, team: [{}, {}, {}] });
    const socket = new WebSocket(`${config['socketUrl']}?api_key=${project_key}`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error('the socket did not open'));
    });
    socket.close();
  });
});

describe('POST /dev/tokens', () => {
  const mint = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${running.demo.base_url}/dev/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const markup = () => `${running.demo.management_url}/management/v1/ai/markup`;

  it('mints a token with the given claims', async () => {
    const response = await mint({ sub: 'user_x', permissions: ['service.manage'] });
    expect(response.status).toBe(201);
    const { token } = await json(response);
    expect((await fetch(markup(), authorized(String(token)))).status).toBe(200);
  });

  it('rejects a body that is not JSON, and names the problem in one that is', async () => {
    const refusal = async (body: string) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${running.demo.base_url}/dev/tokens`, { method: 'POST', headers, body });
      return [response.status, (await json(response))['error']];
    };
    const badRequest = (message: string) => [400, { code: 'BAD_REQUEST', message }];
    expect(await refusal('{"sub":')).toEqual(badRequest('body: not valid JSON'));
    expect(await refusal('{"sub":1}')).toEqual(badRequest(expect.stringMatching(/^sub: /)));
  });

  it('mints an expired token for a negative lifetime', async () => {
    const { token } = await json(
      await mint({ sub: 'user_x', permissions: ['service.manage'], expiresInSeconds: -60 }),
    );
    expect((await fetch(markup(), authorized(String(token)))).status).toBe(401);
  });

  it('mints no token that is valid for more than a day', async () => {
    const response = await mint({ sub: 'user_x', expiresInSeconds: 86_401 });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('expiresInSeconds'),
    ]);
    expect((await mint({ sub: 'user_x', expiresInSeconds: 86_400 })).status).toBe(201);
  });

  it('rejects requests that a web page of another origin can send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      expect([type, (await mint({ sub: 'x' }, { 'Content-Type': type })).status]).toEqual([type, 415]);
    }
    for (const origin of [
      'https://evil.example',
      'http://203.0.113.9',
      'http://localhost.evil.example',
      'null',
    ]) {
      expect([origin, (await mint({ sub: 'x' }, { Origin: origin })).status]).toEqual([origin, 403]);
    }
    expect((await mint({ sub: 'x' }, { Origin: running.demo.console_url })).status).toBe(201);
  });

  it('names the path of the field in an invalid request', async () => {
    const response = await mint({ sub: '' });
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('sub')]);
  });
});

describe('a web page with a host name that resolves to this machine', () => {
  const status = (url: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const asked = request(url, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on('error', reject);
      asked.end();
    });

  it('rejects a web page on every port by its Host header', async () => {
    const { base_url, eu_api_url, eu_replay_url, management_url, console_url } = running.demo;
    for (const url of [base_url, eu_api_url, eu_replay_url, management_url, console_url]) {
      const port = new URL(url).port;
      for (const host of [
        `evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        'localhost.evil.example',
      ]) {
        expect([url, host, await status(url, { Host: host })]).toEqual([url, host, 403]);
      }
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        expect([url, host, await status(url, { Host: host })]).toEqual([url, host, 200]);
      }
    }
  });

  it('rejects a web page on the management port by its Origin and Content-Type, and accepts it on the public ports', async () => {
    const { base_url, management_url } = running.demo;
    const page = { Origin: 'https://evil.example' };
    expect(await status(`${management_url}/openapi.json`, page)).toBe(403);
    expect(await status(`${management_url}/openapi.json`, { Origin: base_url })).toBe(200);
    expect(await status(`${base_url}/v1/plans`, page)).toBe(200);
    const { project_id, tokens } = running.demo;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const posted = await fetch(`${management_url}/management/v1/projects/${project_id}/keys`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${tokens.operator}`, 'Content-Type': type },
        body: '{}',
      });
      expect([type, posted.status]).toEqual([type, 415]);
    }
  });
});

describe('switchboard apply', () => {
  const manifest = join(import.meta.dirname, '../../deploy/demo/src/seed/demo.yaml');
  const reach = () => ({
    SWITCHBOARD_URL: running.demo.management_url,
    SWITCHBOARD_TOKEN: running.demo.tokens.operator,
  });

  it('applies the changes of the manifest, and changes nothing the second time', async () => {
    const { base_url, project_key } = running.demo;
    const snapshot = async () =>
      (await fetch(`${base_url}/v1/flags/snapshot`, authorized(project_key))).text();
    const path = join(running.home, 'change.yaml');
    await writeFile(
      path,
      `companies:
  - id: co_lumen
    name: Lumen Outdoor
    plan: { tier: growth, cycle: monthly }
    projects:
      - id: prj_shop
        name: Lumen shop
        region: eu
        defaultLanguage: en
        flags:
          - { key: second, enabled: true, rolloutPercentage: 100, prerequisites: [{ flagKey: first, variationKey: "on" }] }
          - { key: first, enabled: true, rolloutPercentage: 100 }
`,
    );
    expect(await runCommand(['apply', path], reach())).toMatchObject({ code: 0 });
    const flags = await fetch(`${base_url}/v1/flags?distinct_id=x`, authorized(project_key));
    expect(await json(flags)).toMatchObject({ flags: { first: true, second: true } });
    const before = await snapshot();
    expect(await runCommand(['apply', path], reach())).toMatchObject({ code: 0 });
    expect(JSON.parse(await snapshot()).flags).toEqual(JSON.parse(before).flags);
  });

  it('reports problems, with different exit codes for an invalid manifest and a refusal', async () => {
    const bad = join(running.home, 'bad.yaml');
    await writeFile(bad, 'plans:\n  - { tier: a, cycle: b, trialDays: x, priced: true, entitlements: {} }\n');
    const wrong = await runCommand(['apply', bad], reach());
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('plans[0].trialDays')]);
    const unnamed = await runCommand(['apply', manifest], {});
    expect([unnamed.code, unnamed.err]).toEqual([2, expect.stringContaining('SWITCHBOARD_TOKEN')]);
    const refused = await runCommand(['apply', manifest], {
      ...reach(),
      SWITCHBOARD_TOKEN: running.demo.tokens.owner,
    });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('service.manage')]);
  });
});

it.each(['--help', '-h'])('the argument %s prints the settings and starts nothing', async (argument) => {
  const { code, output } = await launchAndExit(join(running.home, 'unused'), {}, [argument]);
  expect([code, output]).toEqual([0, expect.stringMatching(/PORT=0 SWITCHBOARD_HOME=/)]);
  await expect(access(join(running.home, 'unused'))).rejects.toThrow();
});

describe('the one-line message of a failed start', () => {
  it.each([
    ['on the same ports and folder', () => new URL(running.demo.base_url).port],
    ['on the same folder', () => '0'],
  ])(
    'reports a second instance %s, with a hint how to start one',
    async (_, port) => {
      const { code, output } = await launchAndExit(running.home, { PORT: port() });
      expect(code).toBe(1);
      expect(output).toBe(
        `switchboard: Switchboard already runs at ${running.demo.base_url} on ${running.home}. ` +
          'Stop it with Ctrl-C, or start a second instance with PORT=0 SWITCHBOARD_HOME=.switchboard-2.\n',
      );
      const second = await newSeededHome();
      const started = await launch(second, { PORT: '0' });
      await started.end('SIGTERM');
      await rm(second, { recursive: true, force: true });
    },
    120_000,
  );

  it('reports an unknown argument', async () => {
    const { code, output } = await launchAndExit(running.home, {}, ['--port=80']);
    expect([code, output]).toEqual([2, 'switchboard: unknown argument --port=80; see --help\n']);
  });

  it('reports a port that is in use', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const other = await newHome();
    const { code, output } = await launchAndExit(other, { PORT: String(Math.min(port, 65_531)) });
    server.close();
    await rm(other, { recursive: true });
    expect([code, output]).toEqual([1, expect.stringMatching(/^switchboard: Port \d+ .*in use.*\n$/)]);
  });

  it('reports a port that is not a number', async () => {
    const { code, output } = await launchAndExit(join(running.home, 'unused'), { PORT: 'web' });
    expect([code, output]).toEqual([1, expect.stringMatching(/^switchboard: PORT=web.*\n$/)]);
  });

  it('reports the secrets that a folder of another version lacks', async () => {
    const home = await newHome();
    const path = join(home, 'secrets.json');
    const kept = { LINK_SECRET: 'a', IDENTITY_SECRET: 'b', VAPID_PUBLIC_KEY: 'c', VAPID_PRIVATE_KEY: 'd' };
    await writeFile(path, JSON.stringify(kept));
    const { code, output } = await launchAndExit(home);
    await rm(home, { recursive: true });
    const problem = `${path} has no ACCOUNT_SECRET, WEBHOOK_SECRET: another version made it`;
    expect([code, output]).toEqual([1, `switchboard: ${problem}. Delete ${home} to start over.\n`]);
  });

  it('reports a home that is a file', async () => {
    const file = join(running.home, 'a-file');
    await writeFile(file, '');
    const { code, output } = await launchAndExit(file);
    expect([code, output.trim().split('\n')]).toEqual([1, [expect.stringMatching(/^switchboard: /)]]);
  });
});

describe('the next starts', () => {
  it('keeps the data and keys of an earlier start, even after SIGKILL', async () => {
    const own = await newSeededHome();
    try {
      const first = await launch(own);
      const { eu_api_url, project_key } = first.demo;
      const body = JSON.stringify({ distinct_id: 'kept', properties: { plan: 'pro' } });
      const identified = await fetch(`${eu_api_url}/v1/identify`, {
        method: 'POST',
        body,
        ...authorized(project_key),
      });
      expect(identified.status).toBe(202);
      expect(await first.end('SIGINT')).toBe(0);

      const second = await launch(own);
      expect(second.demo.project_key).toBe(project_key);
      const evaluate = async ({ base_url }: Launched['demo']) =>
        json(await fetch(`${base_url}/v1/flags?distinct_id=kept`, authorized(project_key)));
      await eventually(async () =>
        expect(await evaluate(second.demo)).toMatchObject({ flags: { 'pro-dashboard': true } }),
      );
      await second.end('SIGKILL');

      const third = await launch(own);
      expect(await evaluate(third.demo)).toMatchObject({ flags: { 'pro-dashboard': true } });
      expect(await third.end('SIGTERM')).toBe(0);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }, 180_000);
});

describe('standalone on an address beyond loopback', () => {
  it('mints no tokens beyond loopback', async () => {
    const own = await newSeededHome();
    const open = await launch(own, { HOST: '0.0.0.0' });
    try {
      const response = await fetch(`${open.demo.base_url}/dev/tokens`, {
        method: 'POST',
        body: '{"sub":"x"}',
      });
      expect(response.status).toBe(403);
    } finally {
      await open.end('SIGTERM');
      await rm(own, { recursive: true, force: true });
    }
  });
});
