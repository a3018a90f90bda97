import type { DeadLetter } from '@switchboard/management';
import { useMemo, useState } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { oneOf, type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { Letter } from './letter.tsx';
import { listCommand, placeOf, STATES, TOPICS, titleOf } from './letters.ts';
import { Replay, type ReplayOf } from './replay.tsx';

const REFRESH_MS = 10_000;

const search = (raw: RawSearch) => ({
  topic: oneOf(TOPICS, raw['topic']),
  state: oneOf(STATES, raw['state']),
  project: text(raw['project']),
  reason: text(raw['reason']),
  open: text(raw['open']),
});

const stateWord = (state: (typeof STATES)[number]) =>
  state === 'waiting' ? t('Not replayed') : t('Replayed');

/** The records that a service could not read or store. */
export function Page() {
  const [{ topic, state, project, reason, open }, setSearch] = usePageSearch(search);
  const [selected, setSelected] = useState<ReadonlyMap<string, DeadLetter>>(new Map());
  const [replays, setReplays] = useState<ReplayOf>();
  const filters = { topic, state, projectId: project, reason };
  const { query, more } = useList(
    ['listDeadLetters', filters],
    async (client, cursor, options) => {
      const input = { query: { ...filters, ...cursor } };
      const { deadLetters, nextCursor } = await client.call('listDeadLetters', input, options);
      return { items: deadLetters, nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  const toggle = (letter: DeadLetter) =>
    setSelected((before) => {
      const after = new Map(before);
      if (!after.delete(placeOf(letter))) after.set(placeOf(letter), letter);
      return after;
    });
  const columns = useMemo(() => columnsOf(selected, toggle), [selected]);
  const rowKeys = useMemo(() => [{ keys: 'x', title: t('Select or deselect the letter'), run: toggle }], []);
  return (
    <PageLayout
      title={t('Dead letters')}
      actions={
        <>
          <CopyAs command={listCommand(filters)} />
          {selected.size === 0 ? (
            <Button
              keys="c"
              kind="primary"
              onClick={() => setReplays({ topic: topic ?? 'events', projectId: project, reason })}
            >
              {t('Replay letters')}
            </Button>
          ) : (
            <>
              <Button keys="b" onClick={() => setSelected(new Map())}>
                {t('Deselect all')}
              </Button>
              <Button keys="c" kind="primary" onClick={() => setReplays({ letters: [...selected.values()] })}>
                {t('Replay {count, plural, one {# letter} other {# letters}}', { count: selected.size })}
              </Button>
            </>
          )}
        </>
      }
    >
      <Bar>
        <SelectFilter
          label={t('All topics')}
          value={topic}
          options={TOPICS.map((value) => ({ value, title: value }))}
          onChange={(value) => setSearch({ topic: oneOf(TOPICS, value) })}
        />
        <SelectFilter
          label={t('All states')}
          value={state}
          options={STATES.map((value) => ({ value, title: stateWord(value) }))}
          onChange={(value) => setSearch({ state: oneOf(STATES, value) })}
        />
        <Filter label={t('Reason')} value={reason} onChange={(value) => setSearch({ reason: value })} />
        <Filter label={t('Project id')} value={project} onChange={(value) => setSearch({ project: value })} />
      </Bar>
      <Loaded query={query}>
        {(letters) => {
          const opened = letters.find((letter) => placeOf(letter) === open);
          const isFiltered = Object.values(filters).some((one) => one !== undefined);
          return (
            <ListDetail
              list={
                letters.length > 0 ? (
                  <Table
                    label={t('Dead letters')}
                    columns={columns}
                    rows={letters}
                    keyOf={placeOf}
                    open={open}
                    onOpen={(letter) => setSearch({ open: placeOf(letter) }, { push: true })}
                    more={more}
                    rowKeys={rowKeys}
                  />
                ) : (
                  <Empty
                    text={
                      isFiltered
                        ? t('No dead letter matches the filters.')
                        : t('No dead letters in the last 30 days: services read and stored every record.')
                    }
                  />
                )
              }
              detail={
                opened && {
                  title: titleOf(opened),
                  content: (
                    <Letter
                      key={placeOf(opened)}
                      letter={opened}
                      onReplay={() => setReplays({ letters: [opened] })}
                    />
                  ),
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {replays === undefined ? null : (
        <Replay
          of={replays}
          onClose={() => {
            setReplays(undefined);
            setSelected(new Map());
          }}
        />
      )}
    </PageLayout>
  );
}

function columnsOf(
  selected: ReadonlyMap<string, DeadLetter>,
  toggle: (letter: DeadLetter) => void,
): Column<DeadLetter>[] {
  return [
    { title: t('Reason'), cell: ({ reason }) => reason || t('Without a reason') },
    { title: t('Topic'), cell: ({ topic }) => topic, width: '88px' },
    { title: t('Project'), cell: ({ projectId }) => projectId ?? '–', width: '120px', minor: true },
    {
      title: t('Time'),
      cell: ({ deadLetteredAt }) => <Time at={deadLetteredAt} />,
      width: '104px',
      minor: true,
    },
    {
      title: t('Replays'),
      cell: ({ replays }) => (replays === 0 ? '–' : <Badge>{String(replays)}</Badge>),
      width: '72px',
      align: 'end',
    },
    {
      title: t('Select'),
      cell: (letter) => (
        <input
          type="checkbox"
          aria-label={t('Select {name}', { name: titleOf(letter) })}
          checked={selected.has(placeOf(letter))}
          onChange={() => toggle(letter)}
        />
      ),
      width: '64px',
      align: 'end',
    },
  ];
}
