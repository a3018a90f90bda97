import { Link2, Pause, Play } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/code.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Empty, Loading, Partial } from '../../components/state.tsx';
import type { Unseen } from '../../player/messages.ts';
import type { Contents, Moment } from './contents.ts';
import styles from './recording.module.css';
import { search } from './search.ts';
import { type Player, SPEEDS, usePlayer } from './use-player.ts';

const STEP_MS = 5_000;
const KINDS = ['event', 'console', 'page', 'gap'] as const;

/** The player with its time line, and beside it what happened. */
export function Watch({ contents }: { contents: Contents }) {
  const [{ at: seconds = 0 }] = usePageSearch(search);
  const [images, setImages] = useState(false);
  const [resumeAt, setResumeAt] = useState(Math.min(contents.lengthMs, seconds * 1000));
  return (
    <Session
      // Images of other sites need a document with another policy.
      key={String(images)}
      contents={contents}
      startAt={resumeAt}
      images={images}
      onImages={(at) => {
        setResumeAt(at);
        setImages(true);
      }}
    />
  );
}

interface SessionProps {
  contents: Contents;
  startAt: number;
  images: boolean;
  onImages: (at: number) => void;
}

function Session({ contents, startAt, images, onImages }: SessionProps) {
  const { lengthMs, messages, gaps } = contents;
  const [, setSearch] = usePageSearch(search);
  const [speed, setSpeed] = useState<number>(1);
  const [skip, setSkip] = useState(true);
  const player = usePlayer({ messages, lengthMs, at: startAt, speed, skip, images });
  const { state, isPlaying, at, unseen } = player;

  const keep = (moment: number) => setSearch({ at: Math.round(moment / 100) / 10 });
  const toggle = () => {
    if (!isPlaying) return player.play();
    player.pause();
    keep(at);
  };
  const seek = (to: number) => {
    const wanted = Math.min(lengthMs, Math.max(0, to));
    player.seek(wanted);
    keep(wanted);
  };
  const faster = (step: number) => {
    const next = SPEEDS[SPEEDS.indexOf(speed) + step];
    if (next !== undefined) setSpeed(next);
  };
  usePlayerKeys({ toggle, seekBy: (by) => seek(at + by), faster });

  const missing = unseenOf(unseen);
  return (
    <div className={styles['watch']}>
      <div className={styles['player']}>
        {state === 'failed' ? (
          <Empty text={t('The player cannot show this recording. Its events are listed here.')} />
        ) : (
          <Screen player={player} images={images} />
        )}
        <div className={styles['controls']}>
          <IconButton
            keys="Space"
            icon={isPlaying ? Pause : Play}
            label={isPlaying ? t('Pause') : t('Play')}
            disabled={state !== 'ready'}
            onClick={toggle}
          />
          <span className={styles['clock']}>
            {clock(at)} / {clock(lengthMs)}
          </span>
          <label className={styles['choice']}>
            {t('Speed')}
            <select value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
              {SPEEDS.map((one) => (
                <option key={one} value={one}>
                  {one}×
                </option>
              ))}
            </select>
          </label>
          <label className={styles['choice']}>
            <input type="checkbox" checked={skip} onChange={({ target }) => setSkip(target.checked)} />
            {t('Skip pauses')}
          </label>
          <span className={styles['link']}>
            <Link2 size={16} aria-hidden />
            <CopyButton keys="s" text={addressOf(at)} name={t('link to this moment')} />
          </span>
        </div>
        <TimeLine contents={contents} at={at} onSeek={seek} />
        {gaps.length === 0 ? null : (
          <p className={styles['note']}>{t('Striped parts of the time line are missing.')}</p>
        )}
        {missing.length === 0 ? null : (
          <Partial text={t('Not shown: {missing}.', { missing: missing.join(', ') })} />
        )}
        {images || unseen.images === 0 ? null : (
          <div>
            <Button keys="i" onClick={() => onImages(at)}>
              {t('Load images from other sites')}
            </Button>
          </div>
        )}
      </div>
      <Moments contents={contents} at={at} onSeek={seek} />
    </div>
  );
}

function usePlayerKeys(does: {
  toggle: () => void;
  seekBy: (by: number) => void;
  faster: (step: number) => void;
}) {
  const latest = useRef(does);
  useEffect(() => {
    latest.current = does;
  });
  useKeys(
    useMemo(
      () => [
        { keys: 'Space', title: t('Play or pause'), run: () => latest.current.toggle() },
        { keys: 'ArrowRight', title: t('5 s forward'), run: () => latest.current.seekBy(STEP_MS) },
        { keys: 'ArrowLeft', title: t('5 s back'), run: () => latest.current.seekBy(-STEP_MS) },
        { keys: 'Shift+>', title: t('Play faster'), run: () => latest.current.faster(1) },
        { keys: 'Shift+<', title: t('Play slower'), run: () => latest.current.faster(-1) },
      ],
      [],
    ),
  );
}

/** The recorded page, in the size it had, scaled to the width of the column. */
function Screen({ player: { frame, state, size }, images }: { player: Player; images: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const most = Math.max(240, window.innerHeight - 320);
  const scale = Math.min(1, width / size.width, most / size.height);
  return (
    <div ref={box} className={styles['screen']} style={{ height: size.height * scale }}>
      {/* The recorded page is inert: it takes no focus and no clicks. What happens in it is listed beside it. */}
      <iframe
        ref={frame}
        inert
        title={t('Recorded page')}
        src={images ? '/player?images=shown' : '/player'}
        sandbox="allow-scripts"
        referrerPolicy="no-referrer"
        width={size.width}
        height={size.height}
        style={{ transform: `translateX(${(width - size.width * scale) / 2}px) scale(${scale})` }}
      />
      {state === 'loading' ? (
        <div className={styles['wait']}>
          <Loading rows={3} />
        </div>
      ) : null}
    </div>
  );
}

interface LineProps {
  contents: Contents;
  at: number;
  onSeek: (at: number) => void;
}

function TimeLine({ contents: { lengthMs, moments, gaps }, at, onSeek }: LineProps) {
  const share = (time: number) => `${(100 * time) / Math.max(1, lengthMs)}%`;
  return (
    <div className={styles['line']}>
      <input
        type="range"
        aria-label={t('Time line')}
        aria-valuetext={t('{at} of {length}', { at: clock(at), length: clock(lengthMs) })}
        min={0}
        max={Math.max(1, lengthMs)}
        step={100}
        value={at}
        onChange={({ target }) => onSeek(Number(target.value))}
      />
      <div aria-hidden className={styles['marks']}>
        {gaps.map(({ from, to }) => (
          <i
            key={`${from} ${to}`}
            className={styles['gap']}
            style={{ insetInlineStart: share(from), width: `max(4px, ${share(to - from)})` }}
          />
        ))}
        {moments.map(({ key, at: time, isError }) => (
          <i
            key={key}
            className={isError ? styles['error'] : styles['mark']}
            style={{ insetInlineStart: share(time) }}
          />
        ))}
      </div>
    </div>
  );
}

function Moments({ contents: { moments, gaps }, at, onSeek }: LineProps) {
  const [kind, setKind] = useState<string>();
  const all = useMemo(() => withGaps(moments, gaps), [moments, gaps]);
  const shown = all.filter((one) => kind === undefined || one.kind === kind);
  const current = shown.findLast((one) => one.at <= at);
  return (
    <section aria-label={t('What happened')} className={styles['moments']}>
      <div className={styles['head']}>
        <h2>{t('What happened')}</h2>
        <SelectFilter
          label={t('Everything')}
          value={kind}
          options={KINDS.map((value) => ({ value, title: kindOf(value) }))}
          onChange={setKind}
        />
      </div>
      {shown.length === 0 ? (
        <Empty text={t('The recording contains no events and no console.')} />
      ) : (
        <ol>
          {shown.map((one) => (
            <li key={one.key}>
              <button
                type="button"
                aria-current={one === current ? 'step' : undefined}
                onClick={() => onSeek(one.at)}
              >
                <time>{clock(one.at)}</time>
                <Badge tone={one.isError ? 'danger' : one.kind === 'gap' ? 'warning' : 'plain'}>
                  {one.isError ? t('error') : kindOf(one.kind)}
                </Badge>
                <span>{one.text}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function withGaps(moments: readonly Moment[], gaps: Contents['gaps']): Moment[] {
  const missing = gaps.map(({ from, chunks }, index) => ({
    key: `gap ${index}`,
    at: from,
    kind: 'gap' as const,
    text: t('{count, plural, one {# chunk} other {# chunks}} missing', { count: chunks }),
    isError: false,
  }));
  return [...moments, ...missing].sort((one, other) => one.at - other.at);
}

const kindOf = (kind: Moment['kind']) =>
  ({ event: t('event'), console: t('console'), page: t('page'), gap: t('gap') })[kind];

function unseenOf({ images, frames, media, canvases, styles: sheets, parts, events }: Unseen): string[] {
  const counted: readonly [number, string][] = [
    [images, t('{count, plural, one {# image} other {# images}} of other sites', { count: images })],
    [frames, t('{count, plural, one {# frame} other {# frames}}', { count: frames })],
    [media, t('{count, plural, one {# video or sound} other {# videos or sounds}}', { count: media })],
    [canvases, t('{count, plural, one {# drawing} other {# drawings}}', { count: canvases })],
    [
      sheets,
      t('{count, plural, one {# style or font} other {# styles or fonts}} of other sites', { count: sheets }),
    ],
    [parts, t('{count, plural, one {# part} other {# parts}} that cannot be built', { count: parts })],
    [events, t('{count, plural, one {# change} other {# changes}} that cannot be played', { count: events })],
  ];
  return counted.filter(([count]) => count > 0).map(([, text]) => text);
}

function addressOf(at: number): string {
  const address = new URL(location.href);
  address.searchParams.set('at', String(Math.round(at / 100) / 10));
  return address.href;
}

/** Returns a time as minutes and seconds, such as `1:05`, with hours if there are any. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
