import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import type { Query } from './draft.ts';

const REFRESHES = ['15m', 'hourly', 'daily'] as const;

interface SaveProps {
  query: Query;
  /** The saved report. Undefined for a new one. */
  report?:
    | { id: string; name: string; refresh: (typeof REFRESHES)[number] | null; publicAnnotations: boolean }
    | undefined;
  onSaved: (id: string) => void;
  onClose: () => void;
}

/** Returns an id from a name, with an end that no other report has. */
export function idOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${words.replaceAll(/^-|-$/g, '').slice(0, 60)}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Saves a query as a report. */
export function SaveReport({ query, report, onSaved, onClose }: SaveProps) {
  const { project } = usePlace();
  const [name, setName] = useState(report?.name ?? '');
  const [refresh, setRefresh] = useState<string>(report === undefined ? 'hourly' : (report.refresh ?? ''));
  const save = useChange(
    async (client, _: undefined) => {
      const reportId = report?.id ?? idOf(name);
      const params = { projectId: project.id, reportId };
      const body = {
        name,
        query,
        refresh: REFRESHES.find((one) => one === refresh) ?? null,
        publicAnnotations: report?.publicAnnotations ?? false,
      };
      await client.call('putReport', { params, body });
      await client.call('runReport', { params });
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
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}
