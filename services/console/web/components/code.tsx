import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { t } from '../app/i18n.ts';
import { IconButton } from './button.tsx';
import styles from './code.module.css';

const SHOWN_MS = 1500;

/** Copies a text. The icon says that it did. */
export function CopyButton({ text, name, keys }: { text: string; name: string; keys?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <IconButton
      keys={keys}
      icon={copied ? Check : Copy}
      label={copied ? t('Copied') : t('Copy {name}', { name })}
      onClick={() => void copy()}
    />
  );
}

/** Code to paste. `name` says what the button copies, such as "the snippet". */
export function Code({ text, name }: { text: string; name: string }) {
  return (
    <div className={styles['code']}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard. */}
      <section tabIndex={0} aria-label={name}>
        <pre>
          <code>{text}</code>
        </pre>
      </section>
      <span className={styles['copy']}>
        <CopyButton text={text} name={name} />
      </span>
    </div>
  );
}

/** An id or key, with a button that copies it. */
export function Id({ value, name }: { value: string; name: string }) {
  return (
    <span className={styles['pair']}>
      <code className={styles['inline']}>{value}</code>
      <CopyButton text={value} name={name} />
    </span>
  );
}
