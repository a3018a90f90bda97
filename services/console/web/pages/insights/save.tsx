import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { runSaved } from '../report/run-saved.ts';
import type { Query } from './draft.ts';
import { idOf } from './id.ts';

const REFRESHES = ['15m', 'hourly', 'daily'] as const;

interface SaveProps {
  query: Query;
  /** The saved report. Undefined for a new one. */
  report?:
    | {
        id: string;
        name: string;
        description?: string | null | undefined;
        refresh: (typeof REFRESHES)[number] | null;
        publicAnnotations: boolean;
      }
    | undefined;
  onSaved: (id: string) => void;
  onClose: () => void;
}

/** Saves a query as a report. */
export function SaveReport({ query, report, onSaved, onClose }: SaveProps) {
  const { project } = usePlace();
  const [name, setName] = useState(report?.name ?? '');
  const [description, setDescription] = useState(report?.description ?? '');
  const [showsAnnotations, setShowsAnnotations] = useState(report?.publicAnnotations ?? false);
  const [refresh, setRefresh] = useState<string>(report === undefined ? 'hourly' : (report.refresh ?? ''));
  const save = useChange(
    async (client, _: undefined) => {
      const reportId = report?.id ?? idOf(name);
      const params = { projectId: project.id, reportId };
      const body = {
        name,
        description: description.trim() === '' ? null : description,
        query,
        refresh: REFRESHES.find((one) => one === refresh) ?? null,
        publicAnnotations: showsAnnotations,
      };
      await client.call('putReport', { params, body });
      await runSaved(client, params);
      return reportId;
    },
    {
      refresh: [
        ['listReports', project.id],
        ['getReport', project.id],
      ],
    },
  );
  return (
    <FormDialog
      title={t('Save report')}
      action={t('Save report')}
      disabled={save.isPending || name.trim() === ''}
      onSubmit={() => save.mutate(undefined, { onSuccess: onSaved })}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        value={name}
        required
        maxLength={200}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label={t('Description (optional)')}
        value={description}
        rows={2}
        maxLength={1000}
        onChange={({ target }) => setDescription(target.value)}
      />
      <SelectField
        label={t('Refresh')}
        value={refresh}
        options={[
          { value: '', title: t('On request') },
          { value: '15m', title: t('Every 15 minutes') },
          { value: 'hourly', title: t('Every hour') },
          { value: 'daily', title: t('Every day') },
        ]}
        onChange={({ target }) => setRefresh(target.value)}
      />
      <SelectField
        label={t('Annotations on the public page')}
        value={showsAnnotations ? 'shown' : 'hidden'}
        options={[
          { value: 'hidden', title: t('Hidden') },
          { value: 'shown', title: t('Shown') },
        ]}
        onChange={({ target }) => setShowsAnnotations(target.value === 'shown')}
      />
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}
