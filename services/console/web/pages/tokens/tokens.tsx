import type { ApiToken } from '@switchboard/management';
import { useState } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { useNames } from '../threads/members.ts';
import { CreateToken } from './create.tsx';
import { KINDS, search } from './search.ts';
import { TokenDetail } from './token.tsx';
import { kindWord, Until } from './words.tsx';

export function Page() {
  const nameOf = useNames();
  const { company } = usePlace();
  const [{ find, kind, open, create }, setSearch] = usePageSearch(search);
  const [value, setValue] = useState<string>();
  const { query, more } = useList(['listApiTokens', company.id], async (client, cursor, options) => {
    const { tokens, nextCursor } = await client.call(
      'listApiTokens',
      { params: { companyId: company.id }, query: cursor },
      options,
    );
    return { items: tokens, nextCursor };
  });
  return (
    <PageLayout
      title={t('Access tokens')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/companies/${encodeURIComponent(company.id)}/tokens` }}
            command={`switchboard tokens list ${company.id}`}
          />
          <Button keys="c" kind="primary" onClick={() => setSearch({ create: true })}>
            {t('Create token')}
          </Button>
        </>
      }
    >
      <Bar>
        <Filter label={t('Find a token')} value={find} onChange={(text) => setSearch({ find: text })} />
        <SelectFilter
          label={t('All kinds')}
          value={kind}
          options={KINDS.map((one) => ({ value: one, title: kindWord(one) }))}
          onChange={(text) => setSearch({ kind: KINDS.find((one) => one === text) })}
        />
      </Bar>
      <Loaded query={query}>
        {(tokens) => {
          const shown = tokens.filter((token) => matches(token, find, kind));
          const opened = tokens.find(({ id }) => id === open);
          return (
            <ListDetail
              list={
                tokens.length === 0 ? (
                  <Empty text={t('No token yet. Scripts and the switchboard command sign in with one.')}>
                    <Code
                      text={`export SWITCHBOARD_TOKEN=sbpat_...\nswitchboard whoami`}
                      name={t('the command')}
                    />
                    <Button keys="c" onClick={() => setSearch({ create: true })}>
                      {t('Create the first token')}
                    </Button>
                  </Empty>
                ) : shown.length === 0 ? (
                  <Empty text={t('No token matches the filters.')} />
                ) : (
                  <Table
                    label={t('Access tokens')}
                    columns={columns(nameOf)}
                    rows={shown}
                    keyOf={keyOf}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    more={more}
                  />
                )
              }
              detail={
                opened && {
                  title: opened.name,
                  content: <TokenDetail key={opened.id} token={opened} onRotated={setValue} />,
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {create === true ? (
        <CreateToken
          onCreated={(token) => {
            setValue(token);
            setSearch({ create: undefined });
          }}
          onClose={() => setSearch({ create: undefined })}
        />
      ) : null}
      {value === undefined ? null : (
        <ShownOnce
          title={t('Access token')}
          name={t('the token')}
          value={value}
          onClose={() => setValue(undefined)}
        />
      )}
    </PageLayout>
  );
}

const keyOf = ({ id }: ApiToken) => id;

function matches(token: ApiToken, find = '', kind?: string): boolean {
  const wanted = find.toLocaleLowerCase();
  const isFound = [token.name, token.id, token.sub ?? ''].some((one) =>
    one.toLocaleLowerCase().includes(wanted),
  );
  return isFound && (kind === undefined || token.kind === kind);
}

const columns = (nameOf: (sub: string | null) => string): Column<ApiToken>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Kind'), cell: ({ kind }) => <Badge>{kindWord(kind)}</Badge>, width: '104px' },
  { title: t('Expires'), cell: ({ expiresAt }) => <Until at={expiresAt} />, width: '128px' },
  {
    title: t('Last used'),
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? t('never') : <Time at={lastUsedAt} />),
    width: '128px',
    minor: true,
  },
  { title: t('Created by'), cell: ({ createdBy }) => nameOf(createdBy), minor: true },
];
