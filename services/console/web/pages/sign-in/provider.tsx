import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/field.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { type Settings, useSaveSettings } from './settings.ts';
import styles from './sign-in.module.css';

const EMPTY = { name: '', issuer: '', clientId: '', groupsClaim: 'groups', enforced: false };

/** The OpenID provider of the company, with a test of its address, client and secret. */
export function Provider({ settings }: { settings: Settings }) {
  const { company } = usePlace();
  const stored = settings.provider;
  const [draft, setDraft] = useState(stored ?? EMPTY);
  const [secret, setSecret] = useState('');
  const [isRemoving, setIsRemoving] = useState(false);
  const save = useSaveSettings();
  const test = useChange(
    (client, _: undefined) => client.call('testSignInProvider', { params: { companyId: company.id } }),
    { refresh: [] },
  );
  const change = (fields: Partial<typeof draft>) => setDraft({ ...draft, ...fields });
  const isChanged = secret !== '' || JSON.stringify(draft) !== JSON.stringify(stored ?? EMPTY);
  const submit = () => {
    const clientSecret = secret === '' ? {} : { clientSecret: secret };
    save.mutate({ provider: { ...draft, ...clientSecret }, groupRoles: settings.groupRoles });
  };
  return (
    <Section title={t('OpenID provider')}>
      <p className={styles['text']}>
        {t('Create a web application (OpenID Connect) at your provider with this redirect address.')}
      </p>
      <Facts
        facts={[
          [
            t('Redirect address'),
            <Id key="callback" value={settings.callbackUrl} name={t('the redirect address')} />,
          ],
        ]}
      />
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={t('Name')}
          hint={t('Shown on the sign-in page.')}
          value={draft.name}
          required
          maxLength={50}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label={t('Issuer')}
          hint={t('The issuer in the discovery document, such as https://login.example.com.')}
          type="url"
          value={draft.issuer}
          required
          maxLength={500}
          onChange={({ target }) => change({ issuer: target.value })}
        />
        <TextField
          label={t('Client ID')}
          value={draft.clientId}
          required
          maxLength={200}
          autoComplete="off"
          onChange={({ target }) => change({ clientId: target.value })}
        />
        <TextField
          label={t('Client secret')}
          hint={stored === null ? undefined : t('Leave it empty to keep the stored secret.')}
          type="password"
          value={secret}
          required={stored === null}
          maxLength={1000}
          autoComplete="new-password"
          onChange={({ target }) => setSecret(target.value)}
        />
        <TextField
          label={t('Claim of groups')}
          value={draft.groupsClaim}
          required
          maxLength={100}
          onChange={({ target }) => change({ groupsClaim: target.value })}
        />
        <CheckField
          label={t('Require the provider')}
          hint={t(
            'People with an address of a verified domain then have no other way to sign in. Owners do.',
          )}
          checked={draft.enforced}
          onChange={({ target }) => change({ enforced: target.checked })}
        />
        {save.error === null ? null : <Failed error={save.error} />}
        <div className={styles['buttons']}>
          <Button kind="primary" type="submit" disabled={!isChanged || save.isPending}>
            {t('Save provider')}
          </Button>
          <Button
            disabled={stored === null || isChanged || test.isPending}
            onClick={() => test.mutate(undefined)}
          >
            {t('Test provider')}
          </Button>
          {stored === null ? null : (
            <Button kind="danger" onClick={() => setIsRemoving(true)}>
              {t('Remove provider')}
            </Button>
          )}
        </div>
        {test.error === null ? null : <Failed error={test.error} />}
        {test.isSuccess ? (
          <p role="status">
            {test.data.problem ??
              t('The provider accepts the client. People sign in at {address}.', {
                address: test.data.authorizationEndpoint,
              })}
          </p>
        ) : null}
      </form>
      {isRemoving ? (
        <Confirm
          title={t('Remove the provider?')}
          action={t('Remove provider')}
          onClose={() => setIsRemoving(false)}
          onConfirm={() => save.mutate({ provider: null, groupRoles: settings.groupRoles })}
        >
          <p>{t('People can no longer sign in with it. They stay members.')}</p>
        </Confirm>
      ) : null}
    </Section>
  );
}
