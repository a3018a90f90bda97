import type { InsightPerson } from '@switchboard/management';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Partial } from '../../components/state.tsx';
import { nameOf } from '../people/columns.tsx';
import { ErasePerson } from './erase.tsx';
import { PersonFlags } from './flags.tsx';
import { PersonIds } from './ids.tsx';
import { TimeLine } from './time-line.tsx';

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
            <Button keys="d" kind="danger" onClick={() => setErasing(true)}>
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
              <ErasePerson
                person={found}
                onClose={() => setErasing(false)}
                onErase={(ids) => {
                  erase.mutate(ids);
                  setErasing(false);
                }}
              />
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
