import { ArrowDown, ArrowUp, GripVertical, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Audience } from './audience.tsx';
import { emptyRule, moved, type RuleDraft, type VariationDraft } from './draft.ts';
import styles from './flag.module.css';

const MAX_RULES = 50;

interface RulesProps {
  rules: readonly RuleDraft[];
  variations: readonly VariationDraft[];
  problemAt: (path: string) => string | undefined;
  onChange: (rules: RuleDraft[]) => void;
}

/** The rules of a flag in their order. Buttons and Alt with an arrow move a rule, and so does its title by the mouse. */
export function Rules({ rules, variations, problemAt, onChange }: RulesProps) {
  const [dragged, setDragged] = useState<number>();
  const [focused, setFocused] = useState<string>();
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    if (focused === undefined) return;
    const target = list.current?.querySelector(`[data-move="${focused}"]`);
    if (target instanceof HTMLElement) target.focus();
    setFocused(undefined);
  }, [focused]);
  const replace = (at: number, values: Partial<RuleDraft>) =>
    onChange(rules.map((one, index) => (index === at ? { ...one, ...values } : one)));
  /** Moves a rule. The button that moved it keeps the focus, if it can move on. */
  const move = (from: number, to: number, by?: 'up' | 'down') => {
    const id = rules[from]?.id;
    if (id === undefined || to < 0 || to >= rules.length) return;
    onChange(moved(rules, from, to));
    setSaid(t('Rule {from} is now rule {to}.', { from: from + 1, to: to + 1 }));
    if (by === undefined) return;
    const isAtEnd = to === (by === 'up' ? 0 : rules.length - 1);
    const other = by === 'up' ? 'down' : 'up';
    setFocused(`${id} ${isAtEnd ? other : by}`);
  };
  return (
    <>
      <ol ref={list} className={styles['rules']}>
        {rules.map((rule, at) => (
          <li
            key={rule.id}
            className={styles['rule']}
            data-dragged={dragged === at}
            onDragOver={(event) => {
              if (dragged !== undefined) event.preventDefault();
            }}
            onDrop={(event) => {
              event.preventDefault();
              if (dragged !== undefined) move(dragged, at);
              setDragged(undefined);
            }}
            onKeyDown={(event) => {
              const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
              if (!event.altKey || step === 0) return;
              event.preventDefault();
              move(at, at + step, step < 0 ? 'up' : 'down');
            }}
          >
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons in it do the same. */}
            <div
              className={styles['ruleHead']}
              draggable
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move';
                event.dataTransfer.setData('text/plain', rule.name);
                setDragged(at);
              }}
              onDragEnd={() => setDragged(undefined)}
            >
              <GripVertical size={16} aria-hidden />
              <h3>{t('Rule {number}', { number: at + 1 })}</h3>
              <IconButton
                icon={ArrowUp}
                label={t('Move rule {number} up', { number: at + 1 })}
                data-move={`${rule.id} up`}
                disabled={at === 0}
                onClick={() => move(at, at - 1, 'up')}
              />
              <IconButton
                icon={ArrowDown}
                label={t('Move rule {number} down', { number: at + 1 })}
                data-move={`${rule.id} down`}
                disabled={at === rules.length - 1}
                onClick={() => move(at, at + 1, 'down')}
              />
              <IconButton
                icon={Trash2}
                label={t('Remove rule {number}', { number: at + 1 })}
                onClick={() => onChange(rules.filter((_, index) => index !== at))}
              />
            </div>
            <fieldset className={styles['fields']} aria-label={t('Rule {number}', { number: at + 1 })}>
              <TextField
                label={t('Name (optional)')}
                value={rule.name}
                maxLength={200}
                error={problemAt(`rules[${at}].name`)}
                onChange={({ target }) => replace(at, { name: target.value })}
              />
              <Clauses
                event={undefined}
                withCohorts
                clauses={rule.targeting}
                onChange={(targeting) => replace(at, { targeting })}
              />
              <div className={styles['row']}>
                <Rollout
                  value={rule.rolloutPercentage}
                  onChange={(rolloutPercentage) => replace(at, { rolloutPercentage })}
                />
                {variations.length === 0 ? null : (
                  <SelectField
                    label={t('Serve')}
                    value={rule.variation}
                    error={problemAt(`rules[${at}].variation`)}
                    options={[
                      { value: '', title: t('A variation by weight') },
                      ...variations.map(({ key }) => ({ value: key, title: key })),
                      ...(rule.variation === '' || variations.some(({ key }) => key === rule.variation)
                        ? []
                        : [{ value: rule.variation, title: rule.variation }]),
                    ]}
                    onChange={({ target }) => replace(at, { variation: target.value })}
                  />
                )}
              </div>
              <Audience clauses={rule.targeting} />
            </fieldset>
          </li>
        ))}
      </ol>
      <p role="status" className={styles['said']}>
        {said}
      </p>
      {rules.length < MAX_RULES ? (
        <div>
          <Button kind="quiet" icon={Plus} onClick={() => onChange([...rules, emptyRule()])}>
            {t('Add rule')}
          </Button>
        </div>
      ) : null}
    </>
  );
}

interface RolloutProps {
  value: number;
  onChange: (percentage: number) => void;
}

/** The share of those who match that a rule or a flag includes. */
export function Rollout({ value, onChange }: RolloutProps) {
  return (
    <TextField
      label={t('Rollout in percent')}
      type="number"
      min={0}
      max={100}
      required
      value={value}
      onChange={({ target }) => onChange(Number(target.value))}
    />
  );
}
