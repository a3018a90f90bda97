import { locale, t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { Failed } from '../../components/state.tsx';
import { type Change, languageName } from './draft.ts';
import styles from './messenger.module.css';
import { settingTitles, valueWords } from './words.ts';

/** The changes, before and after. */
export function ChangeTable({ label, changes }: { label: string; changes: readonly Change[] }) {
  return (
    <table aria-label={label} className={styles['changes']}>
      <thead>
        <tr>
          <th scope="col">{t('Setting')}</th>
          <th scope="col">{t('Before')}</th>
          <th scope="col">{t('After')}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={change.path.join('/')}>
            <th scope="row">{titleOf(change)}</th>
            <td>
              <del>{valueWords(change, change.before)}</del>
            </td>
            <td>
              <ins>{valueWords(change, change.after)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function titleOf({ path }: Change): string {
  const name = path.at(-1) ?? '';
  const title = settingTitles()[name] ?? name;
  return path[0] === 'texts' ? `${title}, ${languageName(path[1] ?? '', locale())}` : title;
}

interface ReviewProps {
  changes: readonly Change[];
  /** The changes of others since the edit began. */
  others: readonly Change[];
  error: Error | null;
  pending: boolean;
  onRebase: () => void;
  onSave: () => void;
  onClose: () => void;
}

/** Shows what changes, before it is saved. */
export function Review({ changes, others, error, pending, onRebase, onSave, onClose }: ReviewProps) {
  const hasConflict = others.length > 0;
  return (
    <FormDialog
      title={t('Save these changes?')}
      action={t('Save settings')}
      disabled={pending || hasConflict || changes.length === 0}
      onSubmit={onSave}
      onClose={onClose}
      wide
    >
      {hasConflict ? (
        <div role="alert" className={styles['conflict']}>
          <p>{t('The settings were changed while you edited them:')}</p>
          <ChangeTable label={t('Changes of others')} changes={others} />
          <p>{t('If you keep yours too, a setting that you both changed gets your value.')}</p>
          <div>
            <Button onClick={onRebase}>{t('Keep both')}</Button>
          </div>
        </div>
      ) : error === null ? null : (
        <Failed error={error} />
      )}
      <ChangeTable label={t('Your changes')} changes={changes} />
    </FormDialog>
  );
}
