import { isReady, type Shown, VIEWS, type View } from '@switchboard/messenger/preview-messages';
import { Maximize2, Minimize2 } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { IconButton } from '../../components/button.tsx';
import styles from './messenger.module.css';

const SIZES = { phone: { width: 375, height: 667 }, desktop: { width: 1000, height: 800 } } as const;
type Size = keyof typeof SIZES;

const viewTitles = (): Record<View, string> => ({
  home: t('Start view'),
  conversation: t('Conversation'),
  rating: t('Rating'),
  message: t('In-app message'),
  closed: t('Closed'),
});

interface PreviewProps {
  shown: Omit<Shown, 'kind' | 'view' | 'isDark'>;
  /** The views to choose from. The first is shown. */
  views: readonly View[];
  /** A change of it shows this view. */
  view?: View;
  /** Remarks below the frame about one view. */
  notes?: Partial<Record<View, string>>;
  /** Further choices, such as the language. */
  children?: React.ReactNode;
}

/** The real widget in a sandboxed frame, with what was not saved. Nothing leaves the browser. */
export function Preview({ shown, views = VIEWS, view: wanted, notes, children }: PreviewProps) {
  const [chosen, setChosen] = useState<View>();
  const [size, setSize] = useState<Size>('phone');
  const [isDark, setDark] = useState(false);
  const [isWide, setWide] = useState(false);
  const view = chosen ?? wanted ?? views[0] ?? 'home';
  useEffect(() => setChosen(undefined), [wanted]);
  return (
    <section aria-label={t('Preview')} className={styles['preview']} data-wide={isWide}>
      <div className={styles['controls']}>
        <div className={styles['choices']}>
          <Choice
            label={t('View')}
            value={view}
            options={views.map((one) => ({ value: one, title: viewTitles()[one] }))}
            onChange={(value) => setChosen(views.find((one) => one === value))}
          />
          <Choice
            label={t('Screen')}
            value={size}
            options={[
              { value: 'phone', title: t('Phone') },
              { value: 'desktop', title: t('Desktop') },
            ]}
            onChange={(value) => setSize(value === 'desktop' ? 'desktop' : 'phone')}
          />
          <Choice
            label={t('Theme of the visitor')}
            value={isDark ? 'dark' : 'light'}
            options={[
              { value: 'light', title: t('Light') },
              { value: 'dark', title: t('Dark') },
            ]}
            onChange={(value) => setDark(value === 'dark')}
          />
          {children}
        </div>
        <span className={styles['enlarge']}>
          <IconButton
            keys="f"
            icon={isWide ? Minimize2 : Maximize2}
            label={isWide ? t('Show the settings beside the preview') : t('Enlarge the preview')}
            aria-pressed={isWide}
            onClick={() => setWide(!isWide)}
          />
        </span>
      </div>
      <Frame shown={{ kind: 'show', ...shown, view, isDark }} size={SIZES[size]} />
      {notes?.[view] === undefined ? null : <p className={styles['note']}>{notes[view]}</p>}
      <p className={styles['note']}>
        {t('Only you see unsaved changes. Turns that you write here are not sent.')}
      </p>
    </section>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly { value: string; title: string }[];
  onChange: (value: string) => void;
}

/** A choice that always has a value. Its label is read, not shown. */
export function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      title={label}
      className={styles['choice']}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {options.map((one) => (
        <option key={one.value} value={one.value}>
          {one.title}
        </option>
      ))}
    </select>
  );
}

interface FrameProps {
  shown: Shown;
  size: { width: number; height: number };
}

function Frame({ shown, size: { width, height } }: FrameProps) {
  const place = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReadyNow, setReady] = useState(false);
  const [room, setRoom] = useState(width);

  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source !== null && source === frame.current?.contentWindow && origin === 'null' && isReady(data))
        setReady(true);
    };
    addEventListener('message', listen);
    return () => removeEventListener('message', listen);
  }, []);
  const text = JSON.stringify(shown);
  useEffect(() => {
    // The document has no origin that a target could name. It can only be the preview: the policy allows no other frame.
    if (isReadyNow) frame.current?.contentWindow?.postMessage(JSON.parse(text), '*');
  }, [isReadyNow, text]);

  const scale = Math.min(1, room / width);
  return (
    <div ref={place} className={styles['place']}>
      <div className={styles['screen']} style={{ width: width * scale, height: height * scale }}>
        <iframe
          ref={frame}
          title={t('Preview of the messenger')}
          src="/messenger-preview"
          sandbox="allow-scripts allow-forms"
          width={width}
          height={height}
          style={{ transform: `scale(${scale})` }}
        />
      </div>
    </div>
  );
}
