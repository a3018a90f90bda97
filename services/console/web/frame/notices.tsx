import { t } from '../app/i18n.ts';
import { signIn } from '../app/session.ts';
import { note, useWhole } from '../app/state.ts';
import { Button } from '../components/button.tsx';
import styles from './frame.module.css';

/** Shows problems of the whole page above its content, each with the next step. */
export function Notices() {
  const { isOnline, isSignedOut, isOld, refusal } = useWhole();
  return (
    <div role="status" className={styles['notices']}>
      {isOnline ? null : <p>{t('You are offline. Changes wait until you are connected again.')}</p>}
      {isSignedOut ? (
        <p>
          {t('Your session has ended. What you typed is still here.')}{' '}
          <Button onClick={signIn}>{t('Sign in')}</Button>
        </p>
      ) : null}
      {refusal === undefined ? null : (
        <p>
          {t('Your change was not made. {reason}', { reason: refusal })}{' '}
          <Button onClick={() => note({ refusal: undefined })}>{t('Close')}</Button>
        </p>
      )}
      {isOld ? (
        <p>
          {t('A new version of the console is available. Save your input, then reload.')}{' '}
          <Button onClick={() => location.reload()}>{t('Reload')}</Button>
        </p>
      ) : null}
    </div>
  );
}
