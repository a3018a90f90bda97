import { expect, onTestFinished, test, vi } from 'vitest';
import { calendarOf, spanOf } from './calendar.ts';

test('looks up the offsets of a time zone once for the same days', () => {
  const formats = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => formats.mockRestore());
  const calendarIn = (timeZone: string) => {
    // No other test asks for these days.
    const span = spanOf({ from: '2031-03-01', to: '2031-03-31' }, 'day', timeZone, 0);
    return calendarOf({ span, interval: 'day', timeZone });
  };
  const first = calendarIn('Europe/Berlin');
  expect(calendarIn('Europe/Berlin')).toEqual(first);
  expect(formats).toHaveBeenCalledTimes(1);
  expect(calendarIn('America/Lima').stretches).not.toEqual(first.stretches);
});
