import { COUNTRY_OF_ZONE } from './countries.ts';
import { type Dialect, LABEL_LENGTH } from './dialect.ts';
import { COMMA, integer, join, number, SCALE, type Sql, sql, text, texts, whole } from './sql.ts';

/**
 * JSON is stored as text, with '' for a missing value. Patterns have no backslashes, because ClickHouse interprets
 * them in literals.
 */

const NUMBER = sql`'^-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?$'`;
const VERSION = sql`'^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(?:-((?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(?:[.](?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:[+][0-9a-zA-Z-]+(?:[.][0-9a-zA-Z-]+)*)?$'`;
const INSTANT = sql`'^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})([.][0-9]+)?)?(?:Z|([+-])([0-9]{2}):?([0-9]{2})))?$'`;

/** Returns `body` with a name for `value`, so that `value` is written and computed once. */
function having(value: Sql, body: (name: Sql) => Sql): Sql {
  return sql`arrayMap(g -> ${body(sql`g`)}, [${value}])[1]`;
}

const at = (list: Sql, index: number) => sql`${list}[${whole(index)}]`;
const textOf = (json: Sql) => sql`if(startsWith(${json}, '"'), JSONExtractString(${json}), null)`;
// JSON.stringify writes only finite numbers.
const numberOf = (json: Sql) => sql`toFloat64OrNull(${json})`;
const parsedNumber = (value: Sql) =>
  sql`nullIf(nullIf(toFloat64OrNull(extract(${value}, ${NUMBER})), inf), -inf)`;
const isSet = (json: Sql) => sql`(${json} not in ('', 'null'))`;

const versionPart = (part: Sql) =>
  sql`if(match(${part}, '^[0-9]+$'), concat('0', leftPad(toString(length(${part})), 9, '0'), ${part}), concat('1', ${part}))`;

function versionKey(value: Sql): Sql {
  const key = having(
    sql`extractGroups(ifNull(${value}, ''), ${VERSION})`,
    (g) => sql`concat(${versionPart(sql`${g}[1]`)}, char(1), ${versionPart(sql`${g}[2]`)}, char(1),
      ${versionPart(sql`${g}[3]`)}, char(1), if(${g}[4] = '', '2',
      arrayStringConcat(arrayMap(part -> ${versionPart(sql`part`)}, splitByChar('.', ${g}[4])), char(1))))`,
  );
  return sql`if(match(${value}, ${VERSION}), ${key}, null)`;
}

function parsedInstant(value: Sql): Sql {
  return having(sql`extractGroups(ifNull(${value}, ''), ${INSTANT})`, (g) => {
    const number = (index: number) => sql`toInt64OrZero(${at(g, index)})`;
    const [year, month, day] = [number(1), number(2), number(3)];
    const [hour, minute, second] = [number(4), number(5), number(6)];
    const [offsetHour, offsetMinute] = [number(9), number(10)];
    // Years that begin in March end with the leap day.
    const march = sql`(${year} - if(${month} > 2, 0, 1))`;
    const days = sql`(${march} * 365 + floor(${march} / 4) - floor(${march} / 100) + floor(${march} / 400)
      + floor((153 * ((${month} + 9) % 12) + 2) / 5) + ${day} - 1 - 719468)`;
    const length = sql`multiIf(${month} = 2, if((${year} % 4 = 0 and ${year} % 100 <> 0) or ${year} % 400 = 0, 29, 28),
      ${month} in (4, 6, 9, 11), 30, 31)`;
    return sql`if(${at(g, 1)} = '' or ${month} not between 1 and 12 or ${day} not between 1 and ${length}
      or ${hour} > 23 or ${minute} > 59 or ${second} > 59 or ${offsetHour} > 23 or ${offsetMinute} > 59, null,
      ((${days} * 24 + ${hour}) * 60 + ${minute} - (${offsetHour} * 60 + ${offsetMinute}) * if(${at(g, 8)} = '-', -1, 1))
      * 60000. + ${second} * 1000 + toFloat64OrZero(concat('0', ${at(g, 7)})) * 1000)`;
  });
}

const OPENINGS = { list: sql`'['`, object: sql`'{'` } as const;

/** Names are bound. Indexes count from 1. */
function partOf(json: Sql, path: readonly (string | number)[]): Sql {
  const parts = path.map((name) => (typeof name === 'string' ? sql`${text(name)}` : whole(name + 1)));
  return sql`JSONExtractRaw(${join([sql`ifNull(${json}, '')`, ...parts], COMMA)})`;
}

function labelOf(json: Sql): Sql {
  const length = whole(LABEL_LENGTH);
  const label = having(
    sql`if(startsWith(${json}, '"'), JSONExtractString(${json}), ${json})`,
    (g) =>
      sql`if(lengthUTF8(${g}) <= ${length}, ${g}, concat(leftUTF8(${g}, ${length}), lower(hex(SHA256(${g})))))`,
  );
  return sql`if(${isSet(json)}, ${label}, null)`;
}

const scale = sql`${number(SCALE)}`;
/** An overflowing value is recomputed from smaller values: dividing by a power of two is exact. */
const finite = (value: Sql, of: (value: Sql) => Sql) =>
  sql`if(isFinite(${of(value)}), ${of(value)}, ${of(sql`(${value}) / ${scale}`)} * ${scale})`;

const json = (value: string) => JSON.stringify(value);
const ZONES = texts([...COUNTRY_OF_ZONE.keys()].map(json));
const COUNTRIES = texts([...COUNTRY_OF_ZONE.values()].map(json));

export const CLICKHOUSE: Dialect = {
  partOf,
  propertyOf: (document, name) => partOf(document, [name]),
  members: (documents) => sql`select member.1 as name, member.2 as value, seen
    from (select arrayJoin(JSONExtractKeysAndValuesRaw(ifNull(document, ''))) as member, seen from (${documents}) as read)`,
  either: (json, other) => sql`if(${json} = '', ${other}, ${json})`,
  countryOf: (zone) => sql`transform(${zone}, ${ZONES}, ${COUNTRIES}, '')`,
  bytesOf: (value) => sql`ifNull(length(${value}), 0)`,
  jsonOf: (value) => sql`ifNull(toJSONString(${value}), '')`,
  joined: (json) => sql`ifNull(${json}, '')`,

  isSet,
  isKind: (json, kind) => {
    if (kind === 'boolean') return sql`(${json} in ('true', 'false'))`;
    return kind === 'null' ? sql`(${json} = 'null')` : sql`startsWith(${json}, ${OPENINGS[kind]})`;
  },
  kindOf: (json) => sql`multiIf(startsWith(${json}, '"'), 'text', ${json} in ('true', 'false'), 'boolean',
    ${json} = 'null', 'null', startsWith(${json}, '{'), 'object', startsWith(${json}, '['), 'list', 'number')`,
  sizeOf: (json) => sql`JSONLength(${json})`,
  textOf,
  wordOf: (json) => json,
  numberOf,
  parsedNumber,
  numericOf: (json) => sql`coalesce(${numberOf(json)}, ${parsedNumber(textOf(json))})`,
  versionKey,
  parsedInstant,
  labelOf,
  labelOfProperty: (document, name) => labelOf(partOf(document, [name])),
  someElement: (json, test) => sql`arrayExists(e -> ${test(sql`e`)}, JSONExtractArrayRaw(${json}))`,

  holds: (list, value) => sql`has(${list}, ${value})`,
  someIsPartOf: (list, value) => sql`arrayExists(part -> position(${value}, part) > 0, ${list})`,
  rowsOf: (list) => sql`select arrayJoin(${list})`,
  elementOf: (list, index) => sql`arrayElement(${list}, ${index})`,

  quotient: (value, divisor) => sql`intDiv(${value}, ${integer(divisor)})`,
  millisOf: (instant) => sql`toUnixTimestamp64Milli(${instant})`,
  // Also for years that ClickHouse does not print, before 1900 and after 2299: it stores and compares the number.
  instant: (millis) => sql`fromUnixTimestamp64Milli(${integer(millis)}, 'UTC')`,

  accurateSum: (value) => sql`sumKahan(${value})`,
  average: (value) => finite(value, (x) => sql`(sumKahan(${x}) / count(${x}))`),
  quantile: (value, part) => finite(value, (x) => sql`quantileExactInclusive(${part})(${x})`),

  // Rows of people are in the order of their ids, and sorting spills to disk where necessary.
  inLittleMemory: sql` settings join_algorithm = 'full_sorting_merge'`,

  hasBit: (mask, bit) => sql`bitTest(${mask}, ${whole(bit)})`,
  elements: (list) => sql`arrayJoin(${list})`,
  md5Prefix: (value, length) => sql`left(lower(hex(MD5(${value}))), ${integer(length)})`,
  jsonOfTexts: (value) => sql`toJSONString(arraySort(groupArray(${value})))`,

  materialized: sql``,

  // ClickHouse has no null tuple, so the first element tells whether there is a value.
  rowIf: (condition, values) => sql`tuple(toUInt8(ifNull(${condition}, 0)), ${join(values, COMMA)})`,
  valueOf: (row, index) => sql`${row}.${whole(index + 2)}`,
  integerList: (value) => sql`arraySort(groupArray(assumeNotNull(toInt64(${value}))))`,
  concatenated: (list) => sql`arrayFlatten(groupArray(${list}))`,
  prepended: (value, list) => sql`arrayPushFront(${list}, ${value})`,
  sortedTexts: (value, by, condition) =>
    sql`arrayMap(e -> assumeNotNull(e.2), arraySort(groupArrayIf((${by}, ${value}), ${condition})))`,
};
