import type { ApiToken } from '@switchboard/management';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm, FormDialog } from '../../components/dialog.tsx';
import { SelectField } from '../../components/field.tsx';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { useNames } from '../threads/members.ts';
import { LIFETIMES, lifetimeOptions } from './lifetimes.ts';
import styles from './tokens.module.css';
import { kindWord, Until } from './words.tsx';

const OVERLAPS = [0, 3_600, 86_400, 604_800];

interface TokenDetailProps {
  token: ApiToken;
  /** Gets the new value. */
  onRotated: (value: string) => void;
}

/** The scope and the use of a token. Its owner rotates it, and an administrator revokes any. */
export function TokenDetail({ token, onRotated }: TokenDetailProps) {
  const nameOf = useNames();
  const { company, me, may } = usePlace();
  const [asked, setAsked] = useState<'rotate' | 'revoke'>();
  const [days, setDays] = useState(LIFETIMES[1]);
  const [overlap, setOverlap] = useState(3_600);
  const params = { companyId: company.id, tokenId: token.id };
  const refresh = [['listApiTokens', company.id]];
  const revoke = useChange((client, _: undefined) => client.call('revokeApiToken', { params }), { refresh });
  const rotate = useChange(
    (client, _: undefined) =>
      client.call('rotateApiToken', {
        params,
        body: { expiresInDays: days, overlapSeconds: overlap },
      }),
    { refresh },
  );
  const close = () => setAsked(undefined);
  const isOwn = token.sub === me.sub;
  const mayRotate = isOwn || (token.kind === 'service' && may('tokens.write'));
  return (
    <>
      {rotate.error === null ? null : <Failed error={rotate.error} />}
      {revoke.error === null ? null : <Failed error={revoke.error} />}
      <Facts
        facts={[
          [t('Id'), <Id key="id" value={token.id} name={t('id')} />],
          [t('Kind'), kindWord(token.kind)],
          [t('Acts as'), token.sub === null ? t('the company') : nameOf(token.sub)],
          [t('Created by'), nameOf(token.createdBy)],
          [t('Created'), <Time key="created" at={token.createdAt} />],
          [t('Rotated'), token.rotatedAt === null ? t('never') : <Time at={token.rotatedAt} />],
          [t('Last used'), token.lastUsedAt === null ? t('never') : <Time at={token.lastUsedAt} />],
          [t('Expires'), <Until key="expires" at={token.expiresAt} />],
          [t('Projects'), token.projectIds?.join(', ') ?? t('all projects')],
          [
            t('Permissions'),
            <span key="permissions" className={styles['actions']}>
              {token.permissions.map((one) => (
                <Badge key={one}>{one}</Badge>
              ))}
            </span>,
          ],
        ]}
      />
      <div className={styles['actions']}>
        {mayRotate ? (
          <Button keys="o" onClick={() => setAsked('rotate')}>
            {t('Rotate token')}
          </Button>
        ) : null}
        <Button keys="d" kind="danger" onClick={() => setAsked('revoke')}>
          {t('Revoke token')}
        </Button>
      </div>
      {asked === 'rotate' ? (
        <FormDialog
          title={t('Rotate token')}
          action={t('Rotate token')}
          disabled={rotate.isPending}
          onClose={close}
          onSubmit={() => {
            rotate.mutate(undefined, { onSuccess: (rotated) => onRotated(rotated.token) });
            close();
          }}
        >
          <SelectField
            label={t('The old value works')}
            value={overlap}
            options={OVERLAPS.map((seconds) => ({ value: String(seconds), title: overlapWord(seconds) }))}
            onChange={({ target }) => setOverlap(Number(target.value))}
          />
          <SelectField
            label={t('The new value expires in')}
            value={days}
            options={lifetimeOptions()}
            onChange={({ target }) => setDays(Number(target.value))}
          />
        </FormDialog>
      ) : null}
      {asked === 'revoke' ? (
        <Confirm
          title={t('Revoke this token?')}
          action={t('Revoke token')}
          onClose={close}
          onConfirm={() => {
            revoke.mutate(undefined);
            close();
          }}
        >
          <p>{t('Programs that use it get 401 within a second.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function overlapWord(seconds: number): string {
  if (seconds === 0) return t('no longer');
  return seconds < 86_400
    ? t('for one more hour')
    : t('for {days, plural, one {# more day} other {# more days}}', { days: seconds / 86_400 });
}
