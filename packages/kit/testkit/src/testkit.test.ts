import { createRemoteJWKSet, jwtVerify } from 'jose';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accessTokens, eventually, testDatabase } from './index.ts';

const example = new URL('./example-migrations', import.meta.url).pathname;

describe('the databases of tests', () => {
  it('creates separate databases from one template at the same time', async () => {
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => testDatabase({ migrations: [{ folder: example }] })),
    );
    const counts = await Promise.all(
      databases.map(async ({ url }, index) => {
        const sql = postgres(url, { max: 1 });
        onTestFinished(() => sql.end());
        await sql`insert into example (id) values (${index})`;
        return await sql`select id from example`;
      }),
    );
    expect(counts.map((rows) => rows.map((row) => row['id']))).toEqual([[0], [1], [2], [3]]);
    await Promise.all(databases.map((database) => database.drop()));
    const [first] = databases;
    const gone = postgres(first?.url ?? '', { max: 1 });
    await expect(gone`select 1`).rejects.toThrow(/does not exist/);
  });
});

describe('the access tokens of tests', () => {
  it('mints tokens that its key set verifies, and expired ones on request', async () => {
    const tokens = await accessTokens();
    onTestFinished(() => tokens.stop());
    const verify = (token: string) =>
      jwtVerify(token, createRemoteJWKSet(new URL(tokens.jwksUrl)), {
        issuer: tokens.issuer,
        audience: tokens.audience,
      });
    const { payload } = await verify(
      await tokens.mint({ sub: 'u1', name: 'Ada', permissions: ['service.manage'] }),
    );
    expect(payload).toMatchObject({ sub: 'u1', name: 'Ada', permissions: ['service.manage'] });
    await expect(verify(await tokens.mint({ sub: 'u1', expiresInSeconds: -60 }))).rejects.toThrow(/exp/);
    await expect(verify(await tokens.mint({ sub: 'u1', audience: 'other' }))).rejects.toThrow(/aud/);
  });
});

describe('eventually', () => {
  it('returns the first result, and throws the last error when every attempt fails', async () => {
    let calls = 0;
    const third = () => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    };
    await expect(eventually(third)).resolves.toBe(3);
    const never = () => Promise.reject(new Error('never'));
    await expect(eventually(never, { withinMs: 30 })).rejects.toThrow('never');
  });
});
