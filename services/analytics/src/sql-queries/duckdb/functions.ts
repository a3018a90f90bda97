/**
 * The functions of DuckDB that a SQL query may call: those that compute values from values. Functions that read files,
 * settings or catalogs are left out, and so are those that make a value of any size at once, such as `repeat`, since
 * DuckDB's memory limit does not cover them.
 */
const SCALARS = `
  % * ** + - / // ^ || ~ & | << >> @ ! ~~ !~~ ~~* !~~* ~~~ -> ->>
  like_escape not_like_escape ilike_escape not_ilike_escape
  abs acos asin atan atan2 bit_count cbrt ceil ceiling cos cosh cot degrees even exp factorial floor gamma gcd
  greatest isfinite isinf isnan lcm least lgamma ln log log10 log2 mod pi pow power radians random round sign sin sinh
  sqrt tan tanh trunc xor add subtract multiply divide fdiv fmod
  ascii bit_length char_length character_length chr concat concat_ws contains damerau_levenshtein ends_with hamming
  instr jaccard jaro_similarity jaro_winkler_similarity lcase left length levenshtein lower ltrim md5 ord position
  prefix regexp_escape regexp_extract regexp_extract_all regexp_full_match regexp_matches regexp_replace
  replace reverse right rtrim sha256
  split split_part starts_with str_split string_split string_split_regex strip_accents strlen strpos substr substring
  suffix trim ucase unicode upper url_decode url_encode hash
  age century date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname
  dayofmonth dayofweek dayofyear decade epoch epoch_ms epoch_us era hour isodow isoyear julian last_day make_date
  make_time make_timestamp make_timestamptz microsecond millennium millisecond minute month monthname now
  current_date current_timestamp get_current_timestamp today quarter second strftime strptime try_strptime time_bucket
  timezone to_centuries to_days to_decades to_hours to_microseconds to_milliseconds to_minutes to_months to_quarters
  to_seconds to_timestamp to_weeks to_years transaction_timestamp week weekday weekofyear year yearweek
  array_contains array_distinct array_extract array_has array_length array_position array_slice array_sort
  cardinality element_at flatten len list_avg list_concat list_contains list_count list_distinct list_element
  list_extract list_first list_has list_has_all list_has_any list_intersect list_last list_max list_median list_min
  list_position list_reverse list_reverse_sort list_slice list_sort list_sum list_unique list_value list_pack
  map map_contains map_entries map_extract map_keys map_values row struct_extract struct_pack unnest
  json json_array json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
  json_extract_string json_keys json_object json_quote json_type json_valid json_value to_json from_json json_transform
  bar coalesce constant_or_null equi_width_bins error hex ifnull nullif typeof
`;

const AGGREGATES = `
  any_value approx_count_distinct approx_quantile approx_top_k arbitrary arg_max arg_min argmax argmin array_agg avg
  bit_and bit_or bit_xor bool_and bool_or corr count count_if count_star countif covar_pop covar_samp entropy favg
  first fsum geomean group_concat histogram json_group_array json_group_object kurtosis last list listagg mad max max_by
  mean median min min_by mode product quantile quantile_cont quantile_disc regr_avgx regr_avgy regr_count
  regr_intercept regr_r2 regr_slope skewness stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance
`;

const WINDOWS = `
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
`;

const namesIn = (list: string) => list.trim().split(/\s+/);

/** Functions of values and of groups. Operators are functions. */
export const FUNCTIONS: ReadonlySet<string> = new Set([SCALARS, AGGREGATES, WINDOWS].flatMap(namesIn));

/** Functions that return rows. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['generate_series', 'range', 'unnest']);

/** Types that a value can be converted to. */
export const TYPES: ReadonlySet<string> = new Set([
  'TIMESTAMP WITH TIME ZONE',
  'TIME WITH TIME ZONE',
  ...namesIn(`
    BIGINT BOOLEAN DATE DECIMAL DOUBLE FLOAT HUGEINT INTEGER INTEGER_LITERAL INTERVAL LIST MAP NULL SMALLINT
    STRING_LITERAL STRUCT TIME TIMESTAMP TIMESTAMP_MS TIMESTAMP_NS TIMESTAMP_S TINYINT UBIGINT UHUGEINT UINTEGER
    USMALLINT UTINYINT UUID VARCHAR
  `),
]);
