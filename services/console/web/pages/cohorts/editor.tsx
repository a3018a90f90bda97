import { Link } from '@tanstack/react-router';
import { Plus, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Suggested } from '../../clauses/suggested.tsx';
import { useEventNames } from '../../clauses/suggestions.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Failed, Loading } from '../../components/state.tsx';
import { idOf } from '../insights/id.ts';
import styles from './cohorts.module.css';
import {
  COUNTS,
  type Cohort,
  type CohortDraft,
  cohortDraft,
  type DidDraft,
  definitionOf,
  emptyCohort,
  emptyDid,
} from './draft.ts';
import { Preview } from './preview.tsx';
import { useUses } from './uses.ts';

const MAX_CONDITIONS = 10;

interface EditorProps {
  /** The saved cohort. Undefined for a new one. */
  cohort: Cohort | undefined;
  onSaved: (id: string) => void;
  onDeleted: () => void;
}

/** The fields of a cohort, its size, and what uses it. */
export function Editor({ cohort, onSaved, onDeleted }: EditorProps) {
  const { project, may } = usePlace();
  const [draft, setDraft] = useState(() => (cohort === undefined ? emptyCohort() : cohortDraft(cohort)));
  const change = (values: Partial<CohortDraft>) => setDraft({ ...draft, ...values });
  const refresh = [['listCohorts', project.id], ['getCohort', project.id], ['listPeople']];
  const save = useChange(
    async (client, _: undefined) => {
      const cohortId = cohort?.id ?? idOf(draft.name);
      const params = { projectId: project.id, cohortId };
      await client.call('putCohort', { params, body: definitionOf(draft) });
      return cohortId;
    },
    { refresh },
  );
  const mayWrite = may('cohorts.write');
  const replace = (at: number, values: Partial<DidDraft>) =>
    change({ did: draft.did.map((one, index) => (index === at ? { ...one, ...values } : one)) });
  const { name: _, combine: __, ...conditions } = definitionOf(draft);
  const isEmpty = Object.keys(conditions).length === 0;
  return (
    <form
      className={styles['editor']}
      aria-label={t('Cohort')}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onSaved });
      }}
    >
      <fieldset disabled={!mayWrite} className={styles['fields']}>
        <TextField
          label={t('Name')}
          value={draft.name}
          required
          maxLength={200}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Section title={t('Traits')}>
          <Clauses event={undefined} clauses={draft.match} onChange={(next) => change({ match: next })} />
        </Section>
        <Section title={t('What people did')}>
          {draft.did.map((one, at) => (
            <Did
              key={at}
              at={at}
              did={one}
              onChange={(values) => replace(at, values)}
              onRemove={() => change({ did: draft.did.filter((_, index) => index !== at) })}
            />
          ))}
          {draft.did.length < MAX_CONDITIONS ? (
            <div>
              <Button kind="quiet" icon={Plus} onClick={() => change({ did: [...draft.did, emptyDid()] })}>
                {t('Add condition')}
              </Button>
            </div>
          ) : null}
          {draft.did.length === 0 ? null : (
            <SelectField
              label={t('People fulfil')}
              value={draft.combine}
              options={[
                { value: 'all', title: t('the traits and every condition') },
                { value: 'any', title: t('the traits, or one of the conditions') },
              ]}
              onChange={({ target }) => change({ combine: target.value === 'any' ? 'any' : 'all' })}
            />
          )}
        </Section>
        <Section title={t('Further people')}>
          <TextArea
            label={t('Distinct ids, one a line')}
            value={draft.ids}
            onChange={({ target }) => change({ ids: target.value })}
          />
        </Section>
      </fieldset>
      <Preview draft={draft} saved={cohort} />
      {save.error === null ? null : <Failed error={save.error} />}
      {mayWrite ? (
        <Bar>
          <Button
            type="submit"
            kind="primary"
            disabled={save.isPending || draft.name.trim() === '' || isEmpty}
          >
            {t('Save cohort')}
          </Button>
          {cohort === undefined ? null : <Compute cohort={cohort} />}
          {cohort === undefined ? null : <Delete cohort={cohort} onDeleted={onDeleted} />}
        </Bar>
      ) : null}
      {cohort === undefined ? null : <Uses id={cohort.id} />}
    </form>
  );
}

interface DidProps {
  at: number;
  did: DidDraft;
  onChange: (values: Partial<DidDraft>) => void;
  onRemove: () => void;
}

function Did({ at, did, onChange, onRemove }: DidProps) {
  const names = useEventNames();
  const titles = { gte: t('at least'), lte: t('at most'), eq: t('exactly') };
  return (
    <fieldset className={styles['did']}>
      <legend>{t('Condition {number}', { number: at + 1 })}</legend>
      <div className={styles['row']}>
        <Suggested
          label={t('Event')}
          value={did.event}
          suggestions={names}
          onChange={(event) => onChange({ event })}
        />
        <SelectField
          label={t('Times')}
          value={did.op}
          options={COUNTS.map((value) => ({ value, title: titles[value] }))}
          onChange={({ target }) => onChange({ op: COUNTS.find((one) => one === target.value) ?? 'gte' })}
        />
        <TextField
          label={t('Count')}
          type="number"
          min={0}
          value={did.times}
          onChange={({ target }) => onChange({ times: Number(target.value) })}
        />
        <TextField
          label={t('Within days')}
          type="number"
          min={1}
          max={365}
          value={did.days}
          onChange={({ target }) => onChange({ days: Number(target.value) })}
        />
        <IconButton
          icon={Trash2}
          label={t('Remove condition {number}', { number: at + 1 })}
          onClick={onRemove}
        />
      </div>
      <Clauses event={did.event} clauses={did.where} onChange={(where) => onChange({ where })} />
    </fieldset>
  );
}

function Compute({ cohort }: { cohort: Cohort }) {
  const { project } = usePlace();
  const compute = useChange(
    (client, _: undefined) =>
      client.call('computeCohort', { params: { projectId: project.id, cohortId: cohort.id } }),
    { refresh: [['getCohort', project.id]] },
  );
  if (cohort.did === undefined) return null;
  return (
    <Button keys="r" icon={RotateCw} disabled={compute.isPending} onClick={() => compute.mutate(undefined)}>
      {t('Count again')}
    </Button>
  );
}

function Delete({ cohort, onDeleted }: { cohort: Cohort; onDeleted: () => void }) {
  const { project } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const uses = useUses(cohort.id);
  const remove = useChange(
    (client, _: undefined) =>
      client.call('deleteCohort', { params: { projectId: project.id, cohortId: cohort.id } }),
    { refresh: [['listCohorts', project.id]] },
  );
  const users = [...(uses?.flags ?? []), ...(uses?.reports ?? []), ...(uses?.dashboards ?? [])];
  return (
    <>
      <Button keys="d" kind="danger" disabled={uses === undefined} onClick={() => setIsOpen(true)}>
        {t('Delete cohort')}
      </Button>
      {isOpen ? (
        <Confirm
          title={t('Delete this cohort?')}
          action={t('Delete cohort')}
          pending={remove.isPending || users.length > 0}
          onClose={() => setIsOpen(false)}
          onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
        >
          {users.length === 0 ? (
            <p>{t('Its definition and its computed list are deleted.')}</p>
          ) : (
            <p role="alert">
              {t('It is used by {names}. Change or delete those first.', {
                names: users.map(({ name }) => name).join(', '),
              })}
            </p>
          )}
          {remove.error === null ? null : <Failed error={remove.error} />}
        </Confirm>
      ) : null}
    </>
  );
}

function Uses({ id }: { id: string }) {
  const { project, pathOf } = usePlace();
  const uses = useUses(id);
  if (uses === undefined) return <Loading rows={1} />;
  const all = [
    ...uses.flags.map((one) => ({ ...one, kind: t('Flag') })),
    ...uses.reports.map((one) => ({ ...one, kind: t('Report') })),
    ...uses.dashboards.map((one) => ({ ...one, kind: t('Dashboard') })),
  ];
  return (
    <Section title={t('Used by')}>
      {all.length === 0 ? <p>{t('No flag, report or dashboard names the cohort.')}</p> : null}
      {(project.flagApprovals ?? 0) > 0 && uses.flags.length > 0 ? (
        <p>{t('A change of the cohort takes effect in these flags at once. It needs no approval.')}</p>
      ) : null}
      <ul>
        {all.map(({ path, name, kind }) => (
          <li key={path}>
            <Link to={pathOf(path)}>{name}</Link> · {kind}
          </li>
        ))}
      </ul>
    </Section>
  );
}
