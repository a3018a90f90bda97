import type { Input } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { LIFETIMES, lifetimeOptions } from './lifetimes.ts';
import { KINDS } from './search.ts';
import styles from './tokens.module.css';
import { kindWord } from './words.tsx';

type Definition = Input<'createApiToken'>['body'];

interface CreateTokenProps {
  /** Gets the value, which the API returns once. */
  onCreated: (value: string) => void;
  onClose: () => void;
}

/** Creates a token with at most the permissions of the person. */
export function CreateToken({ onCreated, onClose }: CreateTokenProps) {
  const { company, project, may } = usePlace();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<(typeof KINDS)[number]>('personal');
  const [scope, setScope] = useState<'company' | 'project'>('project');
  const [days, setDays] = useState(LIFETIMES[1]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const create = useChange(
    (client, body: Definition) => client.call('createApiToken', { params: { companyId: company.id }, body }),
    { refresh: [['listApiTokens', company.id]] },
  );
  const toggle = (permission: string) => {
    const next = new Set(chosen);
    if (!next.delete(permission)) next.add(permission);
    setChosen(next);
  };
  return (
    <FormDialog
      title={t('Create access token')}
      action={t('Create token')}
      disabled={create.isPending || name.trim() === '' || chosen.size === 0}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          {
            name,
            kind,
            permissions: company.permissions.filter((one) => chosen.has(one)),
            projectIds: scope === 'project' ? [project.id] : null,
            expiresInDays: days,
          },
          { onSuccess: ({ token }) => onCreated(token) },
        )
      }
    >
      <TextField
        label={t('Name')}
        hint={t('The program that uses it, such as "deploy pipeline".')}
        value={name}
        required
        maxLength={100}
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label={t('Kind')}
        hint={
          may('tokens.write')
            ? t('A personal token acts as you. A service token belongs to the company.')
            : t('It acts as you. Administrators create service tokens.')
        }
        value={kind}
        options={KINDS.filter((one) => one === 'personal' || may('tokens.write')).map((value) => ({
          value,
          title: kindWord(value),
        }))}
        onChange={({ target }) => setKind(KINDS.find((one) => one === target.value) ?? 'personal')}
      />
      <SelectField
        label={t('Works in')}
        value={scope}
        options={[
          { value: 'project', title: project.name },
          { value: 'company', title: t('{company} and all of its projects', { company: company.name }) },
        ]}
        onChange={({ target }) => setScope(target.value === 'company' ? 'company' : 'project')}
      />
      <SelectField
        label={t('Expires in')}
        value={days}
        options={lifetimeOptions()}
        onChange={({ target }) => setDays(Number(target.value))}
      />
      <fieldset className={styles['group']}>
        <legend>{t('Permissions')}</legend>
        <div className={styles['permissions']}>
          {company.permissions.map((permission) => (
            <CheckField
              key={permission}
              label={permission}
              checked={chosen.has(permission)}
              onChange={() => toggle(permission)}
            />
          ))}
        </div>
      </fieldset>
      {create.error === null ? null : <Failed error={create.error} />}
    </FormDialog>
  );
}
