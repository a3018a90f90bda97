import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { Failed } from '../../components/state.tsx';
import { mentionsIn, useColleagues } from './members.ts';
import { MentionField } from './mention-field.tsx';
import styles from './threads.module.css';

export interface Written {
  body: string;
  mentions: string[];
}

interface CommentFormProps {
  label: string;
  /** The verb of the button, such as "Reply". */
  action: string;
  initial?: string;
  send: {
    isPending: boolean;
    error: Error | null;
    mutate(written: Written, then: { onSuccess(): void }): void;
  };
  onSent?: () => void;
  onCancel?: () => void;
}

/** Writes a comment. The names after `@` become its mentions. */
export function CommentForm({ label, action, initial = '', send, onSent, onCancel }: CommentFormProps) {
  const [body, setBody] = useState(initial);
  const colleagues = useColleagues();
  const isEmpty = body.trim() === '';
  return (
    <form
      className={styles['form']}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isEmpty || send.isPending) return;
        send.mutate(
          { body, mentions: mentionsIn(body, colleagues) },
          {
            onSuccess() {
              setBody('');
              onSent?.();
            },
          },
        );
      }}
    >
      <MentionField label={label} value={body} onChange={setBody} />
      {send.error === null ? null : <Failed error={send.error} />}
      <div className={styles['tools']}>
        <Button type="submit" disabled={isEmpty || send.isPending}>
          {action}
        </Button>
        {onCancel === undefined ? null : (
          <Button kind="quiet" onClick={onCancel}>
            {t('Cancel')}
          </Button>
        )}
      </div>
    </form>
  );
}
