import { type PageRequest, toPage } from '@switchboard/http';
import { z } from 'zod';
import { attributeText } from '../conditions/attributes.ts';
import { type JsonKind, shownOf } from '../engine/dialect.ts';
import { integer, sql, TRUE, text } from '../engine/sql.ts';
import { jsonOf, type Result } from '../results/results.ts';
import { differentNames } from '../selection/names.ts';
import { afterPlace, parsePlace, placeOf } from './by-count.ts';
import { type ExploreOptions, firstPossible, SINCE, startsOf } from './explore.ts';

interface PropertiesQuery extends PageRequest {
  name: string;
  /** RFC 3339. */
  since?: string | undefined;
}

interface Property {
  /** The name as queries write it. In rows, the property's own name. */
  name: string;
  count: number;
  lastSeenAt: string;
  types: JsonKind[];
  /** The most common first. */
  values: { value: string; count: number }[];
}

interface PropertiesPage {
  since: string;
  properties: Property[];
  nextCursor: string | null;
}

/** Lists a page of the properties of events of a name, the most common first. Throws BadRequest and Unavailable. */
export type ListProperties = (projectId: string, query: PropertiesQuery) => Promise<Result<PropertiesPage>>;

const DAYS = [30, 7, 1];
const SAMPLED_EVENTS = 10_000;
/** The limit for the properties of the sampled events. A larger sample omits its oldest events. */
const SAMPLED_BYTES = 32_000_000;
const MAX_VALUES = 10;
/** The maximum number of characters of a property's name. Longer ones are not listed. */
const MAX_NAME = 200;

const firstRows = z.array(z.object({ t: z.number().nullable() }));
/** A type or label of a property's values. */
const partRows = z.array(
  z.object({
    name: z.string(),
    total: z.number(),
    last: z.number(),
    type: z.enum(['text', 'number', 'boolean', 'null', 'object', 'list']).or(z.literal('')),
    label: z.string(),
    frequency: z.number(),
  }),
);
type PartRow = z.infer<typeof partRows>[number];

export function createListProperties({ queue, results, watermark, clock }: ExploreOptions): ListProperties {
  return async (projectId, query) => {
    const { name, cursor, limit } = query;
    const after = cursor === undefined ? TRUE : afterPlace(parsePlace(cursor));
    const asOf = watermark.asOf();
    const starts = startsOf(query.since, DAYS, clock);
    const bounds = { signal: queue.deadline(), narrowing: SINCE };
    const find = (from: number) => queue.find({ projectId, names: [name], from }, bounds);

    async function read(from: number): Promise<PropertiesPage> {
      const rows = await queue.run(
        projectId,
        await find(from),
        async ({ dialect, events }, run) => {
          const eventsSince = (time: number) => sql`from ${events} where project_id = ${text(projectId)}
            and event_name = ${text(name)} and occurred_at >= ${dialect.instant(time)}
            order by occurred_at desc limit ${integer(SAMPLED_EVENTS)}`;
          // Reads no properties, so that the second query reads the properties of few events.
          const [first] = firstRows.parse(
            await run(sql`select ${dialect.millisOf(sql`min(occurred_at)`)}::double as t
              from (select occurred_at ${eventsSince(from)}) as newest`),
          );
          const since = Math.max(from, first?.t ?? from);
          const found = await run(sql`
            with sizes as (select event_id, occurred_at, ${dialect.bytesOf(sql`properties`)} as bytes ${eventsSince(since)}),
            sampled as (select event_id from (select event_id,
                sum(bytes) over (order by occurred_at desc, event_id rows unbounded preceding) as bytes from sizes) as summed
              where bytes <= ${integer(SAMPLED_BYTES)}),
            found as (${dialect.members(sql`select properties as document,
                ${dialect.millisOf(sql`least(occurred_at, received_at)`)} as seen from ${events}
              where project_id = ${text(projectId)} and event_name = ${text(name)}
                and occurred_at >= ${dialect.instant(since)} and event_id in (select event_id from sampled)`)}),
            counted as ${dialect.materialized}(select name, ${dialect.kindOf(sql`value`)} as type,
                ${dialect.labelOf(sql`value`)} as label, count(*)::double as frequency, max(seen) as newest
              from found where char_length(name) <= ${integer(MAX_NAME)} group by all),
            totals as (select name, sum(frequency) as count, max(newest) as last from counted group by name),
            common as (select name, count as total, last::double as last from totals where ${after}
              order by count desc, name limit ${integer(limit + 1)}),
            typed as (select name, type, '' as label, max(frequency) as frequency from counted group by name, type),
            labelled as (select name, '' as type, label, sum(frequency) as frequency from counted
              where label is not null group by name, label),
            valued as (select * from labelled
              qualify row_number() over (partition by name order by frequency desc, label) <= ${integer(MAX_VALUES)})
            select name, total, last, type, coalesce(label, '') as label, frequency
            from (select * from typed union all select * from valued) as parts join common using (name)
            order by total desc, name, frequency desc, label, type`);
          return partRows.parse(found);
        },
        bounds,
      );
      const { rows: shown, nextCursor } = toPage(propertiesOf(rows), limit, placeOf);
      return {
        since: new Date(from).toISOString(),
        properties: shown.map((property) => ({
          ...property,
          name: attributeText({ of: 'property', name: property.name }),
        })),
        nextCursor,
      };
    }

    const { version } = await firstPossible(starts, find);
    return results.of(['properties', projectId, query, starts, version], asOf, () =>
      firstPossible(starts, read).then(jsonOf),
    );
  };
}

function propertiesOf(rows: readonly PartRow[]): Property[] {
  return [...Map.groupBy(rows, ({ name }) => name)].map(([name, parts]) => {
    const values = parts.filter(({ type }) => type === '');
    const shown = differentNames(values.map(({ label }) => shownOf(label)));
    const { total = 0, last = 0 } = parts[0] ?? {};
    return {
      name,
      count: total,
      lastSeenAt: new Date(last).toISOString(),
      types: parts.map(({ type }) => type).filter((type) => type !== ''),
      values: values.map(({ frequency }, index) => ({ value: shown[index] ?? '', count: frequency })),
    };
  });
}
