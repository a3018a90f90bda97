import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { t } from '../app/i18n.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { TextField } from './field.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  children: ReactNode;
}

/** A modal dialog. Mount it to open it. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onClose={onClose}
      className={`${styles['dialog']} ${wide ? styles['wide'] : ''}`}
    >
      <div className={styles['content']}>
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface FormDialogProps {
  title: string;
  /** The verb with its object, such as "Save report". */
  action: string;
  kind?: 'primary' | 'danger';
  disabled?: boolean;
  wide?: boolean;
  /** The fields. */
  children: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
}

/** A dialog with fields. */
export function FormDialog(props: FormDialogProps) {
  const { title, action, kind = 'primary', disabled = false, wide = false } = props;
  const { children, onSubmit, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form
        className={styles['content']}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        <div className={styles['actions']}>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" kind={kind} disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** The consequences. */
  children: ReactNode;
  /** The verb with its object, such as "Revoke key". */
  action: string;
  /** A name to type first. Only where data is lost. */
  typed?: string;
  pending?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Confirms what cannot be undone. */
export function Confirm({ title, children, action, typed, pending, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  return (
    <FormDialog
      title={title}
      action={action}
      kind="danger"
      disabled={pending === true || (typed !== undefined && text !== typed)}
      onSubmit={onConfirm}
      onClose={onClose}
    >
      <div>{children}</div>
      {typed === undefined ? null : (
        <TextField
          label={t('Type {name} to confirm', { name: typed })}
          value={text}
          autoComplete="off"
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </FormDialog>
  );
}
