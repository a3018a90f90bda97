import { MAX_NODES, MAX_TABLES, noTable, notAllowed, UnusableSql, VIEWS, type View } from '../query.ts';
import { FUNCTIONS, TABLE_FUNCTIONS, TYPES } from './functions.ts';

/** The views and parameters of a query. */
export interface SqlReads {
  views: ReadonlySet<View>;
  /** The names of its parameters. */
  parameters: ReadonlySet<string>;
}

const NODES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE']);
const TABLES = new Set(['EMPTY', 'BASE_TABLE', 'SUBQUERY', 'JOIN', 'EXPRESSION_LIST', 'TABLE_FUNCTION']);
const EXPRESSIONS = new Set([
  ...['BETWEEN', 'CASE', 'CAST', 'COLUMN_REF', 'COMPARISON', 'CONJUNCTION', 'CONSTANT', 'FUNCTION', 'LAMBDA'],
  ...['OPERATOR', 'PARAMETER', 'POSITIONAL_REFERENCE', 'STAR', 'SUBQUERY', 'WINDOW'],
]);
const MODIFIERS = new Set([
  'DISTINCT_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'ORDER_MODIFIER',
]);
const ORDERS = new Set(['ASCENDING', 'DESCENDING', 'ORDER_DEFAULT']);
const TYPE_INFOS = new Set(['DECIMAL_TYPE_INFO', 'LIST_TYPE_INFO', 'STRING_TYPE_INFO', 'STRUCT_TYPE_INFO']);
/** Types that DuckDB names only in the text of the query. */
const NAMED_TYPES = new Set(['json']);

type Part = Readonly<Record<string, unknown>>;
type Scope = ReadonlySet<string>;

/**
 * Checks a statement as DuckDB's parser returns it (`json_serialize_sql`). Every part has to be of a known kind: a
 * query may read the views and its own common table expressions, and call the functions of `functions.ts`. Throws
 * UnusableSql.
 */
export function checkStatement(parsed: unknown): SqlReads {
  const views = new Set<View>();
  const parameters = new Set<string>();
  const used = { tables: 0, nodes: 0 };

  function visit(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const one of value) visit(one, scope);
      return;
    }
    if (!isPart(value)) return;
    if (++used.nodes > MAX_NODES) throw new UnusableSql('too long; use a shorter query');
    if (isPart(value['cte_map'])) visitNode(value, scope);
    else if (typeof value['class'] === 'string') visitExpression(value, scope);
    else if ('type_info' in value) visitType(value, scope);
    else if (typeof value['type'] === 'string') visitOther(value, scope);
    else visitParts(value, scope);
  }

  const visitParts = (part: Part, scope: Scope) => {
    for (const one of Object.values(part)) visit(one, scope);
  };

  /** A common table expression is visible in the later ones and in the query. */
  function visitNode(node: Part, outer: Scope): void {
    allow(NODES, node['type']);
    const { cte_map: expressions, ...rest } = node;
    const scope = new Set(outer);
    for (const one of listIn(expressions, 'map')) {
      visit(one['value'], new Set(scope));
      scope.add(nameOf(one['key']));
    }
    visitParts(rest, scope);
  }

  function visitExpression(expression: Part, scope: Scope): void {
    allow(EXPRESSIONS, expression['class']);
    if (expression['class'] === 'PARAMETER') parameters.add(String(expression['identifier']));
    if (expression['class'] === 'FUNCTION' || expression['class'] === 'WINDOW') {
      checkFunction(expression, FUNCTIONS);
    }
    visitParts(expression, scope);
  }

  function visitType(type: Part, scope: Scope): void {
    const { id, type_info: info } = type;
    if (id === 'UNBOUND' && isPart(info)) {
      const isNamed =
        info['schema'] === '' && info['catalog'] === '' && NAMED_TYPES.has(nameOf(info['name']));
      if (!isNamed) throw notAllowed(`the type ${String(info['name'])}`);
      return;
    }
    if (!TYPES.has(String(id))) throw notAllowed(`the type ${String(id)}`);
    visit(info, scope);
  }

  function visitOther(part: Part, scope: Scope): void {
    const { type } = part;
    if (typeof type !== 'string' || !TABLES.has(type)) {
      if (![MODIFIERS, ORDERS, TYPE_INFOS].some((kinds) => kinds.has(String(type)))) throw notAllowed(type);
      visitParts(part, scope);
      return;
    }
    if (++used.tables > MAX_TABLES) throw new UnusableSql(`more than ${MAX_TABLES} tables; join fewer`);
    if (isPart(part['sample'])) throw notAllowed('tablesample');
    if (type === 'BASE_TABLE') visitTable(part, scope);
    const called = part['function'];
    if (type === 'TABLE_FUNCTION' && isPart(called)) {
      checkFunction(called, TABLE_FUNCTIONS);
      visit(called['children'], scope);
      return;
    }
    visitParts(part, scope);
  }

  function visitTable(table: Part, scope: Scope): void {
    const name = nameOf(table['table_name']);
    const isPlain =
      table['schema_name'] === '' && table['catalog_name'] === '' && table['at_clause'] === null;
    if (isPlain && scope.has(name)) return;
    const view = VIEWS.find((one) => one === name);
    if (!isPlain || view === undefined) {
      throw noTable(String(table['table_name']));
    }
    views.add(view);
  }

  visit(statementOf(parsed), new Set());
  return { views, parameters };
}

function statementOf(parsed: unknown): Part {
  if (!isPart(parsed) || parsed['error'] !== false) {
    const message = isPart(parsed) ? String(parsed['error_message']) : '';
    throw new UnusableSql(/^Only SELECT/.test(message) ? 'only SELECT can run' : message);
  }
  const [statement, ...more] = listIn(parsed, 'statements');
  if (statement === undefined || more.length > 0) throw new UnusableSql('must be one statement');
  return statement;
}

function checkFunction(call: Part, known: ReadonlySet<string>): void {
  const name = nameOf(call['function_name']);
  const isBuiltIn = ['', 'main'].includes(String(call['schema'])) && call['catalog'] === '';
  if (!isBuiltIn || !known.has(name)) throw notAllowed(`the function ${name}`);
}

function allow(kinds: ReadonlySet<string>, kind: unknown): void {
  if (!kinds.has(String(kind))) throw notAllowed(kind);
}

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** DuckDB compares names in any case. */
const nameOf = (name: unknown) => String(name).toLowerCase();

function listIn(part: unknown, name: string): Part[] {
  const list = isPart(part) ? part[name] : undefined;
  return Array.isArray(list) ? list.filter(isPart) : [];
}
