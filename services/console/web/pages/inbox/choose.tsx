import { useId, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Dialog } from '../../components/dialog.tsx';
import styles from './inbox.module.css';

export interface Choice {
  key: string;
  title: string;
  /** The colour of a label. */
  color?: string;
  isChosen?: boolean;
  run(): void;
}

interface ChooseProps {
  title: string;
  choices: readonly Choice[];
  /** Offers to create what was typed. */
  create?: { title: (typed: string) => string; run: (typed: string) => void };
  onClose: () => void;
}

/** A list to choose from by typing and the arrow keys. */
export function Choose({ title, choices, create, onClose }: ChooseProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const wanted = typed.trim().toLocaleLowerCase();
  const found = choices.filter((choice) => choice.title.toLocaleLowerCase().includes(wanted));
  const isNew = wanted !== '' && !choices.some((choice) => choice.title.toLocaleLowerCase() === wanted);
  const shown: readonly Choice[] =
    create !== undefined && isNew
      ? [...found, { key: 'create', title: create.title(typed.trim()), run: () => create.run(typed.trim()) }]
      : found;
  const active = Math.min(at, shown.length - 1);
  const optionId = (index: number) => `${id}-${index}`;

  function choose(choice: Choice | undefined): void {
    if (choice === undefined) return;
    onClose();
    choice.run();
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <input
        autoFocus
        role="combobox"
        aria-label={title}
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length === 0 ? undefined : optionId(active)}
        className={styles['choose']}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (step !== undefined) setAt((active + step + shown.length) % Math.max(1, shown.length));
          else if (event.key === 'Enter') choose(shown[active]);
          else return;
          event.preventDefault();
        }}
      />
      <div role="listbox" id={`${id}-list`} aria-label={title} className={styles['choices']}>
        {shown.length === 0 ? <p className={styles['muted']}>{t('Nothing matches.')}</p> : null}
        {shown.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
          <div
            key={choice.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles['choice']}
            onClick={() => choose(choice)}
          >
            {choice.color === undefined ? null : <span className={styles['dot']} data-color={choice.color} />}
            <span>{choice.title}</span>
            {choice.isChosen === true ? <span aria-hidden>✓</span> : null}
          </div>
        ))}
      </div>
    </Dialog>
  );
}
