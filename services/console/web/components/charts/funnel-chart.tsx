import type { Result } from '@switchboard/management';
import { stepBefore } from '@switchboard/report-content/totals';
import { t } from '../../app/i18n.ts';
import styles from '../chart.module.css';
import { percent, short } from '../values.tsx';

const FULL = 100;

interface FunnelChartProps {
  content: Extract<Result<'askInsight'>['report'], { kind: 'funnel' }>;
  label: string;
  /** Opens the people of a step. */
  onOpen?: ((place: { series: number; at: number }) => void) | undefined;
}

/** The steps of a funnel as bars, with their shares of the first step and of the step before. */
export function FunnelChart({ content: { steps }, label, onOpen }: FunnelChartProps) {
  const first = steps[0]?.count ?? 0;
  return (
    <ol className={styles['funnel']} aria-label={label}>
      {steps.map(({ name, count, optional }, at) => {
        const share = first === 0 ? 0 : count / first;
        const previous = stepBefore(steps, at);
        const before = previous?.count;
        const isNext = previous === steps[at - 1];
        return (
          <li key={name}>
            <p>
              <span>
                {at + 1}. {optional === true ? t('{step} (optional)', { step: name }) : name}
              </span>
              <span>
                {short(count)} · {percent(share)}
                {before === undefined || before === 0
                  ? null
                  : ` · ${
                      isNext
                        ? t('{share} of the step before', { share: percent(count / before) })
                        : t('{share} of {step}', {
                            share: percent(count / before),
                            step: previous?.name ?? '',
                          })
                    }`}
              </span>
            </p>
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each value. */}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the table below has a button for each value. */}
            <div className={styles['track']} onClick={() => onOpen?.({ series: 0, at })}>
              <div style={{ inlineSize: `${share * FULL}%` }} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}
