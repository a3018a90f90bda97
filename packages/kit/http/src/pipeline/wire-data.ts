import { BadRequest } from '../exchange/errors.ts';

const FORM = 'data=';
const JSON_FORM = /^\s*\{\s*"data"\s*:\s*"/;
const JSON_DATA = /^\s*\{\s*"data"\s*:\s*"([A-Za-z0-9+/=_-]*)"/;

/** Returns the JSON in a body of PostHog's SDKs: plain, as `data` of a form, or in base64. */
export function unwrapData(bytes: Buffer): Buffer {
  const isForm = bytes.subarray(0, FORM.length).toString('latin1') === FORM;
  if (!isForm && bytes[0] === 0x7b) {
    if (!JSON_FORM.test(bytes.subarray(0, 64).toString('latin1'))) return bytes;
    const encoded = JSON_DATA.exec(bytes.toString('latin1'))?.[1];
    return encoded === undefined ? bytes : Buffer.from(encoded, 'base64');
  }
  if (!isForm && bytes[0] === 0x5b) return bytes;
  const text = isForm ? formData(bytes) : bytes.toString('latin1');
  return /^\s*[[{]/.test(text) ? Buffer.from(text) : Buffer.from(text, 'base64');
}

function formData(bytes: Buffer): string {
  const [value = ''] = bytes.subarray(FORM.length).toString('utf8').split('&');
  try {
    return decodeURIComponent(value.replaceAll('+', '%20'));
  } catch {
    throw new BadRequest('data: not percent-encoded UTF-8');
  }
}
