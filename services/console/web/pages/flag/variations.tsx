import { Plus, Trash2 } from 'lucide-react';
import { t } from '../../app/i18n.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextArea, TextField } from '../../components/field.tsx';
import { percent } from '../../components/values.tsx';
import { emptyVariation, type FlagDraft, type VariationDraft } from './draft.ts';
import styles from './flag.module.css';

const MAX_VARIATIONS = 50;

interface VariationsProps {
  variations: readonly VariationDraft[];
  type: FlagDraft['type'];
  problemAt: (path: string) => string | undefined;
  onChange: (variations: VariationDraft[]) => void;
}

/** The values of a flag with their weights. */
export function Variations({ variations, type, problemAt, onChange }: VariationsProps) {
  const total = variations.reduce((sum, { weight }) => sum + weight, 0);
  const replace = (at: number, values: Partial<VariationDraft>) =>
    onChange(variations.map((one, index) => (index === at ? { ...one, ...values } : one)));
  return (
    <>
      {variations.map((one, at) => (
        <fieldset
          key={one.id}
          className={styles['entry']}
          aria-label={t('Variation {number}', { number: at + 1 })}
        >
          <TextField
            label={t('Variation')}
            value={one.key}
            required
            maxLength={200}
            error={problemAt(`variations[${at}].key`)}
            onChange={({ target }) => replace(at, { key: target.value })}
          />
          <Value
            type={type}
            value={one.value}
            error={problemAt(`variations[${at}].value`)}
            onChange={(value) => replace(at, { value })}
          />
          <TextField
            label={t('Weight')}
            hint={percent(total > 0 ? one.weight / total : 0)}
            type="number"
            min={0}
            required
            value={one.weight}
            error={problemAt(`variations[${at}].weight`)}
            onChange={({ target }) => replace(at, { weight: Number(target.value) })}
          />
          <IconButton
            icon={Trash2}
            label={t('Remove variation {number}', { number: at + 1 })}
            onClick={() => onChange(variations.filter((_, index) => index !== at))}
          />
        </fieldset>
      ))}
      {variations.length < MAX_VARIATIONS ? (
        <div>
          <Button
            kind="quiet"
            icon={Plus}
            onClick={() => onChange([...variations, emptyVariation(variations, type)])}
          >
            {t('Add variation')}
          </Button>
        </div>
      ) : null}
    </>
  );
}

interface ValueProps {
  type: FlagDraft['type'];
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** The field of a value of the type of the flag. */
function Value({ type, value, error, onChange }: ValueProps) {
  const field = { label: t('Value'), value, error };
  if (type === 'boolean')
    return (
      <SelectField
        {...field}
        options={['true', 'false'].map((one) => ({ value: one, title: one }))}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  if (type === 'string') return <TextField {...field} onChange={({ target }) => onChange(target.value)} />;
  if (type === 'number')
    return <TextField {...field} inputMode="decimal" onChange={({ target }) => onChange(target.value)} />;
  return (
    <TextArea {...field} rows={2} spellCheck={false} onChange={({ target }) => onChange(target.value)} />
  );
}
