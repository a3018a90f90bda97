import type { Result } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Bar, Facts, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import styles from './sign-in.module.css';

type Domain = Result<'listCompanyDomains'>['domains'][number];

/** The email domains of the company, each proven by a TXT record. */
export function Domains() {
  const { company } = usePlace();
  const key = ['listCompanyDomains', company.id];
  const refresh = [key];
  const params = { companyId: company.id };
  const [name, setName] = useState('');
  const [removed, setRemoved] = useState<string>();
  const query = useCall(key, (client, options) => client.call('listCompanyDomains', { params }, options));
  const add = useChange(
    (client, domain: string) => client.call('putCompanyDomain', { params: { ...params, domain } }),
    { refresh },
  );
  const verify = useChange(
    (client, domain: string) => client.call('verifyCompanyDomain', { params: { ...params, domain } }),
    { refresh },
  );
  const remove = useChange(
    (client, domain: string) => client.call('deleteCompanyDomain', { params: { ...params, domain } }),
    { refresh },
  );
  const failure = add.error ?? verify.error ?? remove.error;
  const columns: Column<Domain>[] = [
    { title: t('Domain'), cell: ({ domain }) => domain },
    {
      title: t('State'),
      width: '140px',
      cell: ({ verifiedAt }) => <Badge>{verifiedAt === null ? t('not verified') : t('verified')}</Badge>,
    },
    {
      title: t('Actions'),
      width: '270px',
      align: 'end',
      cell: ({ domain, verifiedAt }) => (
        <>
          {verifiedAt === null ? (
            <Button disabled={verify.isPending} onClick={() => verify.mutate(domain)}>
              {t('Verify domain')}
            </Button>
          ) : null}{' '}
          <Button kind="danger" onClick={() => setRemoved(domain)}>
            {t('Remove domain')}
          </Button>
        </>
      ),
    },
  ];
  return (
    <Section title={t('Email domains')}>
      <p className={styles['text']}>
        {t(
          'The provider signs in people with an address of a verified domain. Create the TXT record of a domain, then verify it.',
        )}
      </p>
      {failure === null ? null : <Failed error={failure} />}
      <Loaded query={query}>
        {({ domains }) => (
          <>
            {domains.length === 0 ? (
              <Empty text={t('No domain: the provider signs in no one yet.')} />
            ) : (
              <Table
                label={t('Email domains')}
                columns={columns}
                rows={domains}
                keyOf={({ domain }) => domain}
              />
            )}
            {domains
              .filter(({ verifiedAt }) => verifiedAt === null)
              .map(({ domain, record }) => (
                <Facts
                  key={domain}
                  facts={[
                    [
                      t('TXT record of {domain}', { domain }),
                      <Id key="n" value={record.name} name={t('the name')} />,
                    ],
                    [t('Its value'), <Id key="v" value={record.value} name={t('the value')} />],
                  ]}
                />
              ))}
          </>
        )}
      </Loaded>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate(name.trim().toLowerCase(), { onSuccess: () => setName('') });
        }}
      >
        <Bar>
          <TextField
            label={t('New domain')}
            placeholder="example.com"
            value={name}
            required
            maxLength={253}
            onChange={({ target }) => setName(target.value)}
          />
          <Button type="submit" disabled={add.isPending || name.trim() === ''}>
            {t('Add domain')}
          </Button>
        </Bar>
      </form>
      {removed === undefined ? null : (
        <Confirm
          title={t('Remove {domain}?', { domain: removed })}
          action={t('Remove domain')}
          onClose={() => setRemoved(undefined)}
          onConfirm={() => {
            remove.mutate(removed);
            setRemoved(undefined);
          }}
        >
          <p>{t('The provider no longer signs in people with an address of this domain.')}</p>
        </Confirm>
      )}
    </Section>
  );
}
