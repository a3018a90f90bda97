import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 10;
const PING_MS = 1_000;

/**
 * Opens a client of ClickHouse's HTTP interface. It connects on first use.
 *
 * @param url Includes user, password and database: `https://user:password@host:8443/database`.
 */
export function openClickHouse(url: string): ClickHouseClient {
  return createClient({
    url,
    application: 'switchboard',
    request_timeout: REQUEST_TIMEOUT_MS,
    max_open_connections: MAX_CONNECTIONS,
    compression: { request: true, response: true },
    // Long lists of values would make the URL too long.
    use_multipart_params_auto: true,
    // Log messages quote queries, which contain data.
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** Throws if ClickHouse does not answer within a second or rejects the credentials. */
export async function pingClickHouse(client: ClickHouseClient): Promise<void> {
  // Without the signal, pings of a hanging server would occupy the connections of inserts.
  await client.command({ query: 'select 1', abort_signal: AbortSignal.timeout(PING_MS) });
}
