import { isRecord } from '../json.ts';
import { numeric } from './numeric.ts';

/** Whether an attribute, or an element of it, equals one of the values of a clause. */
export type Equality = (attribute: unknown) => boolean;

/**
 * Values are equal if they have the same JSON type and value (objects and arrays by content, strings
 * case-sensitively), or are a number or boolean and its string form. `null` equals nothing.
 */
export function equalityWithAny(values: readonly unknown[]): Equality {
  const texts = new Set<string>();
  const numbers = new Set<number>();
  const numbersAndTexts = new Set<number>();
  const booleans = new Set<boolean>();
  const structures: object[] = [];
  for (const value of values) {
    const number = numeric(value);
    if (number !== undefined) numbersAndTexts.add(number);
    if (typeof value === 'string') texts.add(value);
    else if (number !== undefined) numbers.add(number);
    else if (typeof value === 'boolean') booleans.add(value);
    else if (typeof value === 'object' && value !== null) structures.push(value);
  }
  return (attribute) => {
    switch (typeof attribute) {
      case 'string':
        return texts.has(attribute) || isNumberIn(numbers, attribute) || isWordIn(booleans, attribute);
      case 'number':
        return numbersAndTexts.has(attribute);
      case 'boolean':
        return booleans.has(attribute) || texts.has(String(attribute));
      case 'object':
        return attribute !== null && structures.some((structure) => sameJson(structure, attribute));
      default:
        return false;
    }
  };
}

function isNumberIn(numbers: ReadonlySet<number>, text: string): boolean {
  if (numbers.size === 0) return false;
  const number = numeric(text);
  return number !== undefined && numbers.has(number);
}

function isWordIn(booleans: ReadonlySet<boolean>, text: string): boolean {
  return (text === 'true' && booleans.has(true)) || (text === 'false' && booleans.has(false));
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
