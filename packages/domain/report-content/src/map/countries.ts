/**
 * Returns a function that names a country in a language by its ISO 3166-1 alpha-2 code. It returns other texts
 * unchanged, also codes that are obsolete or aliases, which would give two countries one name.
 */
export function countryNames(language: string): (code: string) => string {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  return (code) => {
    const isCode = /^[A-Z]{2}$/.test(code) && new Intl.Locale(`und-${code}`).region === code;
    return (isCode && names.of(code)) || code;
  };
}
