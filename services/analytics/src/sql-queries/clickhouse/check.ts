import { MAX_NODES, MAX_TABLES, noTable, notAllowed, UnusableSql, VIEWS, type View } from '../query.ts';
import { CASTS, isType, MEMBERSHIP, mayCall, SEARCHES, TABLE_FUNCTIONS } from './functions.ts';
import { GRAMMAR } from './grammar.ts';

/** Part of a statement, as `parseQueryToJSON` returns it. */
export type Part = Readonly<Record<string, unknown>>;

/** A statement that may run, and what it reads. */
export interface CheckedStatement {
  /** Reads only subqueries: every view is replaced by its query. */
  statement: Part;
  views: ReadonlySet<View>;
  /** The names of its parameters. */
  parameters: ReadonlySet<string>;
}

/** The number of parts and tables of a statement. */
interface Used {
  nodes: number;
  tables: number;
}

const NOTHING: Used = { nodes: 0, tables: 0 };

/** A common table expression, with what each use adds. */
interface Named extends Used {
  name: string;
}

type Scope = ReadonlyMap<string, Named>;

/**
 * Checks a parsed statement. Every part and property has to be of a known kind. A query may read the views and its own
 * common table expressions, and call the functions of `functions.ts`. The views become subqueries, and the expressions
 * get names that no table has, so that no name in the query can reach a table. Throws UnusableSql.
 *
 * @param queries The parsed queries of the views.
 */
export function checkStatement(parsed: unknown, queries: ReadonlyMap<View, Part>): CheckedStatement {
  const views = new Set<View>();
  const parameters = new Set<string>();
  let used: Used = NOTHING;
  let named = 0;

  /** ClickHouse computes a common table expression wherever it is used, and never otherwise. */
  function use({ nodes, tables }: Used): void {
    used = { nodes: used.nodes + nodes, tables: used.tables + tables };
    if (used.nodes > MAX_NODES) throw new UnusableSql('too long; use a shorter query');
    if (used.tables > MAX_TABLES) throw new UnusableSql(`more than ${MAX_TABLES} tables; join fewer`);
  }

  function visit(value: unknown, scope: Scope): unknown {
    if (Array.isArray(value)) return value.map((one) => visit(one, scope));
    if (!isPart(value)) return value;
    use({ nodes: 1, tables: 0 });
    checkProperties(value);
    switch (value['type']) {
      case 'SelectWithUnionQuery':
        return visitUnion(value, scope);
      case 'SelectQuery':
        return visitSelect(value, scope).query;
      case 'TableExpression':
        return visitTable(value, scope);
      case 'Function':
        return visitFunction(value, scope);
      case 'QueryParameter':
        checkType(value['param_type']);
        parameters.add(String(value['name']));
        return value;
      case 'TableIdentifier':
        throw noTable(String(value['name']));
      case 'Literal':
        return value;
      default:
        return visitParts(value, scope);
    }
  }

  const visitParts = (part: Part, scope: Scope): Part =>
    Object.fromEntries(Object.entries(part).map(([name, one]) => [name, visit(one, scope)]));

  /** The expressions of the first query are visible in the others. */
  function visitUnion(part: Part, scope: Scope): Part {
    const { list_of_selects: list, ...rest } = part;
    let visible = scope;
    const children = childrenOf(list).map((one, index) => {
      if (one['type'] !== 'SelectQuery') return visit(one, visible);
      use({ nodes: 1, tables: 0 });
      checkProperties(one);
      const select = visitSelect(one, visible);
      if (index === 0) visible = select.scope;
      return select.query;
    });
    return { ...rest, list_of_selects: { type: 'ExpressionList', children } };
  }

  /** A common table expression is visible in the later ones and in the query. */
  function visitSelect(part: Part, outer: Scope): { query: Part; scope: Scope } {
    const { with: expressions, ...rest } = part;
    if (expressions === undefined) return { query: visitParts(rest, outer), scope: outer };
    const scope = new Map(outer);
    const children = childrenOf(expressions).map((one) => {
      if (one['type'] !== 'WithElement') throw new UnusableSql('write "with name as (select ...)"');
      checkProperties(one);
      const before = used;
      used = NOTHING;
      const visited = visitParts(one, new Map(scope));
      const own = { ...used, name: `sql ${++named}` };
      used = before;
      scope.set(String(one['name']), own);
      return { ...visited, name: own.name };
    });
    const query = { ...visitParts(rest, scope), with: { type: 'ExpressionList', children } };
    return { query, scope };
  }

  function visitTable(part: Part, scope: Scope): Part {
    use({ nodes: 0, tables: 1 });
    const { database_and_table_name: table, table_function: called, ...rest } = part;
    const visited = visitParts(rest, scope);
    if (isPart(table)) return { ...visited, ...tableOf(table, scope) };
    if (!isPart(called)) return visited;
    checkProperties(called);
    const name = String(called['name']);
    if (!TABLE_FUNCTIONS.has(name.toLowerCase())) throw notAllowed(`the function ${name}`);
    return { ...visited, table_function: visitParts(called, scope) };
  }

  function tableOf(table: Part, scope: Scope): Part {
    const name = String(table['name']);
    if (table['type'] !== 'TableIdentifier' || 'name_parts' in table || 'children' in table) {
      throw noTable(name);
    }
    checkProperties(table);
    const alias = table['alias'] ?? name;
    const expression = scope.get(name);
    if (expression !== undefined) {
      use(expression);
      return { database_and_table_name: { type: 'TableIdentifier', name: expression.name, alias } };
    }
    const view = VIEWS.find((one) => one === name.toLowerCase());
    if (view === undefined) throw noTable(name);
    views.add(view);
    return { subquery: { type: 'Subquery', alias, children: [queries.get(view)] } };
  }

  function visitFunction(part: Part, scope: Scope): Part {
    const name = String(part['name']);
    if (part['is_lambda_function'] === true) throw notAllowed('a lambda');
    if (!mayCall(name)) throw notAllowed(`the function ${name}`);
    const [first, second] = childrenOf(part['arguments']);
    const lower = name.toLowerCase();
    if (MEMBERSHIP.has(lower) && second?.['type'] === 'Identifier') {
      throw new UnusableSql(`write "in (select ...)" instead of "in ${String(second['name'])}"`);
    }
    if (CASTS.has(lower)) checkType(literalOf(second));
    const visited = visitParts(part, scope);
    if (!SEARCHES.has(lower) || first === undefined) return visited;
    const [list, ...others] = childrenOf(visited['arguments']);
    const whole = { type: 'Function', name: 'materialize', arguments: listOf([list]) };
    return { ...visited, arguments: listOf([whole, ...others]) };
  }

  if (!isPart(parsed) || parsed['type'] !== 'SelectWithUnionQuery') {
    throw new UnusableSql('only SELECT can run');
  }
  return { statement: visit(parsed, new Map()) as Part, views, parameters };
}

function checkProperties(part: Part): void {
  const type = String(part['type']);
  const known = GRAMMAR.get(type);
  if (known === undefined) throw notAllowed(type);
  for (const [name, value] of Object.entries(part)) {
    if (!known.has(name) && value !== false) throw notAllowed(name.replaceAll('_', ' '));
  }
}

function checkType(type: unknown): void {
  if (typeof type !== 'string' || !isType(type)) throw notAllowed(`the type ${String(type)}`);
}

/** Returns the text of a literal. */
function literalOf(part: Part | undefined): unknown {
  const value = part?.['type'] === 'Literal' ? part['value'] : undefined;
  return isPart(value) ? value['value'] : undefined;
}

const listOf = (children: readonly unknown[]) => ({ type: 'ExpressionList', children });

function childrenOf(part: unknown): Part[] {
  const children = isPart(part) ? part['children'] : undefined;
  return Array.isArray(children) ? children.filter(isPart) : [];
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
