import type { Member } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Facts } from '../../components/layout.tsx';
import { Failed, Partial } from '../../components/state.tsx';
import { givenRoles, ROLES, type Role } from './search.ts';

/** Shows a member. Administrators change the role and remove the member. */
export function MemberDetail({ member, onRemoved }: { member: Member; onRemoved: () => void }) {
  const { may, me } = usePlace();
  const { sub, email, role } = member;
  const isAdmin = role === 'admin' || role === 'owner';
  const mayChange = may(isAdmin ? 'admins.write' : 'members.write');
  return (
    <>
      <Facts
        facts={[
          [t('Id'), <Id key="id" value={sub} name={t('id')} />],
          [t('Email'), email ?? t('Shown to administrators.')],
          [t('Role'), <Badge key="role">{role}</Badge>],
        ]}
      />
      {mayChange && email !== null ? (
        <Change member={{ ...member, email }} isSelf={sub === me.sub} onRemoved={onRemoved} />
      ) : (
        <p>{isAdmin ? t('Owners change this member.') : t('Administrators change this member.')}</p>
      )}
    </>
  );
}

interface ChangeProps {
  member: Member & { email: string };
  isSelf: boolean;
  onRemoved: () => void;
}

function Change({ member, isSelf, onRemoved }: ChangeProps) {
  const { company, may } = usePlace();
  const [role, setRole] = useState<Role>(member.role ?? 'viewer');
  const [asks, setAsks] = useState(false);
  const params = { companyId: company.id, sub: member.sub };
  const refresh = [['listMembers', company.id], ...(isSelf ? [['getMe']] : [])];
  const save = useChange(
    (client, _: undefined) => {
      const { name, email, avatarUrl } = member;
      return client.call('putMember', { params, body: { name, email, avatarUrl, role } });
    },
    { refresh },
  );
  const remove = useChange((client, _: undefined) => client.call('deleteMember', { params }), { refresh });
  const tokens = save.data?.serviceTokens.filter(({ revoked }) => revoked) ?? [];
  const error = save.error ?? remove.error;
  return (
    <>
      {error === null ? null : <Failed error={error} />}
      {tokens.length === 0 ? null : (
        <Partial
          text={t('Revoked with the role: {names}.', { names: tokens.map(({ name }) => name).join(', ') })}
        />
      )}
      <SelectField
        label={t('Role')}
        hint={t('A lower role revokes service tokens of the member that may do more than the role.')}
        value={role}
        options={givenRoles(may).map((value) => ({ value, title: value }))}
        onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? 'viewer')}
      />
      <div style={{ display: 'flex', gap: 8 }}>
        <Button
          keys="e"
          disabled={role === member.role || save.isPending}
          onClick={() => save.mutate(undefined)}
        >
          {t('Change role')}
        </Button>
        <Button keys="d" kind="danger" disabled={remove.isPending} onClick={() => setAsks(true)}>
          {t('Remove member')}
        </Button>
      </div>
      {asks ? (
        <Confirm
          title={t('Remove {name}?', { name: member.name })}
          action={t('Remove member')}
          onClose={() => setAsks(false)}
          onConfirm={() => {
            remove.mutate(undefined, { onSuccess: onRemoved });
            setAsks(false);
          }}
        >
          <p>
            {t(
              'The member loses access at once. Service tokens of the member that may write members, tokens, keys, secrets or the company are revoked.',
            )}
          </p>
        </Confirm>
      ) : null}
    </>
  );
}
