/** A formula over series, such as `A / B * 100`, where A is the first series. */
export interface Formula {
  /** The indexes of the series that it names. */
  series: readonly number[];
  /**
   * Returns the value for a value of each series. Null where one of them is null, after a division by zero, and beyond
   * the range of a number.
   */
  of(values: readonly (number | null)[]): number | null;
}

type Compute = Formula['of'];

const TOKEN = /\d+(?:\.\d+)?|[A-L]|[-+*/()]/g;
const NUMBER = /^\d/;
const FIRST_LETTER = 'A'.charCodeAt(0);

/** Parses numbers, letters, + - * / and parentheses. Returns undefined for any other text. */
export function parseFormula(text: string): Formula | undefined {
  const tokens = text.match(TOKEN) ?? [];
  if (tokens.join('') !== text.replaceAll(/\s/g, '')) return undefined;
  const series = new Set<number>();
  let at = 0;
  const take = (wanted: string) => {
    const token = tokens[at];
    if (token === undefined || !wanted.includes(token)) return undefined;
    at += 1;
    return token;
  };

  function sum(): Compute | undefined {
    return pairs(product, '+-');
  }
  function product(): Compute | undefined {
    return pairs(factor, '*/');
  }
  function pairs(part: () => Compute | undefined, operators: string): Compute | undefined {
    let left = part();
    for (let operator = take(operators); operator !== undefined; operator = take(operators)) {
      left = paired(left, operator, part());
    }
    return left;
  }
  function factor(): Compute | undefined {
    if (take('-') !== undefined) return paired(() => 0, '-', factor());
    if (take('(') !== undefined) {
      const within = sum();
      return take(')') === undefined ? undefined : within;
    }
    const token = tokens[at] ?? ')';
    if (NUMBER.test(token)) {
      at += 1;
      return () => Number(token);
    }
    const index = token.charCodeAt(0) - FIRST_LETTER;
    if (index < 0) return undefined;
    at += 1;
    series.add(index);
    return (values) => values[index] ?? null;
  }

  const compute = sum();
  if (compute === undefined || at < tokens.length) return undefined;
  return {
    series: [...series],
    of(values) {
      const value = compute(values);
      return value !== null && Number.isFinite(value) ? value : null;
    },
  };
}

function paired(
  left: Compute | undefined,
  operator: string,
  right: Compute | undefined,
): Compute | undefined {
  if (left === undefined || right === undefined) return undefined;
  return (values) => {
    const [one, other] = [left(values), right(values)];
    if (one === null || other === null) return null;
    if (operator === '+') return one + other;
    if (operator === '-') return one - other;
    if (operator === '*') return one * other;
    return other === 0 ? null : one / other;
  };
}
