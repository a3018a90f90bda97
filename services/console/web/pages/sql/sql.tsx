import { Download, Play } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useCall } from '../../app/api.ts';
import { saveCsv } from '../../app/download.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { SelectField, TextArea } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Loaded, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { examples, TABLES } from './examples.ts';
import { DAYS, DEFAULT_DAYS, search } from './search.ts';
import styles from './sql.module.css';

export function Page() {
  const { project } = usePlace();
  const [{ q, days = DEFAULT_DAYS }, setSearch] = usePageSearch(search);
  const [draft, setDraft] = useState(q ?? '');
  const range = { last: days, unit: 'day' } as const;
  const query = useCall(
    ['runSql', project.id, q, days],
    (client, options) =>
      client.call('runSql', { params: { projectId: project.id }, body: { query: q ?? '', range } }, options),
    { enabled: q !== undefined },
  );
  const canRun = draft.trim() !== '';
  const run = (text: string) => {
    setDraft(text);
    if (text === q) void query.refetch();
    else setSearch({ q: text }, { push: true });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !canRun) return;
    event.preventDefault();
    run(draft);
  };
  return (
    <PageLayout
      title={t('SQL')}
      actions={
        q === undefined ? undefined : (
          <CopyAs
            call={{
              method: 'POST',
              path: `/v1/projects/${encodeURIComponent(project.id)}/insights/sql`,
              body: { query: q, range },
            }}
            command={`switchboard sql ${project.id} query.sql --days ${days}`}
          />
        )
      }
    >
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (canRun) run(draft);
        }}
      >
        <TextArea
          label={t('Query')}
          hint={hintOf(query.data?.dialect)}
          rows={8}
          spellCheck={false}
          autoCapitalize="off"
          dir="ltr"
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          onKeyDown={onKeyDown}
        />
        <Bar>
          <SelectField
            label={t('Events of the last')}
            value={String(days)}
            options={DAYS.map((count) => ({ value: String(count), title: t('{count} days', { count }) }))}
            onChange={({ target }) =>
              setSearch({ days: DAYS.find((count) => String(count) === target.value) })
            }
          />
          <Button kind="primary" type="submit" icon={Play} disabled={!canRun}>
            {t('Run')}
          </Button>
        </Bar>
      </form>
      {q === undefined ? (
        <Start onRun={run} />
      ) : (
        <Loaded query={query}>{(result) => <SqlResult {...result} isOld={query.isPlaceholderData} />}</Loaded>
      )}
    </PageLayout>
  );
}

const DIALECTS = { duckdb: 'DuckDB', clickhouse: 'ClickHouse' };

/** @param dialect Undefined before the first response. */
function hintOf(dialect: keyof typeof DIALECTS | undefined): string {
  return dialect === undefined
    ? t('One SELECT in the SQL of DuckDB, or of ClickHouse if it has the events. Ctrl+Enter runs it.')
    : t('One SELECT in the SQL of {dialect}. Ctrl+Enter runs it.', { dialect: DIALECTS[dialect] });
}

/** The tables, and queries to begin with. */
function Start({ onRun }: { onRun: (query: string) => void }) {
  return (
    <>
      <Section title={t('Examples')}>
        <Bar>
          {examples().map(({ title, query }, at) => (
            <Button key={title} keys={`${at + 1}`} onClick={() => onRun(query)}>
              {title}
            </Button>
          ))}
        </Bar>
      </Section>
      <Section title={t('Tables')}>
        <Facts facts={TABLES.map(([name, columns]) => [name, <code key={name}>{columns}</code>])} />
      </Section>
    </>
  );
}

interface Row {
  at: number;
  values: readonly unknown[];
}

interface SqlResultProps {
  columns: readonly { name: string; type: string }[];
  rows: readonly (readonly unknown[])[];
  truncated: boolean;
  /** Whether another query runs. */
  isOld: boolean;
}

/** The types of numbers in DuckDB and ClickHouse. */
const NUMBER = /^(Nullable\()?(U?(TINY|SMALL|BIG|HUGE)?INT(EGER|\d+)?|DOUBLE|FLOAT\d*|DECIMAL.*)\)?$/i;

function SqlResult({ columns, rows, truncated, isOld }: SqlResultProps) {
  const [open, setOpen] = useState<number>();
  const shownColumns: Column<Row>[] = useMemo(
    () =>
      columns.map(({ name, type }, at) => ({
        // A title is the key of its column.
        title: columns.findIndex((one) => one.name === name) === at ? name : `${name} ${at + 1}`,
        cell: ({ values }) => shown(values[at]),
        ...(NUMBER.test(type) ? { align: 'end' as const } : {}),
      })),
    [columns],
  );
  const all: Row[] = useMemo(() => rows.map((values, at) => ({ at, values })), [rows]);
  const opened = open === undefined ? undefined : all[open];
  if (rows.length === 0) return <Empty text={t('The query returned no rows.')} />;
  return (
    <div aria-busy={isOld} className={isOld ? styles['old'] : undefined}>
      <Bar>
        <span role="status">{t('{count, plural, one {# row} other {# rows}}', { count: rows.length })}</span>
        <Button
          keys="w"
          kind="quiet"
          icon={Download}
          onClick={() => saveCsv([columns.map(({ name }) => name), ...rows], 'query.csv')}
        >
          {t('CSV')}
        </Button>
      </Bar>
      {truncated ? <Partial text={t('There are more rows. Select fewer, or aggregate.')} /> : null}
      <ListDetail
        list={
          <Table
            label={t('Rows')}
            columns={shownColumns}
            rows={all}
            keyOf={({ at }) => String(at)}
            open={open === undefined ? undefined : String(open)}
            onOpen={({ at }) => setOpen(at)}
          />
        }
        detail={
          opened && {
            title: t('Row {number}', { number: opened.at + 1 }),
            content: (
              <Facts
                facts={shownColumns.map(({ title }, at) => [
                  title,
                  <code key={title}>{shown(opened.values[at])}</code>,
                ])}
              />
            ),
            onClose: () => setOpen(undefined),
          }
        }
      />
    </div>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
