import { UnusableSql, VIEWS, type View } from '../query.ts';
import { type CheckedStatement, checkStatement, type Part } from './check.ts';
import { viewsOf } from './views.ts';

/** Evaluates an expression of ClickHouse on the parameter `value`. */
export type TextOf = (expression: string, value: string) => Promise<string>;

/** @param hasPersons Whether any person of the project has several ids. */
type ReadStatement = (
  textOf: TextOf,
  query: string,
  hasPersons: boolean,
) => Promise<Omit<CheckedStatement, 'statement'> & { statement: string }>;

/** JSON.parse would round numbers. A text cannot look like one, because its quotes are escaped. */
const NUMBER = /"value":(-?[0-9][0-9.eE+-]*)/g;
const MARKED_NUMBER = /"value":"\\u0001(-?[0-9][0-9.eE+-]*)"/g;
/** A column has its name in the query, unless all columns of a view are read. */
const READS_PERSONS = /"person_id"|Asterisk"|"column_aliases"|"sessions"/i;
/** `count(*)`, which reads no columns. */
const COUNT = /"name":"count","arguments":\{"type":"ExpressionList","children":\[\{"type":"Asterisk"\}\]\}/gi;
const REPLACEMENT = '\uFFFD';

/**
 * Creates a function that parses and checks a query without running it. Returns the checked statement as ClickHouse
 * formats it, so that it contains nothing that was not checked. Throws UnusableSql.
 */
export function createReadStatement(): ReadStatement {
  /** Parsed queries of views. */
  const known = new Map<string, Part>();

  return async (textOf, query, hasPersons) => {
    const parse = async (text: string): Promise<Part> => {
      const json = await textOf('parseQueryToJSON({value:String})', text);
      if (json.includes(REPLACEMENT) && !text.includes(REPLACEMENT)) {
        throw new UnusableSql('a text is not UTF-8');
      }
      return JSON.parse(json.replaceAll(NUMBER, '"value":"\\u0001$1"'));
    };
    async function viewOf(view: View): Promise<[View, Part]> {
      const text = queries[view];
      const part = known.get(text) ?? (await parse(text));
      known.set(text, part);
      return [view, part];
    }
    const parsed = await parse(query);
    const readsPersons = READS_PERSONS.test(JSON.stringify(parsed).replaceAll(COUNT, ''));
    const queries = viewsOf(hasPersons ? (readsPersons ? 'joined' : 'unread') : 'single');
    const views = new Map(await Promise.all(VIEWS.map(viewOf)));
    const { statement, ...read } = checkStatement(parsed, views);
    const json = JSON.stringify(statement).replaceAll(MARKED_NUMBER, '"value":$1');
    return { ...read, statement: await textOf('formatQueryFromJSON({value:String})', json) };
  };
}
