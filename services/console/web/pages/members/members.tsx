import type { Member } from '@switchboard/management';
import { useMemo } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Invitations, Invite } from './invitations.tsx';
import { MemberDetail } from './member.tsx';
import { ROLES, search } from './search.ts';

export function Page() {
  const { company, may } = usePlace();
  const [found, setSearch] = usePageSearch(search);
  const { find, role, open, invite } = found;
  const { query, more } = useList(['listMembers', company.id], async (client, cursor, options) => {
    const { members, nextCursor } = await client.call(
      'listMembers',
      { params: { companyId: company.id }, query: cursor },
      options,
    );
    return { items: members, nextCursor };
  });
  const columns: Column<Member>[] = useMemo(
    () => [
      { title: t('Name'), cell: ({ name }) => name },
      { title: t('Role'), cell: (member) => <Badge>{member.role}</Badge>, width: '120px' },
      { title: t('Email'), cell: ({ email }) => email ?? '–', minor: true },
    ],
    [],
  );
  const opened = query.data?.find(({ sub }) => sub === open);
  return (
    <PageLayout
      title={t('Members')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/companies/${encodeURIComponent(company.id)}/members` }}
            command={`switchboard get members ${company.id}`}
          />
          {may('members.write') ? (
            <Button keys="c" kind="primary" onClick={() => setSearch({ invite: true })}>
              {t('Invite person')}
            </Button>
          ) : null}
        </>
      }
    >
      <Bar>
        <Filter label={t('Find a member')} value={find} onChange={(value) => setSearch({ find: value })} />
        <SelectFilter
          label={t('All roles')}
          value={role}
          options={ROLES.map((value) => ({ value, title: value }))}
          onChange={(value) => setSearch({ role: ROLES.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(members) => {
          const shown = members.filter(
            (one) => matches(one, find) && (role === undefined || one.role === role),
          );
          return (
            <ListDetail
              list={
                shown.length === 0 ? (
                  <Empty text={t('No member matches the filters.')} />
                ) : (
                  <Table
                    label={t('Members')}
                    columns={columns}
                    rows={shown}
                    keyOf={keyOf}
                    open={open}
                    onOpen={({ sub }) => setSearch({ open: sub }, { push: true })}
                    more={more}
                  />
                )
              }
              detail={
                opened && {
                  title: opened.name,
                  content: (
                    <MemberDetail
                      key={`${opened.sub} ${opened.role}`}
                      member={opened}
                      onRemoved={() => setSearch({ open: undefined })}
                    />
                  ),
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {may('members.write') ? (
        <Invitations onInvite={() => setSearch({ invite: true })} />
      ) : (
        <p>{t('Administrators invite people.')}</p>
      )}
      {invite === true ? <Invite onClose={() => setSearch({ invite: undefined })} /> : null}
    </PageLayout>
  );
}

const keyOf = ({ sub }: Member) => sub;

function matches({ name, email, sub }: Member, find = ''): boolean {
  const wanted = find.toLocaleLowerCase();
  return [name, email ?? '', sub].some((text) => text.toLocaleLowerCase().includes(wanted));
}
