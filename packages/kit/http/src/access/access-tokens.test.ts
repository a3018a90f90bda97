import { createHmac, KeyObject, type webcrypto } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSender, networkList } from '@switchboard/runtime';
import { exportJWK, exportSPKI, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';

const ISSUER = 'https://issuer.example';
const AUDIENCE = 'switchboard';
const NOW = Date.parse('2026-03-01T12:00:00.000Z');

interface Pair {
  alg: string;
  kid: string;
  privateKey: webcrypto.CryptoKey;
  publicKey: webcrypto.CryptoKey;
}

async function pair(alg: string, kid: string): Promise<Pair> {
  return { alg, kid, ...(await generateKeyPair(alg, { extractable: true })) };
}

const jwkOf = async ({ alg, kid, publicKey }: Pair): Promise<JWK> => ({
  ...(await exportJWK(publicKey)),
  alg,
  kid,
  use: 'sig',
});

interface Said {
  header?: object;
  claims?: Record<string, unknown>;
  /** Seconds from now. */
  exp?: number | undefined;
  nbf?: number;
}

async function mint(signer: Pair, { header = {}, claims = {}, exp = 60, nbf }: Said = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const times = {
    ...(exp === undefined ? {} : { exp: now + exp }),
    ...(nbf === undefined ? {} : { nbf: now + nbf }),
  };
  return new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', ...times, ...claims })
    .setProtectedHeader({ alg: signer.alg, kid: signer.kid, ...header })
    .sign(signer.privateKey);
}

let rsa: Pair;
let ec: Pair;
let ed: Pair;
let later: Pair;
let server: Server;
/** The number of fetches in this test. A request of the previous test may arrive late. */
let fetches: number;
let passedMs = 0;
let path: string;
let started = 0;
let respond: ((response: ServerResponse) => void) | undefined;
let answer: () => Promise<{ status: number; body: string } | undefined>;
let tokens: AccessTokens;

const send = createSender({
  config: {
    OUTGOING_PRIVATE_NETWORKS: networkList.parse('127.0.0.0/8'),
  },
  timeoutMs: 3_000,
  maxBytes: 10_000,
});

const publish = (...pairs: Pair[]) => {
  answer = async () => ({ status: 200, body: JSON.stringify({ keys: await Promise.all(pairs.map(jwkOf)) }) });
};
/** Sets the system clock, forward or back. */
const setClock = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
const pass = (seconds: number) => {
  setClock(seconds);
  passedMs += seconds * 1000;
};
const elapsed = () => passedMs;
const refused = { status: 401, code: 'UNAUTHORIZED', headers: { 'WWW-Authenticate': 'Bearer' } };
const unavailable = { status: 503, code: 'UNAVAILABLE' };

beforeAll(async () => {
  [rsa, ec, ed, later] = await Promise.all([
    pair('RS256', 'rsa'),
    pair('ES256', 'ec'),
    pair('EdDSA', 'ed'),
    pair('ES256', 'later'),
  ]);
  server = createServer(async ({ url }, response) => {
    if (url === path) fetches++;
    if (respond !== undefined) return respond(response);
    const said = await answer();
    if (said === undefined) response.destroy();
    else response.writeHead(said.status, { 'content-type': 'application/json' }).end(said.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
  fetches = 0;
  path = `/jwks-${++started}.json`;
  respond = undefined;
  publish(rsa, ec, ed);
  const { port } = server.address() as AddressInfo;
  tokens = createAccessTokens({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwksUrl: `http://127.0.0.1:${port}${path}`,
    send,
    elapsed,
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an access token', () => {
  it.each([
    ['RS256', () => rsa],
    ['ES256', () => ec],
    ['EdDSA', () => ed],
  ])('reads the person from a token signed with %s', async (_, signer) => {
    const token = await mint(signer(), { claims: { name: 'Ada', permissions: ['a', 'b'] } });
    expect(await tokens.verify(token)).toEqual({ sub: 'ada', name: 'Ada', permissions: ['a', 'b'] });
  });

  it('accepts a token without name and permissions, and grants nothing for permissions that are not a list', async () => {
    expect(await tokens.verify(await mint(ec))).toEqual({ sub: 'ada', permissions: [] });
    const odd = await mint(ec, { claims: { name: 7, permissions: 'service.manage' } });
    expect(await tokens.verify(odd)).toEqual({ sub: 'ada', permissions: [] });
  });

  it('accepts a token with several audiences, and one without kid if only one key fits', async () => {
    const token = await mint(ec, { header: { kid: undefined }, claims: { aud: ['other', AUDIENCE] } });
    expect((await tokens.verify(token)).sub).toBe('ada');
  });

  it.each<[string, Said]>([
    ['another issuer', { claims: { iss: 'https://evil.example' } }],
    ['no issuer', { claims: { iss: undefined } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['no audience', { claims: { aud: undefined } }],
    ['no subject', { claims: { sub: undefined } }],
    ['an empty subject', { claims: { sub: '' } }],
    ['a subject of 201 characters', { claims: { sub: 'x'.repeat(201) } }],
    ['no expiry', { claims: { exp: undefined } }],
    ['an expiry that is no number', { claims: { exp: 'tomorrow' } }],
    ['an unknown critical header', { header: { crit: ['x'], x: 1 } }],
  ])('refuses a token with %s', async (_, said) => {
    const token = said.header
      ? await mint(ec).then((made) => withHeader(made, said.header))
      : await mint(ec, said);
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
  });

  it('accepts a token until 30 s after exp, and from 30 s before nbf', async () => {
    const token = await mint(ec, { exp: 60 });
    pass(89);
    expect((await tokens.verify(token)).sub).toBe('ada');
    pass(1);
    await expect(tokens.verify(token)).rejects.toMatchObject({
      ...refused,
      message: 'Access token expired.',
    });
    expect((await tokens.verify(await mint(ec, { nbf: 30 }))).sub).toBe('ada');
    await expect(tokens.verify(await mint(ec, { nbf: 31 }))).rejects.toMatchObject(refused);
  });
});

describe('a deployment that requires a typ and a maximum age', () => {
  beforeEach(() => {
    const { port } = server.address() as AddressInfo;
    const jwksUrl = `http://127.0.0.1:${port}/jwks.json`;
    tokens = createAccessTokens({
      issuer: ISSUER,
      audience: AUDIENCE,
      jwksUrl,
      typ: 'at+jwt',
      maxAge: 300,
      send,
      elapsed,
    });
  });
  const iat = (ago: number) => ({ iat: Math.floor(Date.now() / 1000) - ago });
  const typed = { typ: 'at+jwt' };

  it.each<[string, Said]>([
    ['no typ', { claims: { iat: NOW / 1000 } }],
    ['another typ', { header: { typ: 'JWT' }, claims: { iat: NOW / 1000 } }],
    ['no iat', { header: typed }],
    ['an iat too long ago', { header: typed, claims: { iat: NOW / 1000 - 331 } }],
    ['an iat in the future', { header: typed, claims: { iat: NOW / 1000 + 60 } }],
  ])('refuses a token with %s when typ and a maximum age are required', async (_, said) => {
    await expect(tokens.verify(await mint(ec, { exp: 3_600, ...said }))).rejects.toMatchObject(refused);
  });

  it('accepts a token until it is too old, even one that it verified before', async () => {
    await tokens.verify(await mint(ec, { header: typed, claims: iat(0) }));
    const token = await mint(ec, { header: typed, claims: iat(0), exp: 3_600 });
    for (const seconds of [0, 299, 31]) {
      pass(seconds);
      expect((await tokens.verify(token)).sub).toBe('ada');
    }
    pass(1);
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
  });
});

describe('the signature of a token', () => {
  it('verifies a signature once, until the keys are refreshed or the token expires', async () => {
    const verifications = vi.spyOn(crypto.subtle, 'verify');
    onTestFinished(() => verifications.mockRestore());
    const token = await mint(ec, { exp: 1_000 });
    await tokens.verify(await mint(rsa)); // Fetches the keys.
    verifications.mockClear();
    for (let read = 0; read < 3; read++) expect((await tokens.verify(token)).sub).toBe('ada');
    expect(verifications).toHaveBeenCalledTimes(1);

    pass(601);
    await tokens.verify(token); // Triggers a refresh of the keys.
    await vi.waitFor(async () => {
      await tokens.verify(token);
      expect(verifications).toHaveBeenCalledTimes(2);
    });
    pass(428);
    expect((await tokens.verify(token)).sub).toBe('ada');
    pass(1);
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
  });

  it('reuses a signature for one token only, and only while its key is published', async () => {
    const token = await mint(ec, { exp: 3600 });
    await tokens.verify(token);
    await tokens.verify(token);
    const [head, payload, signature = ''] = token.split('.');
    const flipped = `${head}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    await expect(tokens.verify(flipped)).rejects.toMatchObject(refused);
    publish(later);
    pass(601);
    await vi.waitFor(() => expect(tokens.verify(token)).rejects.toMatchObject(refused));
  });
});

describe('a token that was not signed by the issuer', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forge = (header: object, sign: (input: string) => string) => {
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: NOW / 1000 + 60 };
    const input = `${encode(header)}.${encode(claims)}`;
    return `${input}.${sign(input)}`;
  };

  it.each(['none', 'None', 'NONE', ''])('refuses a token with alg %j', async (alg) => {
    for (const kid of ['rsa', undefined]) {
      await expect(tokens.verify(forge({ alg, kid }, () => ''))).rejects.toMatchObject(refused);
    }
  });

  it.each(['HS256', 'HS384', 'HS512'])(
    'refuses a token with %s and the public key as secret',
    async (alg) => {
      const key = KeyObject.from(rsa.publicKey);
      const secrets = [
        await exportSPKI(rsa.publicKey),
        key.export({ format: 'der', type: 'spki' }),
        JSON.stringify(await jwkOf(rsa)),
      ];
      for (const secret of secrets) {
        const sign = (input: string) =>
          createHmac(alg.replace('HS', 'sha'), secret).update(input).digest('base64url');
        await expect(tokens.verify(forge({ alg, kid: 'rsa' }, sign))).rejects.toMatchObject(refused);
      }
    },
  );

  it.each(['RS384', 'RS512', 'PS256', 'ES384'])(
    'refuses a token with %s, even with a known key',
    async (alg) => {
      const signer = await pair(alg, 'other');
      publish(signer, ec);
      await expect(tokens.verify(await mint(signer))).rejects.toMatchObject(refused);
    },
  );

  it('refuses a token signed by another key with the same kid', async () => {
    const impostor = await pair('ES256', 'ec');
    await expect(tokens.verify(await mint(impostor))).rejects.toMatchObject(refused);
  });

  it('refuses a token with an embedded key', async () => {
    const impostor = await pair('ES256', 'mine');
    const token = await mint(impostor, { header: { jwk: await jwkOf(impostor), kid: undefined } });
    await expect(tokens.verify(token)).rejects.toMatchObject(refused);
  });

  it('refuses a token that was changed, truncated or malformed', async () => {
    const token = await mint(ec, { claims: { permissions: [] } });
    const [head = '', payload = '', signature = ''] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const richer = `${head}.${encode({ ...claims, permissions: ['service.manage'] })}.${signature}`;
    for (const bad of [
      richer,
      `${head}.${payload}`,
      `${head}.${payload}.`,
      '',
      '..',
      'x',
      'x'.repeat(9000),
    ]) {
      await expect(tokens.verify(bad)).rejects.toMatchObject(refused);
    }
  });
});

describe('the keys of the issuer', () => {
  it('fetches the keys once for concurrent requests', async () => {
    await Promise.all([mint(ec), mint(rsa), mint(ed)].map(async (token) => tokens.verify(await token)));
    await tokens.verify(await mint(ec));
    expect(fetches).toBe(1);
  });

  it('fetches the keys again for an unknown kid, at most once in 30 s', async () => {
    await tokens.verify(await mint(ec));
    const unknown = await mint(later, { exp: 3600 });
    for (let second = 0; second < 30; second++) {
      await expect(tokens.verify(unknown)).rejects.toMatchObject(refused);
      pass(1);
    }
    expect(fetches).toBe(1);
    pass(1);
    await Promise.all([1, 2, 3].map(() => expect(tokens.verify(unknown)).rejects.toMatchObject(refused)));
    await expect(tokens.verify(unknown)).rejects.toMatchObject(refused);
    expect(fetches).toBe(2);
  });

  it('accepts a new key once it is fetched, and the old key while it is published', async () => {
    const old = await mint(ec, { exp: 3600 });
    await tokens.verify(old);
    publish(ec, later);
    pass(31);
    expect((await tokens.verify(await mint(later))).sub).toBe('ada');
    expect((await tokens.verify(old)).sub).toBe('ada');
    publish(later);
    pass(601);
    await tokens.verify(await mint(later));
    await vi.waitFor(() => expect(tokens.verify(old)).rejects.toMatchObject(refused));
  });

  it('uses known keys while the issuer is down, without a waiting request', async () => {
    const token = await mint(ec, { exp: 7200 });
    await tokens.verify(token);
    for (const fault of [undefined, { status: 500, body: '' }, { status: 200, body: 'rubbish' }]) {
      answer = async () => fault;
      pass(601);
      expect((await tokens.verify(token)).sub).toBe('ada');
      expect((await tokens.verify(token)).sub).toBe('ada');
    }
    answer = () => new Promise(() => undefined);
    pass(601);
    expect((await tokens.verify(token)).sub).toBe('ada');
  });

  it('answers 503 for keys that were never fetched, and requests them every 5 s at most', async () => {
    const token = await mint(ec, { exp: 3600 });
    for (const fault of [undefined, { status: 500, body: '' }, { status: 200, body: 'rubbish' }]) {
      answer = async () => fault;
      fetches = 0;
      for (let second = 0; second < 5; second++) {
        await expect(tokens.verify(token)).rejects.toMatchObject(unavailable);
        pass(0.9);
      }
      expect(fetches).toBe(1);
      pass(5);
    }
    publish(ec);
    expect((await tokens.verify(token)).sub).toBe('ada');
  });

  it('accepts a new key after 30 s while the clock is set back', async () => {
    await tokens.verify(await mint(ec));
    publish(later);
    setClock(-3600);
    pass(31);
    expect((await tokens.verify(await mint(later))).sub).toBe('ada');
  });

  it('refuses a withdrawn key after ten minutes while the clock is set back', async () => {
    const old = await mint(ec, { exp: 7200 });
    await tokens.verify(old);
    publish(later);
    setClock(-3600);
    pass(601);
    await vi.waitFor(() => expect(tokens.verify(old)).rejects.toMatchObject(refused));
  });

  it('requests keys again 5 s after a failure, even when the clock was set back', async () => {
    answer = async () => undefined;
    await expect(tokens.verify(await mint(ec))).rejects.toMatchObject(unavailable);
    setClock(-3600);
    publish(ec);
    pass(6);
    expect((await tokens.verify(await mint(ec))).sub).toBe('ada');
  });

  it('answers 503 for endless, slow or redirected keys, and logs the reason', async () => {
    const token = await mint(ec);
    const trickle = (response: ServerResponse) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    const { port } = server.address() as AddressInfo;
    const faults: [(response: ServerResponse) => void, string][] = [
      [(response) => void response.end(' '.repeat(20_000)), 'a response of more than 10000 bytes'],
      [trickle, 'timed out'],
      [(response) => void response.writeHead(302, { Location: `http://127.0.0.1:${port}/` }).end(), '200 OK'],
    ];
    for (const [fault, reason] of faults) {
      fetches = 0;
      respond = fault;
      pass(6);
      const refusal = await tokens.verify(token).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ ...unavailable, cause: { message: expect.stringContaining(reason) } });
      expect(fetches).toBe(1);
    }
  });

  it('refuses an invalid token while keys are unavailable, and fetches no keys for a token that needs none', async () => {
    answer = async () => undefined;
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`;
    await expect(tokens.verify(none)).rejects.toMatchObject(refused);
    expect(fetches).toBe(0);
  });
});

/** Returns the token with other header parameters. Its signature is invalid, but the header is checked first. */
function withHeader(token: string, more: object | undefined): string {
  const [head = '', ...rest] = token.split('.');
  const header = { ...JSON.parse(Buffer.from(head, 'base64url').toString()), ...more };
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
}
