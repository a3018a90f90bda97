import type { Replay } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, duration, Time } from '../../components/values.tsx';
import { ERRORS, LENGTHS, search } from './search.ts';

const START = "import { startReplay } from '@switchboard/replay';\n\nstartReplay(switchboard);";

export function Page() {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const [found, setSearch] = usePageSearch(search);
  const filters = {
    distinct_id: found.person,
    event: found.event,
    page: found.page,
    min_seconds: found.length,
    errors: found.errors,
  };
  const { query, more } = useList(['listReplays', project.id, filters], async (client, cursor, options) => {
    const { min_seconds, errors, ...texts } = filters;
    const { replays, nextCursor } = await client.call(
      'listReplays',
      {
        params: { projectId: project.id },
        query: {
          ...texts,
          ...(min_seconds === undefined ? {} : { min_seconds: Number(min_seconds) }),
          ...(errors === undefined ? {} : { errors: errors === 'true' }),
          ...cursor,
        },
      },
      options,
    );
    return { items: replays, nextCursor };
  });
  const columns = useMemo(recordingColumns, []);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const sent = new URLSearchParams(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const path = `/v1/projects/${encodeURIComponent(project.id)}/replays`;
  return (
    <PageLayout
      title={t('Recordings')}
      actions={<CopyAs call={{ method: 'GET', path: sent.size === 0 ? path : `${path}?${sent}` }} />}
    >
      <Bar>
        <Filter
          label={t('Id of the person')}
          value={found.person}
          onChange={(value) => setSearch({ person: value })}
        />
        <Filter label={t('Event')} value={found.event} onChange={(value) => setSearch({ event: value })} />
        <Filter
          label={t('Part of a page address')}
          value={found.page}
          onChange={(value) => setSearch({ page: value })}
        />
        <SelectFilter
          label={t('Any length')}
          value={found.length}
          options={LENGTHS.map((value) => ({
            value,
            title: t('At least {length}', { length: duration(Number(value) * 1000) }),
          }))}
          onChange={(value) => setSearch({ length: LENGTHS.find((one) => one === value) })}
        />
        <SelectFilter
          label={t('With or without errors')}
          value={found.errors}
          options={[
            { value: 'true', title: t('With errors') },
            { value: 'false', title: t('Without errors') },
          ]}
          onChange={(value) => setSearch({ errors: ERRORS.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(recordings) =>
          recordings.length > 0 ? (
            <Table
              label={t('Recordings')}
              columns={columns}
              rows={recordings}
              keyOf={({ sessionId }) => sessionId}
              onOpen={({ sessionId }) =>
                void navigate({ to: pathOf(`/recordings/${encodeURIComponent(sessionId)}`) })
              }
              more={more}
            />
          ) : more !== undefined ? (
            <Empty text={t('No recording matches the filters so far.')}>
              <Button keys="m" onClick={more}>
                {t('Search older recordings')}
              </Button>
            </Empty>
          ) : isFiltered ? (
            <Empty text={t('No recording matches the filters.')} />
          ) : (
            <Empty text={t('No session is recorded yet. Start recording on your pages.')}>
              <Code text={START} name={t('the call')} />
            </Empty>
          )
        }
      </Loaded>
    </PageLayout>
  );
}

function recordingColumns(): Column<Replay>[] {
  return [
    { title: t('Person'), cell: ({ distinctIds }) => personOf(distinctIds) },
    { title: t('Started'), cell: ({ firstAt }) => <Time at={firstAt} />, width: '112px' },
    { title: t('Length'), cell: (one) => duration(lengthOf(one)), width: '120px' },
    { title: t('Last page'), cell: ({ pages }) => pathOfPage(pages.at(-1)), minor: true },
    {
      title: t('Events'),
      cell: ({ eventNames }) => <Count value={eventNames.length} />,
      width: '72px',
      align: 'end',
      minor: true,
    },
    {
      title: t('Errors'),
      cell: ({ errors }) =>
        errors === 0 ? <Count value={0} /> : <Badge tone="danger">{String(errors)}</Badge>,
      width: '72px',
      align: 'end',
      minor: true,
    },
    {
      title: t('Complete'),
      cell: ({ complete }) => (complete ? t('yes') : <Badge tone="warning">{t('gaps')}</Badge>),
      width: '96px',
      minor: true,
    },
  ];
}

const lengthOf = ({ firstAt, lastAt }: Replay) => Date.parse(lastAt) - Date.parse(firstAt);

/** Returns the id of the person, which is the last one if a visitor signed in. */
const personOf = (ids: readonly string[]) =>
  ids.length > 1 ? t('{id} and {count} more', { id: ids[0], count: ids.length - 1 }) : (ids[0] ?? '–');

const pathOfPage = (page = '') => (URL.canParse(page) ? new URL(page).pathname : '–');
