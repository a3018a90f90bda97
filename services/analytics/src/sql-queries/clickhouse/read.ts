import { MAX_BYTES, MAX_ROWS, type SqlTable, UnusableSql } from '../query.ts';

/** Reads a result in the format JSONCompactEachRowWithNamesAndTypes, as far as the limits allow. */
export async function readTable(pages: AsyncIterable<readonly { text: string }[]>): Promise<SqlTable> {
  const heads: string[][] = [];
  const rows: string[] = [];
  let bytes = 0;
  const table = (truncated: boolean): SqlTable => {
    const [names = [], types = []] = heads;
    const columns = names.map((name, index) => ({ name, type: types[index] ?? '' }));
    return { columns, rows: `[${rows.join(',')}]`, truncated };
  };
  for await (const page of pages) {
    for (const { text } of page) {
      if (heads.length < 2) {
        heads.push(JSON.parse(text));
        continue;
      }
      bytes += Buffer.byteLength(text);
      if (rows.length === 0 && bytes > MAX_BYTES) {
        throw new UnusableSql('a value is too long; select a part of it');
      }
      // Leaving the loop closes the connection, which ends the query.
      if (rows.length === MAX_ROWS || bytes > MAX_BYTES) return table(true);
      rows.push(text);
    }
  }
  return table(false);
}
