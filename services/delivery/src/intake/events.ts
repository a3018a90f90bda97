import { type EventRow, eventRow, ingestionTopics } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Occurrence } from '../messages/body.ts';
import type { WebhookRow } from '../webhooks/store.ts';
import { matchOf } from './event-matches.ts';
import { addTo, type Intake, isSince } from './intake.ts';

const GROUP = 'delivery.events';
const topics = [ingestionTopics.events];

interface EventsOptions {
  log: EventLog;
  intake: Pick<Intake, 'askingFor' | 'queue'>;
  logger: Logger;
}

/** Queues messages for the events that webhooks choose. Parses only records of projects with such webhooks. */
export function createEventsConsumer({ log, intake, logger }: EventsOptions): BackgroundConsumer {
  async function consume() {
    await log.endOffsets(ingestionTopics.events);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle({ records }: RecordBatch): Promise<void> {
    const projects = records.flatMap(({ headers }) => headers['project'] ?? []);
    const asking = await intake.askingFor(['event'], projects);
    if (asking.size === 0) return;
    const chosen = new Map([...asking.values()].flat().map((webhook) => [webhook, matchOf(webhook)]));
    const queued = new Map<WebhookRow, Occurrence[]>();
    for (const { headers, value } of records) {
      const projectId = headers['project'] ?? '';
      const receivedAt = headers['received_at'] ?? '';
      const webhooks = (asking.get(projectId) ?? []).filter((webhook) => isSince(webhook, receivedAt));
      if (webhooks.length === 0 || value === null) continue;
      for (const line of value.toString().split('\n')) {
        const event = parseLine(line);
        if (event === undefined) continue;
        const interested = webhooks.filter((webhook) => chosen.get(webhook)?.matches(event) === true);
        for (const webhook of interested) addTo(queued, webhook, occurrenceOf(projectId, event, receivedAt));
      }
    }
    await intake.queue(queued);
  }

  return createConsumer({ consume, topics, logger });
}

/** Lines that are not events are reported by the archive. */
function parseLine(line: string): EventRow | undefined {
  try {
    return eventRow.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function occurrenceOf(projectId: string, event: EventRow, receivedAt: string): Occurrence {
  const ids = {
    projectId,
    eventId: event.event_id,
    name: event.event_name,
    distinctId: event.distinct_id,
    sessionId: event.session_id ?? null,
    occurredAt: event.occurred_at,
    receivedAt,
  };
  return {
    type: 'event',
    at: event.occurred_at,
    subject: event.distinct_id,
    sourceId: event.event_id,
    ids,
    data: { ...ids, properties: event.properties ?? null, context: event.context ?? null },
  };
}
