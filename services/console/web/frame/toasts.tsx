import { Undo2, X } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import { closeToast, type Toast, useToasts } from '../app/toasts.ts';
import { Button, IconButton } from '../components/button.tsx';
import styles from './frame.module.css';

const SHOWN_MS = 10_000;

/** The messages about changes, with Undo. `z` takes the last change back. */
export function Toasts() {
  const toasts = useToasts();
  const last = toasts.at(-1);
  const keys = useMemo(
    () => (last === undefined ? [] : [{ keys: 'z', title: t('Undo'), run: () => undo(last) }]),
    [last],
  );
  useKeys(keys);
  return (
    <div role="status" aria-label={t('Changes')} className={styles['toasts']}>
      {toasts.map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

type Shown = Toast & { id: number };

function undo({ id, undo: takeBack }: Shown): void {
  closeToast(id);
  takeBack?.();
}

/** Stays while the pointer or the focus is on it. */
function One({ toast }: { toast: Shown }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => closeToast(toast.id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the pointer only keeps the message shown.
    <div
      className={styles['toast']}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{toast.text}</span>
      {toast.undo === undefined ? null : (
        <Button icon={Undo2} onClick={() => undo(toast)}>
          {t('Undo')}
        </Button>
      )}
      <IconButton icon={X} label={t('Close')} onClick={() => closeToast(toast.id)} />
    </div>
  );
}
