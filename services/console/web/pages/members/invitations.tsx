import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { givenRoles, ROLES, type Role } from './search.ts';

interface Sent {
  id: string;
  email: string;
  role: Role;
}

/** The open invitations to the company. */
export function Invitations({ onInvite }: { onInvite: () => void }) {
  const { company } = usePlace();
  const params = { companyId: company.id };
  const key = ['listInvitations', company.id];
  const query = useCall(key, (client, options) => client.call('listInvitations', { params }, options));
  const withdraw = useChange(
    (client, invitationId: string) =>
      client.call('deleteInvitation', { params: { ...params, invitationId } }),
    { refresh: [key] },
  );
  const columns: Column<Sent>[] = [
    { title: t('Email'), cell: ({ email }) => email },
    { title: t('Role'), cell: ({ role }) => <Badge>{role}</Badge>, width: '120px' },
    {
      title: t('Actions'),
      cell: ({ id }) => (
        <Button disabled={withdraw.isPending} onClick={() => withdraw.mutate(id)}>
          {t('Withdraw invitation')}
        </Button>
      ),
      width: '190px',
      align: 'end',
    },
  ];
  return (
    <Section title={t('Open invitations')}>
      {withdraw.error === null ? null : <Failed error={withdraw.error} />}
      <Loaded query={query}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <Empty text={t('No invitation is open. A colleague joins by the link in an email.')}>
              <Button keys="c" onClick={onInvite}>
                {t('Invite a colleague')}
              </Button>
            </Empty>
          ) : (
            <Table label={t('Invitations')} columns={columns} rows={invitations} keyOf={({ id }) => id} />
          )
        }
      </Loaded>
    </Section>
  );
}

/** Invites a person by email. */
export function Invite({ onClose }: { onClose: () => void }) {
  const { company, may } = usePlace();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useChange(
    (client, _: undefined) =>
      client.call('createInvitation', { params: { companyId: company.id }, body: { email, role } }),
    { refresh: [['listInvitations', company.id]] },
  );
  return (
    <FormDialog
      title={t('Invite to {company}', { company: company.name })}
      action={t('Send invitation')}
      disabled={invite.isPending || email === ''}
      onClose={onClose}
      onSubmit={() => invite.mutate(undefined, { onSuccess: onClose })}
    >
      <TextField
        label={t('Email')}
        hint={t('The invitation is valid for seven days.')}
        type="email"
        value={email}
        required
        maxLength={254}
        onChange={({ target }) => setEmail(target.value)}
      />
      <SelectField
        label={t('Role')}
        hint={may('admins.write') ? undefined : t('Owners invite administrators and owners.')}
        value={role}
        options={givenRoles(may).map((value) => ({ value, title: value }))}
        onChange={({ target }) => setRole(ROLES.find((one) => one === target.value) ?? 'viewer')}
      />
      {invite.error === null ? null : <Failed error={invite.error} />}
    </FormDialog>
  );
}
