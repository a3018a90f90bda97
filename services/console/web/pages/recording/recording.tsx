import type { Client, Result } from '@switchboard/management';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Loading, Partial } from '../../components/state.tsx';
import { duration, Time } from '../../components/values.tsx';
import { MAX_LENGTH } from '../../player/messages.ts';
import { type Chunk, type Contents, contentsOf } from './contents.ts';
import { Watch } from './watch.tsx';

export function Page() {
  const { sessionId = '' } = useParams({ strict: false });
  return <RecordingPage key={sessionId} sessionId={sessionId} />;
}

function RecordingPage({ sessionId }: { sessionId: string }) {
  const { project, may } = usePlace();
  const [isDeleting, setDeleting] = useState(false);
  const params = { projectId: project.id, sessionId };
  const manifest = useCall(['getReplay', project.id, sessionId], (client, options) =>
    client.call('getReplay', { params }, options),
  );
  const contents = useCall(
    ['readReplayChunks', project.id, sessionId],
    (client, options) => readContents(client, params, options),
    { enabled: manifest.data !== undefined },
  );
  const remove = useChange((client, _: undefined) => client.call('deleteReplay', { params }), {
    refresh: [['listReplays', project.id]],
  });
  const path = `/v1/projects/${encodeURIComponent(project.id)}/replays/${encodeURIComponent(sessionId)}`;
  return (
    <PageLayout
      title={t('Recording')}
      actions={
        <>
          <CopyAs call={{ method: 'GET', path: `${path}/chunks` }} />
          {may('replays.delete') && manifest.data !== undefined ? (
            <Button keys="d" kind="danger" onClick={() => setDeleting(true)}>
              {t('Delete recording')}
            </Button>
          ) : null}
        </>
      }
    >
      {remove.error === null ? null : <Failed error={remove.error} />}
      {remove.isSuccess ? (
        <Empty text={t('The recording is deleted.')} />
      ) : (
        <Loaded query={manifest}>
          {(found) => (
            <>
              <About recording={found} />
              <Loaded query={contents} loading={<Loading rows={12} />}>
                {(read) =>
                  read.messages.length === 0 ? (
                    <Empty text={t('No part of this recording can be played.')} />
                  ) : (
                    <>
                      {missingOf(read).map((text) => (
                        <Partial key={text} text={text} />
                      ))}
                      <Watch contents={read} />
                    </>
                  )
                }
              </Loaded>
            </>
          )}
        </Loaded>
      )}
      {isDeleting ? (
        <Confirm
          title={t('Delete this recording?')}
          action={t('Delete recording')}
          onClose={() => setDeleting(false)}
          onConfirm={() => {
            remove.mutate(undefined);
            setDeleting(false);
          }}
        >
          <p>{t('Chunks of the session that arrive later are dropped. This cannot be undone.')}</p>
        </Confirm>
      ) : null}
    </PageLayout>
  );
}

/** Reads the chunks page by page, up to the length that the player takes. */
async function readContents(
  client: Client,
  params: { projectId: string; sessionId: string },
  options: { signal: AbortSignal },
): Promise<Contents> {
  const chunks: Chunk[] = [];
  let length = 0;
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? {} : { cursor };
    const page = await client.call('readReplayChunks', { params, query }, options);
    for (const chunk of page.chunks) chunks.push(chunk);
    length += lengthOf(page.chunks);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && length < MAX_LENGTH);
  return contentsOf(chunks, cursor !== undefined);
}

/** A page of chunks has at least this length if another follows. */
const PAGE_LENGTH = 2_000_000;
const lengthOf = (chunks: readonly Chunk[]) => (chunks.length === 0 ? 0 : PAGE_LENGTH);

function About({ recording }: { recording: Result<'getReplay'> }) {
  const { pathOf, may } = usePlace();
  const { distinctIds, firstAt, lastAt, errors, masked } = recording;
  return (
    <Facts
      facts={[
        [
          t('Person'),
          distinctIds.map((id) =>
            may('people.read') ? (
              <span key={id}>
                <Link to={pathOf(`/people/${encodeURIComponent(id)}`)}>{id}</Link>{' '}
              </span>
            ) : (
              <span key={id}>{id} </span>
            ),
          ),
        ],
        [
          t('Session'),
          <span key="session">
            <Time at={firstAt} /> · {duration(Date.parse(lastAt) - Date.parse(firstAt))} ·{' '}
            {t('{count, plural, =0 {no error} one {# error} other {# errors}}', { count: errors })} ·{' '}
            {masked ? t('inputs masked') : t('inputs may be shown')}
          </span>,
        ],
      ]}
    />
  );
}

function missingOf({ gaps, unreadable, isCut }: Contents): string[] {
  const chunks = gaps.reduce((sum, gap) => sum + gap.chunks, 0);
  return [
    ...(chunks === 0
      ? []
      : [t('{count, plural, one {# chunk is} other {# chunks are}} missing.', { count: chunks })]),
    ...(unreadable === 0
      ? []
      : [t('{count, plural, one {# event is} other {# events are}} not valid.', { count: unreadable })]),
    ...(isCut ? [t('The recording is longer than the player takes. Its beginning is shown.')] : []),
  ];
}
