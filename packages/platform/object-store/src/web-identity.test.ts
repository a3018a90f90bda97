import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ObjectStore, ObjectStoreError, openObjectStore } from './index.ts';
import { keysOf } from './web-identity.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${Object(server.address()).port}`;
}

/** Starts a token service, and an S3 server that accepts its keys until they expire. */
async function startCloud(lifeMs: number) {
  const asked: Record<string, string>[] = [];
  const expiries = new Map<string, number>();
  const objects = new Map<string, string>();
  const state = { token: 'first', isDown: false };

  const tokenService = await serve(async (request, response) => {
    if (state.isDown) {
      response.destroy();
      return;
    }
    const query = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push(query);
    if (query['WebIdentityToken'] !== state.token) {
      const code = '<Code>InvalidIdentityToken</Code><Message>not the token</Message>';
      response.writeHead(400).end(`<ErrorResponse><Error>${code}</Error></ErrorResponse>`);
      return;
    }
    const expiry = Date.now() + lifeMs;
    expiries.set(`session-${asked.length}`, expiry);
    response.end(`<?xml version="1.0"?>
      <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult><Credentials>
          <AccessKeyId>key-${asked.length}</AccessKeyId><SecretAccessKey>0123</SecretAccessKey>
          <SessionToken>session-${asked.length}</SessionToken>
          <Expiration>${new Date(expiry).toISOString()}</Expiration>
        </Credentials></AssumeRoleWithWebIdentityResult>
      </AssumeRoleWithWebIdentityResponse>`);
  });

  const endpoint = await serve(async (request, response) => {
    const session = String(request.headers['x-amz-security-token']);
    const key = session.replace('session', 'Credential=key');
    const isSigned = request.headers.authorization?.includes(`${key}/`) === true;
    if (!isSigned || Date.now() > (expiries.get(session) ?? 0)) {
      request.resume();
      response.writeHead(403).end('<Error><Code>ExpiredToken</Code></Error>');
      return;
    }
    if (request.method === 'PUT') objects.set(String(request.url), await text(request));
    const found = request.method === 'GET' ? (objects.get(String(request.url)) ?? '') : '';
    const head = { ETag: '"x"', 'Last-Modified': new Date(0).toUTCString(), 'Content-Length': found.length };
    response.writeHead(200, head).end(found);
  });
  return { tokenService, endpoint, asked, state };
}

async function openWith({ lifeMs = 3_600_000, token = 'first' } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-identity-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  const replaceToken = (next: string) => writeFile(tokenFile, `${next}\n`);
  await replaceToken(token);
  const { tokenService, endpoint, asked, state } = await startCloud(lifeMs);
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => void failures.push(error);
  const identity = { tokenFile, roleArn: 'arn:aws:iam::123456789012:role/archive', tokenService, onFailure };
  const store = openObjectStore({ endpoint, bucket: 'bucket', region: 'eu-central-1', identity });
  onTestFinished(() => store.close());
  return { store, asked, state, replaceToken, failures };
}

const putMany = (store: ObjectStore) =>
  Promise.all(Array.from({ length: 20 }, (_, n) => store.put(`${n}`, Buffer.from('x'))));

test('exchanges the token for keys once, and uses them for every request', async () => {
  const { store, asked } = await openWith();
  await putMany(store);
  const found = await store.get('7');
  expect(found && (await text(found.body))).toBe('x');
  expect(asked).toEqual([
    {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::123456789012:role/archive',
      RoleSessionName: expect.stringMatching(/^switchboard-[\w+=,.@-]{1,52}$/),
      WebIdentityToken: 'first',
    },
  ]);
});

test('reads and exchanges the token again before the keys expire, without a failed request', async () => {
  const { store, asked, state, replaceToken } = await openWith({ lifeMs: 4_000 });
  await putMany(store);
  state.token = 'second';
  await replaceToken('second');
  await sleep(3_100);
  await putMany(store);
  await expect.poll(() => asked.map((one) => one['WebIdentityToken'])).toEqual(['first', 'second']);
  await sleep(1_000);
  await putMany(store);
});

test('renews keys before they expire, even when the clock was set back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-identity-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'first');
  const { tokenService, asked } = await startCloud(3_600_000);
  let passedMs = 0;
  const keys = keysOf({ tokenFile, tokenService, timeoutMs: 10_000 }, () => passedMs);
  const { accessKey } = await keys();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  passedMs = 2_690_000;
  expect((await keys()).accessKey).toBe(accessKey);
  passedMs = 2_710_000;
  await keys();
  await expect.poll(() => asked).toHaveLength(2);
});

test('uses keys that cannot be renewed until they expire, and succeeds again with new keys', async () => {
  const { store, state, failures } = await openWith({ lifeMs: 4_000 });
  await putMany(store);
  state.isDown = true;
  await sleep(3_100);
  await putMany(store);
  // The failure is reported while the keys are valid, once for all requests.
  await expect.poll(() => failures).toHaveLength(1);
  await sleep(1_000);
  await expect(putMany(store)).rejects.toThrow(ObjectStoreError);
  state.isDown = false;
  await expect.poll(() => store.ping().then(() => 'answers', String), { timeout: 10_000 }).toBe('answers');
});

test('returns the reason of a refusal, and shares it among the attempts of many requests', async () => {
  const { store, asked } = await openWith({ token: 'of another cluster' });
  const refusals = await Promise.allSettled(
    Array.from({ length: 20 }, () => store.put('refused', Buffer.from('x'))),
  );
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      reason: { cause: { message: 'the token service answered 400: InvalidIdentityToken' } },
    });
  }
  expect(asked).toHaveLength(1);
});
