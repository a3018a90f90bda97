import type { Result } from '@switchboard/management';
import { countryNames } from '@switchboard/report-content/countries';
import { className, drawMap, MAP_SIZE } from '@switchboard/report-content/map';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { locale, t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import chart from '../chart.module.css';
import { Empty } from '../state.tsx';
import { exact, short, unitName } from '../values.tsx';
import styles from './map-chart.module.css';

interface MapChartProps {
  content: Extract<Result<'askInsight'>['report'], { kind: 'line' }>;
  label: string;
  /** The greatest height with the legend. */
  height?: number | undefined;
  /** Opens the people of a country, by its row in the table. */
  onOpen?: ((place: { series: number; at: number }) => void) | undefined;
}

const LARGEST_PX = 520;
const LEAST_PX = 100;
const LEGEND_PX = 52;
const TIP_PX = 200;
/** The countries that the name of the drawing has. */
const MAX_SPOKEN = 5;

/** A country and the place of its values, in pixels from the corner of the drawing. */
interface Shown {
  at: number;
  left: number;
  top: number;
}

/** Countries in the colours of their values. The arrow keys show the values, from the largest to the smallest. */
export function MapChart({ content, label, height = LARGEST_PX, onOpen }: MapChartProps) {
  const hasPeople = onOpen !== undefined;
  useKeys(
    useMemo(
      () => [
        { keys: 'ArrowLeft ArrowRight', title: t('Chart: show the values') },
        ...(hasPeople ? [{ keys: 'Enter', title: t('Chart: show the people') }] : []),
      ],
      [hasPeople],
    ),
  );
  const frame = useRef<HTMLDivElement>(null);
  const paths = useRef(new Map<number, SVGPathElement>());
  const [shown, setShown] = useState<Shown>();
  const { countries, classes, others, left } = useMemo(() => drawMap(content), [content]);
  const nameOf = useMemo(() => countryNames(locale()), []);
  if (countries.length === 0)
    return <Empty text={t('No value is of a country. The table has all values.')} />;
  const textOf = (value: number) => `${exact(value)}${content.unit === '%' ? '%' : ''}`;
  const last = countries.length - 1;
  const show = (next: number) => {
    const at = Math.min(last, Math.max(0, next));
    const [area, around] = [paths.current.get(at), frame.current].map((one) => one?.getBoundingClientRect());
    if (area === undefined || around === undefined) return;
    const middle = area.left + area.width / 2 - around.left;
    setShown({
      at,
      left: Math.max(0, Math.min(middle, around.width - TIP_PX)),
      top: area.bottom - around.top + 4,
    });
  };
  const open = (at: number) => onOpen?.({ series: 0, at: countries[at]?.series ?? 0 });
  const onKey = (event: KeyboardEvent) => {
    const at = shown?.at;
    const keys: Record<string, () => void> = {
      ArrowLeft: () => show((at ?? 1) - 1),
      ArrowRight: () => show((at ?? -1) + 1),
      Home: () => show(0),
      End: () => show(last),
      Enter: () => open(at ?? 0),
    };
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  const numbered = countries.map((one, at) => ({ ...one, at }));
  const areas = numbered.filter(({ isDot }) => !isDot);
  const dots = numbered.filter(({ isDot }) => isDot).toReversed();
  const area = ({ at, d, code, colour, isDot }: (typeof numbered)[number]) => (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each value.
    <path
      key={code}
      ref={(element) => {
        if (element !== null) paths.current.set(at, element);
      }}
      d={d}
      className={[
        styles[isDot ? 'dot' : 'area'],
        ...(at === shown?.at ? [styles['shown']] : []),
        ...(hasPeople ? [styles['open']] : []),
      ].join(' ')}
      style={{ [isDot ? 'stroke' : 'fill']: `var(--scale-${colour})` }}
      onPointerEnter={() => show(at)}
      onPointerLeave={() => setShown(undefined)}
      onClick={() => open(at)}
    />
  );
  const pointed = shown === undefined ? undefined : countries[shown.at];
  const outlined = pointed === undefined || pointed.isDot ? undefined : pointed;
  const largest = countries
    .slice(0, MAX_SPOKEN)
    .map(({ code, value }) => `${nameOf(code)}: ${textOf(value)}`);
  return (
    <figure className={styles['map']}>
      <div ref={frame}>
        <svg
          viewBox={`0 0 ${MAP_SIZE.width} ${MAP_SIZE.height}`}
          style={{ maxBlockSize: Math.max(LEAST_PX, height - LEGEND_PX) }}
          role="img"
          aria-label={`${label}. ${largest.join('; ')}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys show the values of a country.
          tabIndex={0}
          onKeyDown={onKey}
          onBlur={() => setShown(undefined)}
        >
          <path d={others} className={styles['land']} />
          {areas.map(area)}
          {dots.length === 0 ? null : <path d={dots.map(({ d }) => d).join('')} className={styles['halo']} />}
          {dots.map(area)}
          {outlined === undefined ? null : <path d={outlined.d} className={styles['outline']} />}
        </svg>
        {shown === undefined || pointed === undefined ? null : (
          <div role="status" className={chart['tip']} style={{ left: shown.left, top: shown.top }}>
            <strong>{nameOf(pointed.code)}</strong>
            <p>
              <i style={{ background: `var(--scale-${pointed.colour})` }} /> {textOf(pointed.value)}
              {pointed.previous == null ? null : ` (${textOf(pointed.previous)})`}
            </p>
          </div>
        )}
      </div>
      <figcaption className={chart['legend']}>
        {content.breakdown === undefined ? null : (
          <span>
            {t('By {name}:', {
              name: [content.breakdown, unitName(content.unit)].filter(Boolean).join(', '),
            })}
          </span>
        )}
        {classes.map((one) => (
          <span key={one.colour} className={styles['class']}>
            <i style={{ background: `var(--scale-${one.colour})` }} /> {className(one, short)}
          </span>
        ))}
        {left === 0 ? null : t('and {count} more in the table', { count: left })}
      </figcaption>
    </figure>
  );
}
