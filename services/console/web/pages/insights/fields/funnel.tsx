import { Plus } from 'lucide-react';
import { t } from '../../../app/i18n.ts';
import { Suggested } from '../../../clauses/suggested.tsx';
import { Button } from '../../../components/button.tsx';
import { SelectField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import { type Draft, type ExcludedDraft, emptyExcluded, isSkipped, ORDERS, VIEWS } from '../draft.ts';
import type { KindFieldsProps } from './kind-fields.ts';
import { SeriesFields } from './series.tsx';
import { WindowFields } from './window.tsx';

/** The fields of a funnel besides its steps. */
export function FunnelFields({ draft, properties, change }: KindFieldsProps) {
  return (
    <>
      <div className={styles['row']}>
        <WindowFields window={draft.window} onChange={(window) => change({ window })} />
        <SelectField
          label={t('Show')}
          value={draft.view}
          options={[
            { value: 'steps', title: t('People at each step') },
            { value: 'over_time', title: t('Conversion over time') },
            { value: 'time_to_convert', title: t('Time to convert') },
          ]}
          onChange={({ target }) => {
            change({ view: VIEWS.find((one) => one === target.value) ?? 'steps' });
          }}
        />
        <SelectField
          label={t('Order of the steps')}
          value={draft.order}
          options={[
            { value: 'ordered', title: t('As listed') },
            { value: 'strict', title: t('As listed, with no event in between') },
            { value: 'any', title: t('Any order') },
          ]}
          onChange={({ target }) => {
            change({ order: ORDERS.find((one) => one === target.value) ?? 'ordered' });
          }}
        />
        <Suggested
          label={t('Same value in all steps')}
          placeholder={t('No property')}
          value={draft.sameProperty}
          suggestions={properties}
          onChange={(sameProperty) => change({ sameProperty })}
        />
      </div>
      <Excluded draft={draft} onChange={(exclude) => change({ exclude })} />
    </>
  );
}

const MAX_EXCLUDED = 10;

/** The events that may not happen between the steps of a funnel. */
function Excluded({ draft, onChange }: { draft: Draft; onChange: (exclude: ExcludedDraft[]) => void }) {
  const { exclude, series, order } = draft;
  const steps = [...series.keys()].filter((step) => !isSkipped(draft, step));
  const hasParts = steps.length > 2 && order !== 'any';
  return (
    <>
      {exclude.map((one, at) => {
        const replace = (values: Partial<ExcludedDraft>) =>
          onChange(exclude.map((before, index) => (index === at ? { ...before, ...values } : before)));
        return (
          <SeriesFields
            key={at}
            kind="excluded"
            label={t('Excluded event {number}', { number: at + 1 })}
            series={one}
            onChange={replace}
            onRemove={() => onChange(exclude.filter((_, index) => index !== at))}
          >
            {hasParts ? <Between excluded={one} steps={steps} onChange={replace} /> : null}
          </SeriesFields>
        );
      })}
      {exclude.length < MAX_EXCLUDED ? (
        <Button kind="quiet" icon={Plus} onClick={() => onChange([...exclude, emptyExcluded()])}>
          {t('Exclude an event between the steps')}
        </Button>
      ) : null}
    </>
  );
}

/** The steps between which an excluded event disqualifies. The other choice moves out of the way. */
function Between({
  excluded: { from, to },
  steps,
  onChange,
}: {
  excluded: ExcludedDraft;
  /** The indexes of the steps that are not optional. */
  steps: readonly number[];
  onChange: (values: Partial<ExcludedDraft>) => void;
}) {
  const last = steps.at(-1) ?? 0;
  const options = (some: readonly number[]) =>
    some.map((step) => ({ value: `${step}`, title: t('Step {number}', { number: step + 1 }) }));
  const [after, before] = [from === '' ? 0 : Number(from), to === '' ? last : Number(to)];
  const isKnown = after < before && steps.includes(after) && steps.includes(before);
  return (
    <>
      <SelectField
        label={t('After')}
        value={isKnown ? after : 0}
        options={options(steps.slice(0, -1))}
        onChange={({ target: { value } }) => {
          onChange({ from: value === '0' ? '' : value, ...(Number(value) >= before && { to: '' }) });
        }}
      />
      <SelectField
        label={t('Before')}
        value={isKnown ? before : last}
        options={options(steps.slice(1))}
        onChange={({ target: { value } }) => {
          onChange({ to: value === `${last}` ? '' : value, ...(Number(value) <= after && { from: '' }) });
        }}
      />
    </>
  );
}
