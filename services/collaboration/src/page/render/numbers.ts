const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

export const formatNumber = (value: number) => numbers.format(value);

export const formatShare = (part: number, whole: number) => (whole > 0 ? shares.format(part / whole) : '–');

/** A value with its unit: `12%`, `1,200 sign-ups`; a dash where there is none. */
export function formatValue(value: number | null | undefined, unit = ''): string {
  if (value === null || value === undefined) return '–';
  if (unit === '') return formatNumber(value);
  return unit === '%' ? `${formatNumber(value)}%` : `${formatNumber(value)} ${unit}`;
}
