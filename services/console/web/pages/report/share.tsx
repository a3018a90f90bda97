import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextArea } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { useColleagues } from '../threads/members.ts';
import styles from './share.module.css';

const MAX_RECIPIENTS = 20;

/** Sends the report to colleagues by mail and push. */
export function ShareReport({ reportId, onClose }: { reportId: string; onClose: () => void }) {
  const { project, me } = usePlace();
  const colleagues = useColleagues().filter(({ sub }) => sub !== me.sub);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [note, setNote] = useState('');
  const [attempt] = useState(() => crypto.randomUUID());
  const share = useChange(
    (client, _: undefined) =>
      client.call('shareReport', {
        params: { projectId: project.id, reportId },
        headers: { 'Idempotency-Key': attempt },
        body: {
          recipients: [...chosen],
          note: note.trim() === '' ? null : note,
          link: `${location.origin}/projects/${project.id}/reports/${encodeURIComponent(reportId)}`,
          language: locale(),
        },
      }),
    { refresh: [] },
  );
  return (
    <FormDialog
      title={t('Share report')}
      action={t('Send report')}
      disabled={share.isPending || chosen.length === 0 || chosen.length > MAX_RECIPIENTS}
      onSubmit={() => share.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <fieldset className={styles['people']}>
        <legend>{t('Colleagues')}</legend>
        {colleagues.map(({ sub, name }) => (
          <label key={sub}>
            <input
              type="checkbox"
              checked={chosen.includes(sub)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, sub] : chosen.filter((one) => one !== sub))
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
      <TextArea
        label={t('Note (optional)')}
        value={note}
        maxLength={1000}
        onChange={({ target }) => setNote(target.value)}
      />
      {share.error === null ? null : <Failed error={share.error} />}
    </FormDialog>
  );
}
