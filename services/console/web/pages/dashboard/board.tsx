import type { Result } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { GripVertical, Trash2 } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import { usePlace } from '../../app/project.ts';
import { IconButton } from '../../components/button.tsx';
import { Chart, contentOf, isRunning, type ReportContent } from '../../components/chart.tsx';
import { ReportTable } from '../../components/report-table.tsx';
import { Empty, Failed, Loaded, Loading, Partial } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import styles from './dashboard.module.css';
import { createTurns } from './turns.ts';

export type Dashboard = Result<'getDashboard'>;
export type Tile = Dashboard['tiles'][number];
type Report = Result<'getDashboardReports'>['reports'][number];

const COLUMNS = 12;
const MAX_HEIGHT = 20;
const MAX_ROW = 500;
const ROW_PX = 72;
const REFRESH_MS = 60_000;
const GAP_PX = 16;
/** The frame of a tile with its heading, and a legend of two lines. */
const PADDING_PX = 64;
const LEGEND_PX = 56;
/** The buttons of a tile while it is edited. */
const TOOLS_PX = 40;

interface BoardProps {
  dashboard: Dashboard;
  /** Takes the tiles after a move. Undefined while the dashboard is not edited. */
  onArrange: ((tiles: readonly Tile[]) => void) | undefined;
}

/** Returns a tile within the grid. */
function within(tile: Tile): Tile {
  const w = Math.min(COLUMNS, Math.max(1, tile.w));
  return {
    ...tile,
    w,
    h: Math.min(MAX_HEIGHT, Math.max(1, tile.h)),
    x: Math.min(COLUMNS - w, Math.max(0, tile.x)),
    y: Math.min(MAX_ROW, Math.max(0, tile.y)),
  };
}

const overlap = (one: Tile, other: Tile) =>
  one.x < other.x + other.w &&
  other.x < one.x + one.w &&
  one.y < other.y + other.h &&
  other.y < one.y + one.h;

/** Places a tile. Tiles in its way move down, and so do those in theirs. */
function placed(tiles: readonly Tile[], at: number, tile: Tile): Tile[] {
  const fixed: Tile[] = [within(tile)];
  const order = tiles
    .map((one, index) => ({ one, index }))
    .filter(({ index }) => index !== at)
    .sort((a, b) => a.one.y - b.one.y || a.one.x - b.one.x);
  const next = [...tiles];
  next[at] = within(tile);
  for (const { one, index } of order) {
    let moved = one;
    for (let hit = fixed.find((it) => overlap(it, moved)); hit; hit = fixed.find((it) => overlap(it, moved)))
      moved = { ...moved, y: hit.y + hit.h };
    fixed.push(moved);
    next[index] = moved;
  }
  return next;
}

const MOVES: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The tiles of a dashboard. All last runs come in one call; fresh results replace them quietly. */
export function Board({ dashboard, onArrange }: BoardProps) {
  const { project } = usePlace();
  const grid = useRef<HTMLDivElement>(null);
  const turns = useMemo(() => createTurns(), []);
  const params = { projectId: project.id, dashboardId: dashboard.id };
  const runs = useCall(
    ['getDashboardReports', project.id, dashboard.id],
    (client, options) => client.call('getDashboardReports', { params }, options),
    { refreshMs: REFRESH_MS },
  );
  const { tiles } = dashboard;
  const isEdited = onArrange !== undefined;
  useKeys(
    useMemo(
      () =>
        isEdited
          ? [
              { keys: 'ArrowLeft ArrowRight ArrowUp ArrowDown', title: t('Tile: move') },
              { keys: 'Shift+ArrowLeft Shift+ArrowRight', title: t('Tile: resize') },
            ]
          : [],
      [isEdited],
    ),
  );
  const change = (at: number, values: object) => {
    const tile = tiles[at];
    if (tile !== undefined) onArrange?.(placed(tiles, at, { ...tile, ...values }));
  };
  const onKey = (at: number, event: KeyboardEvent) => {
    const tile = tiles[at];
    const move = MOVES[event.key];
    if (tile === undefined || move === undefined) return;
    event.preventDefault();
    const [x, y] = move;
    change(at, event.shiftKey ? { w: tile.w + x, h: tile.h + y } : { x: tile.x + x, y: tile.y + y });
  };
  const onDrag = (at: number, event: PointerEvent) => {
    const tile = tiles[at];
    const width = grid.current?.clientWidth ?? 0;
    if (tile === undefined || width === 0) return;
    const from = { x: event.clientX, y: event.clientY };
    const target = event.currentTarget;
    const drop = (end: globalThis.PointerEvent) => {
      target.removeEventListener('pointerup', dropped);
      const columns = Math.round(((end.clientX - from.x) / width) * COLUMNS);
      const rows = Math.round((end.clientY - from.y) / ROW_PX);
      if (columns !== 0 || rows !== 0) change(at, { x: tile.x + columns, y: tile.y + rows });
    };
    const dropped = (end: Event) => {
      if (end instanceof globalThis.PointerEvent) drop(end);
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener('pointerup', dropped);
  };
  return (
    <Loaded query={runs}>
      {({ reports }) => {
        const byId = new Map(reports.map((report) => [report.reportId, report]));
        return (
          <div ref={grid} className={styles['board']}>
            {tiles.map((tile, at) => {
              const report = 'reportId' in tile ? byId.get(tile.reportId) : undefined;
              const name = 'text' in tile ? t('Text') : (report?.name ?? t('New report'));
              return (
                <section
                  key={'reportId' in tile ? `${tile.reportId} ${at}` : `text ${at}`}
                  aria-label={name}
                  className={styles['tile']}
                  style={{
                    '--column': `${tile.x + 1} / span ${tile.w}`,
                    '--row-span': `${tile.y + 1} / span ${tile.h}`,
                  }}
                >
                  {onArrange === undefined ? null : (
                    <div className={styles['tools']}>
                      <IconButton
                        icon={GripVertical}
                        label={t('Move {name}: drag, or arrow keys; with Shift to resize', { name })}
                        onKeyDown={(event) => onKey(at, event)}
                        onPointerDown={(event) => onDrag(at, event)}
                      />
                      <IconButton
                        icon={Trash2}
                        label={t('Remove {name}', { name })}
                        onClick={() => onArrange(tiles.filter((_, index) => index !== at))}
                      />
                    </div>
                  )}
                  {'text' in tile ? (
                    <p className={styles['text']}>{tile.text}</p>
                  ) : report === undefined ? (
                    <Empty text={t('This report was deleted, or is new: save the dashboard to see it.')} />
                  ) : (
                    <ReportTile
                      report={report}
                      dashboard={dashboard}
                      turns={turns}
                      height={
                        tile.h * ROW_PX +
                        (tile.h - 1) * GAP_PX -
                        PADDING_PX -
                        (onArrange === undefined ? 0 : TOOLS_PX)
                      }
                    />
                  )}
                </section>
              );
            })}
          </div>
        );
      }}
    </Loaded>
  );
}

/** Whether the height of a chart is without its legend. That of a pie is beside it. */
const hasLegend = (content: ReportContent) =>
  'series' in content &&
  (content.series?.length ?? 0) > 1 &&
  !(content.kind === 'line' && (content.display === 'pie' || content.display === 'map'));

interface ReportTileProps {
  report: Report;
  dashboard: Dashboard;
  turns: ReturnType<typeof createTurns>;
  height: number;
}

/** A report of a dashboard: its last run, until the result for the range and the filters of the dashboard is there. */
function ReportTile({ report, dashboard, turns, height }: ReportTileProps) {
  const { project, pathOf } = usePlace();
  const { query, name, ranAt, reportId } = report;
  const { range, where } = dashboard;
  const isNarrowed = range !== null || where.length > 0;
  const asked =
    query === null
      ? null
      : { ...query, ...(range !== null && { range }), where: [...(query.where ?? []), ...where] };
  const fresh = useCall(
    ['askInsight', project.id, asked],
    (client, options) =>
      turns(
        () => client.call('askInsight', { params: { projectId: project.id }, body: asked }, options),
        options.signal,
      ),
    { enabled: asked !== null, refreshMs: REFRESH_MS },
  );
  const kept = isNarrowed ? undefined : contentOf(report.report);
  const content = fresh.data?.report ?? kept;
  return (
    <>
      <header className={styles['head']}>
        <h2>
          <Link to={pathOf(`/reports/${encodeURIComponent(reportId)}`)}>{name}</Link>
        </h2>
        {fresh.data !== undefined ? (
          <Time at={fresh.data.asOf} />
        ) : ranAt === null ? null : (
          <Time at={ranAt} />
        )}
      </header>
      {fresh.error !== null && content === undefined ? (
        <Failed error={fresh.error} retry={() => void fresh.refetch()} />
      ) : null}
      {content === undefined ? (
        fresh.isLoading ? (
          <Loading rows={3} />
        ) : fresh.error !== null ? null : (
          <Empty
            text={
              ranAt === null ? t('This report has not run yet.') : t('Its content has no chart. Open it.')
            }
          />
        )
      ) : content.kind === 'line' && content.display === 'table' ? (
        <ReportTable content={content} name={name} />
      ) : (
        <Chart
          content={content}
          label={name}
          height={Math.max(120, height - (hasLegend(content) ? LEGEND_PX : 0))}
          isRunning={fresh.data !== undefined && asked !== null && isRunning(asked)}
        />
      )}
      {fresh.error !== null && content !== undefined ? (
        <Partial text={t('The last run is shown: {reason}', { reason: fresh.error.message })} />
      ) : null}
    </>
  );
}
