import { Unavailable } from '@switchboard/http';

/** A question in the room. It waits until `begin` is called. */
interface Guest {
  /** Aborts with Unavailable when the question has to give way. */
  signal: AbortSignal;
  begin(): void;
  leave(): void;
}

interface Waiting {
  projectId: string;
  giveWay: AbortController;
}

const RETRY_SECONDS = 5;

/**
 * Bounds the running and waiting questions. In a full room, the project with the most questions gives way to others.
 */
export function createRoom(places: number) {
  /** In order of arrival. */
  const waiting = new Set<Waiting>();
  const counts = new Map<string, number>();
  let present = 0;

  function count(projectId: string, more: number): void {
    present += more;
    const now = (counts.get(projectId) ?? 0) + more;
    if (now > 0) counts.set(projectId, now);
    else counts.delete(projectId);
  }

  /** Returns the latest waiting question of the project with the most questions, if these are more than `than`. */
  function lastOfMost(than: number): Waiting | undefined {
    const most = Math.max(...counts.values());
    if (most <= than) return undefined;
    return [...waiting].findLast(({ projectId }) => counts.get(projectId) === most);
  }

  return {
    /** Throws Unavailable. */
    enter(projectId: string): Guest {
      if (present >= places) {
        const other = lastOfMost((counts.get(projectId) ?? 0) + 1);
        if (other === undefined) throw tooMany();
        waiting.delete(other);
        other.giveWay.abort(tooMany());
      }
      const one = { projectId, giveWay: new AbortController() };
      waiting.add(one);
      count(projectId, 1);
      return {
        signal: one.giveWay.signal,
        begin: () => void waiting.delete(one),
        leave() {
          waiting.delete(one);
          count(projectId, -1);
        },
      };
    },
  };
}

const tooMany = () =>
  new Unavailable('Too many queries at a time. Retry after the time in Retry-After.', RETRY_SECONDS);
