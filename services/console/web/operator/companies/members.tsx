import type { Member } from '@switchboard/management';
import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { ROLES, type Role } from '../../pages/members/search.ts';
import styles from '../operator.module.css';

interface Fields {
  sub: string;
  name: string;
  email: string;
  role: Role;
  avatarUrl: string | null;
}

const NEW: Fields = { sub: '', name: '', email: '', role: 'owner', avatarUrl: null };

/** The members of a company, whom operators add, change and remove. */
export function Members({ companyId }: { companyId: string }) {
  const key = ['listMembers', companyId];
  const [edited, setEdited] = useState<Fields>();
  const { query, more } = useList(key, async (client, cursor, options) => {
    const input = { params: { companyId }, query: cursor };
    const { members, nextCursor } = await client.call('listMembers', input, options);
    return { items: members, nextCursor };
  });
  const columns: Column<Member>[] = [
    { title: t('Name'), cell: ({ name }) => name },
    { title: t('Email'), cell: ({ email }) => email ?? '–', minor: true },
    { title: t('Role'), cell: ({ role }) => <Badge>{role}</Badge>, width: '104px' },
  ];
  return (
    <Section title={t('Members')}>
      <Loaded query={query}>
        {(members) =>
          members.length === 0 ? (
            <Empty text={t('No member yet. Add its owner, who invites the others.')} />
          ) : (
            <Table
              label={t('Members')}
              columns={columns}
              rows={members}
              keyOf={({ sub }) => sub}
              onOpen={({ sub, name, email, role, avatarUrl }) =>
                setEdited({ sub, name, email: email ?? '', role, avatarUrl: avatarUrl ?? null })
              }
              more={more}
            />
          )
        }
      </Loaded>
      <div>
        <Button keys="a" onClick={() => setEdited(NEW)}>
          {t('Add member')}
        </Button>
      </div>
      {edited === undefined ? null : (
        <EditMember companyId={companyId} member={edited} onClose={() => setEdited(undefined)} />
      )}
    </Section>
  );
}

interface EditMemberProps {
  companyId: string;
  member: Fields;
  onClose: () => void;
}

function EditMember({ companyId, member, onClose }: EditMemberProps) {
  const isNew = member.sub === '';
  const [fields, setFields] = useState(member);
  const change = (values: Partial<Fields>) => setFields({ ...fields, ...values });
  const refresh = [['listMembers', companyId]];
  const save = useChange(
    (client, { sub, ...body }: Fields) => client.call('putMember', { params: { companyId, sub }, body }),
    { refresh },
  );
  const remove = useChange(
    (client, sub: string) => client.call('deleteMember', { params: { companyId, sub } }),
    { refresh },
  );
  const error = save.error ?? remove.error;
  return (
    <FormDialog
      title={isNew ? t('Add member') : t('Change {name}', { name: member.name })}
      action={isNew ? t('Add member') : t('Save member')}
      disabled={save.isPending || remove.isPending}
      onClose={onClose}
      onSubmit={() => save.mutate(fields, { onSuccess: onClose })}
    >
      {error === null ? null : <Failed error={error} />}
      <TextField
        label={t('Subject')}
        hint={t('The sub of the access tokens of the person.')}
        value={fields.sub}
        required
        readOnly={!isNew}
        maxLength={200}
        onChange={({ target }) => change({ sub: target.value })}
      />
      <TextField
        label={t('Name')}
        value={fields.name}
        required
        maxLength={200}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextField
        label={t('Email')}
        type="email"
        value={fields.email}
        required
        onChange={({ target }) => change({ email: target.value })}
      />
      <SelectField
        label={t('Role')}
        value={fields.role}
        options={ROLES.map((value) => ({ value, title: value }))}
        onChange={({ target }) => change({ role: ROLES.find((one) => one === target.value) ?? fields.role })}
      />
      {isNew ? null : (
        <div className={styles['row']}>
          <Button
            kind="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(member.sub, { onSuccess: onClose })}
          >
            {t('Remove member')}
          </Button>
        </div>
      )}
    </FormDialog>
  );
}
