import type { StoredEvent } from '@switchboard/contracts';
import { type Clock, type PageRequest, toPage, unknownCursor } from '@switchboard/service-kit';
import { z } from 'zod';
import type { Dialect, JsonKind } from '../engine/dialect.ts';
import { integer, join, sql, text } from '../engine/sql.ts';
import type { Desk } from '../insights/desk.ts';
import type { Watermark } from '../watermark/watermark.ts';

interface EventsQuery extends PageRequest {
  name?: string | undefined;
  distinctId?: string | undefined;
  /** RFC 3339. */
  since?: string | undefined;
}

interface Page {
  events: StoredEvent[];
  nextCursor: string | null;
  asOf: string;
}

interface EventName {
  name: string;
  count: number;
  lastSeenAt: string;
}

interface Property {
  name: string;
  count: number;
  types: JsonKind[];
  values: { value: string; count: number }[];
}

/** What is in a project's events. Everything throws BadRequest and Unavailable. */
export interface Explore {
  events(projectId: string, query: EventsQuery): Promise<Page>;
  names(projectId: string): Promise<{ eventNames: EventName[]; asOf: string }>;
  properties(projectId: string, name: string): Promise<{ properties: Property[]; asOf: string }>;
}

interface ExploreOptions {
  desk: Desk;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

const DAY_MS = 86_400_000;
const EVENTS_DAYS = 30;
const NAMES_DAYS = 90;
const MAX_NAMES = 1000;
const SAMPLED_EVENTS = 10_000;
const MAX_PROPERTIES = 200;
const MAX_VALUES = 10;

const eventRows = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    person: z.string(),
    session: z.string().nullable(),
    t: z.number(),
    received: z.number(),
    properties: z.string().nullable(),
    context: z.string().nullable(),
  }),
);
const nameRows = z.array(z.object({ name: z.string(), count: z.number(), last: z.number() }));
const valueRows = z.array(
  z.object({
    property: z.string(),
    total: z.number(),
    type: z.enum(['text', 'number', 'boolean', 'null', 'object', 'list']),
    value: z.string().nullable(),
    count: z.number(),
  }),
);

export function createExplore({ desk, watermark, clock }: ExploreOptions): Explore {
  const asOf = () => new Date(watermark.asOf()).toISOString();
  const daysAgo = (days: number) => clock.now().getTime() - days * DAY_MS;

  return {
    async events(projectId, { name, distinctId, since, cursor, limit }) {
      const position = cursor === undefined ? undefined : parseCursor(cursor);
      const from = since === undefined ? daysAgo(EVENTS_DAYS) : Date.parse(since);
      const known = asOf();
      const found = await desk.find({
        projectId,
        names: name === undefined ? undefined : [name],
        from,
        to: position === undefined ? undefined : position.t + 1,
      });
      const conditionsIn = ({ instant, millisOf }: Dialect) => [
        sql`project_id = ${text(projectId)}`,
        sql`occurred_at >= ${instant(from)}`,
        ...(name === undefined ? [] : [sql`event_name = ${text(name)}`]),
        ...(distinctId === undefined ? [] : [sql`distinct_id = ${text(distinctId)}`]),
        ...(position === undefined
          ? []
          : [
              sql`(${millisOf(sql`occurred_at`)} < ${integer(position.t)} or
                (${millisOf(sql`occurred_at`)} = ${integer(position.t)} and event_id < ${text(position.id)}))`,
            ]),
      ];
      const rows = await desk.answer(projectId, found, ({ dialect, events }, query) =>
        query(sql`select event_id as id, event_name as name, distinct_id as person, session_id as session,
          ${dialect.millisOf(sql`occurred_at`)}::double as t,
          ${dialect.millisOf(sql`received_at`)}::double as received, properties, context
          from ${events} where ${join(conditionsIn(dialect), sql` and `)}
          order by occurred_at desc, event_id desc limit ${integer(limit + 1)}`),
      );
      const { rows: events, nextCursor } = toPage(eventRows.parse(rows), limit, ({ t, id }) =>
        Buffer.from(`${t} ${id}`).toString('base64url'),
      );
      return {
        asOf: known,
        events: events.map((row) => ({
          eventId: row.id,
          name: row.name,
          distinctId: row.person,
          sessionId: row.session,
          occurredAt: new Date(row.t).toISOString(),
          receivedAt: new Date(row.received).toISOString(),
          properties: JSON.parse(row.properties ?? 'null'),
          context: JSON.parse(row.context ?? 'null'),
        })),
        nextCursor,
      };
    },

    async names(projectId) {
      const from = daysAgo(NAMES_DAYS);
      const known = asOf();
      const found = await desk.find({ projectId, names: undefined, from });
      const rows = await desk.answer(projectId, found, ({ dialect, events }, query) =>
        query(sql`select event_name as name, count(*)::double as count, ${dialect.millisOf(sql`max(occurred_at)`)}::double as last
          from ${events} where project_id = ${text(projectId)} and occurred_at >= ${dialect.instant(from)}
          group by event_name order by count desc, name limit ${integer(MAX_NAMES)}`),
      );
      const eventNames = nameRows
        .parse(rows)
        .map(({ name, count, last }) => ({ name, count, lastSeenAt: new Date(last).toISOString() }));
      return { asOf: known, eventNames };
    },

    async properties(projectId, name) {
      const from = daysAgo(EVENTS_DAYS);
      const known = asOf();
      const found = await desk.find({ projectId, names: [name], from });
      const rows = await desk.answer(projectId, found, ({ dialect, events }, query) =>
        query(sql`
          with sampled as (select properties from ${events} where project_id = ${text(projectId)}
            and event_name = ${text(name)} and occurred_at >= ${dialect.instant(from)}
            order by occurred_at desc limit ${integer(SAMPLED_EVENTS)}),
          keyed as (select properties, ${dialect.names(sql`properties`)} as property from sampled
            where ${dialect.isReadable(sql`properties`)}),
          found as (select property, ${dialect.memberOf(sql`properties`, sql`property`)} as v from keyed),
          counted as (select property, ${dialect.kindOf(sql`v`)} as type, ${dialect.labelOf(sql`v`)} as value,
            count(*)::double as count from found group by all),
          common as (select property, sum(count) as total from counted group by property
            order by total desc, property limit ${integer(MAX_PROPERTIES)})
          select property, total, type, value, count from counted join common using (property)
          qualify row_number() over (partition by property order by count desc, value) <= ${integer(MAX_VALUES)}
            or row_number() over (partition by property, type order by count desc) = 1
          order by total desc, property, count desc, value`),
      );
      const properties = new Map<string, Property>();
      for (const row of valueRows.parse(rows)) {
        const property = properties.get(row.property) ?? {
          name: row.property,
          count: row.total,
          types: [],
          values: [],
        };
        if (!property.types.includes(row.type)) property.types.push(row.type);
        if (row.value !== null && property.values.length < MAX_VALUES)
          property.values.push({ value: row.value, count: row.count });
        properties.set(row.property, property);
      }
      return { asOf: known, properties: [...properties.values()] };
    },
  };
}

/** The place of an event in the order of pages. */
function parseCursor(cursor: string): { t: number; id: string } {
  const [, t, id] = /^(-?\d{1,15}) (.+)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (t === undefined || id === undefined) throw unknownCursor();
  return { t: Number(t), id };
}
