import type { Turn } from '@switchboard/management';
import { useEffect } from 'react';
import { forgetToken, getSession, SignedOut } from '../app/session.ts';
import { readData } from './read-data.ts';

/** A change in a conversation, as the stream sends it. */
export interface Change {
  kind: 'turn' | 'note' | 'changed' | 'presence' | 'settings';
  conversationId: string;
  turn?: Turn;
  /** null for the visitor. */
  sub?: string | null;
  name?: string | null;
  state?: 'viewing' | 'typing' | 'gone' | 'read';
}

interface Message {
  type: 'ready' | 'changes';
  changes?: readonly Change[];
}

interface Listener {
  /** Called when the stream opens: what happened before is not sent. */
  onReady(): void;
  onChange(change: Change): void;
}

const RETRY_MS = 1_000;

/** Follows the conversations of a project while the page is open. Opens the stream again when it ends. */
export function useLiveConversations(projectId: string, { onReady, onChange }: Listener): void {
  useEffect(() => {
    const closing = new AbortController();
    void followConversations(projectId, { onReady, onChange }, closing.signal);
    return () => closing.abort();
  }, [projectId, onReady, onChange]);
}

/** Follows the conversations of a project until the signal, or until the service refuses the stream. */
export async function followConversations(
  projectId: string,
  { onReady, onChange }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const take = ({ type, changes = [] }: Message) => {
    if (type === 'ready') onReady();
    changes.forEach(onChange);
  };
  while (!signal.aborted) {
    const isOver = await readStream(projectId, take, signal);
    if (isOver || signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads until the stream ends. Returns whether another one would be refused too. */
async function readStream(
  projectId: string,
  take: (message: Message) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { token, hosts } = await getSession();
    const url = `${hosts.api}/v1/projects/${encodeURIComponent(projectId)}/live-conversations`;
    const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` }, signal });
    if (response.status === 401) forgetToken();
    if (response.body === null || !response.ok) return [403, 404].includes(response.status);
    for await (const data of readData(response.body)) take(JSON.parse(data));
    return false;
  } catch (error) {
    return error instanceof SignedOut;
  }
}
