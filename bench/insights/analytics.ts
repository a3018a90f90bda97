import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  COHORTS_TOPIC,
  ingestionTopics,
  PEOPLE_TOPIC,
  personKey,
  type ReportContent,
} from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { call, eventually, processUsage } from '@switchboard/testkit';
import { HEAP_FLAGS, openBenchHarness } from '../lib/harness.ts';
import { DAY_MS, FIRST_DAY } from './files.ts';

const FILES_GROUP = 'analytics.archive-files';
const MEMBER = 'ada';
const RECORDS_AT_ONCE = 5000;

export interface Question {
  name: string;
  project: string;
  body: { range: { from: string; to: string } } & Record<string, unknown>;
}

/** A report, or the status of a query that exceeds its memory limit (400) or its time limit (503). */
export type Answer = { report: ReportContent } | { refused: 400 | 503 };

/** The analytics service as a process. */
export interface Analytics {
  /** The folder with the archive's files. */
  folder: string;
  usage: ReturnType<typeof processUsage>;
  databaseUrl(): Promise<string>;
  addProject(id: string): Promise<void>;
  /** Publishes files, and waits until the service knows them. */
  publish(records: readonly ArchiveFileRecord[]): Promise<void>;
  /** Publishes the removal of files. */
  remove(records: readonly ArchiveFileRecord[]): Promise<void>;
  /** Joins ids of a project to persons, and waits until the service knows them. */
  join(project: string, personIds: ReadonlyMap<string, string>): Promise<void>;
  /** Runs a query that no cache can answer, and no counts of the same query. */
  ask(question: Question): Promise<Answer>;
  /** Runs the last query of a question again. */
  askAgain(question: Question): Promise<Answer>;
  stop(): Promise<void>;
}

interface Options {
  projects: string[];
  memoryBytes: number;
  clickHouseUrl?: string | undefined;
}

export async function startAnalytics({ projects, memoryBytes, clickHouseUrl }: Options): Promise<Analytics> {
  const { harness, stop } = await openBenchHarness({ durable: false });
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
  for (const id of projects) await directory.putProject({ id, members: [MEMBER] });
  const service = await harness.spawn('analytics', {
    flags: HEAP_FLAGS,
    env: {
      QUERY_FOLDER: join(harness.folder, 'queries'),
      QUERY_MEMORY_BYTES: String(memoryBytes),
      RATE_LIMITS_MULTIPLIER: '1000',
      LOG_LEVEL: 'fatal',
      ...(clickHouseUrl === undefined ? {} : { CLICKHOUSE_URL: clickHouseUrl }),
    },
    output: 'inherit',
  });
  const token = await harness.mint({ sub: MEMBER });
  const isKnown = (project: string) =>
    eventually(async () => {
      const { status } = await call('GET', `${service.url}/v1/projects/${project}/event-names`, { token });
      if (status !== 200) throw new Error(`${status}`);
    });
  for (const id of projects) await isKnown(id);

  interface Sent {
    key: string;
    value: Buffer | null;
  }

  async function send(topic: string, group: string, records: readonly Sent[]): Promise<void> {
    const sent = records.map((record) => ({ ...record, partition: 0, headers: {} }));
    for (let start = 0; start < sent.length; start += RECORDS_AT_ONCE)
      await log.publish(topic, sent.slice(start, start + RECORDS_AT_ONCE));
    await eventually(
      async () => {
        const lags = await log.lag(group, [topic]);
        if (lags.length === 0 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
      },
      { withinMs: 120_000 },
    );
  }

  const sendFiles = (records: readonly Sent[]) => send(ARCHIVE_FILES_TOPIC, FILES_GROUP, records);

  async function answerTo({ project, body, name }: Question, turn: number): Promise<Answer> {
    const answer = await call('POST', `${service.url}/v1/projects/${project}/insights`, {
      token,
      body: withEmptyDays(body, turn),
    });
    const { status } = answer;
    const isTooLarge = status === 400 && /too much memory/.test(JSON.stringify(answer.body));
    if (status === 503 || isTooLarge) return { refused: status };
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(answer.body)}`);
    return { report: answer.body.report };
  }

  const asked = new Map<string, number>();
  return {
    folder: `${harness.env['OBJECTS_FOLDER']}`,
    usage: processUsage(service.pid),
    databaseUrl: () => harness.databaseUrl('analytics'),
    async addProject(id) {
      await directory.putProject({ id, members: [MEMBER] });
      await isKnown(id);
    },
    publish: (records) =>
      sendFiles(records.map((record) => ({ key: record.key, value: Buffer.from(JSON.stringify(record)) }))),
    remove: (records) => sendFiles(records.map(({ key }) => ({ key, value: null }))),
    join(projectId, personIds) {
      const known = { joinedAt: new Date(FIRST_DAY).toISOString(), by: { kind: 'identify' } };
      const records = [...personIds].map(([distinctId, personId]) => ({
        key: personKey(projectId, distinctId),
        value: Buffer.from(JSON.stringify({ projectId, distinctId, personId, ...known })),
      }));
      return send(PEOPLE_TOPIC, 'analytics.person-ids', records);
    },
    ask(question) {
      const name = question.project + question.name;
      const turn = asked.get(name) ?? 0;
      asked.set(name, turn + 1);
      return answerTo(question, turn);
    },
    askAgain: (question) =>
      answerTo(question, Math.max(0, (asked.get(question.project + question.name) ?? 0) - 1)),
    async stop() {
      await service.stop();
      await stop();
    },
  };
}

/** Returns an equivalent query, over more days that have no events. */
function withEmptyDays({ range, ...body }: Question['body'], days: number): object {
  const to = new Date(Date.parse(range.to) + days * DAY_MS).toISOString().slice(0, range.to.length);
  return { ...body, range: { ...range, to } };
}

const IDLE_MS = 3_000;

/** Waits until the service keeps no more rows in the background. */
export async function settled({ usage }: Analytics): Promise<void> {
  for (;;) {
    const before = await usage.cpuSeconds();
    await sleep(IDLE_MS);
    if ((await usage.cpuSeconds()) - before < IDLE_MS / 10_000) return;
  }
}
