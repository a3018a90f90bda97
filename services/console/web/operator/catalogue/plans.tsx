import type { Plan } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { CheckField, TextArea, TextField } from '../../components/field.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { entitlementsHint, parseEntitlements, textOf } from '../entitlements.ts';
import styles from '../operator.module.css';

const KEY = ['listManagedPlans'];
const NEW: Plan = { tier: '', cycle: 'monthly', trialDays: 14, priced: true, entitlements: {} };
const search = (raw: RawSearch) => ({ open: text(raw['open']) });
const keyOf = ({ tier, cycle }: Plan) => `${tier}/${cycle}`;

/** The plans that companies are on. */
export function Page() {
  const [{ open }, setSearch] = usePageSearch(search);
  const [isNew, setNew] = useState(false);
  const query = useCall(KEY, (client, options) => client.call('listManagedPlans', {}, options));
  const close = () => {
    setNew(false);
    setSearch({ open: undefined });
  };
  return (
    <PageLayout
      title={t('Plans')}
      actions={
        <>
          <CopyAs command="switchboard get plans" />
          <Button keys="c" kind="primary" onClick={() => setNew(true)}>
            {t('Create plan')}
          </Button>
        </>
      }
    >
      <Loaded query={query}>
        {({ plans }) => {
          const opened = isNew ? NEW : plans.find((plan) => keyOf(plan) === open);
          return (
            <>
              {plans.length === 0 ? (
                <Empty text={t('No plan yet. A company needs one.')} />
              ) : (
                <Table
                  label={t('Plans')}
                  columns={columns()}
                  rows={plans}
                  keyOf={keyOf}
                  open={open}
                  onOpen={(plan) => setSearch({ open: keyOf(plan) }, { push: true })}
                />
              )}
              {opened === undefined ? null : (
                <EditPlan
                  key={keyOf(opened)}
                  plan={opened}
                  known={isNew ? plans : []}
                  isNew={isNew}
                  onClose={close}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

const columns = (): Column<Plan>[] => [
  { title: t('Tier'), cell: ({ tier }) => tier },
  { title: t('Cycle'), cell: ({ cycle }) => cycle, width: '112px' },
  { title: t('Trial, days'), cell: ({ trialDays }) => trialDays, width: '104px', align: 'end', minor: true },
  {
    title: t('Price'),
    cell: ({ priced }) => (priced ? <Badge>{t('Priced')}</Badge> : t('Free')),
    width: '104px',
  },
  {
    title: t('Entitlements'),
    cell: ({ entitlements }) => Object.keys(entitlements).join(', ') || '–',
    minor: true,
  },
];

interface EditPlanProps {
  plan: Plan;
  /** The plans that a new one must not replace. */
  known: readonly Plan[];
  isNew: boolean;
  onClose: () => void;
}

function EditPlan({ plan, known, isNew, onClose }: EditPlanProps) {
  const [tier, setTier] = useState(plan.tier);
  const [cycle, setCycle] = useState(plan.cycle);
  const [trialDays, setTrialDays] = useState(String(plan.trialDays));
  const [priced, setPriced] = useState(plan.priced);
  const [entitlements, setEntitlements] = useState(textOf(plan.entitlements));
  const [asks, setAsks] = useState(false);
  const parsed = parseEntitlements(entitlements);
  const isTaken = known.some((one) => one.tier === tier && one.cycle === cycle);
  const save = useChange(
    (client, { tier: ofTier, cycle: ofCycle, ...body }: Plan) =>
      client.call('putPlan', { params: { tier: ofTier, cycle: ofCycle }, body }),
    { refresh: [KEY] },
  );
  const remove = useChange(
    (client, params: { tier: string; cycle: string }) => client.call('deletePlan', { params }),
    { refresh: [KEY] },
  );
  const error = save.error ?? remove.error;
  if (asks) {
    return (
      <Confirm
        title={t('Delete {name}?', { name: keyOf(plan) })}
        action={t('Delete plan')}
        onClose={() => setAsks(false)}
        onConfirm={() => {
          remove.mutate({ tier, cycle }, { onSuccess: onClose });
          setAsks(false);
        }}
      >
        <p>{t('The public catalogue no longer lists it. A plan of a company cannot be deleted.')}</p>
      </Confirm>
    );
  }
  return (
    <FormDialog
      title={isNew ? t('Create plan') : keyOf(plan)}
      action={isNew ? t('Create plan') : t('Save plan')}
      wide
      disabled={save.isPending || remove.isPending || isTaken || 'problem' in parsed}
      onClose={onClose}
      onSubmit={() => {
        if ('problem' in parsed) return;
        const changed = { tier, cycle, trialDays: Number(trialDays), priced, entitlements: parsed.value };
        save.mutate(changed, { onSuccess: onClose });
      }}
    >
      {error === null ? null : <Failed error={error} />}
      <TextField
        label={t('Tier')}
        value={tier}
        required
        readOnly={!isNew}
        maxLength={200}
        error={isTaken ? t('There is a plan of this tier and cycle. Choose another one.') : undefined}
        onChange={({ target }) => setTier(target.value)}
      />
      <TextField
        label={t('Cycle')}
        value={cycle}
        required
        readOnly={!isNew}
        maxLength={200}
        onChange={({ target }) => setCycle(target.value)}
      />
      <TextField
        label={t('Trial, days')}
        type="number"
        min={0}
        step={1}
        required
        value={trialDays}
        onChange={({ target }) => setTrialDays(target.value)}
      />
      <CheckField
        label={t('Has a price')}
        checked={priced}
        onChange={({ target }) => setPriced(target.checked)}
      />
      <TextArea
        label={t('Entitlements')}
        hint={entitlementsHint()}
        error={'problem' in parsed ? parsed.problem : undefined}
        value={entitlements}
        onChange={({ target }) => setEntitlements(target.value)}
      />
      {isNew ? null : (
        <div className={styles['row']}>
          <Button keys="d" kind="danger" disabled={remove.isPending} onClick={() => setAsks(true)}>
            {t('Delete plan')}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
