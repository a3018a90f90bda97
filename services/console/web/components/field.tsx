import { type ComponentProps, type InputHTMLAttributes, type SelectHTMLAttributes, useId } from 'react';
import { t } from '../app/i18n.ts';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
}

/** The attributes that tie a control to its label, hint and error. */
function useField({ label, hint, error }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return {
    control: {
      id,
      className: styles['input'],
      'aria-invalid': error !== undefined,
      'aria-describedby': described === '' ? undefined : described,
    },
    wrap: (control: React.ReactNode) => (
      <div className={styles['field']}>
        <label className={styles['label']} htmlFor={id}>
          {label}
        </label>
        {control}
        {hint === undefined ? null : (
          <p id={`${id}-hint`} className={styles['hint']}>
            {hint}
          </p>
        )}
        {error === undefined ? null : (
          <p id={`${id}-error`} className={styles['error']}>
            {error}
          </p>
        )}
      </div>
    ),
  };
}

export function TextField({
  label,
  hint,
  error,
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const { control, wrap } = useField({ label, hint, error });
  return wrap(<input {...rest} {...control} />);
}

export function TextArea({ label, hint, error, ...rest }: FieldProps & ComponentProps<'textarea'>) {
  const { control, wrap } = useField({ label, hint, error });
  return wrap(<textarea rows={4} {...rest} {...control} />);
}

/** A box to check, with its label beside it. */
export function CheckField({ label, hint, ...rest }: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className={styles['check']}>
      <input {...rest} id={id} type="checkbox" aria-describedby={hint && `${id}-hint`} />
      <label htmlFor={id}>{label}</label>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface Option {
  value: string;
  title: string;
}

export function SelectField({
  label,
  hint,
  error,
  options,
  ...rest
}: FieldProps & { options: readonly Option[] } & SelectHTMLAttributes<HTMLSelectElement>) {
  const { control, wrap } = useField({ label, hint, error });
  return wrap(
    <select {...rest} {...control}>
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>,
  );
}

/** A filter above a list. Its label is read, not shown. */
export function Filter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value || undefined)}
      className={`${styles['input']} ${styles['filter']}`}
    />
  );
}

/** A day above a list, such as `2026-03-01`. Its label is beside it. */
export function DateFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <label className={styles['day']}>
      <span className={styles['hint']}>{label}</span>
      <input
        type="date"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
        className={styles['input']}
      />
    </label>
  );
}

/** A choice above a list. Its label is read, not shown; the first option is "all". */
export function SelectFilter({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | undefined;
  options: readonly Option[];
  onChange: (value: string | undefined) => void;
}) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={({ target }) => onChange(target.value || undefined)}
      className={`${styles['input']} ${styles['filter']}`}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.title}
        </option>
      ))}
    </select>
  );
}

/** When a change takes effect: now, or later at a local time, which is empty until it is chosen. */
export interface When {
  isLater: boolean;
  at: string;
}

export const NOW: When = { isLater: false, at: '' };

/** Returns the chosen time as a timestamp. undefined: now, or not chosen yet. */
export const timeOf = ({ isLater, at }: When) =>
  isLater && at !== '' ? new Date(at).toISOString() : undefined;

interface WhenFieldsProps {
  when: When;
  timeLabel: string;
  onChange: (when: When) => void;
}

export function WhenFields({ when, timeLabel, onChange }: WhenFieldsProps) {
  return (
    <>
      <SelectField
        label={t('When')}
        value={when.isLater ? 'later' : 'now'}
        options={[
          { value: 'now', title: t('Now') },
          { value: 'later', title: t('At a time') },
        ]}
        onChange={({ target }) => onChange({ ...when, isLater: target.value === 'later' })}
      />
      {when.isLater ? (
        <TextField
          label={timeLabel}
          type="datetime-local"
          required
          value={when.at}
          onChange={({ target }) => onChange({ ...when, at: target.value })}
        />
      ) : null}
    </>
  );
}
