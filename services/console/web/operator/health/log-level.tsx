import { useState } from 'react';
import { t } from '../../app/i18n.ts';
import { Code } from '../../components/code.tsx';
import { SelectField } from '../../components/field.tsx';
import { Section } from '../../components/layout.tsx';
import styles from '../operator.module.css';

const SERVICES = [
  ...[
    'analytics',
    'archive',
    'catalogue',
    'collaboration',
    'console',
    'delivery',
    'flags',
    'identity',
    'ingestion',
  ],
  'messenger',
];

/** The commands that raise the log level of one service. A process takes a signal, which no page can send. */
export function LogLevel() {
  const [service, setService] = useState('flags');
  return (
    <Section title={t('Log level')}>
      <p className={styles['text']}>
        {t(
          'A process logs debug lines for ten minutes after SIGUSR2, then returns to LOG_LEVEL. Send the signal where the processes run.',
        )}
      </p>
      <div className={styles['form']}>
        <SelectField
          label={t('Service')}
          value={service}
          options={SERVICES.map((value) => ({ value, title: value }))}
          onChange={({ target }) => setService(target.value)}
        />
        <Code
          text={`docker compose kill --signal SIGUSR2 ${service}`}
          name={t('the command for Docker Compose')}
        />
        <Code
          text={`kubectl exec deployment/${service} -- node -e 'process.kill(1, "SIGUSR2")'`}
          name={t('the command for Kubernetes')}
        />
      </div>
    </Section>
  );
}
