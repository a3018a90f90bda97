import { ChevronDown, ChevronUp } from 'lucide-react';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import styles from './table.module.css';
import { useVirtualRows } from './virtual-rows.ts';

export interface Column<T> {
  title: string;
  cell: (row: T) => ReactNode;
  /** The width in CSS, such as `120px`. Columns without one share the rest. */
  width?: string;
  /** Numbers are aligned to the end. */
  align?: 'end';
  /** Whether a narrow table leaves it out. `early`: one of a tablet as well. */
  minor?: boolean | 'early';
  /** The order that its title sets. Columns without one do not sort. */
  sort?: string;
}

interface TableProps<T> {
  /** The name of the table, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** The key of the open row. */
  open?: string | undefined;
  /** Opens a row. The first cell becomes a button. */
  onOpen?: (row: T) => void;
  /** Reads more rows, when the end comes near. */
  more?: (() => void) | undefined;
  /** The order of the rows: `sort` of a column, after a minus if it is descending. */
  sort?: string;
  onSort?: (sort: string) => void;
  /** Keys that act on the focused row. */
  rowKeys?: readonly { keys: string; title: string; run: (row: T) => void }[];
}

const ROW_PX = 37;
/** The least width of a column without one, so that a few letters of its cells can be read. */
const LEAST_WIDTH = '120px';

/** A table of any number of rows; only those on screen exist. `j` and `k` move, Enter opens. */
export function Table<T>(props: TableProps<T>) {
  const { label, columns, rows, keyOf, open, onOpen, more, sort, onSort, rowKeys = [] } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const { virtual, items } = useVirtualRows({ count: rows.length, rowPx: ROW_PX, scroll, more });

  const move = useCallback(
    (step: number) => {
      const focused = focusedRow(scroll.current);
      const at = focused
        ? Number(focused) + step
        : Math.max(
            0,
            rows.findIndex((row) => keyOf(row) === open),
          );
      const next = Math.min(rows.length - 1, Math.max(0, at));
      virtual.scrollToIndex(next);
      requestAnimationFrame(() => {
        const target = scroll.current?.querySelector(`[data-row="${next}"] :is(button, a)`);
        if (target instanceof HTMLElement) target.focus();
      });
    },
    [rows, keyOf, open, virtual],
  );
  useKeys(
    useMemo(
      () => [
        { keys: 'j', title: t('Next row'), run: () => move(1) },
        { keys: 'k', title: t('Previous row'), run: () => move(-1) },
      ],
      [move],
    ),
  );
  // The rows change more often than the keys, which are registered once.
  const current = useRef({ rows, rowKeys });
  current.current = { rows, rowKeys };
  const bound = rowKeys.map(({ keys, title }) => `${keys}\n${title}`).join('\n\n');
  useKeys(
    useMemo(
      () =>
        bound === ''
          ? []
          : current.current.rowKeys.map(({ keys, title }, at) => ({
              keys,
              title,
              run() {
                const row = current.current.rows[Number(focusedRow(scroll.current) ?? -1)];
                if (row !== undefined) current.current.rowKeys[at]?.run(row);
              },
            })),
      [bound],
    ),
  );

  const classOf = ({ align, minor = false }: Column<T>) =>
    [
      align === 'end' ? styles['end'] : '',
      minor === false ? '' : styles['minor'],
      minor === 'early' ? styles['early'] : '',
    ].join(' ');
  const least = columns
    .filter(({ minor = false }) => minor === false)
    .map(({ width }) => width ?? LEAST_WIDTH);
  const first = items[0];
  const before = first?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={scroll} className={styles['scroll']}>
      <table
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={styles['table']}
        style={{ '--least': `calc(${least.join(' + ')})` }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.title} style={{ width: column.width }} className={classOf(column)} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                scope="col"
                key={column.title}
                className={classOf(column)}
                aria-sort={directionOf(column.sort, sort)}
              >
                {column.sort === undefined || onSort === undefined ? (
                  column.title
                ) : (
                  <SortButton column={column} sort={sort} onSort={onSort} />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 ? <tr style={{ height: before }} /> : null}
          {items.map(({ index }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const key = keyOf(row);
            return (
              <tr key={key} data-row={index} aria-rowindex={index + 2} aria-current={key === open}>
                {columns.map((column, at) => (
                  <td key={column.title} className={classOf(column)}>
                    {at === 0 && onOpen !== undefined ? (
                      <button type="button" className={styles['link']} onClick={() => onOpen(row)}>
                        {column.cell(row)}
                      </button>
                    ) : (
                      column.cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
          {after > 0 ? <tr style={{ height: after }} /> : null}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the index of the row that has the focus. */
function focusedRow(scroll: HTMLElement | null): string | undefined {
  if (!scroll?.contains(document.activeElement)) return undefined;
  return document.activeElement?.closest('[data-row]')?.getAttribute('data-row') ?? undefined;
}

function directionOf(column: string | undefined, sort: string | undefined) {
  if (column === undefined || sort?.replace('-', '') !== column) return undefined;
  return sort.startsWith('-') ? 'descending' : 'ascending';
}

interface SortButtonProps<T> {
  column: Column<T>;
  sort: string | undefined;
  onSort: (sort: string) => void;
}

function SortButton<T>({ column: { title, sort: own = '' }, sort, onSort }: SortButtonProps<T>) {
  const direction = directionOf(own, sort);
  const Icon = direction === 'descending' ? ChevronDown : ChevronUp;
  return (
    <button
      type="button"
      className={styles['sort']}
      onClick={() => onSort(direction === 'ascending' ? `-${own}` : own)}
    >
      {title}
      {direction === undefined ? null : <Icon size={12} aria-hidden />}
    </button>
  );
}
