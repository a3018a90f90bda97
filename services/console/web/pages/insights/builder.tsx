import { Plus, Redo2, Trash2, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Suggested } from '../../clauses/suggested.tsx';
import { useCohorts, useEventNames, useProperties } from '../../clauses/suggestions.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import styles from './builder.module.css';
import {
  AMOUNTS,
  DIRECTIONS,
  DISPLAYS,
  type Draft,
  emptySeries,
  hasGoal,
  INTERVALS,
  KINDS,
  type Kind,
  MEASURES,
  ORDERS,
  type RangeDraft,
  type SeriesDraft,
  seriesOf,
  VIEWS,
  WINDOW_UNITS,
} from './draft.ts';
import { BreakdownFields } from './fields/breakdown.tsx';
import { useUndo } from './undo.ts';

const titleOfKind = (): Record<Kind, string> => ({
  trends: t('Trends'),
  funnel: t('Funnel'),
  paths: t('Paths'),
  retention: t('Retention'),
  stickiness: t('Stickiness'),
  lifecycle: t('Lifecycle'),
});

const same = <T extends string>(values: readonly T[]) =>
  values.map((value) => ({ value, title: value.replaceAll('_', ' ') }));

const DAYS_OF_YEAR = 364;

/** Returns the day a year ago, on the same weekday. */
function yearAgo(): string {
  const date = new Date();
  date.setUTCDate(date.getUTCDate() - DAYS_OF_YEAR);
  return date.toISOString().slice(0, 10);
}

/** The last units, or days from one to another. */
export function RangeFields({
  range,
  onChange,
}: {
  range: RangeDraft;
  onChange: (range: RangeDraft) => void;
}) {
  const change = (values: Partial<RangeDraft>) => onChange({ ...range, ...values });
  return (
    <div className={styles['row']}>
      <SelectField
        label={t('Range')}
        value={range.mode}
        options={[
          { value: 'last', title: t('The last') },
          { value: 'days', title: t('Days') },
        ]}
        onChange={({ target }) => change({ mode: target.value === 'days' ? 'days' : 'last' })}
      />
      {range.mode === 'last' ? (
        <>
          <TextField
            label={t('Number')}
            type="number"
            min={1}
            max={400}
            value={range.last}
            onChange={({ target }) => change({ last: Number(target.value) })}
          />
          <SelectField
            label={t('Unit')}
            value={range.unit}
            options={same(INTERVALS)}
            onChange={({ target }) =>
              change({ unit: INTERVALS.find((one) => one === target.value) ?? 'day' })
            }
          />
        </>
      ) : (
        <>
          <TextField
            label={t('From')}
            type="date"
            value={range.from}
            onChange={({ target }) => change({ from: target.value })}
          />
          <TextField
            label={t('To')}
            type="date"
            value={range.to}
            onChange={({ target }) => change({ to: target.value })}
          />
        </>
      )}
    </div>
  );
}

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
  const isFromDay = draft.compare !== '' && draft.compare !== 'previous';
  const hasBreakdown = kind === 'trends' || kind === 'funnel' || kind === 'retention';
  const titles = titleOfKind();
  const event = shown[0]?.event ?? '';
  const properties = useProperties(event);
  const cohorts = useCohorts();
  /** Adds the series that a kind needs. */
  const changeKind = (values: Partial<Pick<Draft, 'kind' | 'direction' | 'window'>>) => {
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
          onRemove={
            shown.length > least
              ? () => change({ series: series.filter((_, index) => index !== at) })
              : undefined
          }
        />
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
        {kind === 'trends' ? (
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
        ) : null}
        {kind === 'trends' && (shown.length > 1 || draft.formula !== '') ? (
          <TextField
            label={t('Formula')}
            placeholder="A / B * 100"
            maxLength={200}
            value={draft.formula}
            onChange={({ target }) => change({ formula: target.value })}
          />
        ) : null}
        {kind === 'trends' && isFromDay ? (
          <TextField
            label={t('From the day')}
            type="date"
            value={draft.compare}
            onChange={({ target }) => change({ compare: target.value })}
          />
        ) : null}
        {kind === 'trends' ? (
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
        ) : null}
        {kind === 'trends' ? (
          <SelectField
            label={t('Display')}
            value={draft.display}
            options={[
              { value: 'line', title: t('Lines') },
              { value: 'area', title: t('Stacked areas') },
              { value: 'number', title: t('Number') },
              { value: 'table', title: t('Table') },
            ]}
            onChange={({ target }) =>
              change({ display: DISPLAYS.find((one) => one === target.value) ?? 'line' })
            }
          />
        ) : null}
        {kind === 'trends' && hasGoal(draft.display) ? (
          <TextField
            label={t('Goal')}
            type="number"
            step="any"
            value={draft.goal}
            onChange={({ target }) => change({ goal: target.value })}
          />
        ) : null}
        {kind === 'trends' && hasGoal(draft.display) && draft.goal !== '' ? (
          <TextField
            label={t('Label of the goal')}
            placeholder={t('Goal')}
            maxLength={60}
            value={draft.goalLabel}
            onChange={({ target }) => change({ goalLabel: target.value })}
          />
        ) : null}
      </div>
      {kind === 'paths' ? (
        <div className={styles['row']}>
          <SelectField
            label={t('What people did')}
            value={draft.direction}
            options={[
              { value: 'after', title: t('After an event') },
              { value: 'before', title: t('Before an event') },
              { value: 'between', title: t('Between two events') },
            ]}
            onChange={({ target }) =>
              changeKind({ direction: DIRECTIONS.find((one) => one === target.value) ?? 'after' })
            }
          />
          <Suggested
            label={t('Name events by')}
            placeholder={t('Their names')}
            value={draft.namedBy}
            suggestions={properties.map(({ name }) => name)}
            onChange={(namedBy) => change({ namedBy })}
          />
          <WindowFields window={draft.window} onChange={(window) => change({ window })} />
        </div>
      ) : null}
      {kind === 'funnel' ? (
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
            suggestions={properties.map(({ name }) => name)}
            onChange={(sameProperty) => change({ sameProperty })}
          />
        </div>
      ) : null}
      {kind === 'funnel' ? (
        <Excluded exclude={draft.exclude} onChange={(exclude) => change({ exclude })} />
      ) : null}
      {kind === 'retention' ? (
        <div className={styles['row']}>
          <TextField
            label={t('Periods')}
            type="number"
            min={1}
            max={60}
            value={draft.periods}
            onChange={({ target }) => change({ periods: Number(target.value) })}
          />
          <SelectField
            label={t('People begin')}
            value={draft.mode}
            options={[
              { value: 'first', title: t('At their first start event') },
              { value: 'every', title: t('In each interval with a start event') },
            ]}
            onChange={({ target }) => change({ mode: target.value === 'every' ? 'every' : 'first' })}
          />
        </div>
      ) : null}
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
              value={draft.limit}
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

/** The maximum time from the first event to the last. */
function WindowFields({
  window,
  onChange,
}: {
  window: Draft['window'];
  onChange: (window: Draft['window']) => void;
}) {
  return (
    <>
      <TextField
        label={t('Finish within')}
        type="number"
        min={1}
        value={window.count}
        onChange={({ target }) => onChange({ ...window, count: Number(target.value) })}
      />
      <SelectField
        label={t('Unit of the window')}
        value={window.unit}
        options={same(WINDOW_UNITS)}
        onChange={({ target }) => {
          const unit = WINDOW_UNITS.find((one) => one === target.value) ?? 'day';
          onChange({ ...window, unit });
        }}
      />
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

const hasNumbers = ({ types }: { types: readonly string[] }) => types.includes('number');

/** The kinds with events that have no name of their own. */
const UNNAMED: ReadonlySet<string> = new Set(['retention', 'lifecycle', 'paths', 'excluded']);

interface SeriesFieldsProps {
  kind: Kind | 'excluded';
  label: string;
  series: SeriesDraft;
  onChange: (series: SeriesDraft) => void;
  onRemove: (() => void) | undefined;
}

function SeriesFields({ kind, label, series, onChange, onRemove }: SeriesFieldsProps) {
  const names = useEventNames();
  const properties = useProperties(series.event);
  const change = (values: Partial<SeriesDraft>) => onChange({ ...series, ...values });
  const isAmount = kind === 'trends' && AMOUNTS.includes(series.measure);
  const measured = series.measure === 'unique' ? properties : properties.filter(hasNumbers);
  return (
    <fieldset className={styles['series']}>
      <legend>{label}</legend>
      <div className={styles['row']}>
        <Suggested
          label={t('Event')}
          value={series.event}
          suggestions={names}
          onChange={(event) => change({ event })}
        />
        {kind === 'trends' ? (
          <SelectField
            label={t('Measure')}
            value={series.measure}
            options={same(MEASURES)}
            onChange={({ target }) =>
              change({ measure: MEASURES.find((one) => one === target.value) ?? 'events' })
            }
          />
        ) : null}
        {isAmount ? (
          <Suggested
            label={t('Of the property')}
            value={series.property}
            suggestions={measured.map(({ name }) => name)}
            onChange={(property) => change({ property })}
          />
        ) : null}
        {UNNAMED.has(kind) ? null : (
          <TextField
            label={t('Name (optional)')}
            value={series.name}
            maxLength={200}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
        {onRemove === undefined ? null : (
          <IconButton icon={Trash2} label={t('Remove {name}', { name: label })} onClick={onRemove} />
        )}
      </div>
      {kind === 'lifecycle' ? null : (
        <Clauses event={series.event} clauses={series.where} onChange={(where) => change({ where })} />
      )}
    </fieldset>
  );
}
