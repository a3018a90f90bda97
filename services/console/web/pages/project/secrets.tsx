import type { Result } from '@switchboard/management';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button, RowButton } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Section } from '../../components/layout.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import styles from './project.module.css';

type Secret = Result<'listIdentitySecrets'>['secrets'][number];

const MAX_SECRETS = 2;
const SIGN = `import { createHmac } from 'node:crypto';

const userHash = createHmac('sha256', process.env.IDENTITY_SECRET).update(userId).digest('hex');`;

/** The secrets that verify the ids of visitors in the messenger. With two, one replaces the other without a gap. */
export function Secrets() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const key = ['listIdentitySecrets', project.id];
  const [value, setValue] = useState<string>();
  const [asked, setAsked] = useState<string>();
  const query = useCall(key, (client, options) => client.call('listIdentitySecrets', { params }, options));
  const create = useChange((client, _: undefined) => client.call('createIdentitySecret', { params }), {
    refresh: [key],
  });
  const remove = useChange(
    (client, id: string) => client.call('deleteIdentitySecret', { params: { ...params, id } }),
    { refresh: [key] },
  );
  const columns: Column<Secret>[] = [
    { title: t('Id'), cell: ({ id }) => <code>{id}</code> },
    { title: t('Created'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '120px' },
    {
      title: t('Actions'),
      cell: ({ id }) => (
        <RowButton kind="danger" icon={Trash2} onClick={() => setAsked(id)}>
          {t('Delete secret')}
        </RowButton>
      ),
      width: 'max(72px, min(160px, 26cqw))',
      align: 'end',
    },
  ];
  return (
    <Section title={t('Identity secrets')}>
      <p className={styles['text']}>
        {t(
          'Your server signs the user ids of messenger visitors with a secret. To replace one, create a second, sign with it, then delete the first.',
        )}
      </p>
      {create.error === null ? null : <Failed error={create.error} />}
      {remove.error === null ? null : <Failed error={remove.error} />}
      <Loaded query={query}>
        {({ secrets }) => (
          <>
            {secrets.length === 0 ? (
              <Empty text={t('No secret: user ids of visitors are not verified. Your server signs them.')}>
                <Code text={SIGN} name={t('the code of your server')} />
              </Empty>
            ) : (
              <Table label={t('Identity secrets')} columns={columns} rows={secrets} keyOf={({ id }) => id} />
            )}
            <div>
              <Button
                keys="c"
                disabled={create.isPending || secrets.length >= MAX_SECRETS}
                onClick={() => create.mutate(undefined, { onSuccess: ({ secret }) => setValue(secret) })}
              >
                {t('Create secret')}
              </Button>
            </div>
          </>
        )}
      </Loaded>
      {value === undefined ? null : (
        <ShownOnce
          title={t('Identity secret')}
          name={t('the secret')}
          value={value}
          onClose={() => setValue(undefined)}
        />
      )}
      {asked === undefined ? null : (
        <Confirm
          title={t('Delete this secret?')}
          action={t('Delete secret')}
          onClose={() => setAsked(undefined)}
          onConfirm={() => {
            remove.mutate(asked);
            setAsked(undefined);
          }}
        >
          <p>{t('User ids that are signed with it are rejected.')}</p>
        </Confirm>
      )}
    </Section>
  );
}
