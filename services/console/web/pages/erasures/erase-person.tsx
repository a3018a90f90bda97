import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';

const MAX_ID = 200;

interface ErasePersonProps {
  /** Gets the id of the erasure. */
  onBegun: (erasureId: string) => void;
  onClose: () => void;
}

/** Erases a person by an id, which is typed twice. */
export function ErasePerson({ onBegun, onClose }: ErasePersonProps) {
  const { project, company } = usePlace();
  const [distinctId, setDistinctId] = useState('');
  const [again, setAgain] = useState('');
  const [userId, setUserId] = useState('');
  const erase = useChange(
    (client, _: undefined) =>
      client.call('erasePerson', {
        params: { projectId: project.id },
        body: { distinctIds: [distinctId], ...(userId === '' ? {} : { userId }) },
      }),
    {
      refresh: [
        ['listCompanyErasures', company.id],
        ['getPerson', project.id],
        ['listPeople', project.id],
      ],
    },
  );
  return (
    <FormDialog
      title={t('Erase a person from {project}', { project: project.name })}
      action={t('Erase person')}
      kind="danger"
      disabled={erase.isPending || distinctId === '' || again !== distinctId}
      onClose={onClose}
      onSubmit={() => erase.mutate(undefined, { onSuccess: ({ id }) => onBegun(id) })}
    >
      <p>
        {t(
          'Removes the events, traits, recordings and conversations of the person with all of their ids. This cannot be undone. Stop sending their data first.',
        )}
      </p>
      <TextField
        label={t('Distinct id')}
        value={distinctId}
        maxLength={MAX_ID}
        autoComplete="off"
        onChange={({ target }) => setDistinctId(target.value)}
      />
      <TextField
        label={t('Type the distinct id again to confirm')}
        value={again}
        maxLength={MAX_ID}
        autoComplete="off"
        onChange={({ target }) => setAgain(target.value)}
      />
      <TextField
        label={t('Messenger user id, if another')}
        value={userId}
        maxLength={MAX_ID}
        autoComplete="off"
        onChange={({ target }) => setUserId(target.value)}
      />
      {erase.error === null ? null : <Failed error={erase.error} />}
    </FormDialog>
  );
}
