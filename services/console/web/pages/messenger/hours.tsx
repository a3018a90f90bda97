import { DAYS, presenceAt, type Week, weekOf } from '@switchboard/messenger/availability';
import { Plus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { locale, t } from '../../app/i18n.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import type { PartProps } from './appearance.tsx';
import styles from './messenger.module.css';

interface Hours {
  timezone: string;
  week: Week;
  closed: readonly string[];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads hours of any form that the widget knows. Returns undefined for `null`, `false` and what it does not know. */
function hoursOf(availability: unknown): Hours | undefined {
  if (!isObject(availability)) return undefined;
  const week = weekOf(availability);
  if (week === undefined) return undefined;
  const { timezone, closed } = availability;
  return {
    timezone: typeof timezone === 'string' ? timezone : 'UTC',
    week,
    closed: Array.isArray(closed) ? closed.filter((one) => typeof one === 'string') : [],
  };
}

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Returns the minute of a time such as `09:30`. */
const minuteOf = (time: string) => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
};

const availabilityOf = ({ timezone, week, closed }: Hours) => ({
  timezone,
  hours: Object.fromEntries(
    week.flatMap((spans, day) =>
      spans.length === 0 ? [] : [[DAYS[day] ?? '', spans.map(([start, end]) => [clock(start), clock(end)])]],
    ),
  ),
  ...(closed.length > 0 && { closed }),
});

const NINE = 540;
const FIVE = 1020;

/** The hours of a new messenger: working days in the zone of the browser. */
const usual = (): Hours => ({
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  week: DAYS.map((_, day) => (day < 5 ? [[NINE, FIVE]] : [])),
  closed: [],
});

function isZone(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return timezone !== '';
  } catch {
    return false;
  }
}

const dayName = (day: number) =>
  // 2024-01-01 is a Monday.
  new Intl.DateTimeFormat(locale(), { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, 1 + day));

/** When the team answers, in the time zone of the team. */
export function HoursEditor({ settings, onChange }: PartProps) {
  const { availability } = settings;
  const hours = hoursOf(availability);
  const kind = availability === false ? 'never' : hours === undefined ? 'always' : 'hours';
  const set = (next: unknown) => onChange({ ...settings, availability: next });
  const setHours = (next: Hours) => set(availabilityOf(next));
  return (
    <>
      <div className={styles['grid']}>
        <SelectField
          label={t('The team is here')}
          value={kind}
          options={[
            { value: 'always', title: t('Always') },
            { value: 'hours', title: t('In these hours') },
            { value: 'never', title: t('Never') },
          ]}
          onChange={({ target }) =>
            target.value === 'hours' ? setHours(usual()) : set(target.value === 'never' ? false : null)
          }
        />
        {hours === undefined ? null : (
          <Zone value={hours.timezone} onChange={(timezone) => setHours({ ...hours, timezone })} />
        )}
      </div>
      <p role="status" className={styles['note']}>
        {nowWords(availability)}
      </p>
      {hours === undefined ? null : (
        <>
          <div className={styles['week']}>
            {hours.week.map((spans, day) => (
              <Day
                key={DAYS[day]}
                name={dayName(day)}
                spans={spans}
                onChange={(next) =>
                  setHours({ ...hours, week: hours.week.map((one, at) => (at === day ? next : one)) })
                }
              />
            ))}
          </div>
          <p className={styles['note']}>{t('An end before its start is on the next day.')}</p>
          <Closed dates={hours.closed} onChange={(closed) => setHours({ ...hours, closed })} />
        </>
      )}
    </>
  );
}

function nowWords(availability: unknown): string {
  const { isHere, from } = presenceAt(availability, new Date());
  if (isHere) return t('Visitors now read that the team is here.');
  if (from === undefined) return t('Visitors now read that the team is away.');
  const at = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(from);
  return t('Visitors now read that the team is away until {at}, your time.', { at });
}

function Zone({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const list = useId();
  const [text, setText] = useState(value);
  return (
    <>
      <TextField
        label={t('Time zone')}
        list={list}
        value={text}
        autoComplete="off"
        spellCheck={false}
        error={isZone(text) ? undefined : t('Not a time zone. Use one such as Europe/Berlin.')}
        onChange={({ target }) => {
          setText(target.value);
          if (isZone(target.value)) onChange(target.value);
        }}
        onBlur={() => setText(value)}
      />
      <datalist id={list}>
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

interface DayProps {
  name: string;
  spans: Week[number];
  onChange: (spans: Week[number]) => void;
}

function Day({ name, spans, onChange }: DayProps) {
  const time = (label: string, minute: number, set: (minute: number) => void) => (
    <input
      type="time"
      required
      aria-label={label}
      // The end of a day is 00:00 of the next one.
      value={clock(minute % 1440)}
      onChange={({ target }) => {
        if (target.value !== '') set(minuteOf(target.value));
      }}
    />
  );
  return (
    <fieldset className={styles['day']}>
      <legend>{name}</legend>
      <div className={styles['spans']}>
        {spans.length === 0 ? <span className={styles['note']}>{t('Closed')}</span> : null}
        {spans.map(([start, end], index) => {
          const set = (next: Week[number][number]) =>
            onChange(spans.map((one, at) => (at === index ? next : one)));
          return (
            <span key={`${index} ${spans.length}`} className={styles['span']}>
              {time(t('{day} from', { day: name }), start, (minute) => set([minute, end]))}–
              {time(t('{day} to', { day: name }), end, (minute) => set([start, minute]))}
              <IconButton
                icon={Trash2}
                label={t('Remove {from} to {to} on {day}', { from: clock(start), to: clock(end), day: name })}
                onClick={() => onChange(spans.filter((_, at) => at !== index))}
              />
            </span>
          );
        })}
        <IconButton
          icon={Plus}
          label={t('Add hours on {day}', { day: name })}
          onClick={() => onChange([...spans, [NINE, FIVE]])}
        />
      </div>
    </fieldset>
  );
}

/** The dates on which the team is away all day. */
function Closed({ dates, onChange }: { dates: readonly string[]; onChange: (dates: string[]) => void }) {
  const [date, setDate] = useState('');
  return (
    <Section title={t('Days off')}>
      <ul className={styles['dates']}>
        {dates.map((one) => (
          <li key={one}>
            {one}
            <IconButton
              icon={Trash2}
              label={t('Remove {date}', { date: one })}
              onClick={() => onChange(dates.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
      <form
        className={styles['add']}
        onSubmit={(event) => {
          event.preventDefault();
          if (date !== '') onChange([...new Set([...dates, date])].sort());
          setDate('');
        }}
      >
        <TextField
          label={t('Date')}
          type="date"
          value={date}
          onChange={({ target }) => setDate(target.value)}
        />
        <Button type="submit" icon={Plus} disabled={date === ''}>
          {t('Add day off')}
        </Button>
      </form>
    </Section>
  );
}
