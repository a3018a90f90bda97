import { getAllTimezones } from 'countries-and-timezones';

/** The event property with the country. */
export const COUNTRY = 'country';
/** The event property from which the country follows where an event has none. */
export const TIME_ZONE = 'time_zone';

/**
 * The ISO code of the country of each IANA time zone, also by former names. A zone that several countries share counts
 * for the one that it is named after.
 */
export const COUNTRY_OF_ZONE: ReadonlyMap<string, string> = new Map(
  Object.values(getAllTimezones({ deprecated: true })).flatMap(({ name, countries: [country] }) =>
    country === undefined ? [] : [[name, country] as const],
  ),
);
