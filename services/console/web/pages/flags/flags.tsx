import type { FlagEntry, FlagUsage, Result } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { CheckField, Filter, SelectFilter } from '../../components/field.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, NextStep } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { useFlagUsage } from '../flag-usage/use-usage.ts';
import { useNames } from '../threads/members.ts';
import { flagColumns, partsOf, partTitle, type Row } from './columns.tsx';
import { changesOf } from './diff.tsx';
import styles from './flags.module.css';
import { PARTS, STATES, search } from './search.ts';
import { useFlagSwitch } from './switch.tsx';
import { useCohortNames, useFlags, useOtherProjects } from './use-flags.ts';
import { INTENTS, intentWords } from './words.ts';

const READ = "if (switchboard.flags.get('new-checkout', false)) showNewCheckout();";

type Listed = Result<'listFlags'>;
type Filters = ReturnType<typeof search>;

/** The flags of the project. */
export function Page() {
  const { project, may, pathOf } = usePlace();
  const navigate = useNavigate();
  const [filters, setSearch] = usePageSearch(search);
  const { find, state, has, intent, sort, compare, only, stale } = filters;
  const query = useFlags();
  const scheduled = useScheduled();
  const others = useOtherProjects();
  const other = others.find(({ id }) => id === compare);
  const compared = useComparison(query.data?.flags, other?.id);
  const usage = useFlagUsage();
  const authorOf = useNames();
  const flip = useFlagSwitch();
  const mayWrite = may('flags.write');
  const onSwitch = mayWrite ? ({ flag, change }: Row) => flip.ask(flag, change?.version) : undefined;
  const columns = flagColumns({ authorOf, onSwitch, otherProject: other?.name });
  const rows = useMemo(
    () => (query.data === undefined ? [] : rowsOf(query.data, { scheduled, compared, usage })),
    [query.data, scheduled, compared, usage],
  );
  const shown = useMemo(() => shownOf(rows, filters), [rows, find, state, has, intent, sort, only, stale]);
  return (
    <PageLayout
      title={t('Flags')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/flags` }}
            command={`switchboard get flags ${project.id}`}
          />
          {mayWrite ? (
            <Button
              keys="c"
              kind="primary"
              icon={Plus}
              onClick={() => void navigate({ to: pathOf('/new-flag') })}
            >
              {t('Create flag')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className={styles['filters']}>
        <Filter label={t('Find a flag')} value={find} onChange={(value) => setSearch({ find: value })} />
        <SelectFilter
          label={t('On and off')}
          value={state}
          options={[
            { value: 'on', title: t('On') },
            { value: 'off', title: t('Off') },
          ]}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
        <SelectFilter
          label={t('All parts')}
          value={has}
          options={PARTS.map((value) => ({ value, title: partTitle(value) }))}
          onChange={(value) => setSearch({ has: PARTS.find((one) => one === value) })}
        />
        <SelectFilter
          label={t('All purposes')}
          value={intent}
          options={INTENTS.map((value) => ({ value, title: intentWords(value) }))}
          onChange={(value) => setSearch({ intent: INTENTS.find((one) => one === value) })}
        />
        <CheckField
          label={t('Only stale')}
          checked={stale !== undefined}
          onChange={({ target }) => setSearch({ stale: target.checked ? 'stale' : undefined })}
        />
        {others.length === 0 ? null : (
          <SelectFilter
            label={t('Compare with')}
            value={other?.id}
            options={others.map(({ id, name }) => ({ value: id, title: name }))}
            onChange={(value) => setSearch({ compare: value, only: undefined })}
          />
        )}
        {other === undefined ? null : (
          <CheckField
            label={t('Only differences')}
            checked={only !== undefined}
            onChange={({ target }) => setSearch({ only: target.checked ? 'different' : undefined })}
          />
        )}
      </div>
      {flip.element}
      {compared?.error == null ? null : <Failed error={compared.error} />}
      <Loaded query={query}>
        {({ flags }) =>
          flags.length === 0 ? (
            <Empty text={t('This project has no flags. Your code can read one before it exists.')}>
              <Code text={READ} name={t('the call')} />
              <NextStep page="/new-flag" title={t('Create the first flag')} permission="flags.write" />
            </Empty>
          ) : shown.length === 0 ? (
            <Empty text={t('No flag matches the filters.')} />
          ) : (
            <Table
              label={t('Flags')}
              columns={columns}
              rows={shown}
              keyOf={keyOf}
              onOpen={({ flag }) => void navigate({ to: pathOf(`/flags/${encodeURIComponent(flag.key)}`) })}
              sort={sort}
              onSort={(value) => setSearch({ sort: value })}
              rowKeys={
                onSwitch === undefined
                  ? []
                  : [{ keys: 'x', title: t('Turn the flag on or off'), run: onSwitch }]
              }
            />
          )
        }
      </Loaded>
    </PageLayout>
  );
}

const keyOf = ({ flag }: Row) => flag.key;

/** Returns the keys of the flags that have scheduled changes. */
function useScheduled(): ReadonlySet<string> {
  const { project } = usePlace();
  const { data } = useCall(['listScheduledChanges', project.id], async (client) => {
    const params = { projectId: project.id };
    const keys = new Set<string>();
    for await (const { key } of client.list('listScheduledChanges', { params })) keys.add(key);
    return keys;
  });
  return useMemo(() => data ?? new Set(), [data]);
}

interface Comparison {
  stateOf: ((flag: FlagEntry) => Row['other']) | undefined;
  error: Error | null;
}

/** Compares the flags with those of another project. Cohorts are compared by name. */
function useComparison(flags: readonly FlagEntry[] | undefined, otherId: string | undefined) {
  const { project } = usePlace();
  const isNeeded = otherId !== undefined;
  const id = otherId ?? '';
  const { data, error } = useCall(
    ['listFlags', id],
    (client, options) => client.call('listFlags', { params: { projectId: id } }, options),
    { enabled: isNeeded },
  );
  const nameHere = useCohortNames(project.id, isNeeded);
  const nameThere = useCohortNames(id, isNeeded);
  return useMemo((): Comparison | undefined => {
    if (!isNeeded) return undefined;
    if (data === undefined || flags === undefined) return { stateOf: undefined, error };
    const there = new Map(data.flags.map((flag) => [flag.key, flag]));
    const stateOf = (flag: FlagEntry) => {
      const found = there.get(flag.key);
      if (found === undefined) return 'missing';
      const changes = changesOf({ flag: found, nameOf: nameThere }, { flag, nameOf: nameHere });
      return changes.length === 0 ? 'same' : 'different';
    };
    return { stateOf, error };
  }, [isNeeded, data, error, flags, nameHere, nameThere]);
}

interface RowsOptions {
  scheduled: ReadonlySet<string>;
  compared: Comparison | undefined;
  usage: ReadonlyMap<string, FlagUsage>;
}

function rowsOf({ flags, lastChanges }: Listed, { scheduled, compared, usage }: RowsOptions): Row[] {
  const changes = new Map(lastChanges.map((change) => [change.key, change]));
  return flags.map((flag) => ({
    flag,
    change: changes.get(flag.key),
    parts: partsOf(flag, scheduled),
    usage: usage.get(flag.key),
    other: compared?.stateOf?.(flag),
  }));
}

/** Returns the rows that match the filters, in order. */
function shownOf(rows: readonly Row[], { find = '', state, has, intent, sort, only, stale }: Filters): Row[] {
  const wanted = find.toLocaleLowerCase();
  const isShown = ({ flag, parts, other, usage }: Row) =>
    [flag.key, flag.description ?? ''].some((text) => text.toLocaleLowerCase().includes(wanted)) &&
    (state === undefined || flag.enabled === (state === 'on')) &&
    (has === undefined || parts.includes(has)) &&
    (intent === undefined || flag.intent === intent) &&
    (stale === undefined || usage?.stale != null) &&
    (only === undefined || other === 'different' || other === 'missing');
  const shown = rows.filter(isShown);
  const by = sort.replace('-', '');
  // The list is sorted by key.
  if (by === 'rollout') shown.sort((a, b) => a.flag.rolloutPercentage - b.flag.rolloutPercentage);
  if (by === 'changed') shown.sort((a, b) => ((a.change?.at ?? '') < (b.change?.at ?? '') ? -1 : 1));
  return sort.startsWith('-') ? shown.reverse() : shown;
}
