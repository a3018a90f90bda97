import type { DeadLetter } from '@switchboard/management';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { Button } from '../../components/button.tsx';
import { Code, Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Facts } from '../../components/layout.tsx';
import { Loaded, Partial } from '../../components/state.tsx';
import { Count, Time } from '../../components/values.tsx';
import styles from '../operator.module.css';
import { titleOf } from './letters.ts';

interface LetterProps {
  letter: DeadLetter;
  onReplay: () => void;
}

/** A dead letter. Its record is read on request, because the audit trail records that. */
export function Letter({ letter, onReplay }: LetterProps) {
  const [isRead, setIsRead] = useState(false);
  const { topic, partition, offset, reason, projectId, requestId, bytes, replays, replayedAt } = letter;
  return (
    <div className={styles['form']}>
      <Facts
        facts={[
          [t('Reason'), reason || t('Without a reason')],
          [t('Project'), projectId === null ? '–' : <Id value={projectId} name={t('project id')} />],
          [t('Request'), requestId === null ? '–' : <Id value={requestId} name={t('request id')} />],
          [t('Since'), <Time key="since" at={letter.deadLetteredAt} />],
          [t('Bytes'), <Count key="bytes" value={bytes} />],
          [t('Partition'), partition],
          [t('Offset'), offset],
          [t('Replays'), replays],
          ...(replayedAt === null
            ? []
            : [[t('Last replay'), <Time key="replayed" at={replayedAt} />] as const]),
        ]}
      />
      <div className={styles['row']}>
        {isRead ? null : (
          <Button keys="i" onClick={() => setIsRead(true)}>
            {t('Show record')}
          </Button>
        )}
        <Button keys="r" onClick={onReplay}>
          {replays === 0 ? t('Replay letter') : t('Replay letter again')}
        </Button>
        <CopyAs command={`switchboard dead-letters get ${titleOf(letter)}`} />
      </div>
      {isRead ? (
        <Content topic={topic} partition={partition} offset={offset} />
      ) : (
        <p>{t('The record can hold data of a person. The audit trail keeps who reads it.')}</p>
      )}
    </div>
  );
}

function Content({ topic, partition, offset }: Pick<DeadLetter, 'topic' | 'partition' | 'offset'>) {
  const params = { topic, partition, offset };
  const query = useCall(['getDeadLetter', params], (client, options) =>
    client.call('getDeadLetter', { params }, options),
  );
  return (
    <Loaded query={query}>
      {({ key, headers, value, isCut }) => (
        <>
          {isCut ? <Partial text={t('This is the start of the record.')} /> : null}
          <Code text={shown(value ?? '')} name={t('the record')} />
          <Code
            text={[
              `key: ${key ?? ''}`,
              ...Object.entries(headers).map(([name, one]) => `${name}: ${one}`),
            ].join('\n')}
            name={t('the key and the headers')}
          />
        </>
      )}
    </Loaded>
  );
}

/** Returns each line that is JSON with indentation. */
const shown = (value: string): string =>
  value
    .split('\n')
    .map((line) => {
      try {
        return JSON.stringify(JSON.parse(line), null, 2);
      } catch {
        return line;
      }
    })
    .join('\n');
