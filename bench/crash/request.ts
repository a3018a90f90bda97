/** Sends a request. Throws unless the response has one of the statuses. */
export async function request(
  url: string,
  init: RequestInit,
  statuses: number[],
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  if (!statuses.includes(answer.status)) throw new Error(`${url}: ${answer.status} ${text}`);
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}
