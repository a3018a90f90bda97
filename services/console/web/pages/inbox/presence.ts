import { useCallback, useEffect, useState } from 'react';
import { api } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import type { Change } from '../../live/conversations.ts';

interface Seen {
  name: string | null;
  state: 'viewing' | 'typing';
  at: number;
}

/** The API is told at least this often. */
const VIEWING_MS = 10_000;
const TYPING_MS = 3_000;
/** Others are gone if nothing was heard of them for this long. */
const VIEWED_MS = 25_000;
const TYPED_MS = 6_000;
const CHECK_MS = 2_000;
const VISITOR = '';
/** The visitor types no more once their turn arrives. */
const VISITOR_SENT = { sub: null, name: null, state: 'gone' } as const;

/** Tells others that the agent views a conversation or types in it, and says what the others do there. */
export function usePresence(projectId: string, open: string | undefined, me: string) {
  const [seen, setSeen] = useState<ReadonlyMap<string, ReadonlyMap<string, Seen>>>(new Map());
  const [now, setNow] = useState(Date.now);

  const tell = useCallback(
    async (id: string, state: 'viewing' | 'typing' | 'gone') => {
      const client = await api();
      await client.call('putConversationPresence', { params: { projectId, id }, body: { state } });
    },
    [projectId],
  );
  useEffect(() => {
    if (open === undefined) return;
    // Presence is shown to others alone, so nothing here depends on its success.
    const say = (state: 'viewing' | 'gone') => void tell(open, state).catch(() => undefined);
    say('viewing');
    const timer = setInterval(() => say('viewing'), VIEWING_MS);
    return () => {
      clearInterval(timer);
      say('gone');
    };
  }, [open, tell]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CHECK_MS);
    return () => clearInterval(timer);
  }, []);

  const [typed, setTyped] = useState(0);
  const type = useCallback(() => {
    if (open === undefined || Date.now() - typed < TYPING_MS) return;
    setTyped(Date.now());
    void tell(open, 'typing').catch(() => undefined);
  }, [open, typed, tell]);

  const onChange = useCallback(
    ({ kind, conversationId, turn, ...change }: Change) => {
      const isSent = kind === 'turn' && turn?.authorKind === 'visitor';
      const { sub, name = null, state } = isSent ? VISITOR_SENT : change;
      if (sub === me || state === undefined || state === 'read') return;
      if (state !== 'gone') setNow(Date.now());
      setSeen((before) => {
        const others = new Map(before.get(conversationId));
        const key = sub ?? VISITOR;
        if (state !== 'gone') others.set(key, { name, state, at: Date.now() });
        else if (!others.delete(key)) return before;
        return new Map(before).set(conversationId, others);
      });
    },
    [me],
  );

  const others = [...(seen.get(open ?? '') ?? [])].filter(
    ([, { state, at }]) => now - at < (state === 'typing' ? TYPED_MS : VIEWED_MS),
  );
  const texts = others.map(([sub, { name, state }]) => {
    if (sub === VISITOR) return t('The visitor is typing');
    const values = { name: name ?? sub };
    return state === 'typing' ? t('{name} is answering', values) : t('{name} is viewing', values);
  });
  return { texts, type, onChange };
}
