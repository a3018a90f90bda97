import { type PageRequest, toPage } from '@switchboard/service-kit';
import { z } from 'zod';
import type { JsonKind } from '../engine/dialect.ts';
import { integer, sql, TRUE, text } from '../engine/sql.ts';
import type { Asked } from '../insights/answers.ts';
import { afterPlace, parsePlace, placeOf } from './by-count.ts';
import { type ExploreOptions, firstPossible, SINCE, startsOf } from './explore.ts';

interface PropertiesQuery extends PageRequest {
  name: string;
  /** RFC 3339. */
  since?: string | undefined;
}

interface Property {
  name: string;
  count: number;
  types: JsonKind[];
  /** The commonest first. */
  values: { value: string; count: number }[];
}

interface PropertiesPage {
  since: string;
  properties: Property[];
  nextCursor: string | null;
}

/** A page of the properties of events of a name, the commonest first. Throws BadRequest and Unavailable. */
export type ListProperties = (projectId: string, query: PropertiesQuery) => Promise<Asked<PropertiesPage>>;

const DAYS = [30, 7, 1];
const SAMPLED_EVENTS = 10_000;
const MAX_VALUES = 10;

const valueRows = z.array(
  z.object({
    name: z.string(),
    total: z.number(),
    type: z.enum(['text', 'number', 'boolean', 'null', 'object', 'list']),
    value: z.string().nullable(),
    frequency: z.number(),
  }),
);

export function createListProperties({ desk, answers, watermark, clock }: ExploreOptions): ListProperties {
  return async (projectId, query) => {
    const { name, cursor, limit } = query;
    const after = cursor === undefined ? TRUE : afterPlace(parsePlace(cursor));
    const asOf = watermark.asOf();
    const starts = startsOf(query.since, DAYS, clock);
    const bounds = { signal: desk.deadline(), narrowing: SINCE };
    const find = (from: number) => desk.find({ projectId, names: [name], from }, bounds);

    async function read(from: number): Promise<PropertiesPage> {
      const found = await desk.answer(
        projectId,
        await find(from),
        ({ dialect, events }, run) =>
          run(sql`
            with sampled as (select properties from ${events} where project_id = ${text(projectId)}
              and event_name = ${text(name)} and occurred_at >= ${dialect.instant(from)}
              order by occurred_at desc limit ${integer(SAMPLED_EVENTS)}),
            keyed as (select properties, ${dialect.names(sql`properties`)} as property from sampled
              where ${dialect.isReadable(sql`properties`)}),
            found as (select property, ${dialect.memberOf(sql`properties`, sql`property`)} as v from keyed),
            counted as (select property as name, ${dialect.kindOf(sql`v`)} as type, ${dialect.labelOf(sql`v`)} as value,
              count(*)::double as frequency from found group by all),
            totals as (select name, sum(frequency) as count from counted group by name),
            common as (select name, count as total from totals where ${after}
              order by count desc, name limit ${integer(limit + 1)})
            select name, total, type, value, frequency from counted join common using (name)
            qualify row_number() over (partition by name order by frequency desc, value) <= ${integer(MAX_VALUES)}
              or row_number() over (partition by name, type order by frequency desc) = 1
            order by total desc, name, frequency desc, value`),
        bounds,
      );
      const properties = propertiesOf(valueRows.parse(found));
      const { rows, nextCursor } = toPage(properties, limit, placeOf);
      return { since: new Date(from).toISOString(), properties: rows, nextCursor };
    }

    const { version } = await firstPossible(starts, find);
    return answers.to(['properties', projectId, query, starts, version], asOf, () =>
      firstPossible(starts, read),
    );
  };
}

function propertiesOf(rows: z.infer<typeof valueRows>): Property[] {
  const properties = new Map<string, Property>();
  for (const { name, total, type, value, frequency } of rows) {
    const property = properties.get(name) ?? { name, count: total, types: [], values: [] };
    if (!property.types.includes(type)) property.types.push(type);
    if (value !== null && property.values.length < MAX_VALUES) {
      property.values.push({ value, count: frequency });
    }
    properties.set(name, property);
  }
  return [...properties.values()];
}
