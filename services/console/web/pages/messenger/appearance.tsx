import type { CHOICES } from '@switchboard/messenger/config';
import { useId } from 'react';
import { t } from '../../app/i18n.ts';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import { type Settings, valuesOf } from './draft.ts';
import styles from './messenger.module.css';
import { settingTitles, valueTitle } from './words.ts';

export interface PartProps {
  settings: Settings;
  /** Takes the settings, or a function of the latest ones where they may have changed since. */
  onChange: (settings: Settings | ((latest: Settings) => Settings)) => void;
}

const MAX_OFFSET = 400;

/** The look of launcher and conversation. */
export function Appearance({ settings, onChange }: PartProps) {
  const titles = settingTitles();
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  const choice = (name: keyof typeof CHOICES) => (
    <SelectField
      key={name}
      label={titles[name] ?? name}
      value={settings[name]}
      options={valuesOf(name).map((value) => ({ value, title: valueTitle(value) }))}
      onChange={({ target }) => set({ [name]: target.value })}
    />
  );
  const offset = (name: 'launcherOffsetX' | 'launcherOffsetY') => (
    <TextField
      key={name}
      label={titles[name] ?? name}
      type="number"
      min={0}
      max={MAX_OFFSET}
      required
      value={settings[name]}
      onChange={({ target }) =>
        set({ [name]: Math.min(MAX_OFFSET, Math.max(0, Math.round(target.valueAsNumber || 0))) })
      }
    />
  );
  const check = (name: 'nameAvatar' | 'dayDividers') => (
    <CheckField
      key={name}
      label={titles[name] ?? name}
      checked={settings[name]}
      onChange={({ target }) => set({ [name]: target.checked })}
    />
  );
  return (
    <>
      <CheckField
        label={t('Show the messenger to visitors')}
        checked={settings.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
      <Section title={t('Colours')}>
        <div className={styles['grid']}>
          {choice('skin')}
          <Colour value={settings.accentColor} onChange={(accentColor) => set({ accentColor })} />
        </div>
      </Section>
      <Section title={t('Launcher')}>
        <div className={styles['grid']}>
          {(
            ['launcherContent', 'launcherShape', 'launcherFill', 'launcherSize', 'launcherPosition'] as const
          ).map(choice)}
          {(['launcherOffsetX', 'launcherOffsetY'] as const).map(offset)}
        </div>
      </Section>
      <Section title={t('Conversation')}>
        <div className={styles['grid']}>
          {(
            [
              ...(['bubbleShape', 'bubbleFill', 'composerShape'] as const),
              ...(['namePlacement', 'stampPlacement', 'stampContent'] as const),
            ] as const
          ).map(choice)}
          {(['nameAvatar', 'dayDividers'] as const).map(check)}
        </div>
      </Section>
    </>
  );
}

/** A colour as text, because any colour of CSS is allowed, and the browser's picker beside it. */
function Colour({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  const isKnown = CSS.supports('color', value);
  return (
    <div className={styles['colour']}>
      <TextField
        label={t('Accent colour')}
        value={value}
        required
        maxLength={50}
        spellCheck={false}
        error={isKnown ? undefined : t('Not a colour. Use one such as #3355ff or teal.')}
        onChange={({ target }) => onChange(target.value)}
      />
      <input
        id={id}
        type="color"
        aria-label={t('Pick the accent colour')}
        value={hexOf(value)}
        onChange={({ target }) => onChange(target.value)}
      />
    </div>
  );
}

/** Returns a colour as the browser's picker reads it, such as `#3355ff`. */
function hexOf(colour: string): string {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return '#000000';
  context.fillStyle = colour;
  const { fillStyle } = context;
  return /^#[0-9a-f]{6}$/.test(fillStyle) ? fillStyle : '#000000';
}
