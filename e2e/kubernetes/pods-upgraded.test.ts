import { SERVICE_NAMES } from '@switchboard/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { isNextVersion } from '../upgrade/next-version.ts';
import { newProject } from './cluster.ts';
import {
  changeSecret,
  clusterIp,
  HAS_NODES,
  inBackings,
  installEverything,
  podsOf,
  RELEASES,
  release,
} from './pods.ts';
import { helm, inNamespace } from './server.ts';
import { underLoad } from './under-load.ts';

/**
 * An image of the same code with one more migration. Another image has one that fails. See e2e/kubernetes/version.
 */
const NEXT = 'image.tag=next';
const BROKEN = 'image.tag=broken';

describe.skipIf(!HAS_NODES)('pods under load', () => {
  let load: Awaited<ReturnType<typeof underLoad>>;
  beforeAll(async () => {
    await installEverything();
    load = await underLoad(await newProject('upgraded'));
  }, 600_000);

  /** Makes a change, and verifies that no request fails during it. */
  async function withoutFailures(what: string, change: () => Promise<unknown>): Promise<void> {
    const { requests, failures } = await load.during(change);
    process.stdout.write(`${what}: ${failures.length} of ${requests} requests failed\n`);
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(50);
  }

  const tagsOf = async (name: string) =>
    new Set((await podsOf(name)).filter(({ isReady }) => isReady).map(({ tag }) => tag));

  it('keeps the serving version if the migration of an upgrade fails', async () => {
    await withoutFailures('catalogue with a failing migration', async () => {
      await expect(release('catalogue', [BROKEN], '30s')).rejects.toThrow('deadline exceeded');
    });
    const logs = await inNamespace('logs', '--selector=app.kubernetes.io/component=catalogue', '--prefix');
    expect(logs).toContain('division by zero');
    expect(await tagsOf('catalogue')).toEqual(new Set(['dev']));
    await withoutFailures('catalogue reverted', () => helm('rollback', 'catalogue', '--wait'));
    expect(await podsOf('catalogue')).toMatchObject([{ tag: 'dev', isReady: true }]);
  }, 240_000);

  it.each(RELEASES)(
    'answers every request while %s is upgraded',
    async (name) => {
      await withoutFailures(`${name} upgraded`, () => release(name, [NEXT]));
      expect(await tagsOf(name)).toEqual(new Set(['next']));
    },
    240_000,
  );

  it('migrates every database', async () => {
    const address = await clusterIp('backings', 'postgres');
    const migrated = await Promise.all(
      SERVICE_NAMES.filter((name) => name !== 'ingestion').map((name) =>
        isNextVersion(`postgres://${name}:dev-only-${name}@${address}/${name}`),
      ),
    );
    expect(migrated).toEqual(migrated.map(() => true));
  });

  it.each(RELEASES)(
    'answers every request while %s is rolled back',
    async (name) => {
      await withoutFailures(`${name} rolled back`, () => helm('rollback', name, '--wait'));
      expect(await tagsOf(name)).toEqual(new Set(['dev']));
    },
    240_000,
  );

  it('answers every request while a database password is changed as documented', async () => {
    const sql = (statement: string) =>
      inBackings('exec', 'deployment/postgres', '--', 'psql', '--username=postgres', '--command', statement);
    await withoutFailures('flags with a second role', async () => {
      await sql("create role flags_2 login password 'second' in role flags");
      await sql("alter role flags_2 set role = 'flags'");
      await changeSecret('flags', { DATABASE_URL: 'postgres://flags_2:second@postgres.backings:5432/flags' });
      await inNamespace('rollout', 'restart', 'deployment/flags', 'deployment/flags-user-state');
      await inNamespace('rollout', 'status', 'deployment/flags', '--timeout=120s');
      await inNamespace('rollout', 'status', 'deployment/flags-user-state', '--timeout=120s');
      await sql('alter role flags nologin');
    });
    // Restores the state that the other files expect.
    await sql('alter role flags login');
  }, 240_000);

  it('stores everything that it accepted, once', async () => {
    const { accepted, ...problems } = await load.finish();
    for (const [what, found] of Object.entries(problems)) expect([what, found]).toEqual([what, []]);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 300_000);
});
