import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, postgresServer } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from './index.ts';

/** A server with an untrusted certificate: `require` encrypts with it, `verify-full` rejects it. */
let server: PostgresServer;
let folder: string;

beforeAll(async () => {
  server = await postgresServer();
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }]);
  const admin = openDatabase({ url: server.url('test'), applicationName: 'test' });
  const [row] = await admin.drizzle.execute<{ directory: string }>(sql`show data_directory`);
  folder = await mkdtemp(join(tmpdir(), 'tls-'));
  await chmod(folder, 0o755);
  const owner = await stat(String(Object.values(row ?? {})[0]));
  for (const [name, pem] of [
    ['server.crt', cert],
    ['server.key', key],
  ] as const) {
    const file = join(folder, name);
    await writeFile(file, pem, { mode: 0o600 });
    await chown(file, owner.uid, owner.gid);
  }
  await admin.drizzle.execute(sql.raw(`alter system set ssl_cert_file = '${join(folder, 'server.crt')}'`));
  await admin.drizzle.execute(sql.raw(`alter system set ssl_key_file = '${join(folder, 'server.key')}'`));
  await admin.drizzle.execute(sql`alter system set ssl = on`);
  await admin.close();
  await server.stop();
  await server.start();
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

async function isEncrypted(mode: string): Promise<unknown> {
  const url = new URL(server.url('test'));
  url.searchParams.set('sslmode', mode);
  const database = openDatabase({ url: String(url), applicationName: 'test' });
  try {
    const rows = await database.drizzle.execute(
      sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`,
    );
    return rows[0]?.['ssl'];
  } finally {
    await database.close();
  }
}

it('uses TLS if the URL requires it, and verifies the certificate if the URL asks for verification', async () => {
  expect(await isEncrypted('disable')).toBe(false);
  expect(await isEncrypted('require')).toBe(true);
  await expect(isEncrypted('verify-full')).rejects.toThrow();
});
