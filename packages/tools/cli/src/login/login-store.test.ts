import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runInProcess } from '../testing/index.ts';

const TOKEN = `sbpat_${'0'.repeat(32)}${'a'.repeat(38)}`;
let server: Server;
let url: string;
let folder: string;
let file: string;
/** The tokens that the server received. */
let seen: (string | undefined)[];

beforeAll(async () => {
  server = createServer(({ headers }, response) => {
    seen.push(headers.authorization);
    const isValid = headers.authorization?.startsWith('Bearer sb');
    const error = { code: isValid ? 'FORBIDDEN' : 'UNAUTHORIZED', message: 'no' };
    response.writeHead(isValid ? 403 : 401, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());
beforeEach(async () => {
  seen = [];
  await rm(folder ?? '', { recursive: true, force: true });
  folder = await mkdtemp(join(tmpdir(), 'switchboard-login-'));
  file = join(folder, 'switchboard', 'login.json');
});

const run = (args: string[], env: Record<string, string> = {}, token = TOKEN) =>
  runInProcess(
    args,
    { XDG_CONFIG_HOME: folder, SWITCHBOARD_KEYCHAIN: 'off', ...env },
    async () => `${token}\n`,
  );

it('stores a login where only its owner can read it, and uses it until the logout', async () => {
  const login = await run(['login', '--url', url]);
  expect(login).toMatchObject({ code: 0, out: expect.stringContaining(file) });
  expect(login.out).not.toContain(TOKEN);
  const modes = await Promise.all([stat(file), stat(join(folder, 'switchboard'))]);
  expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o600, 0o700]);
  expect(await run(['whoami'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`personal access token tok_${'0'.repeat(32)}`),
  });
  expect(await run(['logout'])).toMatchObject({ code: 0, out: 'Logged out.\n' });
  expect(await run(['whoami'])).toMatchObject({ code: 2, err: expect.stringContaining('switchboard login') });
  expect(seen).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
});

it('prefers the environment to a stored login', async () => {
  await run(['login', '--url', url]);
  const other = `sbsvc_${'1'.repeat(70)}`;
  const env = { SWITCHBOARD_TOKEN: other, SWITCHBOARD_URL: url };
  expect(await run(['whoami'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('service token'),
  });
  expect(seen.at(-1)).toBe(`Bearer ${other}`);
});

it('sends the token of a login only to the addresses of the login', async () => {
  await run(['login', '--url', url]);
  const elsewhere = await run(['get', 'plans', '--url', 'http://127.0.0.1:1', '--wait', '0']);
  expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('the login is for') });
  const flags = { SWITCHBOARD_FLAGS_URL: 'http://127.0.0.1:1' };
  expect((await run(['get', 'flags', 'p', '--wait', '0'], flags)).code).toBe(2);
});

it('does not store a rejected token or text that is not a token', async () => {
  expect((await run(['login', '--url', url], {}, 'x'.repeat(40))).code).toBe(1);
  expect((await run(['login', '--url', url], {}, 'two words')).code).toBe(2);
  expect((await run(['login'])).code).toBe(2);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

it('refuses a file that others can read, and a file that is not a login', async () => {
  await run(['login', '--url', url]);
  await chmod(file, 0o640);
  expect(await run(['whoami'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('others can read it'),
  });
  await run(['login', '--url', url]);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ token: TOKEN });
  await writeFile(file, '{"token":');
  expect(await run(['whoami'])).toMatchObject({ code: 2, err: expect.stringContaining('not a login') });
});
