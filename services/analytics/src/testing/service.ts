import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DuckDBInstance, LIST, listValue, VARCHAR } from '@duckdb/node-api';
import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  COHORTS_TOPIC,
  ingestionTopics,
  PEOPLE_TOPIC,
} from '@switchboard/contracts';
import { createDirectoryPublisher, type DirectoryPublisher } from '@switchboard/directory/testing';
import { type EventLog, openPostgresLog } from '@switchboard/event-log';
import { type CallResult, eventually, openHarness, call as send } from '@switchboard/testkit';
import { afterAll } from 'vitest';
import { type AnalyticsConstants, analyticsService } from '../service.ts';
import type { TestEvent } from './reference.ts';

/** For tests: the service on a real port, with files and records as the archive produces them. */

interface AnalyticsHarness {
  url: string;
  databaseUrl: string;
  log: EventLog;
  directory: DirectoryPublisher;
  /** Returns an access token. */
  mint(claims: { sub: string }): Promise<string>;
  /** Calls the service as a member of the projects' company, or as another person. */
  call(
    method: string,
    path: string,
    more?: { body?: unknown; sub?: string; permissions?: string[]; headers?: Record<string, string> },
  ): Promise<CallResult>;
  /** Stores a file of a project's events and publishes it. */
  archive(
    projectId: string,
    name: string,
    events: readonly TestEvent[],
    more?: Partial<ArchiveFileRecord>,
  ): Promise<string>;
  /** Publishes identify or group calls, or cohorts, and waits until they are applied. */
  publish(topic: string, records: readonly { key: string; value: object | null }[]): Promise<void>;
  /** Publishes the tombstone of a file. */
  remove(key: string): Promise<void>;
  stop(): Promise<void>;
}

const DAY = '2026-03-01';
const GROUPS: Record<string, string> = {
  [COHORTS_TOPIC]: 'analytics.cohorts',
  [PEOPLE_TOPIC]: 'analytics.person-ids',
  [ARCHIVE_FILES_TOPIC]: 'analytics.archive-files',
};

/** Starts analytics, and stops it after the tests of this file. */
export async function useAnalytics(...options: Parameters<typeof startAnalytics>): Promise<AnalyticsHarness> {
  const analytics = await startAnalytics(...options);
  afterAll(() => analytics.stop());
  return analytics;
}

export async function startAnalytics(
  env: Record<string, string> = {},
  constants: AnalyticsConstants = {},
): Promise<AnalyticsHarness> {
  const harness = await openHarness({
    services: { analytics: analyticsService },
    env: { LOG_LEVEL: 'error', RATE_LIMITS_MULTIPLIER: '100', ...env },
  });
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const topic = { partitions: 1, replication: 1 };
  await log.createTopics([
    { ...topic, name: ARCHIVE_FILES_TOPIC, cleanup: 'compact', deadLetter: false },
    { ...topic, name: COHORTS_TOPIC, cleanup: 'compact', deadLetter: false },
    { ...topic, name: PEOPLE_TOPIC, cleanup: 'compact', deadLetter: false },
    ...Object.values(ingestionTopics).map((name) => ({ ...topic, name, cleanup: 'delete' as const })),
  ]);
  const directory = await createDirectoryPublisher(log);
  await directory.putProject({ id: 'shop', members: ['ada'] });
  await directory.putProject({ id: 'blog', members: ['ada'] });
  const { url } = await harness.start('analytics', {}, { constants });
  const duck = await (await DuckDBInstance.create()).connect();
  harness.defer(async () => duck.closeSync());
  const folder = harness.env['OBJECTS_FOLDER'] ?? '';

  const publish = (key: string, record: ArchiveFileRecord | null) =>
    log.publish(ARCHIVE_FILES_TOPIC, [
      { partition: 0, key, value: record && Buffer.from(JSON.stringify(record)), headers: {} },
    ]);

  /** Topics have one partition, so a record is applied once everything before it is. */
  const applied = (group: string, name: string) =>
    eventually(async () => {
      const lags = await log.lag(group, [name]);
      if (lags.length === 0 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
    });

  return {
    url,
    databaseUrl: await harness.databaseUrl('analytics'),
    log,
    directory,
    mint: harness.mint,
    call: async (method, path, { body, sub = 'ada', permissions = [], headers = {} } = {}) =>
      send(method, `${url}${path}`, { body, headers, token: await harness.mint({ sub, permissions }) }),
    async archive(projectId, name, events, more = {}) {
      const key = `events/${DAY}/${name}.parquet`;
      const path = join(folder, key);
      await mkdir(dirname(path), { recursive: true });
      const rows = events.map((event) =>
        JSON.stringify({
          project_id: event.project ?? projectId,
          event_id: event.id,
          event_name: event.name,
          distinct_id: event.person,
          session_id: event.session,
          occurred_at: new Date(event.t).toISOString(),
          received_at: new Date(event.t).toISOString(),
          properties: event.properties && JSON.stringify(event.properties),
          context: event.context && JSON.stringify(event.context),
          bot: event.isBot === true,
        }),
      );
      await duck.run(
        'create or replace temp table rows as select unnest($1::varchar[]) as j',
        [listValue(rows)],
        [LIST(VARCHAR)],
      );
      await duck.run(`copy (select unnest(from_json(j, '{"project_id":"VARCHAR","event_id":"VARCHAR","event_name":"VARCHAR","distinct_id":"VARCHAR","session_id":"VARCHAR","occurred_at":"TIMESTAMPTZ","received_at":"TIMESTAMPTZ","properties":"VARCHAR","context":"VARCHAR","bot":"BOOLEAN"}'))
        from rows) to '${path}' (format parquet)`);
      const times = events.map(({ t }) => t);
      await publish(key, {
        key,
        region: 'eu',
        project: projectId,
        bucket: null,
        buckets: null,
        day: DAY,
        rows: events.length,
        bytes: (await stat(path)).size,
        firstOccurredAt: new Date(Math.min(...times)).toISOString(),
        lastOccurredAt: new Date(Math.max(...times)).toISOString(),
        eventNames: [...new Set(events.map((event) => event.name))],
        replaces: [],
        createdAt: new Date().toISOString(),
        ...more,
      });
      await applied('analytics.archive-files', ARCHIVE_FILES_TOPIC);
      return key;
    },
    async publish(name, records) {
      const sent = records.map(({ key, value }) => ({
        partition: 0,
        key,
        value: value && Buffer.from(JSON.stringify(value)),
        headers: {},
      }));
      await log.publish(name, sent);
      await applied(GROUPS[name] ?? 'analytics.people', name);
    },
    async remove(key) {
      await publish(key, null);
    },
    stop: harness.stop,
  };
}
