import type { Result } from '@switchboard/management';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button, RowButton } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Bar, Facts, Section } from '../../components/layout.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import styles from './sign-in.module.css';

type Token = Result<'listScimTokens'>['scimTokens'][number];

/** The tokens with which the provider manages the members of the company. */
export function Scim({ url }: { url: string }) {
  const { company } = usePlace();
  const key = ['listScimTokens', company.id];
  const params = { companyId: company.id };
  const [name, setName] = useState('');
  const [value, setValue] = useState<string>();
  const [deleted, setDeleted] = useState<Token>();
  const query = useCall(key, (client, options) => client.call('listScimTokens', { params }, options));
  const create = useChange(
    (client, body: { name: string }) => client.call('createScimToken', { params, body }),
    { refresh: [key] },
  );
  const remove = useChange(
    (client, scimTokenId: string) => client.call('deleteScimToken', { params: { ...params, scimTokenId } }),
    { refresh: [key] },
  );
  const failure = create.error ?? remove.error;
  const columns: Column<Token>[] = [
    { title: t('Name'), cell: (token) => token.name },
    { title: t('Created'), width: '112px', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: t('Actions'),
      width: 'max(72px, min(220px, 30cqw))',
      align: 'end',
      cell: (token) => (
        <RowButton kind="danger" icon={Trash2} onClick={() => setDeleted(token)}>
          {t('Delete SCIM token')}
        </RowButton>
      ),
    },
  ];
  return (
    <Section title={t('Provisioning (SCIM)')}>
      <p className={styles['text']}>
        {t('With a token, the provider alone decides who is a member: it adds people and removes them.')}
      </p>
      <Facts facts={[[t('SCIM address'), <Id key="url" value={url} name={t('the SCIM address')} />]]} />
      {failure === null ? null : <Failed error={failure} />}
      <Loaded query={query}>
        {({ scimTokens }) =>
          scimTokens.length === 0 ? (
            <Empty text={t('No token: members are those who were invited, and who signed in.')} />
          ) : (
            <Table label={t('SCIM tokens')} columns={columns} rows={scimTokens} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate(
            { name },
            {
              onSuccess: ({ token }) => {
                setName('');
                setValue(token);
              },
            },
          );
        }}
      >
        <Bar>
          <TextField
            label={t('Name of the provider')}
            value={name}
            required
            maxLength={100}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" disabled={create.isPending || name.trim() === ''}>
            {t('Create SCIM token')}
          </Button>
        </Bar>
      </form>
      {value === undefined ? null : (
        <ShownOnce
          title={t('SCIM token')}
          name={t('the SCIM token')}
          value={value}
          onClose={() => setValue(undefined)}
        />
      )}
      {deleted === undefined ? null : (
        <Confirm
          title={t('Delete the token {name}?', { name: deleted.name })}
          action={t('Delete SCIM token')}
          onClose={() => setDeleted(undefined)}
          onConfirm={() => {
            remove.mutate(deleted.id);
            setDeleted(undefined);
          }}
        >
          <p>{t('The provider can no longer change members with it.')}</p>
        </Confirm>
      )}
    </Section>
  );
}
