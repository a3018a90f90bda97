import type { TestMessenger } from './messenger.ts';
import type { TestProject } from './projects.ts';
import type { RequestOptions } from './request.ts';

export interface TestConversation {
  id: string;
  token: string;
}

/** Returns the requests that a visitor's browser sends to a project. */
export function visitorOf({ call }: Pick<TestMessenger, 'call'>, { key }: TestProject, url?: string) {
  const to = (method: string, path: string, options: RequestOptions = {}) =>
    call(method, path, { token: key, ...(url === undefined ? {} : { url }), ...options });
  const tokenOf = (conversation: TestConversation) => ({ conversationToken: conversation.token });

  return {
    to,
    async open(request: object = {}): Promise<TestConversation> {
      const { status, body } = await to('POST', '/v1/conversations', {
        body: { distinctId: 'visitor', ...request },
      });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return { id: body.conversationId, token: body.token };
    },
    send: (conversation: TestConversation, body: unknown, headers: Record<string, string> = {}) =>
      to('POST', `/v1/conversations/${conversation.id}/turns`, {
        ...tokenOf(conversation),
        headers,
        body: typeof body === 'string' ? { body } : body,
      }),
    read: (conversation: TestConversation, headers: Record<string, string> = {}) =>
      to('GET', `/v1/conversations/${conversation.id}`, { ...tokenOf(conversation), headers }),
    upload: (
      conversation: TestConversation,
      raw: NonNullable<RequestOptions['raw']>,
      name?: string,
      headers = {},
    ) =>
      to(
        'POST',
        `/v1/conversations/${conversation.id}/attachments${name === undefined ? '' : `?name=${encodeURIComponent(name)}`}`,
        { ...tokenOf(conversation), raw, headers },
      ),
    download: (conversation: TestConversation, id: string) =>
      to('GET', `/v1/conversations/${conversation.id}/attachments/${id}`, tokenOf(conversation)),
  };
}

export type Visitor = ReturnType<typeof visitorOf>;
