import type { Asked } from './ask.ts';
import type { TestProject } from './projects.ts';
import type { World } from './world.ts';

export interface TestConversation {
  id: string;
  token: string;
}

/** A visitor of a project, as a browser speaks for them. */
export function visitorOf({ call }: Pick<World, 'call'>, { key }: TestProject, url?: string) {
  const to = (method: string, path: string, asked: Asked = {}) =>
    call(method, path, { token: key, ...(url === undefined ? {} : { url }), ...asked });
  const within = (conversation: TestConversation) => ({ conversationToken: conversation.token });

  return {
    to,
    async open(asked: object = {}): Promise<TestConversation> {
      const { status, body } = await to('POST', '/v1/conversations', {
        body: { distinctId: 'visitor', ...asked },
      });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { id: body.conversationId, token: body.token };
    },
    send: (conversation: TestConversation, body: unknown, headers: Record<string, string> = {}) =>
      to('POST', `/v1/conversations/${conversation.id}/turns`, {
        ...within(conversation),
        headers,
        body: typeof body === 'string' ? { body } : body,
      }),
    read: (conversation: TestConversation, headers: Record<string, string> = {}) =>
      to('GET', `/v1/conversations/${conversation.id}`, { ...within(conversation), headers }),
    upload: (conversation: TestConversation, raw: NonNullable<Asked['raw']>, name?: string, headers = {}) =>
      to(
        'POST',
        `/v1/conversations/${conversation.id}/attachments${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`,
        { ...within(conversation), raw, headers },
      ),
    download: (conversation: TestConversation, id: string) =>
      to('GET', `/v1/conversations/${conversation.id}/attachments/${id}`, within(conversation)),
  };
}

export type Visitor = ReturnType<typeof visitorOf>;
