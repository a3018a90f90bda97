import type postgres from 'postgres';
import { connect, timeoutsOf } from './connect.ts';
import { STATEMENT_TIMEOUT_MS } from './database.ts';

/** A database that a service cannot use as configured. The message says what to change. */
export class UnsuitableDatabase extends Error {
  override name = 'UnsuitableDatabase';
}

interface Addresses {
  /** The address for queries. */
  url: string;
  /** The address of the same database without a pooler. */
  directUrl?: string | undefined;
  /** The address of the same database with the role that migrates. */
  ownerUrl?: string | undefined;
}

/** Repeated, since other clients use the same pool and one exchange may miss a change of process. */
const EXCHANGES = 5;
const DIRECTLY = 'set DIRECT_DATABASE_URL to the address of PostgreSQL itself';

/**
 * Detects poolers between a service and its database. Throws UnsuitableDatabase if one keeps no sessions where they
 * are needed, or drops statement time-outs. Throws the driver's error if a database is unavailable.
 */
export async function checkPooling({ url, directUrl, ownerUrl }: Addresses): Promise<void> {
  const { hasPooler, commands } = await lookAt(url, directUrl !== undefined);
  const isKnown = (address: string) => !hasPooler && hostOf(address) === hostOf(url);
  const remedies = [
    { address: directUrl, remedy: 'DIRECT_DATABASE_URL must be the address of PostgreSQL itself' },
    { address: ownerUrl, remedy: 'MIGRATIONS_DATABASE_URL must be the address of PostgreSQL itself' },
    { address: directUrl === undefined ? url : undefined, remedy: DIRECTLY },
  ];
  for (const { address, remedy } of remedies) {
    if (address === undefined || isKnown(address) || (await keepsSessions(address))) continue;
    throw new UnsuitableDatabase(
      `A pooler gives a connection to another client after each transaction, which breaks LISTEN, migrations and jobs: ${remedy}.`,
    );
  }
  if (commands.length > 0)
    throw new UnsuitableDatabase(
      `Behind the pooler of DATABASE_URL the role needs its own time-outs: run ${commands.join(' ')} and let the pooler reconnect.`,
    );
}

const hostOf = (address: string): string => new URL(address).host;

/**
 * Whether a connection keeps its PostgreSQL process and settings: true without a pooler and with one that pools
 * sessions, false with one that pools transactions or statements.
 */
export async function keepsSessions(url: string): Promise<boolean> {
  const [one, other] = [open(url, false), open(url, false)];
  const processes = new Set<number>();
  try {
    if (await isDirect(one)) return true;
    for (let exchange = 0; exchange < EXCHANGES; exchange++) {
      await one.begin(async (held) => {
        await processOf(held);
        processes.add(await processOf(other));
      });
      // Covers poolers that reuse the most recently returned connection and those that reuse the least recent one.
      for (let turn = 0; turn < 2; turn++) processes.add(await processOf(other));
    }
    return processes.size === 1;
  } catch (error) {
    if (!isRefusedParameter(error)) throw error;
    return false;
  } finally {
    await Promise.all([one.end({ timeout: 1 }), other.end({ timeout: 1 })]);
  }
}

/** Whether PostgreSQL itself reported the process when the connection was opened. A pooler reports none. */
async function isDirect(sql: postgres.Sql): Promise<boolean> {
  const rows = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return rows[0]?.pid === rows.state.pid;
}

async function processOf(sql: postgres.Sql | postgres.TransactionSql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
}

/** Returns whether there is a pooler, and the commands that set the time-outs missing from the role. */
async function lookAt(url: string, isPooled: boolean): Promise<{ hasPooler: boolean; commands: string[] }> {
  const needed = timeoutsOf(STATEMENT_TIMEOUT_MS);
  const sql = open(url, isPooled);
  try {
    const hasPooler = !(await isDirect(sql));
    if (!hasPooler && !isPooled) return { hasPooler, commands: [] };
    const rows = await sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings where name = any(${Object.keys(needed)}::text[])`;
    const found = new Map(rows.map(({ name, setting }) => [name, Number(setting)]));
    const missing = Object.entries(needed).filter(([name, most]) => {
      const setting = found.get(name) ?? 0;
      return setting === 0 || setting > most;
    });
    const role = decodeURIComponent(new URL(url).username);
    const commands = missing.map(([name, most]) => `ALTER ROLE "${role}" SET ${name} = '${most}ms';`);
    return { hasPooler, commands };
  } catch (error) {
    if (!isRefusedParameter(error)) throw error;
    throw new UnsuitableDatabase(
      `The pooler of DATABASE_URL rejects time-outs (${error.message}): ${DIRECTLY}.`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Whether the error is PgBouncer's answer to a parameter that it neither knows nor is configured to ignore. */
function isRefusedParameter(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith('unsupported startup parameter');
}

function open(url: string, isPooled: boolean): postgres.Sql {
  const options = { applicationName: 'check', poolSize: 1, connectTimeoutMs: 3_000, isPooled };
  return connect(url, { ...options, statementTimeoutMs: STATEMENT_TIMEOUT_MS }).sql;
}
