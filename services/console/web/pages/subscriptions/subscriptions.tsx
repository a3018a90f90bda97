import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { targetOf } from './draft.ts';
import { Editor } from './editor.tsx';
import { search } from './search.ts';
import { SubscriptionDetail } from './subscription.tsx';
import { useTargets } from './targets.ts';
import { type Subscription, SubscriptionState, scheduleWord } from './words.tsx';

const REFRESH_MS = 10_000;

export function Page() {
  const { project, may } = usePlace();
  const [{ open, edit, report, dashboard }, setSearch] = usePageSearch(search);
  const names = new Map(useTargets().map(({ value, name }) => [value, name]));
  const query = useCall(
    ['listSubscriptions', project.id],
    (client, options) => client.call('listSubscriptions', { params: { projectId: project.id } }, options),
    { refreshMs: REFRESH_MS },
  );
  const nameOf = ({ target }: Subscription) =>
    names.get(targetOf(target)) ?? ('id' in target ? target.id : '');
  const close = { edit: undefined, report: undefined, dashboard: undefined };
  const mayWrite = may('subscriptions.write');
  const create = () => setSearch({ edit: 'new' });
  return (
    <PageLayout
      title={t('Subscriptions')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/subscriptions` }}
          />
          {mayWrite ? (
            <Button keys="c" kind="primary" onClick={create}>
              {t('Create subscription')}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded query={query}>
        {({ subscriptions }) => {
          const opened = subscriptions.find(({ id }) => id === open);
          return (
            <>
              <ListDetail
                list={
                  subscriptions.length === 0 ? (
                    <Empty
                      text={t(
                        'No subscription yet. One sends a report, a dashboard or unread threads on a schedule.',
                      )}
                    >
                      {mayWrite ? (
                        <Button keys="c" onClick={create}>
                          {t('Create the first subscription')}
                        </Button>
                      ) : null}
                    </Empty>
                  ) : (
                    <Table
                      label={t('Subscriptions')}
                      columns={columns(nameOf)}
                      rows={subscriptions}
                      keyOf={({ id }) => id}
                      open={open}
                      onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    />
                  )
                }
                detail={
                  opened && {
                    title: nameOf(opened),
                    content: <SubscriptionDetail key={opened.id} subscription={opened} />,
                    onClose: () => setSearch({ open: undefined }),
                  }
                }
              />
              {edit === undefined || (edit === 'open' && opened === undefined) ? null : (
                <Editor
                  subscription={edit === 'open' ? opened : undefined}
                  report={report}
                  dashboard={dashboard}
                  onSaved={({ id }) => setSearch({ ...close, open: id })}
                  onClose={() => setSearch(close)}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

const columns = (nameOf: (subscription: Subscription) => string): Column<Subscription>[] => [
  { title: t('Content'), cell: nameOf },
  {
    title: t('State'),
    cell: (subscription) => <SubscriptionState subscription={subscription} />,
    width: '104px',
  },
  { title: t('Schedule'), cell: ({ schedule }) => scheduleWord(schedule), minor: true },
  {
    title: t('Next'),
    cell: ({ nextAt }) => (nextAt === null ? '–' : <Time at={nextAt} />),
    width: '112px',
    minor: true,
  },
];
