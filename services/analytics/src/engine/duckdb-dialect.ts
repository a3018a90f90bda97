import type { Dialect } from './dialect.ts';
import { COMMA, integer, join, numbered, type Sql, sql, text, whole } from './sql.ts';

function partOf(json: Sql, path: readonly (string | number)[]): Sql {
  return sql`json_extract(${json}, ${text(pointerTo(path))})`;
}

function pointerTo(path: readonly (string | number)[]): string {
  return path.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The length of the longest list of integers that `visitPeople` sorts, which takes a tenth of the time of `list_sort`. */
export const SORTED_LATER = 100_000;

/** Calls the macros of functions.ts. */
export const DUCKDB: Dialect = {
  partOf,
  propertyOf: (document, name) => sql`try(${partOf(document, [name])})`,
  // Unlike this, json_each repeats the document in each row.
  members: (documents) => sql`select member.key as name, member.value as value, seen from (
    select unnest(map_entries(from_json(case when json_valid(document) then document end, '"MAP(VARCHAR, JSON)"'))) as member, seen
    from (${documents}) as read) as parts`,
  either: (json, other) => sql`coalesce(${json}, ${other})`,
  countryOf: (zone) => sql`country_of(${zone})`,
  bytesOf: (value) => sql`coalesce(strlen(${value}), 0)`,
  jsonOf: (value) => sql`to_json(${value})`,
  joined: (json) => json,

  isSet: (json) => sql`is_set(${json})`,
  isKind: (json, kind) => sql`coalesce(json_type(${json}) = ${KINDS[kind]}, false)`,
  kindOf: (json) => sql`kind_of(${json})`,
  sizeOf: (json) =>
    sql`case when json_type(${json}) = 'ARRAY' then json_array_length(${json}) else len(json_keys(${json})) end`,
  textOf: (json) => sql`text_of(${json})`,
  wordOf: (json) => sql`(${json}->>'$')`,
  numberOf: (json) => sql`number_of(${json})`,
  parsedNumber: (value) => sql`parsed_number(${value})`,
  numericOf: (json) => sql`numeric_of(${json})`,
  versionKey: (value) => sql`version_key(${value})`,
  parsedInstant: (value) => sql`parsed_instant(${value})`,
  labelOf: (json) => sql`label_of(${json})`,
  labelOfProperty: (document, name) =>
    sql`shown_as(try(json_extract_string(${document}, ${text(pointerTo([name]))})))`,
  someElement: (json, test) =>
    sql`(len(list_filter(from_json(${json}, '["JSON"]'), lambda e: ${test(sql`e`)})) > 0)`,

  holds: (list, value) => sql`list_contains(${list}, ${value})`,
  someIsPartOf: (list, value) => sql`(len(list_filter(${list}, lambda part: contains(${value}, part))) > 0)`,
  rowsOf: (list) => sql`select unnest(${list})`,
  elementOf: (list, index) => sql`list_extract(${list}, (${index})::bigint)`,

  quotient: (value, divisor) => sql`((${value}) // ${integer(divisor)})`,
  millisOf: (instant) => sql`epoch_ms(${instant})`,
  instant: (millis) => sql`make_timestamptz(${integer(millis)} * 1000)`,

  accurateSum: (value) => sql`fsum(${value})`,
  average: (value) => sql`finite_average(${value})`,
  quantile: (value, part) => sql`quantile_cont(${value}, ${part})`,

  inLittleMemory: sql``,

  hasBit: (mask, bit) => sql`((${mask} & ${whole(2 ** bit)}) <> 0)`,
  elements: (list) => sql`unnest(${list})`,
  md5Prefix: (value, length) => sql`left(md5(${value}), ${integer(length)})`,
  jsonOfTexts: (value) => sql`to_json(list(${value} order by ${value}))::varchar`,

  materialized: sql`materialized `,

  rowIf: (condition, values) => {
    const fields = values.map((value, index) => sql`${numbered('n', index)}: ${value}`);
    return sql`case when ${condition} then {${join(fields, COMMA)}} end`;
  },
  valueOf: (row, index) => sql`${row}.${numbered('n', index)}`,
  integerList: (value) => {
    const list = sql`list((${value})::bigint)`;
    return sql`case when len(${list}) > ${whole(SORTED_LATER)} then list_sort(${list}) else ${list} end`;
  },
  concatenated: (list) => sql`flatten(list(${list}))`,
  prepended: (value, list) => sql`list_prepend(${value}, ${list})`,
  sortedTexts: (value, by, condition) =>
    sql`list_transform(list_sort(list({x: ${by}, v: ${value}}) filter (where ${condition})), lambda e: e.v)`,
};

const KINDS = {
  list: sql`'ARRAY'`,
  object: sql`'OBJECT'`,
  boolean: sql`'BOOLEAN'`,
  null: sql`'NULL'`,
} as const;
