import { Plus, Redo2, Undo2 } from 'lucide-react';
import { type ComponentType, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { Clauses } from '../../clauses/clauses.tsx';
import { Suggested } from '../../clauses/suggested.tsx';
import { useCohorts, useProperties } from '../../clauses/suggestions.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import styles from './builder.module.css';
import {
  canSkip,
  type Draft,
  emptySeries,
  INTERVALS,
  KINDS,
  type Kind,
  type SeriesDraft,
  seriesOf,
  withoutSeries,
} from './draft.ts';
import { BreakdownFields } from './fields/breakdown.tsx';
import type { KindFieldsProps } from './fields/kind-fields.ts';
import { RangeFields } from './fields/range.tsx';
import { same } from './fields/same.ts';
import { SeriesFields } from './fields/series.tsx';
import { TrendsFields } from './fields/trends.tsx';
import { useUndo } from './undo.ts';

const titleOfKind = (): Record<Kind, string> => ({
  trends: t('Trends'),
  funnel: t('Funnel'),
  paths: t('Paths'),
  retention: t('Retention'),
  stickiness: t('Stickiness'),
  lifecycle: t('Lifecycle'),
});

/** The fields of kinds other than trends are loaded on use. */
const FIELDS: Partial<Record<Kind, ComponentType<KindFieldsProps>>> = {
  paths: onUse(async () => (await import('./fields/paths.tsx')).PathsFields),
  funnel: onUse(async () => (await import('./fields/funnel.tsx')).FunnelFields),
  retention: onUse(async () => (await import('./fields/retention.tsx')).RetentionFields),
  stickiness: onUse(async () => (await import('./fields/stickiness.tsx')).StickinessFields),
};

interface BuilderProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
}

/** The fields of a query of every kind. */
export function Builder({ draft, onChange }: BuilderProps) {
  const [isOpen, setIsOpen] = useState(false);
  const history = useUndo(draft, onChange);
  const change = (values: Partial<Draft>) => history.change({ ...draft, ...values });
  const { kind, series } = draft;
  const [least, most] = seriesOf(draft);
  const shown = series.slice(0, most);
  const KindFields = FIELDS[kind];
  const hasBreakdown = kind === 'trends' || kind === 'funnel' || kind === 'retention';
  const titles = titleOfKind();
  const event = shown[0]?.event ?? '';
  const properties = useProperties(event);
  const cohorts = useCohorts();
  /** Adds the series that a kind needs. */
  const changeKind = (values: Partial<Draft>) => {
    const [needed] = seriesOf({ ...draft, ...values });
    const missing = Math.max(0, needed - series.length);
    change({ ...values, series: [...series, ...Array.from({ length: missing }, () => emptySeries())] });
  };
  const setKind = (next: Kind) =>
    changeKind({ kind: next, ...(next === 'paths' && { window: { count: 1, unit: 'day' } }) });
  const replace = (at: number, one: SeriesDraft) =>
    change({ series: series.map((before, index) => (index === at ? one : before)) });
  return (
    <form className={styles['builder']} aria-label={t('Query')} onSubmit={(event) => event.preventDefault()}>
      <div className={styles['head']}>
        <fieldset className={styles['kinds']} aria-label={t('Kind')}>
          {KINDS.map((one) => (
            <Button
              key={one}
              kind={one === kind ? 'plain' : 'quiet'}
              aria-pressed={one === kind}
              onClick={() => setKind(one)}
            >
              {titles[one]}
            </Button>
          ))}
        </fieldset>
        <IconButton icon={Undo2} label={t('Undo')} disabled={!history.canUndo} onClick={history.undo} />
        <IconButton icon={Redo2} label={t('Redo')} disabled={!history.canRedo} onClick={history.redo} />
      </div>
      {shown.map((one, at) => (
        <SeriesFields
          key={at}
          kind={kind}
          label={labelOfSeries(draft, at)}
          series={one}
          onChange={(next) => replace(at, next)}
          onRemove={shown.length > least ? () => change(withoutSeries(draft, at)) : undefined}
        >
          {canSkip(draft, at) ? (
            <CheckField
              label={t('Optional step')}
              checked={one.optional}
              onChange={({ target }) => replace(at, { ...one, optional: target.checked })}
            />
          ) : null}
        </SeriesFields>
      ))}
      {shown.length < most ? (
        <Button kind="quiet" icon={Plus} onClick={() => change({ series: [...shown, emptySeries()] })}>
          {kind === 'funnel' ? t('Add step') : t('Add series')}
        </Button>
      ) : null}
      <RangeFields range={draft.range} onChange={(range) => change({ range })} />
      <div className={styles['row']}>
        <SelectField
          label={t('Interval')}
          value={draft.interval}
          options={same(INTERVALS)}
          onChange={({ target }) =>
            change({ interval: INTERVALS.find((one) => one === target.value) ?? 'day' })
          }
        />
        {hasBreakdown ? (
          <BreakdownFields
            event={event}
            breakdown={draft.breakdown}
            onChange={(breakdown) => change({ breakdown })}
          />
        ) : null}
        {kind === 'trends' ? <TrendsFields draft={draft} shown={shown.length} change={change} /> : null}
      </div>
      {KindFields === undefined ? null : (
        <KindFields
          draft={draft}
          properties={properties.map(({ name }) => name)}
          change={kind === 'paths' ? changeKind : change}
        />
      )}
      <Clauses event={event} clauses={draft.where} onChange={(where) => change({ where })} />
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>{t('More options')}</summary>
        <div className={styles['row']}>
          <SelectField
            label={t('People of the cohort')}
            value={draft.cohort}
            options={[{ value: '', title: t('Everyone') }, ...cohorts]}
            onChange={({ target }) => change({ cohort: target.value })}
          />
          <Suggested
            label={t('Time zone')}
            value={draft.timezone}
            suggestions={Intl.supportedValuesOf('timeZone')}
            onChange={(timezone) => change({ timezone })}
          />
          <SelectField
            label={t('Known bots')}
            value={draft.bots ? 'counted' : ''}
            options={[
              { value: '', title: t('Left out') },
              { value: 'counted', title: t('Counted') },
            ]}
            onChange={({ target }) => change({ bots: target.value !== '' })}
          />
          {draft.breakdown.length === 0 || !hasBreakdown ? null : (
            <TextField
              label={t('Values of the breakdown')}
              type="number"
              min={1}
              max={10}
              placeholder={draft.display === 'map' ? '250' : '10'}
              value={draft.limit === 0 ? '' : draft.limit}
              onChange={({ target }) => change({ limit: Number(target.value) })}
            />
          )}
        </div>
      </details>
    </form>
  );
}

function labelOfSeries({ kind, direction }: Draft, at: number): string {
  if (kind === 'paths') return at === 0 && direction !== 'before' ? t('First event') : t('Last event');
  if (kind === 'retention') return at === 0 ? t('Start event') : t('Return event');
  if (kind === 'funnel') return t('Step {number}', { number: at + 1 });
  return kind === 'lifecycle' ? t('Event (any if empty)') : t('Event {number}', { number: at + 1 });
}
