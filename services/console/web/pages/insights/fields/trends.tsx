import { t } from '../../../app/i18n.ts';
import { SelectField, TextField } from '../../../components/field.tsx';
import { DISPLAYS, type Draft, hasGoal } from '../draft.ts';

const DAYS_OF_YEAR = 364;

/** Returns the day a year ago, on the same weekday. */
function yearAgo(): string {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() - DAYS_OF_YEAR);
  return date.toISOString().slice(0, 10);
}

/** Returns the breakdown of a map: by country unless there is another one, with all its values. */
const ofCountries = ({ breakdown }: Draft): Partial<Draft> => ({
  limit: 0,
  ...(breakdown.length === 0 && { breakdown: [{ property: 'country', ranges: '' }] }),
});

interface TrendsFieldsProps {
  draft: Draft;
  /** The number of series. */
  shown: number;
  change(values: Partial<Draft>): void;
}

/** The fields of trends besides their series. */
export function TrendsFields({ draft, shown, change }: TrendsFieldsProps) {
  const isFromDay = draft.compare !== '' && draft.compare !== 'previous';
  return (
    <>
      <SelectField
        label={t('Compare with')}
        value={isFromDay ? 'day' : draft.compare}
        options={[
          { value: '', title: t('Nothing') },
          { value: 'previous', title: t('The period before') },
          { value: 'day', title: t('An earlier period') },
        ]}
        onChange={({ target }) => change({ compare: target.value === 'day' ? yearAgo() : target.value })}
      />
      {shown > 1 || draft.formula !== '' ? (
        <TextField
          label={t('Formula')}
          placeholder="A / B * 100"
          maxLength={200}
          value={draft.formula}
          onChange={({ target }) => change({ formula: target.value })}
        />
      ) : null}
      {isFromDay ? (
        <TextField
          label={t('From the day')}
          type="date"
          value={draft.compare}
          onChange={({ target }) => change({ compare: target.value })}
        />
      ) : null}
      <SelectField
        label={t('Show')}
        value={draft.running}
        options={[
          { value: '', title: t('Each interval') },
          { value: 'total', title: t('Running total') },
          ...[...new Set(['3', '7', '30', draft.running])]
            .filter((count) => Number(count) > 0)
            .map((count) => ({ value: count, title: t('Average of {count} intervals', { count }) })),
        ]}
        onChange={({ target }) => change({ running: target.value })}
      />
      <SelectField
        label={t('Display')}
        value={draft.display}
        options={[
          { value: 'line', title: t('Lines') },
          { value: 'area', title: t('Stacked areas') },
          { value: 'pie', title: t('Pie') },
          { value: 'map', title: t('Map of countries') },
          { value: 'number', title: t('Number') },
          { value: 'table', title: t('Table') },
        ]}
        onChange={({ target }) => {
          const display = DISPLAYS.find((one) => one === target.value) ?? 'line';
          change({ display, ...(display === 'map' && ofCountries(draft)) });
        }}
      />
      {hasGoal(draft.display) ? (
        <TextField
          label={t('Goal')}
          type="number"
          step="any"
          value={draft.goal}
          onChange={({ target }) => change({ goal: target.value })}
        />
      ) : null}
      {hasGoal(draft.display) && draft.goal !== '' ? (
        <TextField
          label={t('Label of the goal')}
          placeholder={t('Goal')}
          maxLength={60}
          value={draft.goalLabel}
          onChange={({ target }) => change({ goalLabel: target.value })}
        />
      ) : null}
    </>
  );
}
