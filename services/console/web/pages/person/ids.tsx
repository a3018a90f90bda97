import type { InsightPerson } from '@switchboard/management';
import { useEffect, useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { useNames } from '../threads/members.ts';

type PersonId = InsightPerson['ids'][number];

/** The ids of a person. Editors join and part ids. */
export function PersonIds({ person: { distinctId, ids } }: { person: InsightPerson }) {
  const { project, may } = usePlace();
  const [parted, setParted] = useState<string>();
  const [isJoining, setJoining] = useState(false);
  const params = { projectId: project.id, distinctId };
  const refresh = [
    ['getPerson', project.id],
    ['listPeople', project.id],
  ];
  const join = useChange(
    (client, other: string) => client.call('joinPeople', { params, body: { distinctId: other } }),
    { refresh },
  );
  const part = useChange(
    (client, joinedId: string) => client.call('partPeople', { params: { ...params, joinedId } }),
    { refresh },
  );
  // The list of people follows a change within seconds. Until then, its answer is shown.
  const changed = (part.data ?? join.data)?.ids;
  const isRead =
    changed?.length === ids.length &&
    changed.every((one) => ids.some((id) => id.distinctId === one.distinctId));
  useEffect(() => {
    if (!isRead) return;
    part.reset();
    join.reset();
  }, [isRead, part.reset, join.reset]);
  const shown = changed?.map(
    (one): PersonId =>
      ids.find((id) => id.distinctId === one.distinctId) ?? {
        ...{ distinctId: one.distinctId, joinedAt: one.joinedAt, joinedBy: one.by },
        ...{ firstSeenAt: null, lastSeenAt: null },
      },
  );
  const mayChange = may('people.write');
  const nameOf = useNames();
  const columns: Column<PersonId>[] = [
    { title: t('Id'), cell: (one) => <Id value={one.distinctId} name={t('id')} /> },
    { title: t('Joined'), cell: ({ joinedAt }) => (joinedAt ? <Time at={joinedAt} /> : '–'), width: '112px' },
    { title: t('By'), cell: (one) => byOf(one, nameOf), width: '144px', minor: true },
    {
      title: t('Last seen'),
      cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : '–'),
      width: '112px',
      minor: true,
    },
    ...(mayChange
      ? [
          {
            title: t('Part'),
            cell: (one: PersonId) =>
              one.distinctId === distinctId ? null : (
                <Button onClick={() => setParted(one.distinctId)}>{t('Part id')}</Button>
              ),
            width: '112px',
          },
        ]
      : []),
  ];
  return (
    <Section title={t('Ids')}>
      {[join.error, part.error].map((error) =>
        error === null ? null : <Failed key={error.message} error={error} />,
      )}
      <Table label={t('Ids')} columns={columns} rows={shown ?? ids} keyOf={(one) => one.distinctId} />
      {mayChange ? (
        <div>
          <Button keys="a" onClick={() => setJoining(true)}>
            {t('Join another id')}
          </Button>
        </div>
      ) : null}
      {isJoining ? (
        <JoinDialog
          onClose={() => setJoining(false)}
          onJoin={(other) => {
            part.reset();
            join.mutate(other);
            setJoining(false);
          }}
        />
      ) : null}
      {parted === undefined ? null : (
        <Confirm
          title={t('Part this id?')}
          action={t('Part id')}
          onClose={() => setParted(undefined)}
          onConfirm={() => {
            join.reset();
            part.mutate(parted);
            setParted(undefined);
          }}
        >
          <p>{t('{parted} becomes a person of its own, with its own traits and events.', { parted })}</p>
        </Confirm>
      )}
    </Section>
  );
}

function byOf({ joinedBy }: PersonId, nameOf: (sub: string) => string): string {
  if (joinedBy === null) return '–';
  if (joinedBy.kind === 'identify') return t('identify call');
  return joinedBy.sub === null ? t('a colleague') : nameOf(joinedBy.sub);
}

function JoinDialog({ onJoin, onClose }: { onJoin: (other: string) => void; onClose: () => void }) {
  const [other, setOther] = useState('');
  return (
    <FormDialog
      title={t('Join another id')}
      action={t('Join id')}
      disabled={other === ''}
      onSubmit={() => onJoin(other)}
      onClose={onClose}
    >
      <TextField
        label={t('Distinct id')}
        hint={t('The person of this id becomes the same person. You can part it again.')}
        value={other}
        autoComplete="off"
        maxLength={200}
        onChange={({ target }) => setOther(target.value)}
      />
    </FormDialog>
  );
}
