import type { AuditEntry, Client } from '@switchboard/management';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Code, Id } from '../../components/code.tsx';
import { DateFilter, Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { OUTCOMES, queryOf, search } from './search.ts';

interface EntriesProps {
  /** The key of the query, without the filters. */
  queryKey: readonly string[];
  /** Returns the name of the person with an id. Default: the id. */
  nameOf?: (sub: string) => string;
  read: (
    client: Client,
    query: ReturnType<typeof queryOf> & { cursor?: string },
    options: { signal: AbortSignal },
  ) => Promise<{ entries: readonly AuditEntry[]; nextCursor: string | null }>;
}

/** Entries of an audit trail, with the filters of the address and the open entry. */
export function Entries({ queryKey, read, nameOf = (sub) => sub }: EntriesProps) {
  const [found, setSearch] = usePageSearch(search);
  const { open } = found;
  const filters = queryOf(found);
  const { query, more } = useList([...queryKey, filters], async (client, cursor, options) => {
    const { entries, nextCursor } = await read(client, { ...filters, ...cursor }, options);
    return { items: entries, nextCursor };
  });
  const opened = query.data?.find(({ id }) => id === open);
  return (
    <>
      <Bar>
        <Filter
          label={t('Person or token id')}
          value={found.actor}
          onChange={(value) => setSearch({ actor: value })}
        />
        <Filter label={t('Action')} value={found.action} onChange={(value) => setSearch({ action: value })} />
        <Filter
          label={t('Object (kind:id)')}
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
                  columns={columns(nameOf)}
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
                content: <Entry entry={opened} nameOf={nameOf} />,
                onClose: () => setSearch({ open: undefined }),
              }
            }
          />
        )}
      </Loaded>
    </>
  );
}

const keyOf = ({ id }: AuditEntry) => id;

type NameOf = (sub: string) => string;

const columns = (nameOf: NameOf): Column<AuditEntry>[] => [
  { title: t('Action'), cell: ({ action }) => action },
  { title: t('Object'), cell: ({ object }) => object, minor: true },
  { title: t('By'), cell: ({ actor }) => (actor.id === null ? actor.kind : nameOf(actor.id)), minor: true },
  { title: t('Outcome'), cell: (entry) => <Outcome entry={entry} />, width: '112px' },
  { title: t('Time'), cell: ({ at }) => <Time at={at} />, width: '112px' },
];

const Outcome = ({ entry: { outcome, status } }: { entry: AuditEntry }) =>
  outcome === 'allowed' ? (
    <Badge tone="good">{t('Allowed')}</Badge>
  ) : (
    <Badge tone="warning">{t('Refused {status}', { status: String(status ?? '') })}</Badge>
  );

function Entry({ entry, nameOf }: { entry: AuditEntry; nameOf: NameOf }) {
  const { actor, object, at, reason, address, requestId, region, service, before, after } = entry;
  return (
    <>
      <Facts
        facts={[
          [t('Time'), <Time key="at" at={at} />],
          [t('By'), actor.id === null ? actor.kind : nameOf(actor.id)],
          ...(actor.id === null || nameOf(actor.id) === actor.id
            ? []
            : [[t('Id'), <Id key="by" value={actor.id} name={t('id')} />] as const]),
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
