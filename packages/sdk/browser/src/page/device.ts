/** A part of the user agent, and the name if it differs. A browser's own part precedes those of its ancestors. */
const BROWSERS =
  'Edg:Edge,OPR:Opera,Samsung:Samsung Internet,Firefox,FxiOS:Firefox,Chrome,CriOS:Chrome,Safari';
const SYSTEMS = 'iPhone:iOS,iPad:iOS,Android,Windows,Mac:macOS,CrOS:Chrome OS,Linux';

/** Returns the first of these names with a part in the user agent. Null if there is none. */
function nameIn(names: string, agent: string): string | null {
  const pairs = names.split(',').map((pair) => pair.split(':'));
  return pairs.find(([part = '']) => agent.includes(part))?.at(-1) ?? null;
}

/** Returns the name of the browser, without its version. */
export const browserOf = (agent: string): string | null => nameIn(BROWSERS, agent);

/** Returns the name of the operating system, without its version. */
export const systemOf = (agent: string): string | null => nameIn(SYSTEMS, agent);

/** Returns the class of the device. The user agent of an Android phone says `Mobile`; that of a tablet does not. */
export function deviceOf(agent: string): 'desktop' | 'mobile' | 'tablet' {
  if (/iPad|Tablet|Android(?!.*Mobi)/.test(agent)) return 'tablet';
  return /Mobi/.test(agent) ? 'mobile' : 'desktop';
}

/** Returns the user agent. An iPad presents itself as a Mac, but no Mac has a touch screen. */
export const userAgent = ({
  userAgent: agent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): string =>
  maxTouchPoints > 1 ? agent.replace('Macintosh', 'iPad') : agent;
