import type { AuditEntry } from '@switchboard/management';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../app/api.ts';
import { saveFrom } from '../../app/download.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Code, Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { DateFilter, Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { OUTCOMES, queryOf, search } from './search.ts';

export function Page() {
  const { company } = usePlace();
  const [found, setSearch] = usePageSearch(search);
  const { open } = found;
  const filters = queryOf(found);
  const [failure, setFailure] = useState<Error>();
  const { query, more } = useList(
    ['listCompanyAudit', company.id, filters],
    async (client, cursor, options) => {
      const { entries, nextCursor } = await client.call(
        'listCompanyAudit',
        { params: { companyId: company.id }, query: { ...filters, ...cursor } },
        options,
      );
      return { items: entries, nextCursor };
    },
  );
  const path = pathOf(company.id, filters);
  const opened = query.data?.find(({ id }) => id === open);
  const download = () =>
    saveFrom(`${path}${path.includes('?') ? '&' : '?'}format=ndjson`, 'audit.ndjson').catch(setFailure);
  return (
    <PageLayout
      title={t('Audit trail')}
      actions={
        <>
          <CopyAs call={{ method: 'GET', path }} command={`switchboard audit --company ${company.id}`} />
          <Button icon={Download} onClick={() => void download()}>
            {t('Download NDJSON')}
          </Button>
        </>
      }
    >
      {failure === undefined ? null : <Failed error={failure} />}
      <Bar>
        <Filter
          label={t('Person or token id')}
          value={found.actor}
          onChange={(value) => setSearch({ actor: value })}
        />
        <Filter label={t('Action')} value={found.action} onChange={(value) => setSearch({ action: value })} />
        <Filter
          label={t('Object, such as flag:payments')}
          value={found.object}
          onChange={(value) => setSearch({ object: value })}
        />
        <SelectFilter
          label={t('All outcomes')}
          value={found.outcome}
          options={[
            { value: 'allowed', title: t('Allowed') },
            { value: 'refused', title: t('Refused') },
          ]}
          onChange={(value) => setSearch({ outcome: OUTCOMES.find((one) => one === value) })}
        />
        <DateFilter label={t('From')} value={found.from} onChange={(value) => setSearch({ from: value })} />
        <DateFilter label={t('To')} value={found.to} onChange={(value) => setSearch({ to: value })} />
      </Bar>
      <Loaded query={query}>
        {(entries) => (
          <ListDetail
            list={
              entries.length === 0 ? (
                <Empty text={t('No entry matches the filters.')} />
              ) : (
                <Table
                  label={t('Audit trail')}
                  columns={columns()}
                  rows={entries}
                  keyOf={keyOf}
                  open={open}
                  onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                  more={more}
                />
              )
            }
            detail={
              opened && {
                title: opened.action,
                content: <Entry entry={opened} />,
                onClose: () => setSearch({ open: undefined }),
              }
            }
          />
        )}
      </Loaded>
    </PageLayout>
  );
}

const keyOf = ({ id }: AuditEntry) => id;

function pathOf(companyId: string, filters: Record<string, string | undefined>): string {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = new URLSearchParams(given).toString();
  return `/v1/companies/${encodeURIComponent(companyId)}/audit${query === '' ? '' : `?${query}`}`;
}

const columns = (): Column<AuditEntry>[] => [
  { title: t('Action'), cell: ({ action }) => action },
  { title: t('Object'), cell: ({ object }) => object, minor: true },
  { title: t('By'), cell: ({ actor }) => actor.id ?? actor.kind, minor: true },
  { title: t('Outcome'), cell: (entry) => <Outcome entry={entry} />, width: '128px' },
  { title: t('Time'), cell: ({ at }) => <Time at={at} />, width: '112px' },
];

const Outcome = ({ entry: { outcome, status } }: { entry: AuditEntry }) =>
  outcome === 'allowed' ? (
    <Badge tone="good">{t('Allowed')}</Badge>
  ) : (
    <Badge tone="warning">{t('Refused {status}', { status: String(status ?? '') })}</Badge>
  );

function Entry({ entry }: { entry: AuditEntry }) {
  const { actor, object, at, reason, address, requestId, region, service, before, after } = entry;
  return (
    <>
      <Facts
        facts={[
          [t('Time'), <Time key="at" at={at} />],
          [t('By'), actor.id === null ? actor.kind : <Id key="by" value={actor.id} name={t('id')} />],
          ...(actor.tokenId === null
            ? []
            : [[t('Token'), <Id key="token" value={actor.tokenId} name={t('token id')} />] as const]),
          [t('Object'), object],
          [t('Outcome'), <Outcome key="outcome" entry={entry} />],
          [t('Reason'), reason ?? '–'],
          [t('Address'), address],
          [t('Service'), `${service} (${region})`],
          ...(requestId === null
            ? []
            : [[t('Request'), <Id key="request" value={requestId} name={t('request id')} />] as const]),
        ]}
      />
      {before === undefined ? null : (
        <Section title={t('Before')}>
          <Code text={JSON.stringify(before, null, 2)} name={t('the state before')} />
        </Section>
      )}
      {after === undefined ? null : (
        <Section title={t('After')}>
          <Code text={JSON.stringify(after, null, 2)} name={t('the state after')} />
        </Section>
      )}
    </>
  );
}
