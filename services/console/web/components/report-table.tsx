import { countryNames } from '@switchboard/report-content/countries';
import { nodesOf } from '@switchboard/report-content/paths';
import { rangeAmount, reportAmount, seriesAmount } from '@switchboard/report-content/totals';
import { Download } from 'lucide-react';
import { saveCsv } from '../app/download.ts';
import { locale, t } from '../app/i18n.ts';
import { Button } from './button.tsx';
import type { Place, ReportContent } from './chart.tsx';
import styles from './report-table.module.css';
import { duration, exact } from './values.tsx';

const SECOND_MS = 1_000;

interface Rows {
  columns: readonly string[];
  rows: readonly { name: string; title?: string; values: readonly (number | null | undefined)[] }[];
  totals: readonly (number | null | undefined)[] | undefined;
  /** The column of times in seconds, by its index. */
  seconds?: number;
}

type Lines = Extract<ReportContent, { kind: 'line' }>;

const isMap = (content: ReportContent): content is Lines =>
  content.kind === 'line' && content.display === 'map';

/** Returns the countries of a map with their values over the whole range. */
function countriesOf(content: Lines): Rows {
  const { buckets, series } = content;
  const nameOf = countryNames(locale());
  const total = reportAmount(content)?.total ?? null;
  return {
    columns: [[...new Set([buckets[0], buckets.at(-1)])].join(' – ')],
    rows: series.map((one) => ({
      name: one.name,
      title: nameOf(one.name),
      values: [rangeAmount(content, one).total],
    })),
    totals: total === null ? undefined : [total],
  };
}

function rowsOf(content: ReportContent): Rows {
  if (isMap(content)) return countriesOf(content);
  if (content.kind === 'grid') {
    const rows = content.rows.map(({ name, size, values }) => ({ name, values: [size, ...values] }));
    return { columns: [t('Size'), ...content.periods], rows, totals: undefined };
  }
  if (content.kind === 'paths') {
    const { levels, links } = content;
    const nodes = nodesOf(content);
    const hasEnds = nodes.some(({ node }) => node.ended !== undefined);
    const nameOf = (level: number, place: number) => `${level + 1}. ${levels[level]?.[place]?.name ?? ''}`;
    return {
      columns: [t('People'), ...(hasEnds ? [t('No further event')] : [])],
      rows: [
        ...nodes.map(({ level, place, node }) => ({
          name: nameOf(level, place),
          values: [node.count, ...(hasEnds ? [node.ended] : [])],
        })),
        ...links.map(({ level, from, to, count }) => ({
          name: `${nameOf(level, from)} → ${nameOf(level + 1, to)}`,
          values: [count, ...(hasEnds ? [undefined] : [])],
        })),
      ],
      totals: undefined,
    };
  }
  if (content.kind === 'funnel') {
    const { steps, series = [] } = content;
    return {
      columns: [t('People'), t('Median time'), ...series.map(({ name }) => name)],
      seconds: 1,
      rows: steps.map(({ name, count, optional, medianSeconds }, at) => ({
        name: optional === true ? t('{step} (optional)', { step: name }) : name,
        values: [count, medianSeconds, ...series.map(({ values }) => values[at])],
      })),
      totals: undefined,
    };
  }
  const totals = content.series.map((one) => seriesAmount(one, one.unit ?? content.unit).total);
  return {
    columns: content.series.map(({ name }) => name),
    rows: content.buckets.map((name, at) => ({
      name,
      values: content.series.map(({ values }) => values[at]),
    })),
    totals: totals.some((total) => total !== null) ? totals : undefined,
  };
}

function cornerOf(content: ReportContent): string {
  if (content.kind === 'funnel' || content.kind === 'paths') return t('Step');
  return content.breakdown !== undefined && (content.kind === 'grid' || isMap(content))
    ? content.breakdown
    : t('Time');
}

function csvRowsOf({ columns: titles, rows, seconds }: Rows): unknown[][] {
  const columns = titles.map((title, at) => (at === seconds ? t('Median seconds') : title));
  return [['', ...columns], ...rows.map(({ name, values }) => [name, ...values])];
}

interface ReportTableProps {
  content: ReportContent;
  name: string;
  onOpen?: ((place: Place) => void) | undefined;
  /** Whether there are people behind a value. A median has none. */
  hasPeople?: (place: Place) => boolean;
}

/** The values of a report with totals. Each opens the people behind it. */
export function ReportTable({ content, name, onOpen, hasPeople = () => true }: ReportTableProps) {
  const table = rowsOf(content);
  const shown = (value: number | null | undefined, column: number) => {
    if (value == null) return '–';
    return column === table.seconds ? duration(value * SECOND_MS) : exact(value);
  };
  return (
    <div className={styles['wrap']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard. */}
      <section className={styles['scroll']} tabIndex={0} aria-label={t('Values')}>
        <table className={`${styles['table']} ${isMap(content) ? styles['named'] : ''}`}>
          <thead>
            <tr>
              <th scope="col">{cornerOf(content)}</th>
              {table.columns.map((column) => (
                <th scope="col" key={column}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row, at) => (
              <tr key={row.name}>
                <th scope="row">{row.title ?? row.name}</th>
                {row.values.map((value, series) => (
                  <td key={table.columns[series]}>
                    {value == null || onOpen === undefined || !hasPeople({ series, at }) ? (
                      shown(value, series)
                    ) : (
                      <button
                        type="button"
                        aria-label={t('{column}, {row}: {value}. Show people', {
                          column: table.columns[series],
                          row: row.title ?? row.name,
                          value: shown(value, series),
                        })}
                        onClick={() => onOpen({ series, at })}
                      >
                        {shown(value, series)}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {table.totals === undefined ? null : (
            <tfoot>
              <tr>
                <th scope="row">{t('Total')}</th>
                {table.totals.map((total, at) => (
                  <td key={table.columns[at]}>{shown(total, at)}</td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </section>
      <Button keys="w" icon={Download} onClick={() => saveCsv(csvRowsOf(table), `${name}.csv`)}>
        {t('Download CSV')}
      </Button>
    </div>
  );
}
