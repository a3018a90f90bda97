/**
 * The functions of ClickHouse that a SQL query may call: those that compute values from values. Functions that read
 * tables, dictionaries, files, settings or the server are left out, and so are those that take other functions or make
 * a value of any size at once. Names are compared in lower case.
 */
const SCALARS = `
  plus minus multiply divide intDiv intDivOrZero modulo moduloOrZero negate abs gcd lcm sign greatest least
  equals notEquals less greater lessOrEquals greaterOrEquals isDistinctFrom isNotDistinctFrom and or xor not
  in notIn exists like notLike ilike notILike match isNull isNotNull ifNull nullIf coalesce assumeNotNull toNullable
  if multiIf caseWithExpression transform tuple tupleElement array arrayElement map toTypeName
  acos acosh asin asinh atan atan2 atanh cbrt ceil ceiling cos cosh degrees e erf exp exp10 exp2 factorial floor
  hypot ifNotFinite isFinite isInfinite isNaN lgamma ln log log10 log1p log2 pi pow power radians round sin sinh sqrt
  tan tanh tgamma trunc truncate bitAnd bitCount bitNot bitOr bitShiftLeft bitShiftRight bitTest bitXor
  ascii base64Decode base64Encode char_length character_length concat concatWithSeparator concat_ws countMatches
  countSubstrings empty endsWith extract extractAll extractGroups hasToken hex lcase left leftUTF8 length lengthUTF8
  locate lower lowerUTF8 ltrim mid notEmpty position positionCaseInsensitive positionUTF8 regexpExtract replace
  replaceAll replaceOne replaceRegexpAll replaceRegexpOne reverse reverseUTF8 right rightUTF8 rtrim splitByChar
  splitByNonAlpha splitByRegexp splitByString splitByWhitespace startsWith substr substring substringUTF8 trim trimBoth
  trimLeft trimRight tryBase64Decode ucase unhex upper upperUTF8 bar formatReadableQuantity formatReadableSize
  formatReadableTimeDelta cityHash64 MD5 SHA256 sipHash64 xxHash64
  cutQueryString cutURLParameter decodeURLComponent domain domainWithoutWWW encodeURLComponent extractURLParameter
  firstSignificantSubdomain fragment path pathFull protocol queryString topLevelDomain
  CAST accurateCast accurateCastOrNull toBool toDate toDate32 toDateTime toDateTime64 toDecimal32 toDecimal64
  toDecimal128 toFloat32 toFloat64 toInt8 toInt16 toInt32 toInt64 toInt128 toString toUInt8 toUInt16 toUInt32 toUInt64
  toUInt128 toUUID
  toDateOrNull toDateOrZero toDateTimeOrNull toDateTimeOrZero toDateTime64OrNull toDateTime64OrZero toDecimal32OrNull
  toDecimal64OrNull toDecimal128OrNull toFloat32OrNull toFloat32OrZero toFloat64OrNull toFloat64OrZero toInt8OrNull
  toInt8OrZero toInt16OrNull toInt16OrZero toInt32OrNull toInt32OrZero toInt64OrNull toInt64OrZero toInt128OrNull
  toUInt8OrNull toUInt8OrZero toUInt16OrNull toUInt16OrZero toUInt32OrNull toUInt32OrZero toUInt64OrNull
  toUInt64OrZero toUUIDOrNull
  addDays addHours addMinutes addMonths addQuarters addSeconds addWeeks addYears age dateDiff date_diff dateName
  dateTrunc date_trunc formatDateTime fromUnixTimestamp fromUnixTimestamp64Milli makeDate makeDateTime monthName now
  now64 parseDateTime parseDateTimeOrNull parseDateTimeBestEffort parseDateTimeBestEffortOrNull
  parseDateTime64BestEffort parseDateTime64BestEffortOrNull subtractDays subtractHours subtractMinutes subtractMonths
  subtractQuarters subtractSeconds subtractWeeks subtractYears timestampDiff toDayOfMonth toDayOfWeek toDayOfYear
  toHour toISOWeek toISOYear toIntervalDay toIntervalHour toIntervalMinute toIntervalMonth toIntervalQuarter
  toIntervalSecond toIntervalWeek toIntervalYear toLastDayOfMonth toLastDayOfWeek toMinute toMonday toMonth toQuarter
  toSecond toStartOfDay toStartOfFifteenMinutes toStartOfFiveMinutes toStartOfHour toStartOfInterval toStartOfISOYear
  toStartOfMinute toStartOfMonth toStartOfQuarter toStartOfSecond toStartOfTenMinutes toStartOfWeek toStartOfYear
  toTimeZone toTimezone toUnixTimestamp toUnixTimestamp64Milli toWeek toYYYYMM toYYYYMMDD toYear toYearWeek today
  yesterday day dayOfMonth dayOfWeek dayOfYear hour minute month quarter second week year
  arrayAvg arrayCompact arrayConcat arrayDistinct arrayEnumerate arrayFlatten arrayJoin arrayMax arrayMin arrayPopBack
  arrayPopFront arrayPushBack arrayPushFront arrayReverse arrayReverseSort arraySlice arraySort arrayStringConcat
  arraySum arrayUniq arrayZip countEqual has indexOf mapContains mapKeys mapValues range
  isValidJSON JSONArrayLength JSONExtract JSONExtractArrayRaw JSONExtractBool JSONExtractFloat JSONExtractInt
  JSONExtractKeys JSONExtractKeysAndValues JSONExtractKeysAndValuesRaw JSONExtractRaw JSONExtractString JSONExtractUInt
  JSONHas JSONLength JSONType JSON_EXISTS JSON_QUERY JSON_VALUE simpleJSONExtractBool simpleJSONExtractFloat
  simpleJSONExtractInt simpleJSONExtractRaw simpleJSONExtractString simpleJSONExtractUInt simpleJSONHas toJSONString
`;

const AGGREGATES = `
  any anyLast any_value argMax argMin array_agg avg avgWeighted corr count countDistinct covarPop
  covarSamp entropy first_value groupArray groupBitAnd groupBitOr groupBitXor groupConcat group_concat groupUniqArray
  kurtPop kurtSamp last_value max max_by median medianExact min min_by quantile quantileExact quantileExactExclusive
  quantileExactInclusive quantileTDigest quantiles quantilesExact retention skewPop skewSamp stddevPop stddevSamp
  stddev_pop stddev_samp string_agg sum sumKahan topK topKWeighted uniq uniqCombined uniqExact varPop varSamp var_pop
  var_samp windowFunnel
`;

const WINDOWS = `
  cume_dist dense_rank lag lagInFrame lead leadInFrame nth_value ntile percent_rank rank row_number
`;

const namesIn = (list: string) => list.trim().split(/\s+/);
const lowered = (lists: readonly string[]): ReadonlySet<string> =>
  new Set(lists.flatMap(namesIn).map((name) => name.toLowerCase()));

/** The names as ClickHouse writes them. */
export const NAMES: readonly string[] = [SCALARS, AGGREGATES, WINDOWS].flatMap(namesIn);

const PLAIN = lowered([SCALARS, AGGREGATES, WINDOWS]);
const COMBINED = lowered([AGGREGATES]);
const COMBINATOR = /(if|ornull|ordefault|distinct|array)$/;
const MAX_COMBINATORS = 3;

/** Whether a query may call a function. An aggregate may have combinators, such as `sumIf`. */
export function mayCall(name: string): boolean {
  const lower = name.toLowerCase();
  if (PLAIN.has(lower)) return true;
  let base = lower;
  for (let count = 0; count < MAX_COMBINATORS && COMBINATOR.test(base); count++) {
    base = base.replace(COMBINATOR, '');
    if (COMBINED.has(base)) return true;
  }
  return false;
}

/** Functions that return rows. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = lowered(['numbers generate_series generateSeries']);

/** Functions that take a table as their second argument. */
export const MEMBERSHIP: ReadonlySet<string> = lowered(['in notIn']);

/**
 * Functions that search the list in their first argument. A long constant list, searched for every row, would take
 * minutes in which the query cannot be stopped.
 */
export const SEARCHES: ReadonlySet<string> = lowered(['has indexOf countEqual']);

/** Functions that take a type as their second argument. */
export const CASTS: ReadonlySet<string> = lowered(['CAST accurateCast accurateCastOrNull']);

const TYPES = new Set(
  namesIn(`
    Array Bool Date Date32 DateTime DateTime64 Decimal Decimal32 Decimal64 Decimal128 Float32 Float64 Int8 Int16 Int32
    Int64 Int128 LowCardinality Map Nullable String Tuple UInt8 UInt16 UInt32 UInt64 UInt128 UUID
    bigint boolean char date double float int integer numeric real smallint text timestamp tinyint varchar
  `).map((name) => name.toLowerCase()),
);

/** Whether a value may be converted to a type. */
export function isType(written: string): boolean {
  const words = written.replaceAll(/'[A-Za-z0-9_+/-]*'/g, '').match(/[^\s(),0-9][^\s(),]*/g) ?? [];
  return words.length > 0 && words.every((word) => TYPES.has(word.toLowerCase()));
}
