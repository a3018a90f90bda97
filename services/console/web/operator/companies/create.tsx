import { isNotFound } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { PlanField } from './plan-field.tsx';

interface Fields {
  id: string;
  name: string;
  plan: { tier: string; cycle: string };
}

interface CreateCompanyProps {
  onCreated: (id: string) => void;
  onClose: () => void;
}

export function CreateCompany({ onCreated, onClose }: CreateCompanyProps) {
  const [id, setId] = useState('');
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Fields['plan']>();
  const create = useChange(
    async (client, { id: companyId, ...body }: Fields) => {
      const params = { companyId };
      const known = await client.call('getCompany', { params }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      // PUT would replace a company of this id.
      if (known !== undefined)
        throw new Error(t('{id} is the id of another company. Choose another one.', { id: companyId }));
      return client.call('putCompany', { params, body });
    },
    { refresh: [['listCompanies']] },
  );
  return (
    <FormDialog
      title={t('Create company')}
      action={t('Create company')}
      disabled={create.isPending || plan === undefined}
      onClose={onClose}
      onSubmit={() => {
        if (plan !== undefined) create.mutate({ id, name, plan }, { onSuccess: () => onCreated(id) });
      }}
    >
      {create.error === null ? null : <Failed error={create.error} />}
      <TextField
        label={t('Id')}
        hint={t('Letters, digits, _ and -. It never changes, and is never used again.')}
        value={id}
        required
        maxLength={200}
        pattern="[\w-]+"
        onChange={({ target }) => setId(target.value)}
      />
      <TextField
        label={t('Name')}
        value={name}
        required
        maxLength={200}
        onChange={({ target }) => setName(target.value)}
      />
      <PlanField value={plan} onChange={setPlan} />
    </FormDialog>
  );
}
