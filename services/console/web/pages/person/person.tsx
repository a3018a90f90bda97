import type { InsightPerson } from '@switchboard/management';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { nameOf } from '../people/columns.tsx';
import { PersonFlags } from './flags.tsx';
import { PersonIds } from './ids.tsx';
import { type Moment, momentsOf } from './moments.ts';

const REFRESH_MS = 10_000;

export function Page() {
  const { distinctId = '' } = useParams({ strict: false });
  // With a key, so that no data of the person before is shown or erased.
  return <PersonPage key={distinctId} distinctId={distinctId} />;
}

function PersonPage({ distinctId }: { distinctId: string }) {
  const { project, may } = usePlace();
  const [isErasing, setErasing] = useState(false);
  const params = { projectId: project.id, distinctId };
  const person = useCall(
    ['getPerson', project.id, distinctId],
    (client, options) => client.call('getPerson', { params }, options),
    { refreshMs: REFRESH_MS },
  );
  const erase = useChange(
    (client, distinctIds: string[]) =>
      client.call('erasePerson', { params: { projectId: project.id }, body: { distinctIds } }),
    {
      refresh: [
        ['getPerson', project.id],
        ['listPeople', project.id],
      ],
    },
  );
  const known = person.data;
  return (
    <PageLayout
      title={known === undefined ? distinctId : nameOf(known)}
      actions={
        <>
          <CopyAs
            call={{
              method: 'GET',
              path: `/v1/projects/${encodeURIComponent(project.id)}/people/${encodeURIComponent(distinctId)}`,
            }}
          />
          {may('people.erase') && known !== undefined ? (
            <Button kind="danger" onClick={() => setErasing(true)}>
              {t('Erase person')}
            </Button>
          ) : null}
        </>
      }
    >
      {erase.error === null ? null : <Failed error={erase.error} />}
      {erase.data === undefined ? null : (
        <Partial text={t('The person is being erased. This takes up to a few minutes.')} />
      )}
      <Loaded query={person}>
        {(found) => (
          <>
            <Traits person={found} />
            <PersonIds person={found} />
            <PersonFlags person={found} />
            <TimeLine person={found} />
            {isErasing ? (
              <Confirm
                title={t('Erase this person?')}
                action={t('Erase person')}
                typed={found.distinctId}
                onClose={() => setErasing(false)}
                onConfirm={() => {
                  erase.mutate(found.ids.map((one) => one.distinctId));
                  setErasing(false);
                }}
              >
                <p>
                  {t(
                    'Removes the events, traits, recordings and conversations of {count, plural, one {# id} other {# ids}}. This cannot be undone.',
                    { count: found.ids.length },
                  )}
                </p>
              </Confirm>
            ) : null}
          </>
        )}
      </Loaded>
    </PageLayout>
  );
}

function Traits({ person: { traits, groups, cohorts } }: { person: InsightPerson }) {
  const { pathOf } = usePlace();
  const names = Object.keys(traits);
  return (
    <Section title={t('Traits')}>
      {names.length === 0 ? (
        <Empty text={t('No identify call has set a trait of this person.')} />
      ) : (
        <Facts facts={names.map((name) => [name, shown(traits[name])])} />
      )}
      <Facts
        facts={[
          ...groups.map(
            ({ type, id }) =>
              [
                type,
                <Link key={type} to={pathOf('/groups')} search={{ type, open: id }}>
                  {id}
                </Link>,
              ] as const,
          ),
          [
            t('Cohorts'),
            cohorts.length === 0 ? t('None') : cohorts.map((cohort) => <Badge key={cohort}>{cohort}</Badge>),
          ],
        ]}
      />
    </Section>
  );
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function TimeLine({ person }: { person: InsightPerson }) {
  const { project, may } = usePlace();
  const { distinctId } = person;
  const params = { projectId: project.id };
  const [mayTalk, mayWatch] = [may('conversations.read'), may('replays.read')];
  const conversations = useCall(
    ['listConversations', project.id, distinctId],
    (client, options) => client.call('listConversations', { params, query: { distinctId } }, options),
    { enabled: mayTalk },
  );
  const recordings = useCall(
    ['listReplays', project.id, distinctId],
    (client, options) => client.call('listReplays', { params, query: { distinct_id: distinctId } }, options),
    { enabled: mayWatch },
  );
  const moments = momentsOf({
    person,
    conversations: conversations.data?.conversations ?? [],
    recordings: recordings.data?.replays ?? [],
  });
  const missing = [
    ...(mayTalk && conversations.error === null ? [] : [t('conversations')]),
    ...(mayWatch && recordings.error === null ? [] : [t('recordings')]),
  ];
  return (
    <Section title={t('Time line')}>
      {missing.length === 0 ? null : (
        <Partial text={t('Without {missing}.', { missing: missing.join(', ') })} />
      )}
      {moments.length === 0 ? (
        <Empty text={t('Nothing in the last 30 days.')} />
      ) : (
        <Table label={t('Time line')} columns={columns()} rows={moments} keyOf={({ key }) => key} />
      )}
    </Section>
  );
}

const columns = (): Column<Moment>[] => [
  { title: t('When'), cell: ({ at }) => <Time at={at} />, width: '112px' },
  { title: t('Kind'), cell: ({ kind }) => <Badge>{kindOf(kind)}</Badge>, width: '128px' },
  { title: t('What'), cell: ({ text }) => text },
  { title: t('Id'), cell: ({ distinctId }) => distinctId, minor: true },
];

const kindOf = (kind: Moment['kind']) =>
  ({ event: t('event'), conversation: t('conversation'), recording: t('recording'), join: t('join') })[kind];
