import { type EventLog, openPostgresLog } from '@switchboard/event-log';
import {
  type CallResult,
  openHarness,
  type Program,
  call as send,
  type TokenClaims,
} from '@switchboard/testkit';
import { afterAll } from 'vitest';
import { type CollaborationConstants, collaborationService } from '../service.ts';
import { type DirectoryPublisher, publishDirectory } from './directory.ts';

/** The service on a real port, with a seeded directory, people, and a clock that a test can set. */
export interface Harness {
  url: string;
  env: Record<string, string | undefined>;
  databaseUrl: string;
  directory: DirectoryPublisher;
  log: EventLog;
  /** A clock that stops once it is set. */
  clock: { now(): Date; set(time: string): void };
  token(claims: TokenClaims): Promise<string>;
  as(sub: string, permissions?: string[]): Person;
  /** Starts another instance on the same database. */
  another(env?: Record<string, string>, constants?: CollaborationConstants): Promise<Instance>;
  /** Starts another instance in a separate process. */
  spawn(env: Record<string, string>): Promise<Program>;
  /** Stops the first instance but keeps its backing services. */
  stopService(): Promise<void>;
  stop(): Promise<void>;
}

interface Instance {
  url: string;
  stop(): Promise<void>;
}

export interface Person {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<CallResult>;
}

export function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<CallResult> {
  return send(method, `${url}${path}`, { body, headers });
}

/** Starts collaboration, and stops it after the tests of this file. */
export async function useCollaboration(...given: Parameters<typeof startHarness>): Promise<Harness> {
  const harness = await startHarness(...given);
  afterAll(() => harness.stop());
  return harness;
}

export async function startHarness(
  env: Record<string, string> = {},
  constants: CollaborationConstants = {},
): Promise<Harness> {
  let fixed: Date | undefined;
  const clock = {
    now: () => fixed ?? new Date(),
    set(time: string) {
      fixed = new Date(time);
    },
  };
  const harness = await openHarness({
    services: { collaboration: collaborationService },
    clock,
    env: { LOG_LEVEL: 'error', TRUSTED_PROXY_HOPS: '1', ...env },
  });
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const directory = await publishDirectory(log);
  const { url, stop } = await harness.start(
    'collaboration',
    {},
    { constants: { deliveryRetrySeconds: 1, ...constants } },
  );
  return {
    url,
    env: harness.env,
    databaseUrl: await harness.databaseUrl('collaboration'),
    directory,
    log,
    clock,
    token: harness.mint,
    as: (sub, permissions = []) => ({
      async call(method, path, body, headers = {}) {
        return send(method, `${url}${path}`, {
          body,
          headers,
          token: await harness.mint({ sub, permissions }),
        });
      },
    }),
    another: (changed, own = {}) =>
      harness.start('collaboration', changed, { constants: { deliveryRetrySeconds: 1, ...own } }),
    spawn: (changed) => harness.spawn('collaboration', { env: changed }),
    stopService: stop,
    stop: harness.stop,
  };
}

/** Returns the UTC day that many days from now. */
export const dayAhead = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
