import { t } from '../../../app/i18n.ts';
import { SelectField, TextField } from '../../../components/field.tsx';
import { type Draft, WINDOW_UNITS } from '../draft.ts';
import { same } from './same.ts';

/** The maximum time from the first event to the last. */
export function WindowFields({
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
