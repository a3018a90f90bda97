import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queries, useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { getSession, type Hosts } from '../../app/session.ts';
import { Button } from '../../components/button.tsx';
import { Code, Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';

export function Page() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const key = ['listProjectKeys', project.id];
  const [revoked, setRevoked] = useState<string>();
  const keys = useCall(key, (client, options) => client.call('listProjectKeys', { params }, options));
  const session = useQuery({ queryKey: ['session'], queryFn: getSession }, queries);
  const create = useChange((client, _: undefined) => client.call('createProjectKey', { params }), {
    refresh: [key],
  });
  const revoke = useChange(
    (client, value: string) => client.call('revokeProjectKey', { params: { ...params, key: value } }),
    { refresh: [key] },
  );
  const columns: Column<string>[] = [
    { title: t('Key'), cell: (value) => <Id value={value} name={t('key')} /> },
    {
      title: t('Revoke'),
      cell: (value) => (
        <Button kind="danger" onClick={() => setRevoked(value)}>
          {t('Revoke key')}
        </Button>
      ),
      width: '140px',
    },
  ];
  return (
    <PageLayout
      title={t('Project keys')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/keys` }}
            command={`switchboard keys list ${project.id}`}
          />
          <Button kind="primary" disabled={create.isPending} onClick={() => create.mutate()}>
            {t('Create key')}
          </Button>
        </>
      }
    >
      {create.error === null ? null : <Failed error={create.error} />}
      {revoke.error === null ? null : <Failed error={revoke.error} />}
      <Loaded query={keys}>
        {({ keys: values }) => {
          const [first] = values;
          return (
            <>
              {first === undefined ? (
                <Empty text={t('This project has no key. Create one to send events.')} />
              ) : (
                <Table label={t('Project keys')} columns={columns} rows={values} keyOf={(value) => value} />
              )}
              {first === undefined || session.data === undefined ? null : (
                <Snippets projectKey={first} hosts={session.data.hosts} />
              )}
            </>
          );
        }}
      </Loaded>
      {revoked === undefined ? null : (
        <Confirm
          title={t('Revoke this key?')}
          action={t('Revoke key')}
          onClose={() => setRevoked(undefined)}
          onConfirm={() => {
            revoke.mutate(revoked);
            setRevoked(undefined);
          }}
        >
          <p>
            {t('Pages and apps with {key} get no flags and their events are rejected.', { key: revoked })}
          </p>
        </Confirm>
      )}
    </PageLayout>
  );
}

function Snippets({ projectKey, hosts }: { projectKey: string; hosts: Hosts }) {
  const init = `switchboard.init({
  key: '${projectKey}',
  host: '${hosts.api}',
  eventsHost: '${hosts.events}',
});`;
  const page = `<script src="${hosts.api}/sdk/browser.js"></script>
<script>
${init}
</script>`;
  const curl = `curl -sS ${hosts.events}/v1/events \\
  -H 'Authorization: Bearer ${projectKey}' \\
  -d '{"sent_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'","events":[{"event_id":"'$(date +%s%N)'","distinct_id":"ada","event_name":"hello","schema_version":1,"timestamp":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}]}'`;
  return (
    <Section title={t('Install')}>
      <h3>{t('In a page')}</h3>
      <Code text={page} name={t('the snippet')} />
      <h3>{t('With a bundler')}</h3>
      <Code text={`npm install ${hosts.api}/sdk/browser.tgz`} name={t('the command')} />
      <h3>{t('From a shell')}</h3>
      <Code text={curl} name={t('the call')} />
    </Section>
  );
}
