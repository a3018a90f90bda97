import { Plus } from 'lucide-react';
import { t } from '../../../app/i18n.ts';
import { Suggested } from '../../../clauses/suggested.tsx';
import { Button } from '../../../components/button.tsx';
import { SelectField } from '../../../components/field.tsx';
import styles from '../builder.module.css';
import { emptySeries, ORDERS, type SeriesDraft, VIEWS } from '../draft.ts';
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
      <Excluded exclude={draft.exclude} onChange={(exclude) => change({ exclude })} />
    </>
  );
}

const MAX_EXCLUDED = 10;

/** The events that may not happen between the first step of a funnel and a later one. */
function Excluded({
  exclude,
  onChange,
}: {
  exclude: SeriesDraft[];
  onChange: (exclude: SeriesDraft[]) => void;
}) {
  return (
    <>
      {exclude.map((one, at) => (
        <SeriesFields
          key={at}
          kind="excluded"
          label={t('Excluded event {number}', { number: at + 1 })}
          series={one}
          onChange={(next) => onChange(exclude.map((before, index) => (index === at ? next : before)))}
          onRemove={() => onChange(exclude.filter((_, index) => index !== at))}
        />
      ))}
      {exclude.length < MAX_EXCLUDED ? (
        <Button kind="quiet" icon={Plus} onClick={() => onChange([...exclude, emptySeries()])}>
          {t('Exclude an event between the steps')}
        </Button>
      ) : null}
    </>
  );
}
