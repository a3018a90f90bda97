import type { FlagEntry } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { exact } from '../../components/values.tsx';
import styles from './flags.module.css';

const REFRESH_MS = 2_000;

interface ClientsProps {
  flag: FlagEntry;
  version: number | undefined;
  /** Whether a change of the flag is not answered yet. */
  isChanging: boolean;
}

/** Shows live how many connected pages and servers were notified of the last change, and what they get of a flag that is off. */
export function Clients({ flag, version, isChanging }: ClientsProps) {
  const { project } = usePlace();
  const { data, isPlaceholderData } = useCall(
    ['getFlagClients', project.id, flag.key, version],
    (client, options) => client.call('getFlagClients', { params: { projectId: project.id } }, options),
    { refreshMs: REFRESH_MS },
  );
  const asks = (project.wires ?? []).some((wire) => wire !== 'segment');
  return (
    <p className={styles['muted']} aria-live="polite">
      {data === undefined ? (
        '…'
      ) : isChanging || isPlaceholderData ? (
        t('Notifying connected clients…')
      ) : data.connected === 0 ? (
        t('No clients are connected.')
      ) : (
        <>
          {t('{notified} of {connected} connected clients notified.', {
            notified: exact(data.notified),
            connected: exact(data.connected),
          })}{' '}
          {flag.enabled
            ? null
            : flag.type === undefined || flag.type === 'boolean'
              ? t('They get false.')
              : t('They get the default of the code.')}
        </>
      )}
      {asks ? ` ${t('SDKs of Unleash and PostHog are not counted: they ask at their own interval.')}` : null}
    </p>
  );
}
