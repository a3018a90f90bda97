import type { Rejection } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';

const REFRESH_MS = 10_000;

/** The requests that ingestion rejected, why, and what to do. Hidden while there are none. */
export function Rejected() {
  const { project } = usePlace();
  const query = useCall(
    ['listRejections', project.id],
    (client, options) => client.call('listRejections', { params: { projectId: project.id } }, options),
    { refreshMs: REFRESH_MS },
  );
  // Most projects have none, so a loading shape would only move the rest of the page.
  if (query.isLoading || query.data?.rejections.length === 0) return null;
  return (
    <Section title={t('Rejected requests of the last 24 hours')}>
      <Loaded query={query}>
        {({ rejections }) => (
          <Table label={t('Rejected requests')} columns={columns()} rows={rejections} keyOf={keyOf} />
        )}
      </Loaded>
    </Section>
  );
}

const keyOf = ({ operation, status, reason }: Rejection) => `${operation} ${status} ${reason}`;

const columns = (): Column<Rejection>[] => [
  { title: t('Reason'), cell: ({ reason }) => <span title={reason}>{reason}</span> },
  { title: t('What to do'), cell: ({ status }) => <Advice status={status} />, minor: true },
  { title: t('Call'), cell: ({ operation }) => <code>{operation}</code>, width: '128px', minor: true },
  { title: t('Status'), cell: ({ status }) => status, width: '72px', align: 'end', minor: true },
  {
    title: t('Requests'),
    cell: ({ requests }) => <Count value={requests} />,
    width: '96px',
    align: 'end',
  },
  { title: t('Last'), cell: ({ lastAt }) => <Time at={lastAt} />, width: '104px' },
];

function Advice({ status }: { status: number }) {
  const { pathOf, may } = usePlace();
  if (status === 403 && may('projects.write'))
    return <Link to={pathOf('/settings/project')}>{t('Add the origin of the page')}</Link>;
  if (status === 403) return t('Ask an administrator to add the origin of the page.');
  if (status === 413) return t('Send fewer or smaller events in a request.');
  if (status === 429) return t('The SDKs try again. Send less, or ask the operator for more.');
  if (status >= 500) return t('The SDKs try again. Nothing to do.');
  return t('Correct the call in your code.');
}
