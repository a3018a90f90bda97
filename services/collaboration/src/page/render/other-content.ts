import type { Locale } from './locale.ts';
import { type Markup, markup } from './markup.ts';

const MAX_CELLS = 5_000;
const MAX_DEPTH = 6;
const MAX_COLUMNS = 20;

type Json = unknown;

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Renders any JSON as nested tables: properties by name, and objects with the same properties as rows. Long
 * content is cut.
 */
export function renderAnyJson(value: Json, { texts, number }: Locale): Markup {
  let cells = 0;

  function show(inner: Json, depth: number): Markup {
    if (++cells > MAX_CELLS) return markup`<span class="more">…</span>`;
    if (typeof inner === 'number') return markup`${number(inner)}`;
    if (typeof inner === 'boolean') return markup`${inner ? texts.yes : texts.no}`;
    if (inner === null) return markup`<span class="empty">–</span>`;
    if (typeof inner === 'string') return markup`${inner}`;
    if (depth === MAX_DEPTH) return markup`${JSON.stringify(inner).slice(0, 1000)}`;
    return Array.isArray(inner) ? list(inner, depth) : properties(inner, depth);
  }

  function properties(object: Json, depth: number): Markup {
    const entries = isObject(object) ? Object.entries(object) : [];
    if (entries.length === 0) return markup`<span class="empty">–</span>`;
    const rows = fitting(entries, ([name, inner]) => {
      return markup`<tr><th scope="row">${name}</th><td>${show(inner, depth + 1)}</td></tr>\n`;
    });
    return markup`<table><tbody>${rows}</tbody></table>`;
  }

  function list(items: Json[], depth: number): Markup {
    if (items.length === 0) return markup`<span class="empty">–</span>`;
    const columns = columnsOf(items);
    if (columns === undefined) {
      const rows = fitting(items, (item) => markup`<tr><td>${show(item, depth + 1)}</td></tr>\n`);
      return markup`<table><tbody>${rows}</tbody></table>`;
    }
    const rows = fitting(items, (item) => {
      const of = isObject(item) ? item : {};
      return markup`<tr>${columns.map((name) => markup`<td>${Object.hasOwn(of, name) ? show(of[name], depth + 1) : ''}</td>`)}</tr>\n`;
    });
    return markup`<table><thead><tr>${columns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
  }

  /** Renders as many rows as fit, followed by the number of omitted rows. */
  function fitting<T>(items: T[], row: (item: T) => Markup): Markup[] {
    const rows: Markup[] = [];
    for (const item of items) {
      if (cells >= MAX_CELLS) {
        rows.push(markup`<tr><td class="more">${texts.more(number(items.length - rows.length))}</td></tr>`);
        break;
      }
      rows.push(row(item));
    }
    return rows;
  }

  return show(value, 0);
}

/** Returns the properties of a list of objects if they make a readable table. */
function columnsOf(items: Json[]): string[] | undefined {
  const names = new Set<string>();
  for (const item of items) {
    if (!isObject(item)) return undefined;
    for (const name of Object.keys(item)) names.add(name);
    if (names.size > MAX_COLUMNS) return undefined;
  }
  return names.size === 0 ? undefined : [...names];
}
