import type { InsightPerson } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Empty, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { type Moment, momentsOf } from './moments.ts';
import { KINDS, search } from './search.ts';

/** Messages of this many conversations are shown. Each of these readings is in the audit trail. */
const READ = 3;

/** The conversations and recordings of a person. */
export function useTraces(distinctId: string) {
  const { project, may } = usePlace();
  const params = { projectId: project.id };
  const conversations = useCall(
    ['listConversations', project.id, distinctId],
    (client, options) => client.call('listConversations', { params, query: { distinctId } }, options),
    { enabled: may('conversations.read') },
  );
  const recordings = useCall(
    ['listReplays', project.id, distinctId],
    (client, options) => client.call('listReplays', { params, query: { distinct_id: distinctId } }, options),
    { enabled: may('replays.read') },
  );
  return { conversations, recordings };
}

/** Everything that is known of a person in one order. */
export function TimeLine({ person }: { person: InsightPerson }) {
  const { project, may, pathOf } = usePlace();
  const [{ kind }, setSearch] = usePageSearch(search);
  const { distinctId } = person;
  const params = { projectId: project.id };
  const { conversations, recordings } = useTraces(distinctId);
  const newest = (conversations.data?.conversations ?? []).slice(0, READ).map(({ id }) => id);
  const read = useCall(
    ['readConversation', project.id, newest],
    (client, options) =>
      Promise.all(
        newest.map((id) => client.call('readConversation', { params: { ...params, id } }, options)),
      ),
    { enabled: newest.length > 0 },
  );
  const mayList = may('events.read');
  const events = useList(
    ['listEvents', project.id, { distinctId }],
    async (client, cursor, options) => {
      const query = { distinct_id: distinctId, ...cursor };
      const page = await client.call('listEvents', { params, query }, options);
      return { items: page.events, nextCursor: page.nextCursor };
    },
    { enabled: mayList },
  );
  const shownEvents = events.query.data ?? person.events;
  // Entries before the oldest event that was read are shown once the events before it are read.
  const oldest = events.more === undefined ? undefined : shownEvents.at(-1)?.occurredAt;
  const moments = momentsOf({
    ids: person.ids,
    events: shownEvents,
    conversations: conversations.data?.conversations ?? [],
    read: read.data ?? [],
    recordings: recordings.data?.replays ?? [],
  }).filter((one) => oldest === undefined || Date.parse(one.at) >= Date.parse(oldest));
  const shown = moments.filter((one) => kind === undefined || one.kind === kind);
  const missing = [
    ...(events.query.error === null ? [] : [t('older events')]),
    ...(may('conversations.read') && conversations.error === null ? [] : [t('conversations')]),
    ...(read.error === null ? [] : [t('messages')]),
    ...(may('replays.read') && recordings.error === null ? [] : [t('recordings')]),
  ];
  const columns: Column<Moment>[] = [
    { title: t('When'), cell: ({ at }) => <Time at={at} hasHour />, width: '136px' },
    { title: t('Kind'), cell: (one) => <Badge>{kindOf(one.kind)}</Badge>, width: '112px' },
    {
      title: t('What'),
      cell: ({ text, recording }) =>
        recording === undefined ? (
          text
        ) : (
          <Link
            to={pathOf(`/recordings/${encodeURIComponent(recording.sessionId)}`)}
            search={{ at: recording.at }}
            title={t('Watch this moment')}
          >
            {text}
          </Link>
        ),
    },
    { title: t('Id'), cell: (one) => one.distinctId, minor: true },
  ];
  return (
    <Section title={t('Time line')}>
      <Bar>
        <SelectFilter
          label={t('Everything')}
          value={kind}
          options={KINDS.map((value) => ({ value, title: kindOf(value) }))}
          onChange={(value) => setSearch({ kind: KINDS.find((one) => one === value) })}
        />
      </Bar>
      {missing.length === 0 ? null : (
        <Partial text={t('Without {missing}.', { missing: missing.join(', ') })} />
      )}
      {shown.length === 0 ? (
        <Empty text={kind === undefined ? t('Nothing in the last 30 days.') : t('Nothing of this kind.')} />
      ) : (
        <Table
          label={t('Time line')}
          columns={columns}
          rows={shown}
          keyOf={({ key }) => key}
          more={events.more}
        />
      )}
    </Section>
  );
}

const kindOf = (kind: Moment['kind']) =>
  ({
    event: t('event'),
    session: t('session'),
    recording: t('recording'),
    conversation: t('conversation'),
    message: t('message'),
    join: t('join'),
  })[kind];
