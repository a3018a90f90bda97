import { t } from '../app/i18n.ts';
import { TextField } from '../components/field.tsx';

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** The name of a company or project. */
export function NameField({ label, value, onChange }: FieldProps & { label: string }) {
  return (
    <TextField
      label={label}
      value={value}
      required
      maxLength={200}
      // A name of spaces alone is refused.
      pattern=".*\S.*"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** The region that keeps the data of a project. */
export function RegionField({ value, onChange }: FieldProps) {
  return (
    <TextField
      label={t('Region')}
      hint={t('The REGION of the services that keep its data. It cannot change once the project has a key.')}
      value={value}
      required
      maxLength={16}
      pattern="[a-z][a-z0-9]*"
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
