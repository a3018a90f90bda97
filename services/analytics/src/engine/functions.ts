import { COUNTRY_OF_ZONE } from './countries.ts';
import { LABEL_LENGTH } from './dialect.ts';
import { SCALE } from './sql.ts';

/**
 * Engine functions for JSON values, with the semantics of flags (packages/domain/flag-engine). A property test verifies
 * them.
 */

const NUMBER = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const VERSION = String.raw`(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?`;
const SCALED = `${SCALE.toExponential()}::double`;
const INSTANT = String.raw`^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?(?:Z|([+-])(\d{2}):?(\d{2})))?$`;

/** The JSON of texts as literals. No name of a zone has a quote. */
const literals = (names: Iterable<string>) => [...names].map((name) => `'${JSON.stringify(name)}'`).join();

/** The statements that define the functions in a new database. */
export const FUNCTIONS: readonly string[] = [
  // The string of a JSON string.
  `create macro text_of(j) as case when json_type(j) = 'VARCHAR' then j->>'$' end`,
  // The number of a JSON number.
  `create macro number_of(j) as case when json_type(j) in ('BIGINT', 'UBIGINT', 'DOUBLE') then
     case when isfinite((j->>'$')::double) then (j->>'$')::double end end`,
  // Parses a text as a number.
  `create macro parsed_number(s) as case when regexp_full_match(s, '${NUMBER}') then
     case when isfinite(try_cast(s as double)) then try_cast(s as double) end end`,
  `create macro numeric_of(j) as coalesce(number_of(j), parsed_number(text_of(j)))`,
  // The country of the JSON of a time zone. The code of an enum is found by hash.
  `create type time_zone as enum (${literals(COUNTRY_OF_ZONE.keys())})`,
  `create macro country_of(j) as
     ([${literals(COUNTRY_OF_ZONE.values())}]::json[])[enum_code(try_cast(j::varchar as time_zone)) + 1]`,
  `create macro is_set(j) as coalesce(json_type(j) <> 'NULL', false)`,
  `create macro kind_of(j) as case json_type(j) when 'VARCHAR' then 'text' when 'BOOLEAN' then 'boolean'
     when 'NULL' then 'null' when 'OBJECT' then 'object' when 'ARRAY' then 'list' else 'number' end`,
  // Returns a text that sorts like an identifier of a version.
  `create macro version_part(s) as case when regexp_full_match(s, '\\d+')
     then '0' || lpad(length(s)::varchar, 9, '0') || s else '1' || s end`,
  // DuckDB expands a macro parameter wherever it occurs, and plans each copy. The lambda gives its value a name.
  `create macro version_key(s) as list_transform([regexp_extract(s, '^${VERSION}$', ['a', 'b', 'c', 'pre'])], lambda v:
     case when v.a <> '' then version_part(v.a) || chr(1) || version_part(v.b) || chr(1) || version_part(v.c) || chr(1) ||
     case when v.pre = '' then '2' else array_to_string(list_transform(
       string_split(v.pre, '.'), lambda part: version_part(part)), chr(1)) end end)[1]`,
  `create macro whole(s) as coalesce(try_cast(s as integer), 0)`,
  `create macro march_year(m) as whole(m.y) - (case when whole(m.mo) > 2 then 0 else 1 end)`,
  `create macro days_of(m) as march_year(m) * 365 + floor(march_year(m) / 4.0) - floor(march_year(m) / 100.0)
     + floor(march_year(m) / 400.0) + floor((153 * ((whole(m.mo) + 9) % 12) + 2) / 5.0) + whole(m.d) - 1 - 719468`,
  `create macro days_in_month(m) as case
     when whole(m.mo) = 2 then case when (whole(m.y) % 4 = 0 and whole(m.y) % 100 <> 0) or whole(m.y) % 400 = 0
       then 29 else 28 end
     when whole(m.mo) in (4, 6, 9, 11) then 30 else 31 end`,
  `create macro instant_of(m) as case
     when m.y = '' or whole(m.mo) not between 1 and 12 or whole(m.d) not between 1 and days_in_month(m)
       or whole(m.h) > 23 or whole(m.mi) > 59 or whole(m.s) > 59 or whole(m.oh) > 23 or whole(m.om) > 59 then null
     else ((days_of(m) * 24 + whole(m.h)) * 60 + whole(m.mi)
       - (whole(m.oh) * 60 + whole(m.om)) * (case when m.sign = '-' then -1 else 1 end)) * 60000.0
       + whole(m.s) * 1000 + coalesce(try_cast('0' || m.f as double), 0) * 1000 end`,
  `create macro parsed_instant(s) as list_transform([
     regexp_extract(s, '${INSTANT}', ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'sign', 'oh', 'om'])],
     lambda m: instant_of(m))[1]`,
  // The label of a breakdown's value. Missing and null are not values.
  `create macro shown_as(s) as case when strlen(s) <= ${LABEL_LENGTH} or length(s) <= ${LABEL_LENGTH} then s
     else left(s, ${LABEL_LENGTH}) || sha256(s) end`,
  `create macro label_of(j) as shown_as(j->>'$')`,
  // An overflowing sum is recomputed from smaller parts: dividing by a power of two is exact.
  `create macro finite_average(x) as case when isfinite(favg(x)) then favg(x) else favg(x / ${SCALED}) * ${SCALED} end`,
];
