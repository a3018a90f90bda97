import type { Member, SupportSettings } from '@switchboard/management';
import { useState } from 'react';
import { t } from '../../../app/i18n.ts';
import { Button } from '../../../components/button.tsx';
import { FormDialog } from '../../../components/dialog.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { priorityName } from '../list.tsx';

type StoredView = SupportSettings['views'][number];
type Filter = StoredView['filter'];

interface EditViewProps {
  /** Undefined for a new view. */
  view: StoredView | undefined;
  settings: SupportSettings;
  members: readonly Member[];
  onSave: (view: { id?: string; name: string; filter: Filter }) => void;
  onDelete: (id: string) => void;
  onClose: () => void;
}

const STATUSES = ['open', 'pending', 'resolved'] as const;
const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
const RATINGS = ['good', 'neutral', 'bad'] as const;
const ANY = '';

const oneOf = <T extends string>(values: readonly T[], value: string): T | undefined =>
  values.find((one) => one === value);

/** The fields of a saved view, which all agents of the project see. */
export function EditView({ view, settings, members, onSave, onDelete, onClose }: EditViewProps) {
  const [name, setName] = useState(view?.name ?? '');
  const [filter, setFilter] = useState<Filter>(view?.filter ?? { status: 'open', snoozed: false });
  const any = { value: ANY, title: t('Any') };
  const statusNames = { open: t('Open'), pending: t('Pending'), resolved: t('Resolved') };
  const ratingNames = { good: t('Good'), neutral: t('Neutral'), bad: t('Bad') };
  /** Sets a condition, or removes it. */
  const set = (condition: Partial<Filter>) => {
    const merged = Object.entries({ ...filter, ...condition });
    setFilter(Object.fromEntries(merged.filter(([, value]) => value !== undefined)));
  };
  return (
    <FormDialog
      title={view === undefined ? t('New view') : t('Edit view')}
      action={t('Save view')}
      disabled={name.trim() === ''}
      onSubmit={() => onSave({ ...(view && { id: view.id }), name: name.trim(), filter })}
      onClose={onClose}
    >
      <TextField
        label={t('Name')}
        value={name}
        maxLength={100}
        required
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label={t('Status')}
        value={filter.status ?? ANY}
        options={[any, ...STATUSES.map((value) => ({ value, title: statusNames[value] }))]}
        onChange={({ target }) => {
          const status = oneOf(STATUSES, target.value);
          set({ status, snoozed: status === 'open' || status === 'pending' ? false : undefined });
        }}
      />
      <SelectField
        label={t('Assigned to')}
        value={filter.assigned ?? filter.assigneeId ?? ANY}
        options={[
          any,
          { value: 'me', title: t('The agent who looks') },
          { value: 'none', title: t('No one') },
          ...members.map(({ sub, name: title }) => ({ value: sub, title })),
        ]}
        onChange={({ target: { value } }) => {
          const assigned = oneOf(['me', 'none'] as const, value);
          set({ assigned, assigneeId: assigned === undefined && value !== ANY ? value : undefined });
        }}
      />
      <SelectField
        label={t('Team')}
        value={filter.teamId ?? ANY}
        options={[any, ...settings.teams.map(({ id, name: title }) => ({ value: id, title }))]}
        onChange={({ target }) => set({ teamId: target.value || undefined })}
      />
      <SelectField
        label={t('Label')}
        value={filter.labelId ?? ANY}
        options={[any, ...settings.labels.map(({ id, name: title }) => ({ value: id, title }))]}
        onChange={({ target }) => set({ labelId: target.value || undefined })}
      />
      <SelectField
        label={t('Priority')}
        value={filter.priority ?? ANY}
        options={[any, ...PRIORITIES.map((value) => ({ value, title: priorityName(value) }))]}
        onChange={({ target }) => set({ priority: oneOf(PRIORITIES, target.value) })}
      />
      <SelectField
        label={t('Rating')}
        value={filter.satisfaction ?? ANY}
        options={[any, ...RATINGS.map((value) => ({ value, title: ratingNames[value] }))]}
        onChange={({ target }) => set({ satisfaction: oneOf(RATINGS, target.value) })}
      />
      {view === undefined ? null : (
        <div>
          <Button kind="danger" onClick={() => onDelete(view.id)}>
            {t('Delete view')}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
