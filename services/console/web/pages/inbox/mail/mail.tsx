import type { ConversationContact, OperatorConversation } from '@switchboard/management';
import { Mail } from 'lucide-react';
import { t } from '../../../app/i18n.ts';
import { Badge } from '../../../components/badge.tsx';
import { Time } from '../../../components/values.tsx';
import styles from './mail.module.css';

type TurnMail = NonNullable<OperatorConversation['turns'][number]['mail']>;

/** The sender of a turn that came by mail. The address is what the mail states. */
export function MailSender({ mail: { name, address, isContact } }: { mail: TurnMail }) {
  return (
    <span className={styles['sender']}>
      <Mail size={14} role="img" aria-label={t('By mail')} />
      <strong>{name ?? address}</strong>
      {name === null ? null : <span className={styles['address']}>{address}</span>}
      {isContact ? null : <Badge tone="warning">{t('Another address')}</Badge>}
    </span>
  );
}

/** Shows the folded quote of a mail and the files that were not stored. */
export function MailRest({ mail: { folded, leftOut } }: { mail: TurnMail }) {
  return (
    <>
      {leftOut.length === 0 ? null : (
        <p className={styles['left']}>{t('Files not stored: {names}', { names: leftOut.join(', ') })}</p>
      )}
      {folded === null ? null : (
        <details className={styles['folded']}>
          <summary>{t('Quoted text and signature')}</summary>
          <p>{folded}</p>
        </details>
      )}
    </>
  );
}

/** Says what became of mail to the visitor. */
export function MailState({ contact }: { contact: ConversationContact | null }) {
  if (contact === null) return null;
  const { email, bouncedAt, bounce, unsubscribedAt, mailedAt } = contact;
  if (bouncedAt !== null)
    return (
      <p className={styles['state']}>
        <Badge tone="danger">{t('Mail failed')}</Badge>
        {bounce === null ? email : t('{email}: {reason}', { email, reason: bounce })}
        <Time at={bouncedAt} />
      </p>
    );
  if (unsubscribedAt !== null)
    return (
      <p className={styles['state']}>
        {t('{email} gets no more mail about this conversation.', { email })} <Time at={unsubscribedAt} />
      </p>
    );
  if (mailedAt === null) return null;
  return (
    <p className={styles['state']}>
      {t('Mailed to {email}', { email })} <Time at={mailedAt} />
    </p>
  );
}
