import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import styles from '../operator.module.css';

/** Rotates the signing keys of the identity service. */
export function SigningKeys() {
  const [asks, setAsks] = useState(false);
  const [revoke, setRevoke] = useState(false);
  const rotate = useChange(
    (client, isLeaked: boolean) => client.call('rotateSigningKeys', { body: { revoke: isLeaked } }),
    { refresh: [] },
  );
  return (
    <Section title={t('Signing keys of identity')}>
      <p className={styles['text']}>{t('They change every 90 days. A new key signs after an hour.')}</p>
      {rotate.error === null ? null : <Failed error={rotate.error} />}
      {rotate.data === undefined ? null : (
        <p role="status">
          {t('The newest key is {id}. It signs from', { id: rotate.data.id })}{' '}
          <Time at={rotate.data.signsFrom} />
        </p>
      )}
      <Bar>
        <Button keys="o" disabled={rotate.isPending} onClick={() => setAsks(true)}>
          {t('Rotate signing keys')}
        </Button>
        <CopyAs command="switchboard signing-keys rotate" />
      </Bar>
      {asks ? (
        <FormDialog
          title={t('Rotate the signing keys?')}
          action={t('Rotate signing keys')}
          kind={revoke ? 'danger' : 'primary'}
          onClose={() => setAsks(false)}
          onSubmit={() => {
            rotate.mutate(revoke);
            setAsks(false);
          }}
        >
          <CheckField
            label={t('A key has leaked: revoke the previous keys')}
            hint={t('Access tokens of the previous keys stop working within ten minutes.')}
            checked={revoke}
            onChange={({ target }) => setRevoke(target.checked)}
          />
        </FormDialog>
      ) : null}
    </Section>
  );
}
