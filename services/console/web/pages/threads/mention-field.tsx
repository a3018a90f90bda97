import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { t } from '../../app/i18n.ts';
import { TextArea } from '../../components/field.tsx';
import { type Colleague, useColleagues } from './members.ts';
import styles from './threads.module.css';

const MAX_SHOWN = 6;
/** The beginning of a name before the caret. */
const BEGUN = /(?:^|\s)@([^@\n]{0,40})$/;

interface MentionFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
}

/** A text in which `@` suggests colleagues. Arrow keys choose, Enter takes, Escape closes, Ctrl+Enter sends. */
export function MentionField({ label, value, onChange }: MentionFieldProps) {
  const id = useId();
  const colleagues = useColleagues();
  const field = useRef<HTMLTextAreaElement>(null);
  const [begun, setBegun] = useState<string>();
  const [chosen, setChosen] = useState(0);
  const wanted = begun?.toLocaleLowerCase() ?? '';
  const shown =
    begun === undefined
      ? []
      : colleagues.filter(({ name }) => name.toLocaleLowerCase().startsWith(wanted)).slice(0, MAX_SHOWN);
  const look = (text: string, caret: number) => {
    setBegun(BEGUN.exec(text.slice(0, caret))?.[1]);
    setChosen(0);
  };
  const take = ({ name }: Colleague) => {
    const caret = field.current?.selectionStart ?? value.length;
    const start = caret - (begun?.length ?? 0);
    const before = `${value.slice(0, start)}${name} `;
    // At once: the next letter may be typed before a frame passes.
    flushSync(() => {
      onChange(before + value.slice(caret));
      setBegun(undefined);
    });
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
      return;
    }
    if (shown.length === 0) return;
    if (event.key === 'Escape') setBegun(undefined);
    else if (event.key === 'ArrowDown') setChosen((chosen + 1) % shown.length);
    else if (event.key === 'ArrowUp') setChosen((chosen + shown.length - 1) % shown.length);
    else if (event.key === 'Enter' || event.key === 'Tab') {
      const one = shown[chosen];
      if (one !== undefined) take(one);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isOpen = shown.length > 0;
  return (
    <div className={styles['mention']}>
      <TextArea
        ref={field}
        label={label}
        hint={t('@ mentions a colleague. Ctrl+Enter sends.')}
        rows={2}
        value={value}
        maxLength={10_000}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `${id}-${chosen}` : undefined}
        onKeyDown={onKeyDown}
        onBlur={() => setBegun(undefined)}
        onChange={({ target }) => {
          onChange(target.value);
          look(target.value, target.selectionStart);
        }}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label={t('Colleagues')}
        hidden={!isOpen}
        className={styles['names']}
      >
        {shown.map((one, at) => (
          <div
            key={one.sub}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              take(one);
            }}
          >
            {one.name}
          </div>
        ))}
      </div>
    </div>
  );
}
