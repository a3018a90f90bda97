import { t } from '../../app/i18n.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Entries } from '../../pages/audit/entries.tsx';

/** The audit trail of every company, and of what operators do. */
export function Page() {
  return (
    <PageLayout title={t('Audit trail')} actions={<CopyAs command="switchboard audit" />}>
      <Entries
        queryKey={['listAudit']}
        read={(client, query, options) => client.call('listAudit', { query }, options)}
      />
    </PageLayout>
  );
}
