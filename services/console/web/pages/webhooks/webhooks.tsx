import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { ListDetail, PageLayout } from '../../components/layout.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count } from '../../components/values.tsx';
import { Editor } from './editor.tsx';
import { search } from './search.ts';
import { WebhookDetail } from './webhook.tsx';
import { typeWord, type Webhook, WebhookState } from './words.tsx';

export function Page() {
  const { project, may } = usePlace();
  const [{ open, edit }, setSearch] = usePageSearch(search);
  const [secret, setSecret] = useState<string>();
  const query = useCall(
    ['listWebhooks', project.id],
    (client, options) => client.call('listWebhooks', { params: { projectId: project.id } }, options),
    { refreshMs: 10_000 },
  );
  const close = () => setSearch({ edit: undefined });
  return (
    <PageLayout
      title={t('Webhooks')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/webhooks` }}
            command={`switchboard webhooks list ${project.id}`}
          />
          {may('webhooks.write') ? (
            <Button keys="c" kind="primary" onClick={() => setSearch({ edit: 'new' })}>
              {t('Create webhook')}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded query={query}>
        {({ webhooks }) => {
          const opened = webhooks.find(({ id }) => id === open);
          return (
            <>
              <ListDetail
                list={
                  webhooks.length === 0 ? (
                    <Empty
                      text={t('No webhook yet. One sends events and changes of this project to your URL.')}
                    >
                      {may('webhooks.write') ? (
                        <Button keys="c" onClick={() => setSearch({ edit: 'new' })}>
                          {t('Create the first webhook')}
                        </Button>
                      ) : null}
                    </Empty>
                  ) : (
                    <Table
                      label={t('Webhooks')}
                      columns={columns()}
                      rows={webhooks}
                      keyOf={({ id }) => id}
                      open={open}
                      onOpen={({ id }) => setSearch({ open: id, message: undefined }, { push: true })}
                    />
                  )
                }
                detail={
                  opened && {
                    title: opened.id,
                    content: <WebhookDetail key={opened.id} webhook={opened} onSecret={setSecret} />,
                    onClose: () => setSearch({ open: undefined, message: undefined }),
                  }
                }
              />
              {edit === undefined || (edit === 'open' && opened === undefined) ? null : (
                <Editor
                  webhook={edit === 'open' ? opened : undefined}
                  onSaved={(saved) => {
                    setSearch({ edit: undefined, open: saved.id });
                    if (saved.secret !== null) setSecret(saved.secret);
                  }}
                  onClose={close}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {secret === undefined ? null : (
        <ShownOnce
          title={t('Signing secret')}
          name={t('the secret')}
          value={secret}
          onClose={() => setSecret(undefined)}
        />
      )}
    </PageLayout>
  );
}

const columns = (): Column<Webhook>[] => [
  { title: t('Id'), cell: ({ id }) => id },
  { title: t('State'), cell: (webhook) => <WebhookState webhook={webhook} />, width: '152px' },
  { title: t('Sends'), cell: ({ types }) => types.map(typeWord).join(', '), minor: true },
  {
    title: t('Waiting'),
    cell: ({ waiting }) => <Count value={waiting} />,
    width: '96px',
    align: 'end',
    minor: true,
  },
];
