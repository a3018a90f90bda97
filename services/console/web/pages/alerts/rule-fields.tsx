import { t } from '../../app/i18n.ts';
import { SelectField, TextField } from '../../components/field.tsx';
import type { AlertDraft } from './draft.ts';
import { AGAINST, againstWord, DIRECTIONS, directionWord, KINDS, kindWord } from './words.tsx';

interface RuleFieldsProps {
  draft: AlertDraft;
  onChange: (changed: Partial<AlertDraft>) => void;
}

/** The fields of the rule of an alert. */
export function RuleFields({ draft, onChange }: RuleFieldsProps) {
  const { kind } = draft;
  const number = (label: string, key: NumberKey, hint?: string) => (
    <TextField
      label={label}
      {...(hint === undefined ? {} : { hint })}
      inputMode="decimal"
      value={draft[key]}
      onChange={({ target }) => onChange({ [key]: target.value })}
    />
  );
  const direction = (
    <SelectField
      label={t('Direction')}
      value={draft.direction}
      options={DIRECTIONS.map((value) => ({ value, title: directionWord(value) }))}
      onChange={({ target }) => onChange({ direction: chosen(DIRECTIONS, target.value) })}
    />
  );
  return (
    <>
      <SelectField
        label={t('Rule')}
        value={kind}
        options={KINDS.map((value) => ({ value, title: kindWord(value) }))}
        onChange={({ target }) => onChange({ kind: chosen(KINDS, target.value) })}
      />
      {kind === 'threshold' ? (
        <>
          <SelectField
            label={t('Fires when the value is')}
            value={draft.side}
            options={[
              { value: 'below', title: t('below the limit') },
              { value: 'above', title: t('above the limit') },
            ]}
            onChange={({ target }) => onChange({ side: target.value === 'above' ? 'above' : 'below' })}
          />
          {number(t('Limit'), 'limit')}
          {number(t('Recovers at'), 'recoverAt', t('Empty: at the limit.'))}
        </>
      ) : null}
      {kind === 'change' ? (
        <>
          {direction}
          {number(t('Percent'), 'percent')}
          <SelectField
            label={t('Compared')}
            value={draft.against}
            options={AGAINST.map((value) => ({ value, title: againstWord(value) }))}
            onChange={({ target }) => onChange({ against: chosen(AGAINST, target.value) })}
          />
        </>
      ) : null}
      {kind === 'anomaly' ? (
        <>
          {direction}
          {number(
            t('Sensitivity'),
            'sensitivity',
            t('Robust standard deviations. Smaller fires more often.'),
          )}
        </>
      ) : null}
      {number(t('Fires after'), 'fireAfter', t('Hours, days, weeks or months in a row.'))}
      {number(t('Recovers after'), 'recoverAfter', t('Hours, days, weeks or months in a row.'))}
    </>
  );
}

type NumberKey = 'limit' | 'recoverAt' | 'percent' | 'sensitivity' | 'fireAfter' | 'recoverAfter';

/** Returns the chosen value of a select. */
function chosen<T extends string>(values: readonly [T, ...T[]], value: string): T {
  return values.find((one) => one === value) ?? values[0];
}
