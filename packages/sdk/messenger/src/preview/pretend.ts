import type { Access, Answer, Api } from '../core/api.ts';
import { isObject, newKey, textOf } from '../core/values.ts';

const DAY_MS = 86_400_000;
/** The id of the conversation that every preview has. */
export const SAMPLE = 'sample';

interface PretendOptions {
  configuration(): unknown;
  /** Returns the address of a team member's picture. */
  picture(path: string): string;
  /** Whether the conversation is resolved, and the visitor is asked to rate it. */
  isResolved: boolean;
}

/** Creates an API that answers from memory and keeps nothing. */
export function createPretendApi({ configuration, picture, isResolved }: PretendOptions): Api {
  let rating = {};
  const status = isResolved ? 'resolved' : 'open';
  const files = new Map<string, Blob>();
  const conversations = new Map([[SAMPLE, sampleTurns(configuration())]]);
  const turnsOf = ({ id }: Access) => conversations.get(id) ?? [];
  return {
    config: () => answer(200, configuration()),
    own: () =>
      answer(200, {
        conversations: [
          {
            conversationId: SAMPLE,
            token: SAMPLE,
            status,
            subject: '',
            lastTurnAt: new Date().toISOString(),
          },
        ],
      }),
    open() {
      const conversationId = newKey();
      conversations.set(conversationId, []);
      return answer(201, { conversationId, token: conversationId });
    },
    read: (access) =>
      answer(200, {
        status,
        turns: turnsOf(access),
        visitorReadAt: null,
        teammateReadAt: new Date().toISOString(),
      }),
    satisfaction: () => answer(200, { asked: isResolved, ...rating }),
    rate(_access, given) {
      rating = isObject(given) ? given : {};
      return answer(200, { asked: isResolved, ...rating });
    },
    turn(access, id, request) {
      const given: Record<string, unknown> = isObject(request) ? request : {};
      const ids = Array.isArray(given['attachmentIds']) ? given['attachmentIds'].map(textOf) : [];
      const turn = {
        ...turnOf(id, 'visitor', textOf(given['body']), Date.now()),
        attachments: ids.map(fileOf),
      };
      conversations.set(access.id, [...turnsOf(access), turn]);
      return answer(201, { turn });
    },
    file: async (_access, id) => files.get(id),
    async upload(_access, { blob, name }) {
      const id = newKey();
      files.set(id, new File([blob], name, { type: blob.type }));
      return answer(201, fileOf(id));
    },
    avatar: picture,
  };

  function fileOf(id: string) {
    const blob = files.get(id);
    const name = blob instanceof File ? blob.name : '';
    return { id, name, contentType: blob?.type, bytes: blob?.size };
  }
}

/** A conversation over two days, with a turn of the first member of the team. */
function sampleTurns(configuration: unknown): ReturnType<typeof turnOf>[] {
  const team = isObject(configuration) && Array.isArray(configuration['team']) ? configuration['team'] : [];
  const member: Record<string, unknown> = isObject(team[0]) ? team[0] : {};
  const author = { authorName: textOf(member['name']), authorAvatarUrl: member['avatarUrl'] };
  const now = Date.now();
  return [
    turnOf('1', 'visitor', 'Can I pay by invoice?', now - DAY_MS),
    {
      ...turnOf('2', 'teammate', 'You can. Choose it under Settings, then Payment.', now - 300_000),
      ...author,
    },
    turnOf('3', 'visitor', 'Thank you!', now - 240_000),
    { ...turnOf('4', 'teammate', 'You are welcome.', now - 60_000), ...author },
  ];
}

const turnOf = (id: string, authorKind: string, body: string, at: number) => ({
  ...{ id, authorKind, body },
  createdAt: new Date(at).toISOString(),
});

async function answer(status: number, body: unknown): Promise<Answer> {
  return { status, body: isObject(body) ? body : {}, waitMs: 0, problem: '' };
}
