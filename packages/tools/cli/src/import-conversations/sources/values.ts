import { contactAddress } from '@switchboard/contracts';
import { type Fields, fieldsOf, textOf } from '@switchboard/other-products';
import { Refused, requireTime } from '../../imports/refused.ts';

/** Returns the objects in a list; none if it is no list. */
export const objectsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);

/** Returns a text of one line, or null. */
export function lineOf(value: unknown, max: number): string | null {
  const line = cleanText(textOf(value) ?? '')
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim();
  return line === '' ? null : [...line].slice(0, max).join('');
}

/** Returns a text that can be stored and shown, with the line breaks of Unix. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, '');
}

export function requireId(value: unknown, field: string): string {
  const id = textOf(value);
  if (id === undefined || id.length > 90 || id.trim() === '') throw new Refused(`${field}: not an id`);
  return id;
}

/** Returns the end of a snooze, which both products give the same name. null: until the visitor writes. */
export const snoozeOf = ({ snoozed_until: until }: Fields) => ({
  until: until == null ? null : requireTime(until, 'snoozed_until'),
});

export function emailOf(value: unknown): string | null {
  return contactAddress.safeParse(value).data ?? null;
}

/** Returns the fields with a value that traits can have. */
export const traitsOf = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && value !== ''));

/** Returns the last part of the path of an address, as the name of its file. */
export function fileNameOf(url: string): string {
  const { pathname = '' } = URL.canParse(url) ? new URL(url) : {};
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return lineOf(decodeURIComponent(last), 100) ?? 'file';
  } catch {
    return lineOf(last, 100) ?? 'file';
  }
}
