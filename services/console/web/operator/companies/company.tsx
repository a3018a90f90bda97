import type { Company } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { showToast } from '../../app/toasts.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextArea, TextField } from '../../components/field.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { entitlementsHint, parseEntitlements, textOf } from '../entitlements.ts';
import styles from '../operator.module.css';
import { Members } from './members.tsx';
import { PlanField } from './plan-field.tsx';

interface CompanyDetailProps {
  company: Company;
  onDeleted: () => void;
}

/** Changes the name, the plan and the entitlements of a company and its members, and deletes it. */
export function CompanyDetail({ company, onDeleted }: CompanyDetailProps) {
  const { id } = company;
  const params = { companyId: id };
  const [name, setName] = useState(company.name);
  const [plan, setPlan] = useState(company.plan);
  const [entitlements, setEntitlements] = useState(textOf(company.entitlements));
  const [asks, setAsks] = useState(false);
  const parsed = parseEntitlements(entitlements);
  const save = useChange((client, body: Omit<Company, 'id'>) => client.call('putCompany', { params, body }), {
    refresh: [['listCompanies']],
  });
  const remove = useChange((client, _: undefined) => client.call('deleteCompany', { params }), {
    refresh: [['listCompanies']],
  });
  const submit = () => {
    if ('problem' in parsed) return;
    save.mutate(
      { name, plan, entitlements: parsed.value },
      { onSuccess: () => showToast({ text: t('{name} is saved.', { name }) }) },
    );
  };
  return (
    <>
      <Facts facts={[[t('Id'), <Id key="id" value={id} name={t('id')} />]]} />
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={t('Name')}
          value={name}
          required
          maxLength={200}
          onChange={({ target }) => setName(target.value)}
        />
        <PlanField value={plan} onChange={setPlan} />
        <TextArea
          label={t('Entitlements that override those of the plan')}
          hint={entitlementsHint()}
          error={'problem' in parsed ? parsed.problem : undefined}
          value={entitlements}
          onChange={({ target }) => setEntitlements(target.value)}
        />
        {save.error === null ? null : <Failed error={save.error} />}
        <Button kind="primary" type="submit" disabled={save.isPending || 'problem' in parsed}>
          {t('Save company')}
        </Button>
      </form>
      <Members companyId={id} />
      <Section title={t('Delete company')}>
        <p className={styles['text']}>
          {t(
            'Deletes its members, tokens and projects, and erases their data in every service. Its keys stop working at once.',
          )}
        </p>
        {remove.error === null ? null : <Failed error={remove.error} />}
        <div>
          <Button keys="d" kind="danger" disabled={remove.isPending} onClick={() => setAsks(true)}>
            {t('Delete company')}
          </Button>
        </div>
      </Section>
      {asks ? (
        <Confirm
          title={t('Delete {name}?', { name: company.name })}
          action={t('Delete company')}
          typed={company.name}
          onClose={() => setAsks(false)}
          onConfirm={() => {
            remove.mutate(undefined, { onSuccess: onDeleted });
            setAsks(false);
          }}
        >
          <p>{t('All data of its projects is erased. This cannot be undone.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
