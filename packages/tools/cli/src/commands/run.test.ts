import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../terminal/terminal.ts';
import { runInProcess } from '../testing/index.ts';

const run = (args: string[], env: Record<string, string> = { SWITCHBOARD_TOKEN: 't' }) =>
  runInProcess(args, env, async (place) => {
    if (place === 'empty.yaml') return '';
    if (place === 'wrong.yaml') return 'plans: [{ tier: x }]';
    throw new UsageError(`${place} cannot be read (ENOENT)`);
  });

const url = '--url=http://127.0.0.1:1';

describe('help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])(
    'prints the help of the command for %j',
    async (args) => {
      const { code, out, err } = await run(args, {});
      expect([code, err]).toEqual([0, '']);
      for (const name of ['apply', 'diff', 'get', 'delete', 'erase', 'keys', 'import', 'query', 'generate'])
        expect(out).toContain(`\n  ${name} `);
      expect(out).toContain('Exit codes: 0 done; 1 ');
    },
  );

  test.each([
    'apply',
    'diff',
    'get',
    'delete',
    'erase',
    'keys',
    'projects',
    'schedule',
    'messages',
    'promote',
    'requests',
    'flags',
    'import',
    'dead-letters',
    'query',
    'sql',
    'people',
    'groups',
    'topics',
    'alerts',
    'subscriptions',
    'wires',
    'mcp',
  ])('prints the help of %s', async (name) => {
    for (const asked of ['--help', '-h']) {
      const { code, out } = await run([name, asked], {});
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^switchboard ${name} `));
      expect(out).toContain('--json');
    }
  });
});

test.each(['--version', '-V', 'version'])('the argument %s prints the version', async (asked) => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await run([asked], {})).toEqual({ code: 0, out: `switchboard ${version}\n`, err: '' });
});

describe('invalid commands', () => {
  test.each<[string[], RegExp]>([
    [['frobnicate'], /unknown command frobnicate/],
    [['toString'], /unknown command toString/],
    [['--json'], /name a command/],
    [['erase', 'person', 'shop', '--yes'], /usage: switchboard erase person/],
    [['erase', 'colleague', 'ada', '--user', 'x', '--yes'], /usage: switchboard erase person/],
    [['erase', 'colleague', 'ada'], /confirm with --yes/],
    [['erase', 'colleague', 'ada', '--yes', '--timeout', 'long'], /--timeout: give seconds/],
    [['erase', 'list', 'shop'], /or switchboard erase list$/m],
    [['erase', 'list', '--state', 'lost', url], /--state: give running or done/],
    [['schedule', 'create', 'shop', 'beta', url, '--patch', '{}'], /--at: give the time/],
    [['schedule', 'create', 'shop', 'beta', url, '--at', 'x', '--patch', '{'], /--patch: not valid JSON/],
    [['schedule', 'cancel', 'shop'], /usage: switchboard schedule create/],
    [['schedule', 'list', 'shop', 'beta'], /usage: switchboard schedule create/],
    [['messages', 'cancel', 'shop'], /usage: switchboard messages send/],
    [['messages', 'list', 'shop', 'msg_1'], /usage: switchboard messages send/],
    [['messages', 'send', 'shop', url, '--title', 'New'], /give --title and --body/],
    [['schedule', 'create', 'shop', 'beta', url, '--at', 'x', '--if-version', 'v2'], /--if-version: give/],
    [['requests', 'list', 'shop', 'beta'], /usage: switchboard requests list/],
    [['requests', 'approve', 'shop'], /usage: switchboard requests list/],
    [['requests', 'allow', 'shop', 'chr_1'], /usage: switchboard requests list/],
    [['subscriptions', 'list', 'shop', 'weekly'], /usage: switchboard subscriptions list/],
    [['subscriptions', 'put', 'shop', 'weekly', url], /usage: switchboard subscriptions list/],
    [['subscriptions', 'send', 'shop', 'weekly', 'empty.yaml', url], /usage: switchboard subscriptions list/],
    [['subscriptions', 'put', 'shop', 'weekly', 'empty.yaml', url], /empty\.yaml: schedule: required/],
    [['sql', 'prj', url], /give a project and one file/],
    [['sql', 'prj', 'empty.yaml', '--days', '0', url], /--days: give a number from 1 to 400/],
    [['sql', 'prj', 'empty.yaml', '--param', 'x', url], /--param x: give name=value/],
    [['query', 'empty.yaml', url], /empty\.yaml: project: required/],
    [['groups', 'shop', 'company', url], /give a project, or a project with the type and the id/],
    [['groups', 'shop', url, '--sort', 'name'], /--sort: give last_seen or members/],
    [['people', url], /give a project, or a file with --query/],
    [['people', 'shop', url, '--limit', '0'], /--limit: give a number from 1 to 10000/],
    [['people', url, '--query', 'empty.yaml'], /empty\.yaml: project: required/],
    [['apply'], /one manifest file/],
    [['apply', 'a', 'b'], /one manifest/],
    [['apply', 'empty.yaml', '--frob'], /--frob/],
    [['apply', 'missing.yaml', url], /missing\.yaml cannot be read/],
    [['apply', 'wrong.yaml', url], /plans\[0\]\.cycle/],
    [['apply', 'empty.yaml', url, '--wait', 'long'], /--wait/],
    [['apply', 'empty.yaml', '--url', 'nowhere'], /^$/],
    [['get'], /name a kind: plan, /],
    [['get', 'thing'], /unknown kind thing/],
    [['get', 'flag', 'p', url], /get flag <projectId> <key>, or switchboard get flags <projectId>/],
    [['get', 'key', 'p', 'k', url], /get keys <projectId>/],
    [['get', 'manifest', 'a', 'b', url], /one company/],
    [['delete', 'teammate', 'p', 'u', url], /cannot be deleted/],
    [['delete', 'flag', 'p', url], /delete flag <projectId> <key>/],
    [['delete', 'company', 'acme', url], /its members, its projects.*--yes/],
    [['projects', 'throttle', 'shop', url], /usage: switchboard projects throttle/],
    [['projects', 'throttle', 'p', '--drop-events', '--events-per-second', '5', url], /usage: switchboard/],
    [['projects', 'throttle', 'shop', '--events-per-second', '0', url], /--events-per-second: give/],
    [['projects', 'unthrottle', 'p', '--drop-events', '--events-per-second', '5', url], /usage: switchboard/],
    [['projects', 'unthrottle', url], /usage: switchboard projects/],
    [['projects', 'unthrottle', 'shop', '--drop-events', url], /usage: switchboard projects/],
    [['projects', 'throttled', 'shop', url], /usage: switchboard projects/],
    [['topics'], /usage: switchboard topics repartition <topic> --to/],
    [['topics', 'repartition', 'events'], /usage: switchboard topics repartition/],
    [['topics', 'repartition', 'events', 'groups', '--to', '8'], /usage: switchboard topics repartition/],
    [['topics', 'repartition', 'directory', '--to', '8'], /directory: choose one of events, identifies, /],
    [['topics', 'repartition', 'events', '--to', '0'], /--to: give a whole number from 1 to 1000/],
    [['topics', 'repartition', 'events', '--to', '1001'], /--to: give a whole number/],
    [['topics', 'repartition', 'events', '--to', '4.5'], /--to: give a whole number/],
    [['keys', 'make', 'p', url], /keys create/],
    [['keys', 'revoke', 'p', url], /keys revoke <projectId> <key>/],
    [['import', 'prices', 'x', url], /import models/],
    [['import', 'models', 'x.json', url], /--provider or --only/],
    [['import', 'flags', 'unleash', 'x.json', url], /import flags <product> <file \| address \| ->/],
    [
      ['import', 'flags', 'other', 'x.json', '--project', 'p', url],
      /products: flagsmith, growthbook, launchdarkly, unleash/,
    ],
    [['import', 'flags', 'unleash', 'empty.yaml', '--project', 'p', url], /empty\.yaml: not valid JSON/],
  ])('exits with 2 for %j, and names the problem', async (args, message) => {
    const { code, out, err } = await run(args);
    if (message.source === '^$') return expect(code).toBe(0); // An empty manifest makes no call.
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  test('exits with 2 without a token or an address', async () => {
    expect(await run(['get', 'plans', url], {})).toMatchObject({
      code: 2,
      err: expect.stringContaining('SWITCHBOARD_TOKEN'),
    });
    expect(await run(['get', 'plans'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('SWITCHBOARD_CATALOGUE_URL'),
    });
  });
});

test('requires the address of the event log to repartition a topic', async () => {
  const { code, out, err } = await run(['topics', 'repartition', 'events', '--to', '8']);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('set KAFKA_BROKERS or EVENT_LOG_DATABASE_URL');
});

test.each([{ KAFKA_BROKERS: '127.0.0.1:1' }, { EVENT_LOG_DATABASE_URL: 'postgres://127.0.0.1:1/log' }])(
  'exits with 1 for an unreachable event log at %o',
  async (env) => {
    const { code, err } = await run(['topics', 'repartition', 'events', '--to', '8'], env);
    expect([code, err]).toEqual([1, expect.stringMatching(/^switchboard: .*ECONNREFUSED/)]);
  },
);

test('exits with 1 for an unreachable service', async () => {
  const { code, err } = await run(['get', 'plans', url, '--wait', '0']);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^switchboard: GET \/management\/v1\/plans: catalogue /),
  ]);
});
