import { api, queries } from '../../../app/api.ts';
import { changeKept, type Pending } from './drafts.ts';

export interface Place {
  projectId: string;
  conversationId: string;
}

export const keptKey = ({ projectId, conversationId }: Place) => `${projectId}/${conversationId}`;
export const conversationKey = ({ projectId, conversationId }: Place) =>
  ['readConversation', projectId, conversationId] as const;

/** Shows a text at once and sends it. A text that fails stays with its reason, and can be sent again. */
export async function send(place: Place, text: Pending): Promise<void> {
  const key = keptKey(place);
  const set = (error: string | undefined) =>
    changeKept(key, ({ pending, ...rest }) => ({
      ...rest,
      pending: [...pending.filter((one) => one.key !== text.key), { ...text, error }],
    }));
  set(undefined);
  try {
    await store(place, text);
    await queries.invalidateQueries({ queryKey: conversationKey(place) });
    forget(place, text);
  } catch (error) {
    set(error instanceof Error ? error.message : String(error));
  }
}

/** Removes a text that is sent, or that the agent gives up. */
export function forget(place: Place, { key }: Pick<Pending, 'key'>): void {
  changeKept(keptKey(place), ({ pending, ...rest }) => ({
    ...rest,
    pending: pending.filter((one) => one.key !== key),
  }));
}

async function store({ projectId, conversationId: id }: Place, text: Pending): Promise<void> {
  const client = await api();
  const { key, kind, body, mentions, uploads } = text;
  const common = { params: { projectId, id }, headers: { 'Idempotency-Key': key } };
  if (kind === 'note') {
    await client.call('addConversationNote', { ...common, body: { body, mentions } });
  } else {
    const attachmentIds = uploads.map((upload) => upload.id);
    await client.call('appendTeammateTurn', { ...common, body: { body, attachmentIds } });
  }
}
