import { useId } from 'react';
import { TextField } from '../components/field.tsx';

interface SuggestedProps {
  label: string;
  value: string;
  suggestions: readonly string[];
  placeholder?: string;
  onChange: (value: string) => void;
}

/** A text field with suggestions from the data. */
export function Suggested({ label, value, suggestions, placeholder, onChange }: SuggestedProps) {
  const id = useId();
  return (
    <div>
      <TextField
        label={label}
        value={value}
        list={id}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {suggestions.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </div>
  );
}
