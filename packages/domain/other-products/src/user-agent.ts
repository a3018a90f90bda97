/**
 * The names that our browser SDK gives to browsers and systems. Each pair is a part of the user agent and a name. The
 * part of a browser itself precedes those of the browsers that it claims to be.
 */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Samsung', 'Samsung Internet'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac', 'macOS'],
  ['CrOS', 'Chrome OS'],
  ['Linux', 'Linux'],
] as const;

interface Agent {
  browser: string | undefined;
  os: string | undefined;
  device: 'desktop' | 'mobile' | 'tablet';
}

/** Returns the browser, the operating system and the class of the device of a user agent. */
export function agentOf(userAgent: string): Agent {
  const nameIn = (pairs: readonly (readonly [string, string])[]) =>
    pairs.find(([part]) => userAgent.includes(part))?.[1];
  return { browser: nameIn(BROWSERS), os: nameIn(SYSTEMS), device: deviceOf(userAgent) };
}

/** The user agent of an Android phone says `Mobile`; that of a tablet does not. */
function deviceOf(userAgent: string): Agent['device'] {
  if (/iPad|Tablet|Android(?!.*Mobi)/.test(userAgent)) return 'tablet';
  return /Mobi/.test(userAgent) ? 'mobile' : 'desktop';
}
