/**
 * The parts that a statement may have, as `parseQueryToJSON` returns them, each with the properties that it may have.
 * A property that is false counts as absent.
 */
const PARTS: Readonly<Record<string, string>> = {
  SelectWithUnionQuery: 'union_mode list_of_modes list_of_selects',
  SelectQuery: `distinct group_by_all group_by_with_cube group_by_with_grouping_sets group_by_with_rollup
    group_by_with_totals order_by_all limit_with_ties with select tables where group_by having qualify window order_by
    limit_by limit_by_length limit_by_offset limit_length limit_offset cte_aliases`,
  ExpressionList: 'children',
  WithElement: 'name subquery aliases',
  Subquery: 'alias children',
  TablesInSelectQuery: 'children',
  TablesInSelectQueryElement: 'table_expression table_join array_join',
  TableExpression: 'database_and_table_name subquery table_function column_aliases',
  TableIdentifier: 'name alias',
  TableJoin: 'kind strictness on_expression using_expression_list',
  ArrayJoin: 'kind expression_list',
  Identifier: 'name name_parts alias',
  Literal: 'value alias',
  QueryParameter: 'name param_type alias',
  Function: `name arguments parameters alias is_operator is_window_function kind window_definition window_name
    nulls_action`,
  WindowListElement: 'name definition',
  WindowDefinition: `parent_window_name partition_by order_by frame_is_default frame_type frame_begin_type
    frame_begin_offset frame_begin_preceding frame_end_type frame_end_offset frame_end_preceding`,
  OrderByElement: 'direction nulls_direction nulls_direction_was_explicitly_specified expression',
  Asterisk: 'transformers',
  QualifiedAsterisk: 'qualifier transformers',
  ColumnsTransformerList: 'children',
  ColumnsExceptTransformer: 'children',
  ColumnsReplaceTransformer: 'children',
  ColumnsReplaceTransformerReplacement: 'name children',
};

export const GRAMMAR: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(PARTS).map(([type, names]) => [type, new Set(['type', ...names.trim().split(/\s+/)])]),
);
