import type { Result } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { Code, CopyButton } from '../../components/code.tsx';
import { Confirm, Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import styles from './flag-hooks.module.css';

type Hook = Result<'listFlagHooks'>['hooks'][number];
type NewHook = Result<'createFlagHook'>;

/** The hooks with which monitors switch a flag off. */
export function Hooks({ flagKey }: { flagKey: string }) {
  const { project, may } = usePlace();
  const mayWrite = may('flags.write');
  const params = { projectId: project.id, key: flagKey };
  const key = ['listFlagHooks', project.id, flagKey];
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [created, setCreated] = useState<NewHook>();
  const [deleted, setDeleted] = useState<Hook>();
  const query = useCall(key, (client, options) => client.call('listFlagHooks', { params }, options));
  const create = useChange(
    (client, body: { name: string; secret?: string }) => client.call('createFlagHook', { params, body }),
    { refresh: [key] },
  );
  const remove = useChange(
    (client, hookId: string) => client.call('deleteFlagHook', { params: { ...params, hookId } }),
    { refresh: [key] },
  );
  const failure = create.error ?? remove.error;
  const columns: Column<Hook>[] = [
    { title: t('Name'), cell: (hook) => hook.name },
    {
      title: t('Address'),
      width: '88px',
      cell: ({ url }) => <CopyButton text={url} name={t('the address')} />,
    },
    {
      title: t('Created'),
      width: '128px',
      minor: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
    ...(mayWrite
      ? [
          {
            title: t('Actions'),
            width: '136px',
            align: 'end' as const,
            cell: (hook: Hook) => (
              <Button kind="danger" onClick={() => setDeleted(hook)}>
                {t('Delete hook')}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title={t('Hooks')}>
      <p className={styles['text']}>{t('An alert of a monitor can switch the flag off with a hook.')}</p>
      {failure === null ? null : <Failed error={failure} />}
      <Loaded query={query}>
        {({ hooks }) =>
          hooks.length === 0 ? null : (
            <Table label={t('Hooks')} columns={columns} rows={hooks} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      {mayWrite ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(secret === '' ? { name } : { name, secret }, {
              onSuccess(hook) {
                setName('');
                setSecret('');
                setCreated(hook);
              },
            });
          }}
        >
          <Bar>
            <TextField
              label={t('Name of the monitor')}
              value={name}
              required
              maxLength={100}
              onChange={({ target }) => setName(target.value)}
            />
            <TextField
              label={t('Its signing secret (optional)')}
              value={secret}
              minLength={16}
              maxLength={200}
              autoComplete="off"
              onChange={({ target }) => setSecret(target.value)}
            />
            <Button type="submit" disabled={create.isPending || name.trim() === ''}>
              {t('Create hook')}
            </Button>
          </Bar>
        </form>
      ) : null}
      {created === undefined ? null : <Created hook={created} onClose={() => setCreated(undefined)} />}
      {deleted === undefined ? null : (
        <Confirm
          title={t('Delete the hook {name}?', { name: deleted.name })}
          action={t('Delete hook')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => {
            remove.mutate(deleted.id);
            setDeleted(undefined);
          }}
        >
          <p>{t('Alerts can no longer switch the flag off with it.')}</p>
        </Confirm>
      )}
    </Section>
  );
}

/** The values to enter in the monitor. The API returns the secret only once. */
function Created({ hook: { name, url, secret }, onClose }: { hook: NewHook; onClose: () => void }) {
  const command = `curl -X POST ${url} \\\n  -H 'Authorization: Bearer ${secret}'`;
  return (
    <Dialog title={t('Hook {name}', { name })} onClose={onClose} wide>
      <p>
        {t(
          'Let the monitor send POST to the address, with the secret as the bearer token, or signed with the secret.',
        )}
      </p>
      <Code text={url} name={t('the address')} />
      <p>{t('Copy the secret now. It is not shown again.')}</p>
      <Code text={secret} name={t('the secret')} />
      <p>{t('This command switches the flag off:')}</p>
      <Code text={command} name={t('the command')} />
      <div>
        <Button kind="primary" onClick={onClose}>
          {t('Close')}
        </Button>
      </div>
    </Dialog>
  );
}
