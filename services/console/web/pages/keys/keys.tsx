import { useQuery } from '@tanstack/react-query';
import { RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { queries, useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { getSession } from '../../app/session.ts';
import { Button, RowButton } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import styles from './keys.module.css';
import { Snippets } from './snippets.tsx';

export function Page() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const key = ['listProjectKeys', project.id];
  const [asked, setAsked] = useState<{ to: 'revoke' | 'replace'; value: string }>();
  const [replaced, setReplaced] = useState<{ old: string; by: string }>();
  const keys = useCall(key, (client, options) => client.call('listProjectKeys', { params }, options));
  const session = useQuery({ queryKey: ['session'], queryFn: getSession }, queries);
  const create = useChange((client, _: undefined) => client.call('createProjectKey', { params }), {
    refresh: [key],
  });
  const revoke = useChange(
    (client, value: string) => client.call('revokeProjectKey', { params: { ...params, key: value } }),
    { refresh: [key] },
  );
  const replace = (old: string) =>
    create.mutate(undefined, { onSuccess: ({ key: by }) => setReplaced({ old, by }) });
  const close = () => setAsked(undefined);
  const columns: Column<string>[] = [
    { title: t('Key'), cell: (value) => <Id value={value} name={t('key')} /> },
    {
      title: t('Actions'),
      cell: (value) => (
        <span className={styles['actions']}>
          <RowButton
            icon={RotateCw}
            disabled={create.isPending}
            onClick={() => setAsked({ to: 'replace', value })}
          >
            {t('Replace key')}
          </RowButton>
          <RowButton kind="danger" icon={Trash2} onClick={() => setAsked({ to: 'revoke', value })}>
            {t('Revoke key')}
          </RowButton>
        </span>
      ),
      width: 'max(112px, min(300px, 40cqw))',
      align: 'end',
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
          <Button keys="c" kind="primary" disabled={create.isPending} onClick={() => create.mutate()}>
            {t('Create key')}
          </Button>
        </>
      }
    >
      {create.error === null ? null : <Failed error={create.error} />}
      {revoke.error === null ? null : <Failed error={revoke.error} />}
      {replaced === undefined ? null : (
        <Partial
          text={t('Both keys work. Put {by} into your pages and apps, then revoke {old}.', { ...replaced })}
        />
      )}
      <Loaded query={keys}>
        {({ keys: values }) => {
          const newest = values.at(-1);
          return (
            <>
              {newest === undefined ? (
                <Empty text={t('This project has no key. Create one to send events.')}>
                  <Button keys="c" disabled={create.isPending} onClick={() => create.mutate()}>
                    {t('Create the first key')}
                  </Button>
                </Empty>
              ) : (
                <Table label={t('Project keys')} columns={columns} rows={values} keyOf={(value) => value} />
              )}
              {newest === undefined || session.data === undefined ? null : (
                <Snippets projectKey={newest} hosts={session.data.hosts} />
              )}
            </>
          );
        }}
      </Loaded>
      {asked?.to === 'revoke' ? (
        <Confirm
          title={t('Revoke this key?')}
          action={t('Revoke key')}
          onClose={close}
          onConfirm={() => {
            revoke.mutate(asked.value);
            setReplaced(undefined);
            close();
          }}
        >
          <p>
            {t('Pages and apps with {key} get no flags and their events are rejected.', { key: asked.value })}
          </p>
        </Confirm>
      ) : null}
      {asked?.to === 'replace' ? (
        <FormDialog
          title={t('Replace this key?')}
          action={t('Create new key')}
          onClose={close}
          onSubmit={() => {
            replace(asked.value);
            close();
          }}
        >
          <p>{t('A new key is created. The old one works until you revoke it.')}</p>
        </FormDialog>
      ) : null}
    </PageLayout>
  );
}
