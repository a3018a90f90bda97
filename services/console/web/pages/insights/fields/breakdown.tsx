import { t } from '../../../app/i18n.ts';
import { Suggested } from '../../../clauses/suggested.tsx';
import { traitAttribute, useProperties, useTraits } from '../../../clauses/suggestions.ts';
import { TextField } from '../../../components/field.tsx';
import { type BreakdownDraft, MAX_BREAKDOWNS } from './breakdown-draft.ts';

interface BreakdownFieldsProps {
  /** The event with the properties to choose from. */
  event: string;
  breakdown: readonly BreakdownDraft[];
  onChange: (breakdown: BreakdownDraft[]) => void;
}

/** The properties of a breakdown, and an empty field for one more. */
export function BreakdownFields({ event, breakdown, onChange }: BreakdownFieldsProps) {
  const properties = useProperties(event);
  const traits = useTraits();
  const chosen = breakdown.filter(({ property }) => property !== '');
  const shown = chosen.length < MAX_BREAKDOWNS ? [...chosen, { property: '', ranges: '' }] : chosen;
  const numbers = new Set(properties.filter(({ types }) => types.includes('number')).map(({ name }) => name));
  return shown.map((one, at) => {
    const change = (values: Partial<BreakdownDraft>) =>
      onChange(shown.map((before, index) => (index === at ? { ...before, ...values } : before)));
    return [
      <Suggested
        key={`property ${at}`}
        label={at === 0 ? t('Break down by') : t('And by')}
        placeholder={t('Nothing')}
        value={one.property}
        suggestions={[...properties.map(({ name }) => name), ...[...traits.keys()].map(traitAttribute)]}
        onChange={(property) => change({ property })}
      />,
      numbers.has(one.property) || one.ranges !== '' ? (
        <TextField
          key={`ranges ${at}`}
          label={t('Ranges of {property}', { property: one.property })}
          placeholder="10, 100"
          value={one.ranges}
          onChange={({ target }) => change({ ranges: target.value })}
        />
      ) : null,
    ];
  });
}
