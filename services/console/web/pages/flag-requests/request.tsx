import type { ChangeRequest } from '@switchboard/management';
import { useState } from 'react';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Bar, Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { FlagDiff } from '../flags/diff.tsx';
import { useCohortNames } from '../flags/use-flags.ts';
import type { Definition } from '../flags/words.ts';
import { useNames } from '../threads/members.ts';
import { type Decision, useDecision, useDecisions } from './use-requests.ts';

const MAX_NOTE = 500;

/** The state of a request in a word, with its approvals while it waits. */
export function State({ request: { state, approvals, needed } }: { request: ChangeRequest }) {
  switch (state) {
    case 'waiting':
      return (
        <Badge tone="warning">
          {t('{count} of {needed, plural, one {# approval} other {# approvals}}', {
            count: approvals.length,
            needed,
          })}
        </Badge>
      );
    case 'approved':
      return <Badge tone="good">{t('Approved')}</Badge>;
    case 'rejected':
      return <Badge tone="danger">{t('Rejected')}</Badge>;
    case 'withdrawn':
      return <Badge>{t('Withdrawn')}</Badge>;
    case 'expired':
      return <Badge>{t('Expired')}</Badge>;
  }
}

/** A change request: who asks, the diff, who approved, and what the person may decide. */
export function Request({ request }: { request: ChangeRequest }) {
  const nameOf = useNames();
  const { author, reason, at, createdAt, expiresAt, approvals, closed, state } = request;
  return (
    <>
      <Facts
        facts={[
          [t('State'), <State key="state" request={request} />],
          [
            t('Requested'),
            <By key="by" name={author === null ? t('erased') : nameOf(author)} at={createdAt} />,
          ],
          ...(reason === null ? [] : ([[t('Reason'), reason]] as const)),
          ...(at === null ? [] : ([[t('Takes effect'), exactly(at)]] as const)),
          ...approvals.map(
            (one) => [t('Approved'), <By key={one.sub} name={nameOf(one.sub)} at={one.at} />] as const,
          ),
          ...(state === 'waiting' ? ([[t('Expires'), exactly(expiresAt)]] as const) : []),
          ...(closed === null || state === 'approved'
            ? []
            : ([
                [
                  t('Closed'),
                  <By
                    key="closed"
                    name={closed.by === null ? undefined : nameOf(closed.by)}
                    at={closed.at}
                  />,
                ],
              ] as const)),
          ...(closed?.note ? ([[t('Note'), closed.note]] as const) : []),
        ]}
      />
      <Changes request={request} />
      <Decisions request={request} />
    </>
  );
}

/** The difference that the request makes to the flag. */
function Changes({ request: { flag, version, changes } }: { request: ChangeRequest }) {
  const { project } = usePlace();
  const nameOf = useCohortNames(project.id);
  if (flag === null) return <p>{t('Deletes the flag.')}</p>;
  const before: Definition | undefined =
    version === 0
      ? undefined
      : Object.assign({ ...flag }, ...changes.map(({ property, before: old }) => ({ [property]: old })));
  return <FlagDiff before={before} after={flag} nameOf={nameOf} />;
}

function By({ name, at }: { name: string | undefined; at: string }) {
  return (
    <>
      {name === undefined ? null : `${name} · `}
      <Time at={at} />
    </>
  );
}

const exactly = (at: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));

function Decisions({ request }: { request: ChangeRequest }) {
  const decisions = useDecisions(request);
  const decide = useDecision();
  const [asked, setAsked] = useState<Decision>();
  const [note, setNote] = useState('');
  const titles = {
    approve: t('Approve change'),
    reject: t('Reject change'),
    withdraw: t('Withdraw request'),
  };
  const keys = { approve: 'a', reject: 'd', withdraw: 'b' };
  const run = (decision: Decision) => {
    decide.mutate({ id: request.id, decision, note });
    setAsked(undefined);
    setNote('');
  };
  if (decisions.length === 0) return null;
  return (
    <>
      {decide.error === null ? null : <Failed error={decide.error} />}
      <Bar>
        {decisions.map((one) => (
          <Button
            key={one}
            keys={keys[one]}
            kind={one === 'approve' ? 'primary' : 'plain'}
            disabled={decide.isPending}
            onClick={() => (one === 'reject' ? setAsked(one) : run(one))}
          >
            {titles[one]}
          </Button>
        ))}
      </Bar>
      {asked === undefined ? null : (
        <FormDialog
          title={t('Reject this change?')}
          action={titles[asked]}
          kind="danger"
          onSubmit={() => run(asked)}
          onClose={() => setAsked(undefined)}
        >
          <TextField
            label={t('Note')}
            hint={t('Tells the author why.')}
            value={note}
            maxLength={MAX_NOTE}
            onChange={({ target }) => setNote(target.value)}
          />
        </FormDialog>
      )}
    </>
  );
}
