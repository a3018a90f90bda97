import type { Result } from '@switchboard/management';
import { type FormEvent, useState } from 'react';
import { useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectField, TextArea } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, NextStep } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';
import { useColleagues, useNames } from '../threads/members.ts';
import styles from './dictionary.module.css';
import { search } from './search.ts';

type Entry = Result<'listDictionary'>['dictionary'][number];
type Sent = Result<'listEventNames'>['eventNames'][number];
type PropertySent = Result<'listEventProperties'>['properties'][number];

interface Row {
  name: string;
  sent: Sent | undefined;
  entry: Entry | undefined;
}

export function Page() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const [{ find, open }, setSearch] = usePageSearch(search);
  const names = useList(['dictionary', 'listEventNames', project.id], async (client, cursor, options) => {
    const { eventNames, nextCursor } = await client.call(
      'listEventNames',
      { params, query: cursor },
      options,
    );
    return { items: eventNames, nextCursor };
  });
  const entries = useList(['dictionary', 'listDictionary', project.id], async (client, cursor, options) => {
    const { dictionary, nextCursor } = await client.call(
      'listDictionary',
      { params, query: cursor },
      options,
    );
    return { items: dictionary, nextCursor };
  });
  const explained = entries.query.data ?? [];
  return (
    <PageLayout
      title={t('Dictionary')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/dictionary` }}
          command={`switchboard get dictionary ${project.id}`}
        />
      }
    >
      <Bar>
        <Filter label={t('Event')} value={find} onChange={(value) => setSearch({ find: value })} />
      </Bar>
      {entries.query.error === null ? null : <Failed error={entries.query.error} />}
      <Loaded query={names.query}>
        {(sent) => {
          const rows = rowsOf(sent, explained).filter(({ name }) =>
            name.toLowerCase().includes((find ?? '').toLowerCase()),
          );
          const opened = rows.find(({ name }) => name === open);
          return (
            <ListDetail
              list={
                rows.length === 0 && find === undefined ? (
                  <Empty text={t('No event has arrived in the last 90 days.')}>
                    <NextStep
                      page="/settings/keys"
                      title={t('Show code that sends events')}
                      permission="keys.write"
                    />
                  </Empty>
                ) : rows.length === 0 ? (
                  <Empty text={t('No event has this name.')} />
                ) : (
                  <Table
                    label={t('Events')}
                    columns={columns()}
                    rows={rows}
                    keyOf={({ name }) => name}
                    open={open}
                    onOpen={({ name }) => setSearch({ open: name }, { push: true })}
                    more={names.more ?? entries.more}
                  />
                )
              }
              detail={
                opened && {
                  title: opened.name,
                  content: <Detail key={opened.name} row={opened} explained={explained} />,
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

/** Returns the names that the project sends, then the explained ones that it does not. */
function rowsOf(sent: readonly Sent[], explained: readonly Entry[]): Row[] {
  const entries = new Map(explained.flatMap((one) => (one.kind === 'event' ? [[one.name, one]] : [])));
  const known = new Set(sent.map(({ name }) => name));
  return [
    ...sent.map((one) => ({ name: one.name, sent: one, entry: entries.get(one.name) })),
    ...[...entries.values()]
      .filter(({ name }) => !known.has(name))
      .map((entry) => ({ name: entry.name, sent: undefined, entry })),
  ];
}

const columns = (): Column<Row>[] => [
  { title: t('Event'), cell: ({ name }) => name },
  { title: t('Description'), cell: ({ entry }) => entry?.description ?? '', minor: 'early' },
  { title: t('State'), cell: ({ entry }) => <State entry={entry} />, width: '112px', minor: 'early' },
  {
    title: t('Events in 90 days'),
    cell: ({ sent }) => <Count value={sent?.count ?? 0} />,
    width: '128px',
    align: 'end',
  },
  {
    title: t('Last seen'),
    cell: ({ sent }) => (sent === undefined ? '–' : <Time at={sent.lastSeenAt} />),
    width: '104px',
  },
];

function State({ entry }: { entry: Entry | undefined }) {
  if (entry?.hidden === true) return <Badge>{t('Hidden')}</Badge>;
  return entry?.verified === true ? <Badge tone="good">{t('Verified')}</Badge> : null;
}

function Detail({ row: { name, sent, entry }, explained }: { row: Row; explained: readonly Entry[] }) {
  const { project } = usePlace();
  const params = { projectId: project.id, name };
  const properties = useCall(['dictionary', 'listEventProperties', params], (client, options) =>
    client.call('listEventProperties', { params }, options),
  );
  return (
    <>
      <Facts
        facts={[
          [t('Events in 90 days'), <Count key="count" value={sent?.count ?? 0} />],
          [t('Last seen'), sent === undefined ? '–' : <Time key="seen" at={sent.lastSeenAt} />],
        ]}
      />
      <Explanation kind="event" name={name} entry={entry} />
      <Section title={t('Properties')}>
        <Loaded query={properties}>
          {({ properties: found }) =>
            found.length === 0 ? (
              <Empty text={t('The event has no properties.')} />
            ) : (
              <ul className={styles['properties']}>
                {found.map((one) => (
                  <Property key={one.name} property={one} explained={explained} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

/** The types of a property, the number and time of its events, and its explanation, which opens to be changed. */
function Property({ property, explained }: { property: PropertySent; explained: readonly Entry[] }) {
  const { name, types, count, values, lastSeenAt } = property;
  const [isOpen, setOpen] = useState(false);
  const entry = explained.find((one) => one.kind === 'property' && one.name === name);
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong>{name}</strong> <State entry={entry} />{' '}
          <span>
            {types.map(typeWord).join(', ')} ·{' '}
            {t('{count, plural, one {# event} other {# events}}', { count })} · {t('last seen')}{' '}
            <Time at={lastSeenAt} />
          </span>
        </summary>
        {values.length === 0 ? null : (
          <p>{t('Most often: {values}', { values: values.map(({ value }) => value).join(', ') })}</p>
        )}
        {isOpen ? <Explanation kind="property" name={name} entry={entry} /> : null}
      </details>
      {entry === undefined || entry.description === '' ? null : <p>{entry.description}</p>}
    </li>
  );
}

function typeWord(type: PropertySent['types'][number]): string {
  const words: Record<typeof type, string> = {
    text: t('text'),
    number: t('number'),
    boolean: t('boolean'),
    null: t('null'),
    object: t('object'),
    list: t('list'),
  };
  return words[type];
}

interface ExplanationProps {
  kind: Entry['kind'];
  name: string;
  entry: Entry | undefined;
}

/** The explanation of a name, with a form for those who may change it. */
function Explanation({ kind, name, entry }: ExplanationProps) {
  const { project, may } = usePlace();
  const nameOf = useNames();
  const colleagues = useColleagues();
  const [description, setDescription] = useState(entry?.description ?? '');
  const [owner, setOwner] = useState(entry?.owner ?? '');
  const [hidden, setHidden] = useState(entry?.hidden ?? false);
  const [verified, setVerified] = useState(entry?.verified ?? false);
  const save = useChange(
    (client, body: Pick<Entry, 'description' | 'owner' | 'hidden' | 'verified'>) =>
      client.call('putDictionaryEntry', { params: { projectId: project.id, kind, name }, body }),
    { refresh: [['dictionary', 'listDictionary', project.id]] },
  );
  if (!may('dictionary.write')) {
    return (
      <Facts
        facts={[
          [t('Description'), entry?.description || '–'],
          [t('Owner'), nameOf(entry?.owner ?? null)],
          [t('State'), <State key="state" entry={entry} />],
        ]}
      />
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({ description, owner: owner === '' ? null : owner, hidden, verified });
  };
  return (
    <Section title={t('Explanation')}>
      <form onSubmit={submit} className={styles['form']}>
        <TextArea
          label={t('Description')}
          value={description}
          maxLength={1000}
          onChange={({ target }) => setDescription(target.value)}
        />
        <SelectField
          label={t('Owner')}
          hint={t('The member who answers questions about it.')}
          value={owner}
          options={[
            { value: '', title: t('Nobody') },
            ...colleagues.map(({ sub, name: title }) => ({ value: sub, title })),
            // Owners may have left, or be one of many members.
            ...(owner === '' || colleagues.some(({ sub }) => sub === owner)
              ? []
              : [{ value: owner, title: owner }]),
          ]}
          onChange={({ target }) => setOwner(target.value)}
        />
        <Check label={t('Verified')} checked={verified} onChange={setVerified} />
        <Check label={t('Hidden from suggestions')} checked={hidden} onChange={setHidden} />
        {save.error === null ? null : <Failed error={save.error} />}
        <Button kind="primary" type="submit" disabled={save.isPending}>
          {t('Save explanation')}
        </Button>
      </form>
    </Section>
  );
}

function Check({
  label,
  checked,
  onChange,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  return (
    <p>
      <label>
        <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />{' '}
        {label}
      </label>
    </p>
  );
}
