import { Download } from 'lucide-react';
import { useState } from 'react';
import { saveFrom } from '../../app/download.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { useNames } from '../threads/members.ts';
import { Entries } from './entries.tsx';
import { queryOf, search } from './search.ts';

export function Page() {
  const { company } = usePlace();
  const [found] = usePageSearch(search);
  const filters = queryOf(found);
  const nameOf = useNames();
  const [failure, setFailure] = useState<Error>();
  const path = pathOf(company.id, filters);
  const download = () =>
    saveFrom(`${path}${path.includes('?') ? '&' : '?'}format=ndjson`, 'audit.ndjson').catch(setFailure);
  return (
    <PageLayout
      title={t('Audit trail')}
      actions={
        <>
          <CopyAs call={{ method: 'GET', path }} command={`switchboard audit --company ${company.id}`} />
          <Button keys="w" icon={Download} onClick={() => void download()}>
            {t('Download NDJSON')}
          </Button>
        </>
      }
    >
      {failure === undefined ? null : <Failed error={failure} />}
      <Entries
        queryKey={['listCompanyAudit', company.id]}
        nameOf={nameOf}
        read={(client, query, options) =>
          client.call('listCompanyAudit', { params: { companyId: company.id }, query }, options)
        }
      />
    </PageLayout>
  );
}

function pathOf(companyId: string, filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = new URLSearchParams(given).toString();
  return `/v1/companies/${encodeURIComponent(companyId)}/audit${query === '' ? '' : `?${query}`}`;
}
