/** Returns a literal text, for statements that bind no values. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
