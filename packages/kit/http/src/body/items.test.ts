import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findItems, InvalidJson, MAX_DEPTH } from './items.ts';

const noTurn = async () => undefined;
const find = (text: string) => findItems(Buffer.from(text), 'events', noTurn);
const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const isAccepted = async (text: string): Promise<boolean> => {
  try {
    await find(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidJson) return false;
    throw error;
  }
};

describe('a JSON text', () => {
  it('accepts a text exactly when JSON.parse accepts it', async () => {
    // Pieces of JSON in any order, and valid JSON with one character changed.
    const pieces = fc
      .array(
        fc.constantFrom(
          ...['{', '}', '[', ']', ',', ':', '"', '\\', '"a"', '"\\u00e9"', '"\\ud8', 'null', 'true', 'fals'],
          ...['0', '-', '1', '.', '5', 'e', 'E+', ' ', '\n', '\t', '\u0001', '\u00a0', 'é', '/', '-0.5e3'],
        ),
        { maxLength: 12 },
      )
      .map((all) => all.join(''));
    const changed = fc
      .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2, unit: 'binary' }))
      .map(([json, at, by]) => {
        const place = at % (json.length + 1);
        return (json.slice(0, place) + by + json.slice(place + 1)).toWellFormed();
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(pieces, changed, fc.json()), async (text) => {
        expect(await isAccepted(text)).toBe(isJson(text));
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    ...['', ' ', '{', '[1,]', '{"a":1,}', '{"a"}', '{"a":}', '{1:2}', '[1 2]', '1 2', ']', '}', '[}', '{]'],
    ...['01', '-', '1.', '.5', '1e', '1e+', '+1', '0x1', 'nul', 'nullx', 'True', 'NaN', "'a'", '"\\x"', '"a'],
    ...['"\\u12"', '"\\u12g4"', '"\t"', '"\\', ',', '[,1]', ':', '{"a":1 "b":2}', '[1]]', '{}}', '\u00a0'],
    ...['[[1],2]', '{"a":{"b":[]}}', '-0', '0', '1E-5', '"\\ud800"', ' [ ] ', '{ "a" : null }', '"\u007f"'],
  ])('accepts the text %j exactly when JSON.parse accepts it', async (text) => {
    expect(await isAccepted(text)).toBe(isJson(text));
  });

  it('bounds the nesting of a text', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    await expect(find(nested(MAX_DEPTH))).resolves.toEqual([]);
    await expect(find(nested(MAX_DEPTH + 1))).rejects.toThrow(
      new InvalidJson('nested deeper than 5000 levels'),
    );
  });
});

describe('the items of an array', () => {
  const itemsIn = async (text: string) =>
    (await find(text)).map(({ start, end }) => Buffer.from(text).toString('utf8', start, end));

  it('returns the items of the outermost object, of each array with the name', async () => {
    expect(await itemsIn('{"a":[1],"events" : [ {"events":[2]}, "]" ],"b":{"events":[3]}}')).toEqual([
      ' {"events":[2]}, "]" ',
    ]);
    expect(await itemsIn('{"é":1,"events":[],"events":{"events":[1]},"\\u0065vents":[2]}')).toEqual([
      '',
      '2',
    ]);
    expect(await itemsIn('[["events",[1]],{"events":[2]}]')).toEqual([]);
    expect(await itemsIn('{"events":{"a":[1]},"event":[2],"eventss":[3]}')).toEqual([]);
  });

  it('returns no items of a hundred or more arrays', async () => {
    const repeated = (times: number) => `{${'"events":[],'.repeat(times)}"n":1}`;
    expect(await itemsIn(repeated(100))).toHaveLength(100);
    await expect(find(repeated(101))).rejects.toThrow(new InvalidJson('more than 100 times events'));
  });

  it('finds the items of a large text in slices', async () => {
    let turns = 0;
    const text = JSON.stringify({ events: Array.from({ length: 1_500_000 }, () => 1) });
    const found = await findItems(Buffer.from(text), 'events', async () => void turns++);
    expect(found).toEqual([{ start: '{"events":['.length, end: text.length - 2 }]);
    expect(turns).toBe(23);
  });
});
