import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { Failed } from '../components/state.tsx';
import { idOf } from '../pages/insights/id.ts';
import { NameField, RegionField } from './fields.tsx';
import { openProject } from './open-project.ts';

interface Fields {
  name: string;
  region: string;
  defaultLanguage: string;
}

interface CreateProjectProps {
  companyId: string;
  /** The region that most projects of the company are in. */
  region: string;
  onClose: () => void;
}

/** Creates a project with a key, and leads to the code that sends its first event. */
export function CreateProject({ companyId, region: given, onClose }: CreateProjectProps) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [region, setRegion] = useState(given);
  const [defaultLanguage, setLanguage] = useState('en');
  const create = useChange(
    async (client, fields: Fields) => {
      const projectId = idOf(fields.name);
      await client.call('putProject', { params: { projectId }, body: { companyId, ...fields } });
      await client.call('createProjectKey', { params: { projectId } });
      return await openProject(projectId);
    },
    { refresh: [] },
  );
  return (
    <FormDialog
      title={t('Create project')}
      action={t('Create project')}
      disabled={create.isPending}
      onClose={onClose}
      onSubmit={() =>
        create.mutate(
          { name, region, defaultLanguage },
          {
            onSuccess(path) {
              onClose();
              void navigate({ to: path });
            },
          },
        )
      }
    >
      {create.error === null ? null : <Failed error={create.error} />}
      <NameField label={t('Name')} value={name} onChange={setName} />
      <RegionField value={region} onChange={setRegion} />
      <TextField
        label={t('Default language')}
        hint={t('A language tag such as en or pt-BR.')}
        value={defaultLanguage}
        required
        maxLength={35}
        onChange={({ target }) => setLanguage(target.value)}
      />
    </FormDialog>
  );
}
