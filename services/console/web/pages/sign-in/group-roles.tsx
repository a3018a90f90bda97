import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { ROLES } from '../members/search.ts';
import { type Settings, useSaveSettings } from './settings.ts';
import styles from './sign-in.module.css';

type GroupRole = Settings['groupRoles'][number];

/** The roles of the groups that the provider and SCIM name. */
export function GroupRoles({ settings }: { settings: Settings }) {
  const [rows, setRows] = useState<readonly GroupRole[]>(settings.groupRoles);
  const save = useSaveSettings();
  const change = (at: number, fields: Partial<GroupRole>) =>
    setRows(rows.map((row, index) => (index === at ? { ...row, ...fields } : row)));
  const isChanged = JSON.stringify(rows) !== JSON.stringify(settings.groupRoles);
  return (
    <Section title={t('Roles of groups')}>
      <p className={styles['text']}>
        {t(
          'A member gets the greatest role of their groups at each sign-in. Without any group here, roles are those of the page Members.',
        )}
      </p>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ provider: settings.provider, groupRoles: [...rows] });
        }}
      >
        {rows.map(({ group, role }, at) => (
          <div key={at} className={styles['group']}>
            <TextField
              label={t('Group {number}', { number: at + 1 })}
              value={group}
              required
              maxLength={256}
              onChange={({ target }) => change(at, { group: target.value })}
            />
            <SelectField
              label={t('Role of group {number}', { number: at + 1 })}
              value={role}
              options={ROLES.map((value) => ({ value, title: value }))}
              onChange={({ target }) =>
                change(at, { role: ROLES.find((one) => one === target.value) ?? role })
              }
            />
            <IconButton
              icon={Trash2}
              label={t('Remove group {number}', { number: at + 1 })}
              onClick={() => setRows(rows.filter((_, index) => index !== at))}
            />
          </div>
        ))}
        {save.error === null ? null : <Failed error={save.error} />}
        <div className={styles['buttons']}>
          <Button icon={Plus} onClick={() => setRows([...rows, { group: '', role: 'viewer' }])}>
            {t('Add group')}
          </Button>
          <Button kind="primary" type="submit" disabled={!isChanged || save.isPending}>
            {t('Save groups')}
          </Button>
        </div>
      </form>
    </Section>
  );
}
