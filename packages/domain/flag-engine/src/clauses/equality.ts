import { isRecord } from '../json.ts';
import { exactNumeric, numeric } from './numeric.ts';

/** Returns whether an attribute, or an element of it, equals one of the values of a clause. */
export type Equality = (attribute: unknown) => boolean;

/**
 * Creates the comparison with a list of values. Values are equal if they have the same JSON type and value (objects
 * and arrays by content, strings case-sensitively), or are a number or boolean and its string form. `null` equals
 * nothing. A string with an integer beyond 2^53 - 1 equals only the same string.
 */
export function equalityWithAny(values: readonly unknown[]): Equality {
  const texts: string[] = [];
  const numbers: number[] = [];
  const numbersAndTexts: number[] = [];
  const booleans: boolean[] = [];
  const structures: object[] = [];
  for (const value of values) {
    const number = exactNumeric(value);
    if (number !== undefined) numbersAndTexts.push(number);
    if (typeof value === 'string') texts.push(value);
    else if (number !== undefined) numbers.push(number);
    else if (typeof value === 'boolean') booleans.push(value);
    else if (typeof value === 'object' && value !== null) structures.push(value);
  }
  return equalityWith({
    isText: isOneOf(texts),
    isNumber: isOneOf(numbers),
    isNumberOrText: isOneOf(numbersAndTexts),
    isBoolean: isOneOf(booleans),
    structures: structures.length === 0 ? NO_STRUCTURES : structures.slice(),
  });
}

interface Values {
  isText: Test<string>;
  isNumber: Test<number>;
  isNumberOrText: Test<number>;
  isBoolean: Test<boolean>;
  structures: readonly object[];
}

type Test<T> = (value: T) => boolean;

/** A separate function, because its closure would otherwise keep the lists of values in memory. */
function equalityWith({ isText, isNumber, isNumberOrText, isBoolean, structures }: Values): Equality {
  return (attribute) => {
    switch (typeof attribute) {
      case 'string':
        return isText(attribute) || isNumberIn(isNumber, attribute) || isWordIn(isBoolean, attribute);
      case 'number':
        return isNumberOrText(attribute);
      case 'boolean':
        return isBoolean(attribute) || isText(String(attribute));
      case 'object':
        return attribute !== null && structures.some((structure) => sameJson(structure, attribute));
      default:
        return false;
    }
  };
}

const NO_STRUCTURES: readonly object[] = [];
const isNever = () => false;
/** The largest list that is not stored as a set. A set takes ten times the memory of a list with one value. */
const FEW = 8;

function isOneOf<T>(values: readonly T[]): Test<T> {
  if (values.length === 0) return isNever;
  if (values.length > FEW) return isIn(new Set(values));
  const few = values.slice();
  return few.length === 1 ? isSame(few[0]) : isAmong(few);
}

const isSame =
  <T>(one: T | undefined): Test<T> =>
  (value) =>
    value === one;
const isAmong =
  <T>(few: readonly T[]): Test<T> =>
  (value) =>
    few.includes(value);
const isIn =
  <T>(set: ReadonlySet<T>): Test<T> =>
  (value) =>
    set.has(value);

function isNumberIn(isNumber: Test<number>, text: string): boolean {
  if (isNumber === isNever) return false;
  const number = numeric(text);
  return number !== undefined && isNumber(number);
}

function isWordIn(isBoolean: Test<boolean>, text: string): boolean {
  return (text === 'true' && isBoolean(true)) || (text === 'false' && isBoolean(false));
}

function sameJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((element, index) => sameJson(element, right[index]));
  }
  if (!isRecord(left) || !isRecord(right)) return left === right;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]));
}
