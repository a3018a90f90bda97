import type { DeadLetter } from '@switchboard/management';
import { useRef, useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { oneOf } from '../../app/page.ts';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { Dialog, FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Count } from '../../components/values.tsx';
import styles from '../operator.module.css';
import { replayCommand, replaySelectedCommand, TOPICS, type Topic } from './letters.ts';

/** The letters to replay: these, or those of a topic that were not replayed and match. */
export type ReplayOf =
  | { letters: readonly DeadLetter[] }
  | { topic: Topic; projectId: string | undefined; reason: string | undefined };

/** The body of a call. */
interface Body {
  topic: Topic;
  letters?: { partition: number; offset: number }[];
  again?: boolean;
  projectId?: string | undefined;
  reason?: string | undefined;
  through?: number;
}

interface Progress {
  replayed: number;
  skipped: number;
  gone: number;
  remaining: number;
}

const NOTHING: Progress = { replayed: 0, skipped: 0, gone: 0, remaining: 0 };
const SELECTED_AT_ONCE = 500;

interface ReplayProps {
  of: ReplayOf;
  onClose: () => void;
}

/** Confirms a replay, then shows how far it is. Closing ends it after the current call. */
export function Replay({ of, onClose }: ReplayProps) {
  const [chosen, setChosen] = useState(of);
  const [progress, setProgress] = useState<Progress>();
  const isClosed = useRef(false);
  const replay = useChange(
    async (client, request: ReplayOf) => {
      let done = NOTHING;
      const step = async (body: Body) => {
        const part = await client.call('replayDeadLetters', { body });
        done = {
          replayed: done.replayed + part.replayed,
          skipped: done.skipped + part.skipped,
          gone: done.gone + part.gone,
          remaining: part.remaining,
        };
        setProgress(done);
        return part;
      };
      setProgress(done);
      if ('letters' in request) {
        for (const body of callsOf(request.letters)) if (!isClosed.current) await step(body);
        return;
      }
      let part = await step(request);
      while (part.remaining > 0 && part.replayed + part.gone > 0 && !isClosed.current)
        part = await step({ ...request, through: part.through });
    },
    { refresh: [['listDeadLetters']] },
  );
  const close = () => {
    isClosed.current = true;
    onClose();
  };
  const command = 'letters' in chosen ? replaySelectedCommand(chosen.letters) : replayCommand(chosen);

  if (progress !== undefined) {
    const { replayed, skipped, gone, remaining } = progress;
    return (
      <Dialog title={t('Replay letters')} onClose={close}>
        {replay.error === null ? null : <Failed error={replay.error} retry={() => replay.mutate(chosen)} />}
        <progress
          aria-label={t('Replayed letters')}
          max={Math.max(1, replayed + gone + remaining)}
          {...(replay.isPending && replayed + gone === 0 ? {} : { value: replayed + gone })}
        />
        <div role="status">
          <Facts
            facts={[
              [t('Replayed'), <Count key="replayed" value={replayed} />],
              [t('To replay'), <Count key="remaining" value={remaining} />],
              ...(skipped === 0
                ? []
                : [[t('Replayed before, or not found'), <Count key="skipped" value={skipped} />] as const]),
              ...(gone === 0
                ? []
                : [[t('No longer in the event log'), <Count key="gone" value={gone} />] as const]),
            ]}
          />
          {replay.isPending ? null : (
            <p>{t('A record that still cannot be read becomes a dead letter again.')}</p>
          )}
        </div>
        <div className={styles['row']}>
          <Button onClick={close}>{replay.isPending ? t('Stop replay') : t('Close')}</Button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={t('Replay letters')}
      action={
        'letters' in chosen
          ? t('Replay {count, plural, one {# letter} other {# letters}}', { count: chosen.letters.length })
          : t('Replay letters')
      }
      onSubmit={() => replay.mutate(chosen)}
      onClose={onClose}
    >
      {'letters' in chosen ? null : (
        <>
          <SelectField
            label={t('Topic')}
            value={chosen.topic}
            options={TOPICS.map((value) => ({ value, title: value }))}
            onChange={({ target }) =>
              setChosen({ ...chosen, topic: oneOf(TOPICS, target.value) ?? chosen.topic })
            }
          />
          <TextField
            label={t('Project id')}
            hint={t('Empty: letters of every project.')}
            value={chosen.projectId ?? ''}
            maxLength={200}
            onChange={({ target }) => setChosen({ ...chosen, projectId: target.value || undefined })}
          />
          <TextField
            label={t('Part of the reason')}
            hint={t('Empty: letters with any reason.')}
            value={chosen.reason ?? ''}
            maxLength={200}
            onChange={({ target }) => setChosen({ ...chosen, reason: target.value || undefined })}
          />
        </>
      )}
      <p>
        {'letters' in chosen
          ? t('Publishes the records to their topic again, also those that were replayed before.')
          : t('Publishes the records that were not replayed to their topic again, oldest first.')}{' '}
        {t('Every consumer of the topic reads them. The archive drops events that it has.')}
      </p>
      <Code text={command} name={t('the command')} />
    </FormDialog>
  );
}

/** Returns the calls that replay single letters: one or more for each topic. */
function callsOf(letters: readonly DeadLetter[]): Body[] {
  return [...Map.groupBy(letters, ({ topic }) => topic)].flatMap(([topic, own]) => {
    const places = own.map(({ partition, offset }) => ({ partition, offset }));
    const again = own.some(({ replays }) => replays > 0);
    return Array.from({ length: Math.ceil(places.length / SELECTED_AT_ONCE) }, (_, at) => ({
      topic,
      letters: places.slice(at * SELECTED_AT_ONCE, (at + 1) * SELECTED_AT_ONCE),
      again,
    }));
  });
}
