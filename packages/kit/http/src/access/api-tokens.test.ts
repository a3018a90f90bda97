import type { ApiToken } from '@switchboard/directory';
import { apiTokenId, hashToken, newApiToken } from '@switchboard/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { authorityOfToken, findApiToken, type TokenDirectory } from './api-tokens.ts';
import { requireStillGranted } from './grants.ts';

const ID = `tok_${'0123456789abcdef'.repeat(2)}`;
const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();
const A_SECOND_AGO = new Date(Date.now() - 1_000).toISOString();
const refused = { status: 401, code: 'UNAUTHORIZED', headers: { 'WWW-Authenticate': 'Bearer' } };

let token: ApiToken | undefined;
let role: string | undefined;
let uses: string[];
let value: string;
const directory: TokenDirectory = {
  token: async (id) => (id === token?.id ? token : undefined),
  tokenUsed: (id) => void uses.push(id),
  async member(companyId, sub) {
    if (role === undefined) return undefined;
    return {
      companyId,
      sub,
      name: 'Ada',
      email: 'ada@example.com',
      role,
      avatarUrl: null,
      pushSubscriptions: [],
    };
  },
};

function made(more: Partial<ApiToken> = {}): ApiToken {
  return {
    id: ID,
    companyId: 'acme',
    kind: 'personal',
    sub: 'ada',
    permissions: ['flags.read', 'flags.write'],
    projectIds: null,
    expiresAt: IN_AN_HOUR,
    hashes: [{ hash: hashToken(value), until: null }],
    ...more,
  };
}

beforeEach(() => {
  value = newApiToken('personal', ID);
  token = made();
  role = 'editor';
  uses = [];
});

describe('the value of a token', () => {
  it('gives each token a value that names it and is unique', () => {
    expect(apiTokenId(value)).toBe(ID);
    expect(newApiToken('service', ID)).toMatch(/^sbsvc_/);
    expect(newApiToken('personal', ID)).not.toBe(value);
  });

  it('finds the token of a value, and counts a use', async () => {
    expect(await findApiToken(value, directory)).toBe(token);
    expect(uses).toEqual([ID]);
  });

  it.each<[string, () => ApiToken | undefined]>([
    ['of a token that was revoked', () => undefined],
    [
      'that is another of the same token',
      () => made({ hashes: [{ hash: hashToken('other'), until: null }] }),
    ],
    ['of an expired token', () => made({ expiresAt: A_SECOND_AGO })],
    ['that was replaced', () => made({ hashes: [{ hash: hashToken(value), until: A_SECOND_AGO }] })],
  ])('refuses a value %s, and counts no use', async (_, known) => {
    token = known();
    await expect(findApiToken(value, directory)).rejects.toMatchObject(refused);
    expect(uses).toEqual([]);
  });

  it('refuses a value with a wrong checksum without a look-up', async () => {
    const wrong = `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
    token = made({ hashes: [{ hash: hashToken(wrong), until: null }] });
    await expect(findApiToken(wrong, directory)).rejects.toMatchObject(refused);
  });

  it('accepts a replaced value until its time', async () => {
    const hashes = [
      { hash: hashToken('another'), until: null },
      { hash: hashToken(value), until: IN_AN_HOUR },
    ];
    token = made({ hashes });
    expect(await findApiToken(value, directory)).toBe(token);
  });
});

describe('the permissions of a token', () => {
  const may = (more: Partial<ApiToken>, companyId: string | undefined, projectId?: string) =>
    authorityOfToken({ token: made(more), projectId, directory }).has('flags.write', companyId);

  it('allows what a token carries and its person may do now', async () => {
    expect(await may({}, 'acme')).toBe(true);
    expect(await may({ permissions: ['flags.read'] }, 'acme')).toBe(false);
    role = 'viewer';
    expect(await may({}, 'acme')).toBe(false);
    role = undefined;
    expect(await may({}, 'acme')).toBe(false);
  });

  it('allows a token in its company and its projects alone, and never everywhere', async () => {
    expect([await may({}, 'other'), await may({}, undefined)]).toEqual([false, false]);
    const projectIds = ['shop'];
    expect(await may({ projectIds }, 'acme', 'shop')).toBe(true);
    expect(await may({ projectIds }, 'acme', 'blog')).toBe(false);
    expect(await may({ projectIds }, 'acme')).toBe(false);
    const authority = authorityOfToken({ token: made(), projectId: undefined, directory });
    expect(authority.hasEverywhere('flags.write')).toBe(false);
  });

  it('allows a token nothing that no role has, whatever it carries', async () => {
    const service = made({ kind: 'service', sub: null, permissions: ['companies.write', 'flags.write'] });
    const authority = authorityOfToken({ token: service, projectId: undefined, directory });
    role = undefined;
    expect(await authority.has('companies.write', 'acme')).toBe(false);
    expect(await authority.has('flags.write', 'acme')).toBe(true);
    expect(authority.person).toEqual({ sub: ID, permissions: [] });
  });
});

describe('the later check of what a token or a role allowed', () => {
  const later = (tokenId: string | null, everywhere = false) =>
    requireStillGranted(
      { sub: 'ada', tokenId, everywhere },
      'flags.write',
      { id: 'shop', companyId: 'acme' },
      directory,
    );

  it('allows a stored permission while the token and the role last', async () => {
    role = 'editor';
    token = made();
    await expect(later(ID)).resolves.toBeUndefined();
    await expect(later(null)).resolves.toBeUndefined();
    role = undefined;
    token = undefined;
    await expect(later(null, true)).resolves.toBeUndefined();
  });

  it.each<[string, () => void, string | null]>([
    ['the token is revoked', () => (token = undefined), ID],
    ['the token has expired', () => (token = made({ expiresAt: A_SECOND_AGO })), ID],
    ['the token carries less', () => (token = made({ permissions: ['flags.read'] })), ID],
    ['the token covers other projects', () => (token = made({ projectIds: ['other'] })), ID],
    ['the person of the token is no member', () => (role = undefined), ID],
    ['the person is no member', () => (role = undefined), null],
    ['the person has a lesser role', () => (role = 'viewer'), null],
  ])('refuses a stored permission when %s', async (_, change, tokenId) => {
    role = 'editor';
    token = made();
    change();
    await expect(later(tokenId)).rejects.toMatchObject({ status: 403 });
  });
});
