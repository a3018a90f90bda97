/** Returns an id from a name, with an end that no other report has. */
export function idOf(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${words.replaceAll(/^-|-$/g, '').slice(0, 60)}-${crypto.randomUUID().slice(0, 8)}`;
}
