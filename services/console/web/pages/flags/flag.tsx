import type { FlagEntry, Result } from '@switchboard/management';
import { useState } from 'react';
import { showAtOnce, useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { percent } from '../../components/values.tsx';
import { FlagCheck } from './check.tsx';
import { FlagState } from './flag-state.tsx';
import { FlagHistory } from './history.tsx';
import { clauseWords } from './words.ts';

const MAX_REASON = 500;

/** The definition of a flag in words, its switch, a check for one person, and its history. */
export function FlagDetail({ flag }: { flag: FlagEntry }) {
  const { may } = usePlace();
  const { enabled, rolloutPercentage, variations = [], prerequisites = [], rules = [], description } = flag;
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  return (
    <>
      {description ? <p>{description}</p> : null}
      <Facts
        facts={[
          [t('State'), <FlagState key="state" enabled={enabled} />],
          [t('Type'), flag.type ?? t('on or off')],
          [t('Requires'), <Requires key="requires" prerequisites={prerequisites} />],
          ...rules.map(
            (rule, index) =>
              [
                rule.name ?? t('Rule {number}', { number: index + 1 }),
                <RuleWords key={`rule ${index}`} rule={rule} />,
              ] as const,
          ),
          [
            rules.length === 0 ? t('Conditions') : t('Others'),
            <Conditions key="conditions" targeting={flag.targeting} />,
          ],
          [t('Rollout'), t('{share} of those who match', { share: percent(rolloutPercentage / 100) })],
          ...variations.map(
            ({ key, value, weight }) =>
              [key, `${JSON.stringify(value)}, ${percent(total === 0 ? 0 : weight / total)}`] as const,
          ),
        ]}
      />
      {may('flags.write') ? (
        <FlagSwitch flag={flag} />
      ) : (
        <p>{t('Editors can switch and change this flag.')}</p>
      )}
      <FlagCheck flagKey={flag.key} />
      <FlagHistory flagKey={flag.key} />
    </>
  );
}

function Requires({ prerequisites }: { prerequisites: NonNullable<FlagEntry['prerequisites']> }) {
  if (prerequisites.length === 0) return t('nothing');
  return prerequisites
    .map(({ flagKey, variationKey }) =>
      t('{flag} serves {variation}', { flag: flagKey, variation: variationKey }),
    )
    .join(', ');
}

type Rule = NonNullable<FlagEntry['rules']>[number];

function RuleWords({ rule: { targeting, rolloutPercentage = 100, variation } }: { rule: Rule }) {
  return (
    <>
      <Conditions targeting={targeting} />
      <p>
        {rolloutPercentage === 100
          ? null
          : `${t('{share} of those who match', { share: percent(rolloutPercentage / 100) })}, `}
        {variation === undefined
          ? t('served like the others')
          : t('always served {variation}', { variation })}
      </p>
    </>
  );
}

function Conditions({ targeting = [] }: Pick<FlagEntry, 'targeting'>) {
  const { project, may } = usePlace();
  const namesCohorts = targeting.some(({ op }) => op === 'in_cohort' || op === 'not_in_cohort');
  const cohorts = useCall(
    ['listCohorts', project.id],
    (client, options) => client.call('listCohorts', { params: { projectId: project.id } }, options),
    { enabled: namesCohorts && may('cohorts.read') },
  );
  if (targeting.length === 0) return t('everyone');
  const nameOf = (id: string) => cohorts.data?.cohorts.find((one) => one.id === id)?.name ?? id;
  return (
    <ul>
      {targeting.map((clause) => {
        const words = clauseWords(clause, nameOf);
        return <li key={words}>{words}</li>;
      })}
    </ul>
  );
}

/** Turns the flag on or off, with a reason for its history. A flag that changed since it was read is not overwritten. */
function FlagSwitch({ flag }: { flag: FlagEntry }) {
  const { project } = usePlace();
  const [asks, setAsks] = useState(false);
  const [reason, setReason] = useState('');
  const { key, ...definition } = flag;
  const params = { projectId: project.id, key };
  const list = ['listFlags', project.id];
  const refresh = [list, ['listFlagVersions', project.id, key]];
  const optimistic = (enabled: boolean) =>
    showAtOnce<Result<'listFlags'>>(list, ({ flags, ...rest }) => ({
      ...rest,
      flags: flags.map((one) => (one.key === key ? { ...one, enabled } : one)),
    }));
  const change = useChange(
    // The reason is a variable, because the field is empty again when this runs.
    async (client, { enabled, why }: { enabled: boolean; why: string }) => {
      const { versions } = await client.call('listFlagVersions', { params, query: { limit: 1 } });
      const [newest] = versions;
      await client.call('putFlag', {
        params,
        query: why === '' ? {} : { reason: why },
        headers: newest === undefined ? {} : { 'If-Match': `"${newest.version}"` },
        body: { ...definition, enabled },
      });
      return newest?.version;
    },
    { refresh, optimistic: ({ enabled }) => optimistic(enabled) },
  );
  /** Restores the version before the change, unless the flag changed since. */
  const restore = useChange(
    (client, { version }: { version: number; enabled: boolean }) =>
      client.call('restoreFlagVersion', {
        params,
        headers: { 'If-Match': `"${version + 1}"` },
        body: { version, reason: t('Undone') },
      }),
    { refresh, optimistic: ({ enabled }) => optimistic(enabled) },
  );
  const action = flag.enabled ? t('Turn off flag') : t('Turn on flag');
  const submit = () => {
    const { enabled } = flag;
    change.mutate(
      { enabled: !enabled, why: reason },
      {
        onSuccess: (version) =>
          version === undefined
            ? undefined
            : showToast({
                text: enabled ? t('{key} is off.', { key }) : t('{key} is on.', { key }),
                undo: () => restore.mutate({ version, enabled }),
              }),
      },
    );
    setAsks(false);
    setReason('');
  };
  return (
    <>
      {change.error === null ? null : <Failed error={change.error} />}
      {restore.error === null ? null : <Failed error={restore.error} />}
      <div>
        <Button
          kind={flag.enabled ? 'danger' : 'primary'}
          disabled={change.isPending}
          onClick={() => setAsks(true)}
        >
          {action}
        </Button>
      </div>
      {asks ? (
        <FormDialog
          title={action}
          action={action}
          kind={flag.enabled ? 'danger' : 'primary'}
          onSubmit={submit}
          onClose={() => setAsks(false)}
        >
          <TextField
            label={t('Reason')}
            hint={t('Shown in the history of the flag.')}
            value={reason}
            maxLength={MAX_REASON}
            onChange={({ target }) => setReason(target.value)}
          />
        </FormDialog>
      ) : null}
    </>
  );
}
